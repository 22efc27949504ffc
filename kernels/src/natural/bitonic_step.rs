//! Bitonic sort: one step over a large buffer, and the sort of a block in workgroup memory.

/// Keys with a payload.
#[hirace::monitor]
pub mod bitonic_step {
    use hirace::prelude::*;

    const BLOCK: usize = 64;

    /// A key and its original position.
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
    pub struct Entry {
        /// The sort key.
        pub key: u32,
        /// Breaks ties.
        pub origin: u32,
    }

    /// A step of a stage.
    #[derive(Clone, Copy, Debug)]
    pub struct Step {
        /// Length of the sequences that are sorted after the stage.
        pub sequence: u32,
        /// Distance between compared elements.
        pub distance: u32,
    }

    fn partner(i: usize, distance: usize) -> Option<usize> {
        let other = i ^ distance;
        (other > i).then_some(other)
    }

    /// Applies one step to a buffer.
    #[kernel(workgroup_size(64))]
    pub fn step(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] step: Step,
        entries: &mut [Entry],
    ) {
        let i = id.x as usize;
        let Some(other) = partner(i, step.distance as usize) else { return };
        let ascending = i & step.sequence as usize == 0;
        if (entries[i] > entries[other]) == ascending {
            entries.swap(i, other);
        }
    }

    /// Sorts a whole block of keys.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        keys: &mut [u32],
        #[workgroup] tile: &mut [u32; BLOCK],
    ) {
        let (i, lane) = (id.x as usize, lane as usize);
        tile[lane] = keys[i];
        let mut sequence = 2;
        while sequence <= BLOCK {
            let mut distance = sequence / 2;
            while distance > 0 {
                workgroup_barrier();
                if let Some(other) = partner(lane, distance) {
                    let (low, high) =
                        if lane & sequence == 0 { (lane, other) } else { (other, lane) };
                    if tile[low] > tile[high] {
                        tile.swap(low, high);
                    }
                }
                distance /= 2;
            }
            sequence *= 2;
        }
        workgroup_barrier();
        keys[i] = tile[lane];
    }

    /// Both invocations of a pair exchange the same neighbors.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, keys: &mut [u32]) {
        let i = id.x as usize;
        let other = i ^ 1;
        let theirs = keys[other];
//                   ^^^^^^^^^^^ race: read/write on keys[..]
        let own = keys[i];
        keys[i] = if i < other { own.min(theirs) } else { own.max(theirs) };
//      ^^^^^^^ race: write/read on keys[..]
    }
}

#[cfg(test)]
mod tests {
    use super::bitonic_step::{self, Entry, Step};
    use crate::support::{below, clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn blocks_are_sorted() {
        let keys = numbers(128, 20);
        let launch = Launch::new().workgroups(2).buffer("keys", &keys);
        let run = clean(&bitonic_step::clean::kernel(), launch);
        let mut expected = keys;
        expected.chunks_mut(64).for_each(|block| block.sort());
        assert_eq!(run.read::<u32>("keys"), expected);
    }

    #[test]
    fn a_step_orders_pairs() {
        let keys = below(20, 128, 21);
        let entries: Vec<Entry> =
            keys.iter().zip(0..).map(|(&key, origin)| Entry { key, origin }).collect();
        let launch = Launch::new().workgroups(2).buffer("entries", &entries);
        let launch = launch.buffer("step", &Step { sequence: 8, distance: 4 });
        let run = clean(&bitonic_step::step::kernel(), launch);
        let mut expected = entries;
        for i in 0..128 {
            if i & 4 == 0 {
                let (a, b) = (expected[i], expected[i + 4]);
                let out_of_order = (a.key, a.origin) > (b.key, b.origin);
                if out_of_order == (i & 8 == 0) {
                    expected.swap(i, i + 4);
                }
            }
        }
        assert_eq!(run.read::<Entry>("entries"), expected);
    }

    #[test]
    fn both_of_a_pair_race() {
        let launch = Launch::new().workgroups(2).buffer("keys", &numbers(128, 22));
        racy(&bitonic_step::racy::kernel(), launch, include_str!("bitonic_step.rs"));
    }
}
