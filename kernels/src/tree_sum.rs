//! Sums of blocks by a tree in workgroup memory.

use hirace::prelude::*;

/// Sums 64 numbers per workgroup: in each iteration, the first half of the remaining numbers adds the second half.
#[hirace::monitor(workgroup_size(64))]
pub fn tree_sum(
    #[builtin(global_invocation_id)] id: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    sums: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = input[id.x];
    workgroup_barrier();
    let mut stride = 32;
    while stride > 0 {
        if lane < stride {
            tile[lane] += tile[lane + stride];
        }
        workgroup_barrier();
        stride /= 2;
    }
    if lane == 0 {
        sums[group.x] = tile[0];
    }
}

/// Has a barrier only before the loop: an iteration reads what the previous one is still writing.
#[rustfmt::skip]
#[hirace::monitor(workgroup_size(64))]
pub fn tree_sum_without_a_barrier_in_the_loop(
    #[builtin(global_invocation_id)] id: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    sums: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = input[id.x];
    workgroup_barrier();
    let mut stride = 32;
    while stride > 0 {
        if lane < stride {
            tile[lane] += tile[lane + stride];
//          ^^^^^^^^^^ race: write/read on tile[..]
//                        ^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..]
        }
        stride /= 2;
    }
    if lane == 0 {
        sums[group.x] = tile[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn launch(input: &[f32]) -> Launch {
        Launch::new().workgroups(4).buffer("input", input).buffer("sums", &[0f32; 4])
    }

    #[test]
    fn each_block_is_summed() {
        let input = floats(256, 1);
        let run = clean(&tree_sum::kernel(), launch(&input));
        let expected: Vec<f32> = input.chunks(64).map(|block| block.iter().sum()).collect();
        assert_close(&run.read::<f32>("sums"), &expected, 1e-5);
    }

    #[test]
    fn the_loop_needs_its_barrier() {
        let kernel = tree_sum_without_a_barrier_in_the_loop::kernel();
        racy(&kernel, launch(&floats(256, 1)), include_str!("tree_sum.rs"));
    }
}
