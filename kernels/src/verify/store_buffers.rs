//! Store buffering in a ring: each invocation sets its own flag and then loads the flag of the next one.

/// A ring of flags; each invocation sets its own.
#[hirace::monitor]
pub mod store_buffers {
    use hirace::prelude::*;

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Asserts that not all loads returned 0, which holds under sequential consistency.
    // verify: SB-2 1x2 scoped-rc11 assertion
    // verify: SB-2 1x2 sc verified
    // verify: SB-8 1x8 scoped-rc11 assertion
    // verify: SB-12 1x12 scoped-rc11 assertion
    // verify: SB-14 1x14 scoped-rc11 assertion
    // verify: SB-25 1x25 scoped-rc11 assertion
    #[kernel(workgroup_size(SIZE))]
    pub fn ring(
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[Atomic<u32>; 32],
        #[workgroup] up: &mut [u32; 32],
    ) {
        flags[lane].store(1);
        up[lane] = flags[(lane + 1) % SIZE].load();
        workgroup_barrier();
        if lane == 0 {
            let mut any = 0;
            for i in 0..SIZE {
                any |= up[i];
            }
            assert!(any != 0);
        }
    }
}
