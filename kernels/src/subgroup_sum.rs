//! Sums of blocks by subgroups of any size.

/// Each subgroup sums its part without memory accesses; the first one sums the partial sums.
#[hirace::monitor]
pub mod subgroup_sum {
    use hirace::prelude::*;

    /// Maximum number of subgroups of a workgroup of 128 invocations.
    const MOST: usize = 128;

    /// Returns the sum of every `step`-th of the first `count` numbers, starting at `first`.
    #[rustfmt::skip]
    fn sum_of_some(numbers: &mut [u32; MOST], first: u32, count: u32, step: u32) -> u32 {
        let mut sum = 0;
        for i in (first..count).step_by(step) {
            sum += numbers[i];
//                 ^^^^^^^^^^ race: read/write on partial[..]
        }
        sum
    }

    /// Sums 128 numbers per workgroup.
    #[kernel(workgroup_size(128))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(subgroup_id)] subgroup: u32,
        #[builtin(num_subgroups)] subgroups: u32,
        #[builtin(subgroup_invocation_id)] lane: u32,
        #[builtin(subgroup_size)] size: u32,
        input: &[u32],
        sums: &mut [u32],
        #[workgroup] partial: &mut [u32; MOST],
    ) {
        let sum = subgroup_add(input[id.x]);
        if subgroup_elect() {
            partial[subgroup] = sum;
        }
        workgroup_barrier();
        if subgroup == 0 {
            let total = subgroup_add(sum_of_some(partial, lane, subgroups, size));
            if lane == 0 {
                sums[group.x] = total;
            }
        }
    }

    /// Relies on subgroup operations, which exchange values in a subgroup but do not order memory: not even the
    /// first subgroup may read what the others wrote.
    #[rustfmt::skip]
    #[kernel(workgroup_size(128))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(subgroup_id)] subgroup: u32,
        #[builtin(num_subgroups)] subgroups: u32,
        #[builtin(subgroup_invocation_id)] lane: u32,
        #[builtin(subgroup_size)] size: u32,
        input: &[u32],
        sums: &mut [u32],
        #[workgroup] partial: &mut [u32; MOST],
    ) {
        let sum = subgroup_add(input[id.x]);
        if subgroup_elect() {
            partial[subgroup] = sum;
//          ^^^^^^^^^^^^^^^^^ race: write/read on partial[..]
        }
        if subgroup == 0 {
            let total = subgroup_add(sum_of_some(partial, lane, subgroups, size));
            if lane == 0 {
                sums[group.x] = total;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::subgroup_sum;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    fn launch(input: &[u32]) -> Launch {
        Launch::new().workgroups(3).buffer("input", input).buffer("sums", &[0u32; 3])
    }

    #[test]
    fn each_block_is_summed_with_subgroups_of_any_size() {
        let input = numbers(384, 2);
        let sum = |block: &[u32]| block.iter().fold(0, |a: u32, b| a.wrapping_add(*b));
        let expected: Vec<u32> = input.chunks(128).map(sum).collect();
        for size in [4, 8, 16, 32, 64] {
            let run = clean(&subgroup_sum::clean::kernel(), launch(&input).subgroup_size(size));
            assert_eq!(run.read::<u32>("sums"), expected);
        }
    }

    #[test]
    fn what_subgroups_leave_needs_a_barrier() {
        let launch = launch(&numbers(384, 2));
        racy(&subgroup_sum::racy::kernel(), launch, include_str!("subgroup_sum.rs"));
    }
}
