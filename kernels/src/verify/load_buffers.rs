//! Load buffering in a ring: each invocation loads its own flag and then sets the flag of the next one.

/// A ring of flags; each invocation sets the next one.
#[hirace::monitor]
pub mod load_buffers {
    use hirace::prelude::*;

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Stores what each invocation has loaded.
    // verify: LB-2 1x2 scoped-rc11 verified
    // verify: LB-3 1x3 scoped-rc11 verified
    // verify: LB-7 1x7 scoped-rc11 verified
    // verify: LB-12 1x12 scoped-rc11 verified long
    // verify: LB-18 1x18 scoped-rc11 verified long
    // verify: LB-22 1x22 scoped-rc11 verified
    // verify: LB-2 1x2 wgsl verified
    #[kernel(workgroup_size(SIZE))]
    pub fn ring(
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[Atomic<u32>; 32],
        seen: &mut [u32; 32],
    ) {
        let found = flags[lane].load();
        flags[(lane + 1) % SIZE].store(1);
        seen[lane] = found;
    }

    /// Asserts that not all loads returned 1, which holds unless loads are reordered after stores.
    // verify: LB-asserted-3 1x3 scoped-rc11 verified
    // verify: LB-asserted-3 1x3 wgsl assertion
    // verify: LB-asserted-18 1x18 scoped-rc11 verified long
    #[kernel(workgroup_size(SIZE))]
    pub fn ring_looked_at(
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[Atomic<u32>; 32],
        #[workgroup] seen: &mut [u32; 32],
    ) {
        let found = flags[lane].load();
        flags[(lane + 1) % SIZE].store(1);
        seen[lane] = found;
        workgroup_barrier();
        if lane == 0 {
            let mut all = 1;
            for i in 0..SIZE {
                all &= seen[i];
            }
            assert!(all == 0);
        }
    }
}
