//! Convolves a signal with a filter whose radius is a compile-time constant.

/// One helper function for all radii.
#[hirace::monitor]
pub mod convolution {
    use hirace::prelude::*;

    const BLOCK: usize = 64;

    fn convolve<const RADIUS: usize, const TAPS: usize>(
        signal: &[f32],
        center: usize,
        filter: &[f32; TAPS],
    ) -> f32 {
        debug_assert!(TAPS == 2 * RADIUS + 1);
        let mut sum = 0.0;
        for (tap, weight) in filter.iter().enumerate() {
            let Some(i) = (center + tap).checked_sub(RADIUS) else { continue };
            if i < signal.len() {
                sum += weight * signal[i];
            }
        }
        sum
    }

    /// Applies a narrow and a wide filter; the signal is 0 outside its bounds.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        signal: &[f32],
        sharpened: &mut [f32],
        smoothed: &mut [f32],
    ) {
        const SHARPEN: [f32; 3] = [-0.5, 2.0, -0.5];
        const SMOOTH: [f32; 7] = [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05];

        let i = id.x as usize;
        if i < signal.len() {
            sharpened[i] = convolve::<1, 3>(signal, i, &SHARPEN);
            smoothed[i] = convolve::<3, 7>(signal, i, &SMOOTH);
        }
    }

    /// Loads the tile's margins with its first lanes, and reads them without a barrier.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        signal: &[f32],
        smoothed: &mut [f32],
        #[workgroup] tile: &mut [f32; BLOCK],
    ) {
        let (i, lane) = (id.x as usize, lane as usize);
        tile[lane] = signal[i];
//      ^^^^^^^^^^ race: write/read on tile[..]
        let mut sum = 0.0;
        for tap in 0..3 {
            sum += tile[(lane + tap) % BLOCK] / 3.0;
//                 ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..]
        }
        smoothed[i] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::convolution;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn signals_are_convolved() {
        let signal = floats(100, 160);
        let launch = Launch::new().workgroups(2).buffer("signal", &signal);
        let launch = launch.zeros("sharpened", 100).zeros("smoothed", 100);
        let run = clean(&convolution::clean::kernel(), launch);
        let expected = |weights: &[f32]| -> Vec<f32> {
            let radius = weights.len() as i32 / 2;
            let at = |i: i32| if (0..100).contains(&i) { signal[i as usize] } else { 0.0 };
            let sum = |i: i32| (0i32..).zip(weights).map(|(k, w)| w * at(i + k - radius)).sum();
            (0..100).map(sum).collect()
        };
        assert_close(&run.read::<f32>("sharpened"), &expected(&[-0.5, 2.0, -0.5]), 1e-5);
        let smooth = [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05];
        assert_close(&run.read::<f32>("smoothed"), &expected(&smooth), 1e-5);
    }

    #[test]
    fn a_tile_without_a_barrier_races() {
        let launch = Launch::new().workgroups(1).buffer("signal", &floats(64, 161));
        let launch = launch.zeros("smoothed", 64);
        racy(&convolution::racy::kernel(), launch, include_str!("convolution.rs"));
    }
}
