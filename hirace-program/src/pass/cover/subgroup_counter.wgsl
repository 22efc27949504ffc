// The number of times that this invocation has run the code of a counter.
var<private> hirace_invocations_N: u32;
// The number of times that it did so as the first active invocation of its subgroup.
var<private> hirace_subgroups_N: u32;

// Counts that this invocation runs the code of a counter. The first active invocation also counts this for its subgroup.
fn hirace_count_N() {
    hirace_invocations_N += 1u;
    hirace_subgroups_N += hirace_is_leader();
}
