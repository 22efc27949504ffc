//! lampshade: the commands of its example `resident_pipeline`, with more items. The number of selected items is known only on
//! the device, so the following dispatches are indirect.

use crate::gpu::{Gpu, Numbers};
use crate::lampshade::open;
use crate::plant::Plant;
use crate::run::{Make, Outcome, timed};
use lampshade::pipeline::{
    GpuCount, GpuSlice, GpuSliceMut, Primitives, SortOptions, WorkspaceRequirements,
};
use lampshade::{MaskGenerator, Reducer, U32Predicate, U32Reduction};
use wgpu::util::DeviceExt as _;

const ITEMS: u32 = 5_000;

pub fn run(make: Make<'_>, _: Option<&'static Plant>) -> Outcome {
    timed(|| {
        let (gpu, context) = open(make);
        let mut primitives = Primitives::from_context(&context);
        let buffers = Buffers::new(&gpu);
        (gpu.name(), move || buffers.work(&gpu, &mut primitives))
    })
}

struct Buffers {
    input: wgpu::Buffer,
    mask: wgpu::Buffer,
    compacted: wgpu::Buffer,
    sorted: wgpu::Buffer,
    count: wgpu::Buffer,
    sum: wgpu::Buffer,
}

impl Buffers {
    fn new(gpu: &Gpu) -> Self {
        let mut numbers = Numbers::new(13);
        let items: Vec<u32> = (0..ITEMS).map(|_| numbers.word() >> 12).collect();
        let input = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("input"),
            contents: bytemuck::cast_slice(&items),
            usage: wgpu::BufferUsages::STORAGE,
        });
        let buffer = |label, size| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        };
        let mask = MaskGenerator::mask_buffer_size(ITEMS).expect("the size fits");
        Self {
            mask: buffer("mask", mask),
            compacted: buffer("compacted", input.size()),
            sorted: buffer("sorted", input.size()),
            count: buffer("count", 4),
            sum: buffer("sum", Reducer::output_buffer_size()),
            input,
        }
    }

    fn work(&self, gpu: &Gpu, primitives: &mut Primitives) -> Vec<u8> {
        let input = GpuSlice::from_range(&self.input, 0..ITEMS).expect("in range");
        let mask = GpuSliceMut::from_range(&self.mask, 0..ITEMS).expect("in range");
        let compacted = GpuSliceMut::from_range(&self.compacted, 0..ITEMS).expect("in range");
        let sorted = GpuSliceMut::from_range(&self.sorted, 0..ITEMS).expect("in range");
        let sum = GpuSliceMut::from_range(&self.sum, 0..1).expect("in range");
        let count = GpuCount::new(&self.count).expect("a count");
        let all = WorkspaceRequirements::new(ITEMS);
        let all = all.predicate().compact().counted_sort().counted_reduce();
        primitives.reserve_workspace(all).expect("the device has memory");
        primitives.reserve_count(count, ITEMS).expect("the device has memory");

        let mut encoder = gpu.encoder();
        // The elements after the selected ones are left unchanged.
        encoder.clear_buffer(&self.sorted, 0, None);
        {
            let mut recorder = primitives.record(&mut encoder);
            let large = U32Predicate::GreaterThanOrEqual(1 << 19);
            let mask = recorder.mask(input, mask, large).expect("a mask");
            let some = recorder.compact(input, mask, compacted, count).expect("a compaction");
            let sorted = recorder.sort(some, sorted, SortOptions::default()).expect("a sort");
            recorder.reduce(sorted, sum, U32Reduction::Sum).expect("a reduction");
        }
        gpu.queue.submit([encoder.finish()]);
        let outputs = [&self.count, &self.sum, &self.sorted];
        outputs.iter().flat_map(|buffer| gpu.read_buffer(buffer)).collect()
    }
}
