fn hirace_left(first: u32, turns: u32) {
    hirace_count(first + turns);
}
