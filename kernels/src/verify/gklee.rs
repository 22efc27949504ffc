//! Barriers in branches or loops that not all invocations of a workgroup reach.

/// Two mistakes from the tests of GKLEE.
#[hirace::monitor]
pub mod gklee {
    use hirace::prelude::*;

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 32;

    /// Has a barrier in each arm of a branch.
    // verify: GkleeTests1 2x2 wgsl barrier-divergence repaired
    // verify: GkleeTests1 2x32 wgsl barrier-divergence
    #[kernel(workgroup_size(SIZE))]
    pub fn in_both_arms(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(global_invocation_id)] id: UVec3,
        out: &mut [u32; 64],
        #[workgroup] words: &mut [u32; 64],
    ) {
        words[lane] = lane;
        if lane < SIZE / 2 {
            workgroup_barrier();
        } else {
            workgroup_barrier();
        }
        out[id.x] = words[SIZE - 1 - lane];
    }

    /// Has a barrier in a loop whose number of iterations depends on the invocation.
    // verify: GkleeTests2 1x4 wgsl barrier-divergence repaired
    // verify: GkleeTests2 1x64 wgsl barrier-divergence
    #[kernel(workgroup_size(SIZE))]
    pub fn in_a_loop(
        #[builtin(local_invocation_index)] lane: u32,
        out: &mut [u32; 64],
        #[workgroup] words: &mut [u32; 64],
    ) {
        words[lane] = lane;
        for _ in 0..lane % 4 {
            workgroup_barrier();
        }
        out[lane] = words[lane];
    }
}
