//! Loads that may be buffered behind stores, in a ring: each invocation loads its flag, and raises the next one's.

/// A ring of flags that are raised one by the other.
#[hirace::monitor]
pub mod load_buffers {
    use hirace::prelude::*;

    /// Invocations of a workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Each takes what it finds.
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

    /// And one looks at all that was found: somebody came first, unless loads are buffered.
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
