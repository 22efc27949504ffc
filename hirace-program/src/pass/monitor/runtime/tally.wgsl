// Notes that an access ran, and with it which invocations were there.
fn hirace_ran(site: u32) {
    let at = hirace_tally_base + site * HIRACE_TALLY;
    if atomicLoad(&hirace_shadow[at + HIRACE_HIGHEST]) < hirace_number {
        atomicMax(&hirace_shadow[at + HIRACE_HIGHEST], hirace_number);
    }
    if atomicLoad(&hirace_shadow[at + HIRACE_LOWEST]) < ~hirace_number {
        atomicMax(&hirace_shadow[at + HIRACE_LOWEST], ~hirace_number);
    }
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
        let at = hirace_tally_base + site * HIRACE_TALLY;
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
    hirace_wrong(hirace_tally_base + site * HIRACE_TALLY);
    return true;
}
