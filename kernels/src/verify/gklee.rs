//! Barriers that the branch around them, or the loop, does not bring everyone to.

/// Two mistakes that the tests of GKLEE have.
#[hirace::monitor]
pub mod gklee {
    use hirace::prelude::*;

    /// Invocations of a workgroup.
    #[overridable]
    pub const SIZE: u32 = 32;

    /// One barrier in each arm of a branch.
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

    /// A barrier a turn, in a loop of as many turns as the invocation has a number.
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
