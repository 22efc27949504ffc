//! Requirements beyond WebGPU's guarantees cause a warning at their tokens; here an error, so that it is recorded.

#![deny(deprecated)]

use hirace::prelude::*;

#[hirace::monitor(workgroup_size(64))]
pub fn large(
    data: &mut [f32],
    #[workgroup] tile: &mut [f32; 8192],
    #[builtin(local_invocation_index)] lane: u32,
) {
    tile[lane] = 1.0;
    data[lane] = tile[lane];
}

#[hirace::monitor]
pub fn twice(x: u32) -> u32 {
    2 * x
}

#[hirace::monitor(workgroup_size(4, 4, 32))]
pub fn deep(data: &mut [u32], #[builtin(global_invocation_id)] id: UVec3) {
    data[id.x] = twice(id.x);
}

#[hirace::monitor(workgroup_size(4, 4, 32))]
#[allow(deprecated)]
pub fn deep_on_purpose(data: &mut [u32], #[builtin(global_invocation_id)] id: UVec3) {
    data[id.x] = id.x;
}

fn main() {}
