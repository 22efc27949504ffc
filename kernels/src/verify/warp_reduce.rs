//! A sum whose last steps are a part of the workgroup's.

/// A sum by halves.
#[hirace::monitor]
pub mod warp_reduce {
    use hirace::prelude::*;

    /// Invocations of a workgroup.
    #[overridable]
    pub const SIZE: u32 = 256;

    /// The barrier stands where only those come that still add.
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
