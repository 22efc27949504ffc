//! Pseudo-random numbers.

/// A prime, the multiplier of the hash.
#[hirace::monitor]
pub const PRIME: u32 = 0x9e37_79b1;

/// A private constant that kernels of other crates need through the public functions.
#[hirace::monitor]
const TURN: u32 = 15;

#[hirace::monitor]
fn half(x: u32) -> u32 {
    (x ^ (x >> TURN)) * PRIME
}

/// Returns a hash of `x` that looks random.
#[hirace::monitor]
pub fn scramble(x: u32) -> u32 {
    let once = half(x);
    half(once + PRIME)
}

/// Returns a pseudo-random float in `0.0..1.0`.
#[hirace::monitor]
pub fn noise(x: u32) -> f32 {
    f32::from_bits(0x3f80_0000 | scramble(x) >> 9) - 1.0
}

/// Counts `at` without an atomic: this races if several invocations share `counts`.
#[hirace::monitor]
pub fn tally(counts: &mut [u32], at: u32) {
    counts[at] += 1;
}

#[hirace::monitor]
impl crate::steps::Step {
    /// Returns a step whose coordinates are pseudo-random.
    pub fn random(seed: u32) -> Self {
        let word = seed.wrapping_mul(PRIME).rotate_left(TURN);
        Self { x: (word & 0xff) as i32, y: (word >> 24) as i32 }
    }
}
