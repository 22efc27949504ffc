//! What an instrumented module notes of the barriers that the invocations of a workgroup come to: whether all of
//! them came to the same ones, in the same order.
//!
//! An invocation keeps its *trail*, a hash that is multiplied and added to at each barrier, and at its end joins it
//! into the least and the greatest of its workgroup. A sum of trails would not do: two visits by one invocation and
//! none by another are as many as one by each. A record of [`WORDS`] for each workgroup, after all else in the head
//! of the shadow's buffer.

/// Words of a record.
pub const WORDS: u32 = 3;
/// The greatest trail.
pub const GREATEST: u32 = 0;
/// The complement of the least, so that both only grow from 0.
pub const LEAST: u32 = 1;
/// How many invocations came to their end.
pub const ENDED: u32 = 2;

/// What a trail is multiplied by at each barrier: 1 modulo 4, and with what is added odd at every step, so that no
/// number of visits of one barrier short of 2^32 comes to the same as another.
pub const FACTOR: u32 = 0x9e37_79b1;
/// What takes that back.
pub const INVERSE: u32 = inverse(FACTOR);

/// Newton's iteration: each round doubles the bits that are right, from the three that an odd number begins with.
const fn inverse(of: u32) -> u32 {
    let mut inverse = of;
    let mut round = 0;
    while round < 4 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(of.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

/// What the trails of a dispatch say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trails {
    /// The workgroups in which not all invocations came to the same barriers, in order.
    pub diverged: Vec<u32>,
    /// The workgroups in which invocations did not come to their end, in order: what those came to nobody knows. Drivers
    /// may drop invocations at barriers that not all reach.
    pub incomplete: Vec<u32>,
}

/// Reads the records of each of `workgroups` workgroups of so many invocations, which start at word `first`.
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
        // Those that ended are enough to show that they did not all go one way.
        if record[ENDED as usize] > 0 && record[GREATEST as usize] != !record[LEAST as usize] {
            trails.diverged.push(workgroup);
        }
    }
    trails.incomplete.extend(seen..workgroups);
    trails
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trail of whoever comes to these barriers.
    fn trail(sites: &[u32]) -> u32 {
        sites
            .iter()
            .fold(0, |trail: u32, site| trail.wrapping_mul(FACTOR).wrapping_add(2 * site + 1))
    }

    fn of(trails: &[u32]) -> [u32; WORDS as usize] {
        let [greatest, least] =
            [trails.iter().copied().max(), trails.iter().map(|trail| !trail).max()];
        [greatest.unwrap_or(0), least.unwrap_or(0), trails.len() as u32]
    }

    #[test]
    fn visits_in_another_order_or_number_make_another_trail() {
        let ways: [&[u32]; 7] = [&[], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[0, 0, 0]];
        for (a, way) in ways.iter().enumerate() {
            for (b, other) in ways.iter().enumerate() {
                let words = of(&[trail(way), trail(other)]);
                let diverged = if a == b { vec![] } else { vec![0] };
                assert_eq!(read(&words, 0, 1, 2), Trails { diverged, incomplete: vec![] });
            }
        }
    }

    #[test]
    fn no_number_of_visits_comes_to_nothing_soon() {
        for site in [0, 1, 7, 255] {
            let mut trail = 0_u32;
            for visits in 1..100_000 {
                trail = trail.wrapping_mul(FACTOR).wrapping_add(2 * site + 1);
                assert_ne!(trail, 0, "{visits} visits of {site}");
            }
        }
    }

    #[test]
    fn the_inverse_takes_a_step_back() {
        assert_eq!(FACTOR.wrapping_mul(INVERSE), 1);
        assert_eq!(FACTOR % 4, 1);
    }

    #[test]
    fn who_did_not_end_leaves_it_open() {
        let words = [of(&[5, 5]), of(&[5]), of(&[]), of(&[5, 6, 7])].concat();
        let of = |diverged: &[u32], incomplete: &[u32]| Trails {
            diverged: diverged.to_vec(),
            incomplete: incomplete.to_vec(),
        };
        assert_eq!(read(&words[..3], 0, 1, 2), of(&[], &[]));
        assert_eq!(read(&words[..6], 0, 2, 2), of(&[], &[1]));
        assert_eq!(read(&words[6..9], 0, 1, 2), of(&[], &[0]));
        assert_eq!(read(&words[9..], 0, 1, 3), of(&[0], &[]));
        assert_eq!(read(&words[9..], 0, 1, 4), of(&[0], &[0]));
        assert_eq!(read(&words[..3], 0, 2, 2), of(&[], &[1]));
        assert_eq!(read(&[], 7, 1, 2), of(&[], &[0]));
    }
}
