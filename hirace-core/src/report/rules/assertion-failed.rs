#[hirace::monitor(workgroup_size(64))]
fn free_the_last(
    #[builtin(local_invocation_index)] lane: u32,
    taken: &u32,
    data: &mut [u32],
) {
    let last = *taken as usize - 1 - lane as usize;
    assert!(last < data.len());
    data[last] = 0;
}
