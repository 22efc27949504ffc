//! A sum whose last steps are done by a part of the workgroup.

/// A sum by repeated halving.
#[hirace::monitor]
pub mod warp_reduce {
    use hirace::prelude::*;

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 256;

    /// Only invocations that still add reach the barrier.
    // verify: arrayfire-wr 1x8 wgsl barrier-divergence
    // verify: arrayfire-wr 1x256 wgsl barrier-divergence
    #[kernel(workgroup_size(SIZE))]
    pub fn diverges(
        #[builtin(local_invocation_index)] lane: u32,
        sum: &mut u32,
        #[workgroup] sums: &mut [u32; 256],
    ) {
        sums[lane] = lane;
        workgroup_barrier();
        let mut half = SIZE / 2;
        while lane < half {
            sums[lane] += sums[lane + half];
            workgroup_barrier();
            half /= 2;
        }
        if lane == 0 {
            *sum = sums[0];
        }
    }
}
