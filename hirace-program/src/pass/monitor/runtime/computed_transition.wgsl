// Returns the state after one more access, computed by the rules from which the transition table is derived. Each state other
// than the initial state and the race state consists of three numbers:
// - `spread`: which invocations performed the accesses that nothing synchronizes: one invocation (0), several of a subgroup (1),
//   several subgroups of a workgroup (2) or several workgroups (3);
// - `kind`: the kind of these accesses: reads (0) or atomics (1);
// - `mixed`: in how many of these periods there were also accesses of another kind, counted from the last one: since the last
//   subgroup barrier, since the last workgroup barrier, since the start of the dispatch. In the last of these periods, atomics
//   with the scope of a workgroup count as another kind.
fn hirace_transition(state: u32, action: u32, sync: u32, relation: u32) -> u32 {
    let code = state ^ HIRACE_STATE_XOR;
    let kind = code & 1u;
    let spread = (code >> 1u) & 3u;
    let mixed = code >> 3u;
    let is_write = action == HIRACE_WRITE;
    let is_scoped = select(0u, 1u, action == HIRACE_SCOPED);
    let access_kind = select(0u, 1u, action >= HIRACE_SCOPED);
    let is_same_kind = !is_write & (access_kind == kind);
    let joined_mixed = max(mixed, is_scoped);
    let several_workgroups = (spread == 3u) | (relation == HIRACE_RELATION_G);
    let several_subgroups = (spread == 2u) | (relation == HIRACE_RELATION_B);

    // An access that a barrier orders after the earlier accesses starts a new set of unsynchronized accesses.
    let after_barrier = sync == HIRACE_SYNC_B;
    let after_subgroup_barrier = (sync == HIRACE_SYNC_W) & !several_subgroups;
    let starts_set = (state == 0u) | ((after_barrier | after_subgroup_barrier) & !several_workgroups);
    let mixed_after_subgroup_barrier = select(2u, min(joined_mixed, 2u), is_same_kind);
    let mixed_after_barrier = select(1u, 0u, is_same_kind & (mixed == 0u));
    let mixed_before = select(select(mixed_after_subgroup_barrier, mixed_after_barrier, after_barrier), 0u, state == 0u);
    let started_mixed = max(select(is_scoped, 3u, is_write), mixed_before);

    // Any other access joins the set. It cannot race if it is by the only invocation of the set.
    let is_alone = (spread == 0u) & (relation == HIRACE_RELATION_S);
    let joined_spread = select(select(1u, 2u, several_subgroups), 3u, several_workgroups);
    let races = !is_same_kind | (mixed + joined_spread > 3u) | (several_workgroups & (is_scoped > 0u));

    let next_mixed = select(select(joined_mixed, 3u, is_alone & !is_same_kind), started_mixed, starts_set);
    let next_kind = select(select(kind, 0u, next_mixed == 3u), access_kind, starts_set);
    let next_spread = select(joined_spread, 0u, starts_set | is_alone);
    let next = (next_mixed << 3u) | (next_spread << 1u) | next_kind;
    return select(next ^ HIRACE_STATE_XOR, HIRACE_RACE, races & !starts_set & !is_alone);
}
