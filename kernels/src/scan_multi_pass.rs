//! Inclusive prefix sums of any length in three dispatches: blocks, their sums, and both combined.

/// 64 numbers per workgroup, up to 64 workgroups.
#[hirace::monitor]
pub mod scan_multi_pass {
    use hirace::prelude::*;

    const BLOCK: usize = 64;

    /// Computes the inclusive prefix sums of a tile. All invocations of the workgroup must call it.
    fn scan(tile: &mut [u32; BLOCK], lane: u32) {
        let mut reach = 1;
        while reach < BLOCK as u32 {
            workgroup_barrier();
            let mut sum = tile[lane];
            if lane >= reach {
                sum += tile[lane - reach];
            }
            workgroup_barrier();
            tile[lane] = sum;
            reach <<= 1;
        }
        workgroup_barrier(); // hirace: expect survived(barrier): each lane reads what it wrote
    }

    /// First dispatch: scans each block.
    #[kernel(workgroup_size(BLOCK))]
    pub fn scan_blocks(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        data: &mut [u32],
        sums: &mut [u32],
        #[workgroup] tile: &mut [u32; BLOCK],
    ) {
        tile[lane] = data[id.x];
        scan(tile, lane);
        data[id.x] = tile[lane];
        if lane == BLOCK as u32 - 1 {
            sums[group.x] = tile[lane];
        }
    }

    /// Second dispatch, of one workgroup: scans the sums of the blocks.
    #[kernel(workgroup_size(BLOCK))]
    pub fn scan_sums(
        #[builtin(local_invocation_index)] lane: u32,
        sums: &mut [u32],
        #[workgroup] tile: &mut [u32; BLOCK],
    ) {
        tile[lane] = if lane < sums.len() { sums[lane] } else { 0 };
        scan(tile, lane);
        if lane < sums.len() {
            sums[lane] = tile[lane];
        }
    }

    /// Third dispatch: adds the sum of the preceding blocks to each block.
    #[kernel(workgroup_size(BLOCK))]
    pub fn add_sums(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        data: &mut [u32],
        sums: &mut [u32],
    ) {
        if group.x > 0 {
            data[id.x] += sums[group.x - 1];
        }
    }

    /// Does all in one dispatch: a workgroup reads sums that others have not yet written. `storage_barrier()` does
    /// not wait for other workgroups.
    #[rustfmt::skip]
    #[kernel(workgroup_size(BLOCK))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        data: &mut [u32],
        sums: &mut [u32],
        #[workgroup] tile: &mut [u32; BLOCK],
    ) {
        tile[lane] = data[id.x];
        scan(tile, lane);
        if lane == BLOCK as u32 - 1 {
            sums[group.x] = tile[lane];
//          ^^^^^^^^^^^^^ race: write/read on sums[..]
        }
        storage_barrier();
        let mut before = 0;
        for block in 0..group.x {
            before += sums[block];
//                    ^^^^^^^^^^^ race: read/write on sums[..]
        }
        data[id.x] = before + tile[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::scan_multi_pass;
    use crate::support::{below, clean, inclusive_sums, racy};
    use hirace::Launch;

    fn launch(data: &[u32]) -> Launch {
        Launch::new().buffer("data", data).buffer("sums", &[0u32; 5])
    }

    #[test]
    fn three_dispatches_sum_over_all_blocks() {
        let data = below(1000, 320, 8);
        let three = launch(&data)
            .dispatch("scan_blocks", 5)
            .dispatch("scan_sums", 1)
            .dispatch("add_sums", 5);
        let run = clean(&scan_multi_pass::scan_blocks::kernel(), three);
        assert_eq!(run.read::<u32>("data"), inclusive_sums(&data));
    }

    #[test]
    fn one_dispatch_reads_what_other_workgroups_write() {
        let launch = launch(&below(1000, 320, 8)).workgroups(5);
        racy(&scan_multi_pass::racy::kernel(), launch, include_str!("scan_multi_pass.rs"));
    }
}
