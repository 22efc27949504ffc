// The flags to set when the invocation ends.
var<private> hirace_flags: u32;
// The number of words that this invocation made racy and that it did not log. These words contain the sites of their races.
var<private> hirace_unlogged: u32;

// Records, when the invocation ends, what was not recorded immediately.
fn hirace_record_deferred() {
SCAN    if hirace_unlogged != 0u {
        atomicAdd(&hirace_shadow[HIRACE_UNLOGGED], hirace_unlogged);
    }
    if hirace_flags != 0u {
        atomicOr(&hirace_shadow[HIRACE_FLAGS], hirace_flags);
    }
}
