//! Numbers that look random.

/// A prime.
#[hirace::monitor]
pub const PRIME: u32 = 0x9e37_79b1;

/// What nobody outside sees, and kernels of other crates need all the same.
#[hirace::monitor]
const TURN: u32 = 15;

#[hirace::monitor]
fn half(x: u32) -> u32 {
    (x ^ (x >> TURN)) * PRIME
}

/// A number that looks random.
#[hirace::monitor]
pub fn scramble(x: u32) -> u32 {
    let once = half(x);
    half(once + PRIME)
}

/// A float from 0 to 1 that looks random.
#[hirace::monitor]
pub fn noise(x: u32) -> f32 {
    f32::from_bits(0x3f80_0000 | scramble(x) >> 9) - 1.0
}

/// Counts: who calls it has memory that is shared.
#[hirace::monitor]
pub fn tally(counts: &mut [u32], at: u32) {
    counts[at] += 1;
}

#[hirace::monitor]
impl crate::steps::Step {
    /// A step that looks like none.
    pub fn random(seed: u32) -> Self {
        let word = seed.wrapping_mul(PRIME).rotate_left(TURN);
        Self { x: (word & 0xff) as i32, y: (word >> 24) as i32 }
    }
}
