// Sets a flag if the index, which is about to be clamped to `last`, is out of bounds.
fn hirace_check_index(index: u32, last: u32, kind: u32, site: u32) {
    if index > last {
        hirace_flags |= HIRACE_ERROR_FLAG;
    }
}

// Counts an iteration of the loop at `site`. Returns whether the invocation has executed too many iterations, so that the loop
// must end, and sets a flag in that case.
fn hirace_begin_iteration(site: u32) -> bool {
    hirace_iterations += 1u;
    if hirace_iterations > hirace_max_iterations {
        hirace_flags |= HIRACE_ERROR_FLAG;
    }
    return hirace_iterations > hirace_max_iterations;
}
