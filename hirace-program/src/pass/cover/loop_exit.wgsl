// Counts that this invocation leaves a loop, by the number of its iterations: none, one, or more.
fn hirace_leave_loop_N(iterations: u32) {
    hirace_invocations_N += u32(iterations == 0u);
    hirace_invocations_AND_1 += u32(iterations == 1u);
    hirace_invocations_AND_2 += u32(iterations > 1u);
}
