//! Kernels that the macro and the command line both read.

use hirace::prelude::*;

/// Each workgroup sums its stretch of the input.
#[hirace::monitor(workgroup_size(64))]
pub fn block_sum(
    #[builtin(global_invocation_id)] gid: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = input[gid.x];
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
        output[group.x] = tile[0];
    }
}

/// The same without its second barrier, in a workgroup of any size.
#[hirace::monitor(workgroup_size(N))]
pub fn racy_sum<const N: usize, const ROUNDS: u32>(
    #[builtin(global_invocation_id)] gid: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; N],
) {
    tile[lane] = input[gid.x];
    workgroup_barrier();
    let mut stride = N as u32 / 2;
    for _ in 0..ROUNDS {
        if lane < stride {
            tile[lane] += tile[lane + stride];
        }
        stride /= 2;
    }
    output[gid.x] = tile[lane];
}

/// Names that WGSL reserves, values that pipelines choose, and memory that is atomic in one place alone.
#[hirace::monitor]
pub mod tally {
    use hirace::prelude::*;

    #[overridable]
    pub const LIMIT: u32 = 16;
    const BASE: u32 = 3;

    #[derive(Clone, Copy)]
    pub struct Params {
        pub filter: u32,
        #[align(16)]
        pub scale: Vec3,
    }

    fn weight(value: u32, params: Params) -> u32 {
        if value == params.filter { LIMIT / 2 + BASE } else { value.min(LIMIT) }
    }

    #[kernel(workgroup_size(32))]
    pub fn count(
        #[builtin(global_invocation_id)] gid: UVec3,
        r#loop: &[u32],
        bins: &mut [u32],
        #[uniform] params: Params,
    ) {
        let value = weight(r#loop[gid.x % r#loop.len()], params);
        atomic_add(&mut bins[value % bins.len()], 1);
    }

    #[kernel(workgroup_size(32))]
    pub fn clear(#[builtin(global_invocation_id)] gid: UVec3, bins: &mut [u32]) {
        if gid.x < bins.len() {
            bins[gid.x] = 0;
        }
    }

    #[kernel(workgroup_size(W, 2))]
    pub fn fill<const W: u32>(#[builtin(global_invocation_id)] gid: UVec3, bins: &mut [u32]) {
        bins[gid.y * W + gid.x] = W;
    }
}
