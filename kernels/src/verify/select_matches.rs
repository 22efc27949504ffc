//! Selects the best of several features, as computer vision libraries do: halves of a workgroup are compared until one remains.

/// Finds the minimum of some distances.
#[hirace::monitor]
pub mod select_matches {
    use hirace::prelude::*;

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 16;

    /// Only invocations that have a feature reach the barriers.
    // verify: arrayfire-sm 1x16 wgsl barrier-divergence
    #[kernel(workgroup_size(SIZE))]
    pub fn diverges(
        #[builtin(local_invocation_index)] lane: u32,
        best: &mut u32,
        #[workgroup] distances: &mut [u32; 64],
    ) {
        let features = SIZE - 1;
        distances[lane] = lane * 7 % SIZE;
        workgroup_barrier();
        if lane < features {
            let mut half = SIZE / 2;
            while half > 0 {
                if lane < half {
                    distances[lane] = distances[lane].min(distances[lane + half]);
                }
                workgroup_barrier();
                half /= 2;
            }
            if lane == 0 {
                *best = distances[0];
            }
        }
    }

    /// The correct version.
    // verify: arrayfire-sm-right 1x16 wgsl verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        #[builtin(local_invocation_index)] lane: u32,
        best: &mut u32,
        #[workgroup] distances: &mut [u32; 64],
    ) {
        distances[lane] = lane * 7 % SIZE;
        workgroup_barrier();
        let mut half = SIZE / 2;
        while half > 0 {
            if lane < half {
                distances[lane] = distances[lane].min(distances[lane + half]);
            }
            workgroup_barrier();
            half /= 2;
        }
        if lane == 0 {
            *best = distances[0];
        }
    }
}
