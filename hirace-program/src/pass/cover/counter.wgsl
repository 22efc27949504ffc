var<private> hirace_ran_N: u32;
fn hirace_count_N() {
    hirace_ran_N += 1u;
}
