//! wgpu_sort: a radix sort of key-value pairs, with look-back over workgroups.

use crate::gpu::{Gpu, Numbers};
use crate::plant::{Plant, text_of};
use crate::run::{Make, Outcome, timed};
use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;

#[rustfmt::skip]
#[path = "../ported/wgpu_sort/sorter.rs"]
#[allow(dead_code, clippy::all, reason = "kept as published")]
mod sorter;

use sorter::GPUSorter;

pub static NO_BARRIER: Plant = Plant {
    what: "the barrier between storing and loading reordered keys is left out",
    shader: "radix_sort.wgsl",
    changes: &[(
        "    workgroupBarrier();\n\n    // Load keyval dword from sorted location\n",
        "\n    // Load keyval dword from sorted location\n",
    )],
    done: AtomicBool::new(false),
};

/// The number of pairs that three workgroups sort.
const WHOLE: u32 = 11_520;

/// A smaller number: as published, the shader loads and stores out of bounds of the values' buffer, which lacks the padding of
/// the keys' buffer.
const RAGGED: u32 = 10_000;

/// The crate itself would guess the largest size that sorts a test correctly; 1 assumes nothing about subgroups.
const SUBGROUP: u32 = 1;

pub fn run(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    run_of(WHOLE, make, plant)
}

pub fn run_ragged(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    run_of(RAGGED, make, plant)
}

fn run_of(pairs: u32, make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    timed(|| {
        let gpu = Gpu::open_with(make, |adapter| wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let text = text_of(plant, include_str!("../ported/wgpu_sort/radix_sort.wgsl"));
        let sorter = GPUSorter::new(&gpu.device, SUBGROUP, &text);
        let length = NonZeroU32::new(pairs).expect("the number is not zero");
        let buffers = sorter.create_sort_buffers(&gpu.device, length);
        (gpu.name(), move || sort(&gpu, &sorter, &buffers))
    })
}

fn sort(gpu: &Gpu, sorter: &GPUSorter, buffers: &sorter::SortBuffers) -> Vec<u8> {
    let mut numbers = Numbers::new(7);
    let keys: Vec<u32> = (0..buffers.len()).map(|_| numbers.word()).collect();
    let values: Vec<u32> = (0..buffers.len()).collect();
    gpu.queue.write_buffer(buffers.keys(), 0, bytemuck::cast_slice(&keys));
    gpu.queue.write_buffer(buffers.values(), 0, bytemuck::cast_slice(&values));
    let mut encoder = gpu.encoder();
    sorter.sort(&mut encoder, &gpu.queue, buffers, None);
    gpu.queue.submit([encoder.finish()]);
    let mut outputs = gpu.read_buffer(buffers.keys());
    outputs.truncate(keys.len() * 4);
    outputs.extend(gpu.read_buffer(buffers.values()));
    outputs
}
