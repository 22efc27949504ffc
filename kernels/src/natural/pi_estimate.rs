//! Estimates π from random points in a square.

/// Each invocation has its own random number generator.
#[hirace::monitor]
pub mod pi_estimate {
    use crate::natural::shared::random::Pcg;
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const SAMPLES: u32 = 32;

    /// Another generator: 64-bit xorshift.
    #[derive(Clone, Copy)]
    pub struct XorShift {
        state: u64,
    }

    impl XorShift {
        fn next(&mut self) -> u32 {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            (self.state >> 32) as u32
        }
    }

    /// Counts the points inside the circle.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] seed: u32,
        inside: &AtomicU32,
    ) {
        let mut rng = Pcg::seeded(seed ^ id.x);
        let mut hits = 0;
        for _ in 0..SAMPLES {
            let (x, y) = (rng.next_f32(), rng.next_f32());
            if x * x + y * y < 1.0 {
                hits += 1;
            }
        }
        inside.fetch_add(hits, Ordering::Relaxed);
    }

    /// Writes random numbers of the other generator.
    #[kernel(workgroup_size(64))]
    pub fn numbers(#[builtin(global_invocation_id)] id: UVec3, random: &mut [u32]) {
        let mut rng = XorShift { state: 0x9e37_79b9_7f4a_7c15 ^ u64::from(id.x) };
        let discarded = (0..4).fold(0, |_, _| rng.next());
        random[id.x as usize] = rng.next() ^ discarded;
    }

    /// Adds hits without an atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, inside: &mut [u32]) {
        let mut rng = Pcg::seeded(id.x);
        let (x, y) = (rng.next_f32(), rng.next_f32());
        inside[0] += (x.hypot(y) < 1.0) as u32;
//      ^^^^^^^^^ race: read/write on inside[..]
//      ^^^^^^^^^ race: write/read on inside[..]
    }
}

#[cfg(test)]
mod tests {
    use super::pi_estimate;
    use crate::support::{clean, racy};
    use hirace::Launch;

    fn pcg(state: &mut u32) -> u32 {
        let s = *state;
        *state = (u64::from(s) * 747796405 + 2891336453) as u32;
        let word = (u64::from((s >> ((s >> 28) + 4)) ^ s) * 277803737) as u32;
        (word >> 22) ^ word
    }

    #[test]
    fn points_are_counted() {
        let launch = Launch::new().workgroups(2).buffer("seed", &1234u32).buffer("inside", &0u32);
        let run = clean(&pi_estimate::clean::kernel(), launch);
        let mut expected = 0;
        for i in 0..128 {
            let mut state = 1234 ^ i;
            pcg(&mut state);
            for _ in 0..32 {
                let x = f64::from(pcg(&mut state) >> 8) / 16777216.0;
                let y = f64::from(pcg(&mut state) >> 8) / 16777216.0;
                expected += i64::from(x * x + y * y < 1.0);
            }
        }
        let found = i64::from(run.one::<u32>("inside"));
        assert!((found - expected).abs() <= 1, "{found} is not {expected}");
    }

    #[test]
    fn numbers_are_random() {
        let launch = Launch::new().workgroups(1).zeros("random", 64);
        let run = clean(&pi_estimate::numbers::kernel(), launch);
        let expected = |i: u64| {
            let mut s = 0x9e37_79b9_7f4a_7c15u64 ^ i;
            let mut drawn = [0; 5];
            for n in &mut drawn {
                s ^= s << 13;
                s ^= s >> 7;
                s ^= s << 17;
                *n = (s >> 32) as u32;
            }
            drawn[4] ^ drawn[3]
        };
        assert_eq!(run.read::<u32>("random"), (0..64).map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn hits_without_an_atomic_race() {
        let launch = Launch::new().workgroups(2).zeros("inside", 1);
        racy(&pi_estimate::racy::kernel(), launch, include_str!("pi_estimate.rs"));
    }
}
