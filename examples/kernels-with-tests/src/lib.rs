//! Compute kernels in Rust. A program creates a shader module from `block_sum::kernel().wgsl()` and its bind groups from
//! `block_sum::kernel().bindings()`; `tests/` checks that the kernels are correct and free of races.

use hirace::prelude::*;

/// Adds up each block of 64 numbers of `input`.
#[hirace::monitor(workgroup_size(64))]
pub fn block_sum(
    #[builtin(global_invocation_id)] id: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = input[id.x];
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

/// Counts how often each brightness occurs in an image, and finds the most frequent one: two kernels over the same buffers.
#[hirace::monitor]
pub mod histogram {
    use hirace::prelude::*;

    /// The number of brightness values.
    pub const BINS: u32 = 16;

    fn bin(brightness: f32) -> u32 {
        ((brightness * BINS as f32) as u32).min(BINS - 1)
    }

    #[kernel(workgroup_size(8, 8))]
    pub fn count(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        bins: &[Atomic<u32>],
    ) {
        let size = texture_dimensions(image);
        if id.x < size.x && id.y < size.y {
            let brightness = texture_load(image, id.xy(), 0).x;
            bins[bin(brightness)].fetch_add(1);
        }
    }

    #[kernel(workgroup_size(1))]
    pub fn most(bins: &[Atomic<u32>], brightest: &mut u32) {
        let mut most = 0;
        for index in 0..BINS {
            if bins[index].load() > bins[most].load() {
                most = index;
            }
        }
        *brightest = most;
    }
}
