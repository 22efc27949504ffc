//! A kernel in Rust, and the ten lines that run it on a device.

use hirace::pipeline::{Gpu, Result};
use hirace::prelude::*;

/// Computes the sum of each block of 64 numbers.
#[hirace::monitor(workgroup_size(64))]
pub fn block_sum(
    #[builtin(global_invocation_id)] id: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = if id.x < input.len() { input[id.x] } else { 0.0 };
    let mut stride = 32;
    while stride > 0 {
        workgroup_barrier();
        if lane < stride {
            tile[lane] += tile[lane + stride];
        }
        stride /= 2;
    }
    if lane == 0 {
        output[group.x] = tile[0];
    }
}

/// Computes the sums of blocks of `values` on a device.
pub fn block_sums(gpu: &Gpu, values: &[f32]) -> Result<Vec<f32>> {
    let input = gpu.buffer(values)?;
    let output = gpu.zeros::<f32>(values.len().div_ceil(64))?;
    let pipeline = block_sum::pipeline(&gpu.device)?;
    let arguments = block_sum::Args {
        input: &input,
        output: &output,
    };
    let bound = pipeline.bind(&gpu.device, arguments)?;
    gpu.compute(|pass| pipeline.dispatch_for(pass, &bound, values.len() as u32))?;
    gpu.read(&output)
}
