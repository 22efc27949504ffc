//! Keeps the elements that pass a test, in order, with subgroup ballots and one count per subgroup.

/// One workgroup keeps the negative numbers of its 64 numbers.
#[hirace::monitor]
pub mod compaction {
    use hirace::prelude::*;

    /// Returns the number of set bits in a ballot.
    fn ones(ballot: UVec4) -> u32 {
        let counts = count_one_bits(ballot);
        counts.x + counts.y + counts.z + counts.w
    }

    /// Places each subgroup's elements after those of the preceding subgroups, by their counts.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(subgroup_id)] subgroup: u32,
        input: &[i32],
        kept: &mut [i32],
        count: &mut u32,
        #[workgroup] counts: &mut [u32; 64],
    ) {
        let value = input[lane];
        let keep = value < 0;
        let ballot = subgroup_ballot(keep);
        if subgroup_elect() {
            counts[subgroup] = ones(ballot);
        }
        workgroup_barrier();
        let mut place = subgroup_exclusive_add(keep as u32);
        for before in 0..subgroup {
            place += counts[before];
        }
        if keep {
            kept[place] = value;
        }
        if lane == 63 {
            *count = place + keep as u32;
        }
    }

    /// Places elements by their position in the subgroup only, so that subgroups overwrite each other.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        input: &[i32],
        kept: &mut [i32],
    ) {
        let value = input[lane];
        let keep = value < 0;
        let place = subgroup_exclusive_add(keep as u32);
        if keep {
            kept[place] = value;
//          ^^^^^^^^^^^ race: write/write on kept[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compaction;
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    fn launch(input: &[i32]) -> Launch {
        Launch::new().workgroups(1).buffer("input", input).buffer("kept", &[0i32; 64])
    }

    #[test]
    fn what_passes_keeps_its_order() {
        let input = integers(50, 64, 30);
        let expected: Vec<i32> = input.iter().copied().filter(|n| *n < 0).collect();
        for size in [8, 16, 32] {
            let launch = launch(&input).buffer("count", &0u32).subgroup_size(size);
            let run = clean(&compaction::clean::kernel(), launch);
            let count = run.one::<u32>("count") as usize;
            assert_eq!(run.read::<i32>("kept")[..count], expected);
        }
    }

    #[test]
    fn places_of_different_subgroups_clash() {
        let launch = launch(&integers(50, 64, 30)).subgroup_size(16);
        racy(&compaction::racy::kernel(), launch, include_str!("compaction.rs"));
    }
}
