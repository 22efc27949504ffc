#[hirace::monitor(workgroup_size(64))]
fn atomics(
    #[builtin(local_invocation_index)] lane: u32,
    hits: &Atomic<u32>,
    signed: &[Atomic<i32>],
    plain: &mut [u32],
    #[workgroup] bins: &[Atomic<u32>; 16],
    #[workgroup] flag: &mut u32,
) {
    hits.fetch_add(1);
    hits.fetch_sub(1);
    let a = hits.fetch_max(lane) + hits.fetch_min(3) + hits.fetch_and(7) + hits.fetch_or(1) + hits.fetch_xor(2);
    signed[lane].store(-1);
    let b = signed[lane & 3].load() + signed[0].swap(4);
    bins[lane & 15].fetch_add(a);
    match hits.compare_exchange(0, 1) {
        Ok(old) => plain[0] = old,
        Err(old) => plain[1] = old,
    }
    if let Err(old) = hits.compare_exchange_weak(1, 0) {
        plain[2] = old;
    }
    while let Err(_) = bins[0].compare_exchange_weak(0, 1) {}
    let taken = match hits.compare_exchange(0, 1) {
        Ok(0) => true,
        Ok(_) => false,
        Err(1 | 2) => false,
        Err(other) => other == 3,
    };
    *hits.plain() += 1;
    let c = *hits.plain() + *bins[1].plain();
    atomic_add(&mut plain[lane], 1);
    let d = atomic_load(&plain[3]) + atomic_max(&mut plain[4], c);
    let e = atomic_add(hits, 1) + atomic_load(&bins[2]);
    if lane == 0 {
        *flag = d;
    }
    workgroup_barrier();
    storage_barrier();
    let shared = workgroup_uniform_load(flag);
    plain[5] = shared + d + e + u32::from(taken) + b as u32;
}
