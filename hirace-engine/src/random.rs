//! The workspace's only pseudo-random generator: it fills buffers and draws schedules, graphs and test
//! kernels.
//!
//! The same seed gives the same sequence on every platform and in every version, because recorded results
//! depend on it.

/// A SplitMix64 generator: a counter whose value is mixed. It was chosen because it is one line of code and
/// because any value can be computed without the values before it.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the generator of `seed`. Consecutive seeds give unrelated sequences.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates one of many independent sequences of `seed`, for users that share a seed, such as two buffers
    /// of one launch.
    pub fn stream(seed: u64, stream: u64) -> Self {
        Self(mix(seed ^ mix(stream)))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub fn below<N: Bound>(&mut self, bound: N) -> N {
        N::scaled(self.bits(), bound)
    }

    /// Returns a number in [0, 1) with 24 random bits, which an f32 represents exactly.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / f64::from(1 << 24)
    }
}

/// The integer types that [`Random::below`] can draw.
pub trait Bound {
    /// Returns `bound` times `bits`, where `bits` is read as a fraction of 1.
    fn scaled(bits: u64, bound: Self) -> Self;
}

macro_rules! bounds {
    ($($number:ty)*) => {$(
        impl Bound for $number {
            fn scaled(bits: u64, bound: Self) -> Self {
                ((u128::from(bits) * bound as u128) >> 64) as Self
            }
        }
    )*};
}

bounds!(u32 u64 usize);

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_stream_choose_the_sequence() {
        let first = |seed, stream| Random::stream(seed, stream).bits();
        assert_eq!(first(7, 0), first(7, 0));
        assert_ne!(first(7, 0), first(7, 1));
        assert_ne!(first(7, 0), first(8, 0));
    }

    #[test]
    fn numbers_stay_in_range_and_spread() {
        let mut random = Random::stream(1, 1);
        let mut seen = [0; 10];
        for _ in 0..10_000 {
            seen[random.below(10usize)] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        assert!(seen.iter().all(|&n| (800..1200).contains(&n)), "{seen:?}");
        assert_eq!(random.below(0u32), 0);
    }

    /// Recorded buffer contents, graphs and schedules depend on these numbers.
    #[test]
    fn sequences_stay_what_they_are() {
        let mut contents = Random::stream(7, 3);
        let bits = [0x0a29_f358_f443_2db7, 0x88ff_1f47_9cdd_bdf0, 0x109c_2917_edd3_a475];
        assert_eq!([(); 3].map(|()| contents.bits()), bits);
        assert_eq!((contents.below(1000u32), contents.unit()), (473, 0.842_359_483_242_034_9));
        let mut schedule = Random::new(7);
        let bits = [0x63cb_e1e4_5932_0dd7, 0x044c_3cd7_f43c_661c, 0xe698_4080_bab1_2a02];
        assert_eq!([(); 3].map(|()| schedule.bits()), bits);
        assert_eq!(
            (schedule.below(1000usize), schedule.below(u64::MAX)),
            (582, 8_346_079_845_500_723_673)
        );
    }
}
