//! Exclusive prefix sums of blocks by Blelloch's method: an up-sweep with sums, then a down-sweep.

/// 128 numbers per workgroup of 64 invocations.
#[hirace::monitor]
pub mod scan_blelloch {
    use hirace::prelude::*;

    const LEVELS: u32 = 7;

    /// Returns the two elements that an invocation combines at a level.
    fn pair(lane: u32, level: u32) -> (u32, u32) {
        let distance = 1 << level;
        let left = distance * (2 * lane + 1) - 1;
        (left, left + distance)
    }

    /// Has a barrier before each level of both sweeps.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        data: &mut [u32],
        #[workgroup] tree: &mut [u32; 128],
    ) {
        let base = group.x * 128;
        tree[lane] = data[base + lane];
        tree[lane + 64] = data[base + lane + 64];
        for level in 0..LEVELS {
            workgroup_barrier();
            if lane < 64 >> level {
                let (left, right) = pair(lane, level);
                tree[right] += tree[left];
            }
        }
        workgroup_barrier(); // hirace: expect survived(barrier): lane 0 clears what it summed up, and reads it
        if lane == 0 {
            tree[127] = 0;
        }
        for level in (0..LEVELS).rev() {
            workgroup_barrier();
            if lane < 64 >> level {
                let (left, right) = pair(lane, level);
                let sum = tree[left];
                tree[left] = tree[right];
                tree[right] += sum;
            }
        }
        workgroup_barrier();
        data[base + lane] = tree[lane];
        data[base + lane + 64] = tree[lane + 64];
    }

    /// Lacks the last barrier: results are read before the invocations that write them have finished.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        data: &mut [u32],
        #[workgroup] tree: &mut [u32; 128],
    ) {
        let base = group.x * 128;
        tree[lane] = data[base + lane];
        tree[lane + 64] = data[base + lane + 64];
        for level in 0..LEVELS {
            workgroup_barrier();
            if lane < 64 >> level {
                let (left, right) = pair(lane, level);
                tree[right] += tree[left];
            }
        }
        workgroup_barrier();
        if lane == 0 {
            tree[127] = 0;
        }
        for level in (0..LEVELS).rev() {
            workgroup_barrier();
            if lane < 64 >> level {
                let (left, right) = pair(lane, level);
                let sum = tree[left];
                tree[left] = tree[right];
//              ^^^^^^^^^^ race: write/read on tree[..]
                tree[right] += sum;
//              ^^^^^^^^^^^ race: write/read on tree[..]
            }
        }
        data[base + lane] = tree[lane];
//                          ^^^^^^^^^^ race: read/write on tree[..]
        data[base + lane + 64] = tree[lane + 64];
//                               ^^^^^^^^^^^^^^^ race: read/write on tree[..]
    }
}

#[cfg(test)]
mod tests {
    use super::scan_blelloch;
    use crate::support::{below, clean, inclusive_sums, racy};
    use hirace::Launch;

    fn launch(data: &[u32]) -> Launch {
        Launch::new().workgroups(2).buffer("data", data)
    }

    #[test]
    fn every_element_is_the_sum_before_itself() {
        let data = below(1000, 256, 7);
        let run = clean(&scan_blelloch::clean::kernel(), launch(&data));
        let sums = data.chunks(128).flat_map(inclusive_sums);
        let expected: Vec<u32> = sums.zip(&data).map(|(sum, own)| sum - own).collect();
        assert_eq!(run.read::<u32>("data"), expected);
    }

    #[test]
    fn the_end_needs_a_barrier() {
        let launch = launch(&below(1000, 256, 7));
        racy(&scan_blelloch::racy::kernel(), launch, include_str!("scan_blelloch.rs"));
    }
}
