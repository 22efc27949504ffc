// The number of times that this invocation has run the code of a counter.
var<private> hirace_invocations_N: u32;

// Counts that this invocation runs the code of a counter.
fn hirace_count_N() {
    hirace_invocations_N += 1u;
}
