//! Sums of blocks in two stages: each subgroup sums its part, and one subgroup sums the partial sums.

/// One sum per workgroup.
#[hirace::monitor]
pub mod reduce {
    use hirace::prelude::*;

    const BLOCK: usize = 256;

    /// Sums a list whose length need not be a multiple of the workgroup size.
    #[kernel(workgroup_size(BLOCK))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] index: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(subgroup_id)] subgroup: u32,
        #[builtin(num_subgroups)] subgroups: u32,
        #[builtin(subgroup_invocation_id)] lane: u32,
        input: &[u32],
        output: &mut [u32],
        #[workgroup] parts: &mut [u32; BLOCK],
    ) {
        let part = subgroup_add(input.get(id.x as usize).copied().unwrap_or(0));
        if lane == 0 {
            parts[subgroup] = part;
        }
        workgroup_barrier();
        let left = if subgroup == 0 && lane < subgroups { parts[lane] } else { 0 };
        let sum = subgroup_add(left);
        if index == 0 {
            output[group.x] = sum;
        }
    }

    /// Does not wait for the first stage before the second.
    #[rustfmt::skip]
    #[kernel(workgroup_size(BLOCK))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] index: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(subgroup_id)] subgroup: u32,
        #[builtin(num_subgroups)] subgroups: u32,
        #[builtin(subgroup_invocation_id)] lane: u32,
        input: &[u32],
        output: &mut [u32],
        #[workgroup] parts: &mut [u32; BLOCK],
    ) {
        let part = subgroup_add(input.get(id.x as usize).copied().unwrap_or(0));
        if lane == 0 {
            parts[subgroup] = part;
//          ^^^^^^^^^^^^^^^ race: write/read on parts[..]
        }
        let left = if subgroup == 0 && lane < subgroups { parts[lane] } else { 0 };
//                                                        ^^^^^^^^^^^ race: read/write on parts[..]
        let sum = subgroup_add(left);
        if index == 0 {
            output[group.x] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    fn launch(input: &[u32]) -> Launch {
        Launch::new().workgroups(3).buffer("input", input).zeros("output", 3)
    }

    /// The second stage supports as many subgroups as a subgroup has lanes, such as 16 subgroups of 16 lanes.
    #[test]
    fn blocks_are_summed_with_subgroups_that_are_not_too_small() {
        let input = numbers(700, 5);
        let sum = |block: &[u32]| block.iter().fold(0, |a: u32, b| a.wrapping_add(*b));
        let expected: Vec<u32> = input.chunks(256).map(sum).collect();
        for size in [8, 16, 32, 64] {
            let run = clean(&reduce::clean::kernel(), launch(&input).subgroup_size(size));
            let is_right = run.read::<u32>("output") == expected;
            assert_eq!(is_right, run.subgroup_size() >= 16);
        }
    }

    #[test]
    fn the_second_stage_needs_a_barrier() {
        racy(&reduce::racy::kernel(), launch(&numbers(700, 5)), include_str!("reduce.rs"));
    }
}
