//! Sorts blocks with a bitonic network.

/// Each workgroup sorts 64 numbers, one per invocation.
#[hirace::monitor]
pub mod bitonic_sort {
    use hirace::prelude::*;

    /// Sorts a pair of elements. The invocation of the left element does it for both.
    #[rustfmt::skip]
    fn compare(tile: &mut [i32; 64], lane: u32, distance: u32, run: u32) {
        let partner = lane ^ distance;
        if partner > lane {
            let rising = lane & run == 0;
            let (a, b) = (tile[lane], tile[partner]);
//                        ^^^^^^^^^^ race: read/write on tile[..]
//                                    ^^^^^^^^^^^^^ race: read/write on tile[..]
            if (a > b) == rising {
                tile[lane] = b;
//              ^^^^^^^^^^ race: write/read on tile[..]
//              ^^^^^^^^^^ race: write/write on tile[..]
                tile[partner] = a;
//              ^^^^^^^^^^^^^ race: write/read on tile[..]
//              ^^^^^^^^^^^^^ race: write/write on tile[..]
            }
        }
    }

    /// Sorts with a barrier before each comparison.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        data: &mut [i32],
        #[workgroup] tile: &mut [i32; 64],
    ) {
        tile[lane] = data[id.x];
        for log_run in 1..=6 {
            for log_distance in (0..log_run).rev() {
                workgroup_barrier();
                compare(tile, lane, 1 << log_distance, 1 << log_run);
            }
        }
        workgroup_barrier();
        data[id.x] = tile[lane];
    }

    /// Has a barrier only before each run: within a run, the pairs of successive distances overlap.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        data: &mut [i32],
        #[workgroup] tile: &mut [i32; 64],
    ) {
        tile[lane] = data[id.x];
        for log_run in 1..=6 {
            workgroup_barrier();
            for log_distance in (0..log_run).rev() {
                compare(tile, lane, 1 << log_distance, 1 << log_run);
            }
        }
        workgroup_barrier();
        data[id.x] = tile[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::bitonic_sort;
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    fn launch(data: &[i32]) -> Launch {
        Launch::new().workgroups(2).buffer("data", data)
    }

    #[test]
    fn each_block_is_sorted() {
        let mut data = integers(500, 128, 9);
        let run = clean(&bitonic_sort::clean::kernel(), launch(&data));
        data.chunks_mut(64).for_each(<[i32]>::sort_unstable);
        assert_eq!(run.read::<i32>("data"), data);
    }

    #[test]
    fn a_barrier_for_each_run_is_too_few() {
        let launch = launch(&integers(500, 128, 9));
        racy(&bitonic_sort::racy::kernel(), launch, include_str!("bitonic_sort.rs"));
    }
}
