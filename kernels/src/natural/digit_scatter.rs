//! Radix sort: moves keys and their values to the position of their digit; stable.

/// One block per workgroup.
#[hirace::monitor]
pub mod digit_scatter {
    use crate::natural::shared::radix::{Digit, RADIX};
    use hirace::prelude::*;

    const BLOCK: usize = 64;

    /// A key and its value.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Pair {
        /// The sort key.
        pub key: u32,
        /// The value, which moves with the key.
        pub value: u32,
    }

    /// Moves pairs; `offsets` has the position of the first pair of each digit, in the layout of `digit_count`.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] pass: u32,
        offsets: &[u32],
        pairs: &[Pair],
        sorted: &mut [Pair],
        #[workgroup] digits: &mut [usize; BLOCK],
    ) {
        let lane = lane as usize;
        let digit_of = Digit::of_pass(pass);
        let own = pairs.get(id.x as usize);
        // Elements past the end get a digit that does not exist.
        digits[lane] = own.map_or(RADIX, |pair| digit_of.of(pair.key));
        workgroup_barrier();

        if let Some(&pair) = own {
            let digit = digits[lane];
            let rank = digits[..lane].iter().filter(|&&other| other == digit).count();
            let first = offsets[digit * groups.x as usize + group.x as usize];
            sorted[first as usize + rank] = pair;
        }
    }

    /// Moves all keys of a digit to the same position.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        offsets: &[u32],
        keys: &[u32],
        sorted: &mut [u32],
    ) {
        let key = keys[id.x as usize];
        let digit = Digit::of_pass(0).of(key);
        sorted[offsets[digit] as usize] = key;
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on sorted[..]
    }
}

#[cfg(test)]
mod tests {
    use super::digit_scatter::{self, Pair};
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn pairs_are_sorted_by_a_digit() {
        let pairs: Vec<Pair> = numbers(150, 200)
            .into_iter()
            .zip(0..)
            .map(|(key, value)| Pair { key, value })
            .collect();
        let digit = |pair: &Pair| pair.key >> 8 & 15;
        let mut offsets = Vec::new();
        let mut sum = 0u32;
        for d in 0..16 {
            for block in pairs.chunks(64) {
                offsets.push(sum);
                sum += block.iter().filter(|pair| digit(pair) == d).count() as u32;
            }
        }
        let launch = Launch::new().workgroups(3).buffer("pass", &2u32);
        let launch = launch.buffer("offsets", &offsets).buffer("pairs", &pairs);
        let run = clean(&digit_scatter::clean::kernel(), launch.zeros("sorted", 150));
        let mut expected = pairs;
        expected.sort_by_key(digit);
        assert_eq!(run.read::<Pair>("sorted"), expected);
    }

    #[test]
    fn keys_in_one_place_race() {
        let offsets: Vec<u32> = (0..16).map(|d| d * 8).collect();
        let launch = Launch::new().workgroups(2).buffer("offsets", &offsets);
        let launch = launch.buffer("keys", &numbers(128, 201)).zeros("sorted", 128);
        racy(&digit_scatter::racy::kernel(), launch, include_str!("digit_scatter.rs"));
    }
}
