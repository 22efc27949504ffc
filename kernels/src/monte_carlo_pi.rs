//! An estimate of π from random points in a square.

/// Each invocation has its own random number generator.
#[hirace::monitor]
pub mod monte_carlo_pi {
    use hirace::prelude::*;

    /// Returns the next random number (PCG).
    fn next(state: &mut u32) -> u32 {
        *state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((*state >> ((*state >> 28) + 4)) ^ *state).wrapping_mul(277_803_737);
        (word >> 22) ^ word
    }

    /// Returns how many of `points` random points are in the quarter circle; exact, because it uses fixed-point.
    fn inside(seed: u32, points: u32) -> u32 {
        let mut state = seed;
        let mut count = 0;
        for _ in 0..points {
            let x = next(&mut state) >> 17;
            let y = next(&mut state) >> 17;
            if x * x + y * y < 1 << 30 {
                count += 1;
            }
        }
        count
    }

    /// Adds each invocation's count with one atomic.
    #[kernel(workgroup_size(32))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, hits: &Atomic<u32>) {
        hits.fetch_add(inside(id.x, 100));
    }

    /// Adds the counts to a plain word.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, sum: &mut u32) {
        *sum += inside(id.x, 100);
//      ^^^^ race: read/write on sum
//      ^^^^ race: write/read on sum
    }
}

#[cfg(test)]
mod tests {
    use super::monte_carlo_pi;
    use crate::support::{clean, racy};
    use hirace::Launch;

    /// Returns how many of an invocation's hundred points are inside.
    fn inside(seed: u32) -> u32 {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
            u64::from(((word >> 22) ^ word) >> 17)
        };
        (0..100).filter(|_| next().pow(2) + next().pow(2) < 1 << 30).count() as u32
    }

    #[test]
    fn the_hits_are_near_a_quarter_of_pi() {
        let launch = Launch::new().workgroups(8).buffer("hits", &0u32);
        let run = clean(&monte_carlo_pi::clean::kernel(), launch);
        let hits = run.one::<u32>("hits");
        assert_eq!(hits, (0..256).map(inside).sum::<u32>());
        let pi = f64::from(hits) * 4.0 / 25_600.0;
        assert!((pi - std::f64::consts::PI).abs() < 0.05, "{pi}");
    }

    #[test]
    fn the_sum_needs_an_atomic() {
        let launch = Launch::new().workgroups(2).buffer("sum", &0u32);
        racy(&monte_carlo_pi::racy::kernel(), launch, include_str!("monte_carlo_pi.rs"));
    }
}
