//! A fast Fourier transform: one stage over a large buffer, and a whole block at once.

/// Complex numbers with operators.
#[hirace::monitor]
pub mod fft_stage {
    use crate::natural::shared::{Complex, TURN};
    use hirace::prelude::*;

    const N: usize = 64;

    fn butterfly(even: Complex, odd: Complex, k: usize, half: usize) -> (Complex, Complex) {
        let twiddle = Complex::from_angle(-TURN * k as f32 / (2 * half) as f32);
        let turned = twiddle * odd;
        (even + turned, even - turned)
    }

    fn bit_reversed(i: usize) -> usize {
        ((i as u32).reverse_bits() >> (u32::BITS - N.ilog2())) as usize
    }

    /// Computes one stage of Stockham's algorithm, into another buffer; `half` doubles from 1 with each stage.
    #[kernel(workgroup_size(32))]
    pub fn stage(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] half: u32,
        source: &[Complex],
        target: &mut [Complex],
    ) {
        let (i, half) = (id.x as usize, half as usize);
        let pairs = source.len() / 2;
        if i >= pairs {
            return;
        }
        let k = i % half;
        let (low, high) = butterfly(source[i], source[i + pairs], k, half);
        let to = i / half * 2 * half + k;
        target[to] = low;
        target[to + half] = high;
    }

    /// Transforms a block of 64 elements with 32 invocations.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        signal: &[Complex],
        spectrum: &mut [Complex],
        #[workgroup] block: &mut [Complex; N],
    ) {
        let lane = lane as usize;
        let start = group.x as usize * N;
        for i in [lane, lane + N / 2] {
            block[bit_reversed(i)] = signal[start + i];
        }
        for stage in 0..N.ilog2() {
            workgroup_barrier();
            let half = 1usize << stage;
            let k = lane & (half - 1);
            let low = (lane - k) * 2 + k;
            let high = low + half;
            (block[low], block[high]) = butterfly(block[low], block[high], k, half);
        }
        workgroup_barrier();
        for i in [lane, lane + N / 2] {
            spectrum[start + i] = block[i];
        }
    }

    /// Writes the real parts in bit-reversed order, without a barrier.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        signal: &[f32],
        reversed: &mut [f32],
        #[workgroup] block: &mut [f32; N],
    ) {
        let lane = lane as usize;
        block[lane] = signal[lane];
//      ^^^^^^^^^^^ race: write/read on block[..]
        reversed[lane] = block[bit_reversed(lane)];
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on block[..]
    }
}

#[cfg(test)]
mod tests {
    use super::fft_stage;
    use crate::natural::shared::Complex;
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;

    fn signal(count: usize, seed: u32) -> Vec<Complex> {
        floats(2 * count, seed).chunks(2).map(|f| Complex { re: f[0], im: f[1] }).collect()
    }

    fn transformed(signal: &[Complex]) -> Vec<Complex> {
        let n = signal.len();
        let mut spectrum = vec![Complex::default(); n];
        for (k, sum) in spectrum.iter_mut().enumerate() {
            for (i, z) in signal.iter().enumerate() {
                let angle = -2.0 * std::f64::consts::PI * (i * k % n) as f64 / n as f64;
                let (sin, cos) = (angle.sin() as f32, angle.cos() as f32);
                sum.re += z.re * cos - z.im * sin;
                sum.im += z.re * sin + z.im * cos;
            }
        }
        spectrum
    }

    #[test]
    fn blocks_are_transformed() {
        let signal = signal(128, 150);
        let launch = Launch::new().workgroups(2).buffer("signal", &signal).zeros("spectrum", 128);
        let run = clean(&fft_stage::clean::kernel(), launch);
        let expected: Vec<Complex> = signal.chunks(64).flat_map(transformed).collect();
        assert_close(&scalars(&run.read::<Complex>("spectrum")), &scalars(&expected), 1e-3);
    }

    #[test]
    fn stages_make_a_transform() {
        let signal = signal(32, 151);
        let mut data = signal.clone();
        for half in [1u32, 2, 4, 8, 16] {
            let launch = Launch::new().workgroups(1).buffer("half", &half);
            let launch = launch.buffer("source", &data).zeros("target", 32);
            data = clean(&fft_stage::stage::kernel(), launch).read("target");
        }
        assert_close(&scalars(&data), &scalars(&transformed(&signal)), 1e-3);
    }

    #[test]
    fn reversal_without_a_barrier_races() {
        let launch = Launch::new().workgroups(1).buffer("signal", &floats(64, 152));
        let launch = launch.zeros("reversed", 64);
        racy(&fft_stage::racy::kernel(), launch, include_str!("fft_stage.rs"));
    }
}
