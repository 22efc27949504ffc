//! The minimum, the maximum and the sum of each block of numbers.

/// A tree in workgroup memory.
#[hirace::monitor]
pub mod block_reduce {
    use hirace::prelude::*;

    const BLOCK: usize = 64;

    /// A summary of some numbers.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Summary {
        /// The minimum.
        pub least: i32,
        /// The maximum.
        pub greatest: i32,
        /// The sum.
        pub sum: i32,
    }

    impl Summary {
        const EMPTY: Self = Self { least: i32::MAX, greatest: i32::MIN, sum: 0 };

        fn of(n: i32) -> Self {
            Self { least: n, greatest: n, sum: n }
        }

        fn merge(self, other: Self) -> Self {
            Self {
                least: self.least.min(other.least),
                greatest: self.greatest.max(other.greatest),
                sum: self.sum + other.sum,
            }
        }
    }

    /// Computes a summary of each block; the last block may be short.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        numbers: &[i32],
        blocks: &mut [Summary],
        #[workgroup] partial: &mut [Summary; BLOCK],
    ) {
        let lane = lane as usize;
        partial[lane] = numbers.get(id.x as usize).map_or(Summary::EMPTY, |&n| Summary::of(n));
        workgroup_barrier();

        let mut stride = BLOCK / 2;
        while stride > 0 {
            if lane < stride {
                partial[lane] = partial[lane].merge(partial[lane + stride]);
            }
            workgroup_barrier();
            stride /= 2;
        }
        if lane == 0 {
            blocks[group.x as usize] = partial[0];
        }
    }

    /// Computes only sums, without a barrier between the levels of the tree.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        numbers: &[i32],
        sums: &mut [i32],
        #[workgroup] partial: &mut [i32; BLOCK],
    ) {
        let lane = lane as usize;
        partial[lane] = numbers.get(id.x as usize).copied().unwrap_or_default();
        workgroup_barrier();

        let mut stride = BLOCK / 2;
        while stride > 0 {
            if lane < stride {
                partial[lane] += partial[lane + stride];
//              ^^^^^^^^^^^^^ race: write/read on partial[..]
//                               ^^^^^^^^^^^^^^^^^^^^^^ race: read/write on partial[..]
            }
            stride /= 2;
        }
        if lane == 0 {
            sums[group.x as usize] = partial[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::block_reduce::{self, Summary};
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    #[test]
    fn each_block_is_summed_up() {
        let numbers = integers(1000, 180, 1);
        let launch = Launch::new().workgroups(3).buffer("numbers", &numbers).zeros("blocks", 3);
        let run = clean(&block_reduce::clean::kernel(), launch);
        let summary = |block: &[i32]| Summary {
            least: *block.iter().min().unwrap(),
            greatest: *block.iter().max().unwrap(),
            sum: block.iter().sum(),
        };
        let expected: Vec<Summary> = numbers.chunks(64).map(summary).collect();
        assert_eq!(run.read::<Summary>("blocks"), expected);
    }

    #[test]
    fn levels_without_a_barrier_race() {
        let numbers = integers(1000, 128, 2);
        let launch = Launch::new().workgroups(2).buffer("numbers", &numbers).zeros("sums", 2);
        racy(&block_reduce::racy::kernel(), launch, include_str!("block_reduce.rs"));
    }
}
