//! The random number generator of the published environments: the same seed gives the same environments.

/// The modulus. It is not prime, and products wrap at 2³² first: this is not the generator of Park and Miller, from
/// which the multiplier comes.
const MODULUS: i32 = 2_147_483_646;

const MULTIPLIER: i32 = 16_807;

/// A sequence of random numbers with a text as its seed.
#[derive(Clone, Debug)]
pub struct Prng(i32);

impl Prng {
    /// Returns the sequence of `seed`.
    pub fn new(seed: &str) -> Self {
        let hash = hash(seed);
        Self(if hash <= 0 { hash.wrapping_add(MODULUS) } else { hash })
    }

    /// Returns a number from `least` to `greatest`.
    pub fn between(&mut self, least: u32, greatest: u32) -> u32 {
        let span = greatest.saturating_sub(least).saturating_add(1);
        least + self.draw() % span
    }

    fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).rem_euclid(MODULUS);
        self.0.unsigned_abs()
    }
}

/// Returns the hash of Java's `String.hashCode`.
fn hash(text: &str) -> i32 {
    let units = text.encode_utf16();
    units.fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_hashed_as_java_does() {
        assert_eq!((hash(""), hash("hello"), hash("webgpu")), (0, 99_162_322, -791_800_616));
    }

    #[test]
    fn numbers_stay_in_range_also_of_seeds_with_a_negative_hash() {
        for seed in ["", "webgpu", "rbjnMzXroA"] {
            let mut prng = Prng::new(seed);
            assert!((0..1000).all(|_| (3..=9).contains(&prng.between(3, 9))), "{seed}");
        }
    }
}
