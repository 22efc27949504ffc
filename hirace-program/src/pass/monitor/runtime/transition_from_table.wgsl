// Returns the state after one more access, from the transition table.
fn hirace_transition(state: u32, action: u32, sync: u32, relation: u32) -> u32 {
    let row = hirace_table(state * 12u + action * 3u + sync);
    return (row >> (relation * 8u)) & 31u;
}
