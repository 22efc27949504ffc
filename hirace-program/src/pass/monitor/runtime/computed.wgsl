// The state after one more access, by the rules that the table was derived from. Other than at first and
// after a race, a state says
// - `who` is not synchronized with each other: one invocation, several of a subgroup, several subgroups
//   of a workgroup, or several workgroups;
// - the `kind` of accesses: reads or atomics;
// - `mixed`: in how many of these, from the last on, there were others among them: since the last subgroup
//   barrier, since the last barrier, ever (where atomics of a workgroup's scope count as others).
fn hirace_transition(state: u32, action: u32, sync: u32, relation: u32) -> u32 {
    let code = state ^ HIRACE_CODE;
    let kind = code & 1u;
    let who = (code >> 1u) & 3u;
    let mixed = code >> 3u;
    let write = action == HIRACE_WRITE;
    let scoped = select(0u, 1u, action == HIRACE_SCOPED);
    let own = select(0u, 1u, action >= HIRACE_SCOPED);
    let same = !write & (own == kind);
    let more = max(mixed, scoped);
    let several_workgroups = (who == 3u) | (relation == HIRACE_RELATION_G);
    let several_subgroups = (who == 2u) | (relation == HIRACE_RELATION_B);

    // What a barrier orders before it no longer matters to those that it orders.
    let after_barrier = sync == HIRACE_SYNC_B;
    let after_subgroup_barrier = (sync == HIRACE_SYNC_W) & !several_subgroups;
    let begins = (state == 0u) | ((after_barrier | after_subgroup_barrier) & !several_workgroups);
    let in_subgroup = select(2u, min(more, 2u), same);
    let in_workgroup = select(1u, 0u, same & (mixed == 0u));
    let before = select(select(in_subgroup, in_workgroup, after_barrier), 0u, state == 0u);
    let begun = max(select(scoped, 3u, write), before);

    let alone = (who == 0u) & (relation == HIRACE_RELATION_S);
    let others = select(select(1u, 2u, several_subgroups), 3u, several_workgroups);
    let race = !same | (mixed + others > 3u) | (several_workgroups & (scoped > 0u));

    let next_mixed = select(select(more, 3u, alone & !same), begun, begins);
    let next_kind = select(select(kind, 0u, next_mixed == 3u), own, begins);
    let next_who = select(others, 0u, begins | alone);
    let next = (next_mixed << 3u) | (next_who << 1u) | next_kind;
    return select(next ^ HIRACE_CODE, HIRACE_RACE, race & !begins & !alone);
}
