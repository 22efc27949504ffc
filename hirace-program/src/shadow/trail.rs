//! Trails: how an instrumented module records whether all invocations of a workgroup reached the same barriers in the same order.
//!
//! An invocation computes its *trail*, a hash that is multiplied and increased at each barrier. When the invocation ends, it merges
//! the trail into the minimum and the maximum of its workgroup. A sum of trails would not suffice: two visits by one invocation and
//! none by another have the same sum as one visit by each. There is a record of [`WORDS`] words per workgroup, at the end of the
//! head of the shadow buffer.

/// Words per record.
pub const WORDS: u32 = 3;
/// The word with the maximum trail.
pub const MAX_TRAIL: u32 = 0;
/// The word with the complement of the minimum trail. Like the maximum, it starts at 0 and only increases.
pub const INVERTED_MIN_TRAIL: u32 = 1;
/// The word with the number of invocations that reached their end.
pub const ENDED: u32 = 2;

/// The factor of the hash at each barrier. It is 1 modulo 4 and every increment is odd, so fewer than 2^32 visits of one barrier
/// never yield the same trail as another number of visits.
pub const FACTOR: u32 = 0x9e37_79b1;
/// The inverse of [`FACTOR`] modulo 2^32, which removes a call from the hash of the current calls when the call returns.
pub const INVERSE: u32 = inverse(FACTOR);

/// Computes an inverse modulo 2^32 by Newton's iteration. Each round doubles the number of correct bits, starting with three.
const fn inverse(of: u32) -> u32 {
    let mut inverse = of;
    let mut round = 0;
    while round < 4 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(of.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

/// The evaluation of the trails of a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trails {
    /// The workgroups in which not all invocations reached the same barriers, sorted.
    pub diverged: Vec<u32>,
    /// The workgroups in which some invocations did not reach their end, sorted. Their barriers are unknown. Drivers may drop
    /// invocations at barriers that not all reach.
    pub incomplete: Vec<u32>,
}

/// Reads the records of `workgroups` workgroups of `workgroup_size` invocations, starting at word `first`.
pub fn read(words: &[u32], first: u32, workgroups: u32, workgroup_size: u32) -> Trails {
    let first = first as usize;
    let records = words.get(first..).unwrap_or_default().chunks_exact(WORDS as usize);
    let mut trails = Trails::default();
    let mut seen = 0;
    for (workgroup, record) in (0..workgroups).zip(records) {
        seen += 1;
        if record[ENDED as usize] != workgroup_size {
            trails.incomplete.push(workgroup);
        }
        // The invocations that ended are sufficient to show that they diverged.
        let [max, inverted_min] = [MAX_TRAIL, INVERTED_MIN_TRAIL].map(|word| record[word as usize]);
        if record[ENDED as usize] > 0 && max != !inverted_min {
            trails.diverged.push(workgroup);
        }
    }
    trails.incomplete.extend(seen..workgroups);
    trails
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the trail of an invocation that reaches these barriers.
    fn trail(sites: &[u32]) -> u32 {
        sites
            .iter()
            .fold(0, |trail: u32, site| trail.wrapping_mul(FACTOR).wrapping_add(2 * site + 1))
    }

    /// Returns the record of invocations with these trails.
    fn record(trails: &[u32]) -> [u32; WORDS as usize] {
        let [max, inverted_min] =
            [trails.iter().copied().max(), trails.iter().map(|trail| !trail).max()];
        [max.unwrap_or(0), inverted_min.unwrap_or(0), trails.len() as u32]
    }

    #[test]
    fn different_visits_yield_different_trails() {
        let ways: [&[u32]; 7] = [&[], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[0, 0, 0]];
        for (a, way) in ways.iter().enumerate() {
            for (b, other) in ways.iter().enumerate() {
                let words = record(&[trail(way), trail(other)]);
                let diverged = if a == b { vec![] } else { vec![0] };
                assert_eq!(read(&words, 0, 1, 2), Trails { diverged, incomplete: vec![] });
            }
        }
    }

    #[test]
    fn repeated_visits_do_not_yield_the_empty_trail() {
        for site in [0, 1, 7, 255] {
            let mut trail = 0_u32;
            for visits in 1..100_000 {
                trail = trail.wrapping_mul(FACTOR).wrapping_add(2 * site + 1);
                assert_ne!(trail, 0, "{visits} visits of {site}");
            }
        }
    }

    #[test]
    fn inverse_is_the_inverse_of_the_factor() {
        assert_eq!(FACTOR.wrapping_mul(INVERSE), 1);
        assert_eq!(FACTOR % 4, 1);
    }

    #[test]
    fn workgroups_with_unfinished_invocations_are_incomplete() {
        let words = [record(&[5, 5]), record(&[5]), record(&[]), record(&[5, 6, 7])].concat();
        let trails = |diverged: &[u32], incomplete: &[u32]| Trails {
            diverged: diverged.to_vec(),
            incomplete: incomplete.to_vec(),
        };
        assert_eq!(read(&words[..3], 0, 1, 2), trails(&[], &[]));
        assert_eq!(read(&words[..6], 0, 2, 2), trails(&[], &[1]));
        assert_eq!(read(&words[6..9], 0, 1, 2), trails(&[], &[0]));
        assert_eq!(read(&words[9..], 0, 1, 3), trails(&[0], &[]));
        assert_eq!(read(&words[9..], 0, 1, 4), trails(&[0], &[0]));
        assert_eq!(read(&words[..3], 0, 2, 2), trails(&[], &[1]));
        assert_eq!(read(&[], 7, 1, 2), trails(&[], &[0]));
    }
}
