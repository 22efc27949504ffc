// Returns the first word of the error record of `site`.
fn hirace_error_record(site: u32) -> u32 {
    return hirace_tally_start + 2u * HIRACE_SITE_WORDS + site * HIRACE_ERROR_SIZE;
}

// Counts an error in the record at `at`. Returns whether it is the first error there, and records its invocation in that case.
fn hirace_record_error(at: u32) -> bool {
    let is_first = atomicAdd(&hirace_shadow[at + HIRACE_ERROR_COUNT], 1u) == 0u;
    if is_first {
        atomicStore(&hirace_shadow[at + HIRACE_ERROR_WORKGROUP], hirace_workgroup);
        atomicStore(&hirace_shadow[at + HIRACE_ERROR_LOCAL_INDEX], hirace_local_index);
    }
    return is_first;
}

// Records an error if the index, which is about to be clamped to `last`, is out of bounds.
fn hirace_check_index(index: u32, last: u32, kind: u32, site: u32) {
    if index > last {
        let at = hirace_error_record(site);
        if hirace_record_error(at) {
            atomicStore(&hirace_shadow[at + HIRACE_ERROR_INDEX], index);
            atomicStore(&hirace_shadow[at + HIRACE_ERROR_LAST], last);
            atomicStore(&hirace_shadow[at + HIRACE_ERROR_KIND], kind);
        }
        if (kind & HIRACE_RUNTIME_SIZED) != 0u {
            atomicMax(&hirace_shadow[at + HIRACE_ERROR_MAX_INDEX], index);
        }
    }
}

// Counts an iteration of the loop at `site`. Returns whether the invocation has executed too many iterations, so that the loop
// must end, and records an error in that case.
fn hirace_begin_iteration(site: u32) -> bool {
    hirace_iterations += 1u;
    if hirace_iterations <= hirace_max_iterations {
        return false;
    }
    hirace_record_error(hirace_error_record(site));
    return true;
}
