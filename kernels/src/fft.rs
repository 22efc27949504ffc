//! The discrete Fourier transform of 64 complex numbers, radix 2, in workgroup memory.

/// Complex numbers are `Vec2`.
#[hirace::monitor]
pub mod fft {
    use hirace::prelude::*;

    const LENGTH: usize = 64;
    const STAGES: u32 = 6;
    const TAU: f32 = 6.283_185_5;

    /// Returns the product of two complex numbers.
    fn times(a: Vec2, b: Vec2) -> Vec2 {
        vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
    }

    /// Computes one butterfly; 32 invocations compute a stage.
    #[rustfmt::skip]
    fn butterfly(data: &mut [Vec2; LENGTH], lane: u32, stage: u32) {
        let half = 1 << stage;
        let within = lane & (half - 1);
        let even = (lane >> stage << (stage + 1)) + within;
        let odd = even + half;
        let angle = -TAU * within as f32 / (2 * half) as f32;
        let turned = times(vec2(angle.cos(), angle.sin()), data[odd]);
//                                                         ^^^^^^^^^ race: read/write on data[..].x
        data[odd] = data[even] - turned;
//      ^^^^^^^^^ race: write/read on data[..].x
//                  ^^^^^^^^^^ race: read/write on data[..].x
        data[even] += turned;
//      ^^^^^^^^^^ race: read/write on data[..].x
//      ^^^^^^^^^^ race: write/read on data[..].x
    }

    /// Loads the elements in bit-reversed order, and then computes six stages.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        signal: &[Vec2],
        spectrum: &mut [Vec2],
        #[workgroup] data: &mut [Vec2; LENGTH],
    ) {
        for i in (lane..LENGTH as u32).step_by(32) {
            data[reverse_bits(i) >> (32 - STAGES)] = signal[i];
        }
        for stage in 0..STAGES {
            workgroup_barrier();
            butterfly(data, lane, stage);
        }
        workgroup_barrier();
        for i in (lane..LENGTH as u32).step_by(32) {
            spectrum[i] = data[i];
        }
    }

    /// Lacks barriers because a warp of 32 lanes was assumed to run in lockstep, which is not guaranteed.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        signal: &[Vec2],
        spectrum: &mut [Vec2],
        #[workgroup] data: &mut [Vec2; LENGTH],
    ) {
        for i in (lane..LENGTH as u32).step_by(32) {
            data[reverse_bits(i) >> (32 - STAGES)] = signal[i];
        }
        workgroup_barrier();
        for stage in 0..STAGES {
            butterfly(data, lane, stage);
        }
        workgroup_barrier();
        for i in (lane..LENGTH as u32).step_by(32) {
            spectrum[i] = data[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fft;
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    fn launch(signal: &[Vec2]) -> Launch {
        Launch::new().workgroups(1).buffer("signal", signal).buffer("spectrum", &[Vec2::ZERO; 64])
    }

    fn signal() -> Vec<Vec2> {
        floats(128, 22).chunks(2).map(|c| Vec2::new(c[0], c[1])).collect()
    }

    #[test]
    fn the_spectrum_is_that_of_the_definition() {
        let signal = signal();
        let run = clean(&fft::clean::kernel(), launch(&signal));
        let bin = |k: usize| {
            let (mut real, mut imaginary) = (0.0, 0.0);
            for (n, z) in signal.iter().enumerate() {
                let (sin, cos) = (-std::f64::consts::TAU * (k * n) as f64 / 64.0).sin_cos();
                let (x, y) = (f64::from(z.x), f64::from(z.y));
                real += x * cos - y * sin;
                imaginary += x * sin + y * cos;
            }
            [real as f32, imaginary as f32]
        };
        let expected: Vec<f32> = (0..64).flat_map(bin).collect();
        assert_close(&scalars(&run.read::<Vec2>("spectrum")), &expected, 1e-4);
    }

    #[test]
    fn stages_need_barriers() {
        racy(&fft::racy::kernel(), launch(&signal()), include_str!("fft.rs"));
    }
}
