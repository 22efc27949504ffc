fn hirace_left_N(turns: u32) {
    hirace_ran_N += u32(turns == 0u);
    hirace_ran_AND_1 += u32(turns == 1u);
    hirace_ran_AND_2 += u32(turns > 1u);
}
