//! The generator that published environments were drawn by: with the same seed, the same environments.

/// What numbers are taken modulo. It is no prime, and products wrap at 2³² before: this is not Park and Miller's generator,
/// which its multiplier is of.
const MODULUS: i32 = 2_147_483_646;

const MULTIPLIER: i32 = 16_807;

/// A sequence of numbers, of a text.
#[derive(Clone, Debug)]
pub struct Prng(i32);

impl Prng {
    /// The sequence of `seed`.
    pub fn new(seed: &str) -> Self {
        let hash = hash(seed);
        Self(if hash <= 0 { hash.wrapping_add(MODULUS) } else { hash })
    }

    /// A number from `least` to `greatest`.
    pub fn between(&mut self, least: u32, greatest: u32) -> u32 {
        let span = greatest.saturating_sub(least).saturating_add(1);
        least + self.draw() % span
    }

    fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).rem_euclid(MODULUS);
        self.0.unsigned_abs()
    }
}

/// Java's `String.hashCode`.
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
