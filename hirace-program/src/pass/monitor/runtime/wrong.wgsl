// The first word of what is noted of what goes wrong at a site.
fn hirace_record_of(site: u32) -> u32 {
    return hirace_tally_base + 2u * HIRACE_BITS + site * HIRACE_TALLY;
}

// Notes that something went wrong at a site. Whoever is the first is the one to tell who he is.
fn hirace_wrong(at: u32) -> bool {
    let first = atomicAdd(&hirace_shadow[at + HIRACE_COUNT], 1u) == 0u;
    if first {
        atomicStore(&hirace_shadow[at + HIRACE_WORKGROUP], hirace_workgroup);
        atomicStore(&hirace_shadow[at + HIRACE_LOCAL], hirace_local);
    }
    return first;
}

// An index that is about to be clamped to `last`.
fn hirace_index(index: u32, last: u32, kind: u32, site: u32) {
    if index > last {
        let at = hirace_record_of(site);
        if hirace_wrong(at) {
            atomicStore(&hirace_shadow[at + HIRACE_INDEX], index);
            atomicStore(&hirace_shadow[at + HIRACE_LAST], last);
            atomicStore(&hirace_shadow[at + HIRACE_KIND], kind);
        }
        if (kind & HIRACE_RUNTIME_SIZED) != 0u {
            atomicMax(&hirace_shadow[at + HIRACE_MOST], index);
        }
    }
}

// A turn of the loop at `site` begins. Whether it has to end, as there were too many.
fn hirace_turn(site: u32) -> bool {
    hirace_turns += 1u;
    if hirace_turns <= hirace_most_turns {
        return false;
    }
    hirace_wrong(hirace_record_of(site));
    return true;
}
