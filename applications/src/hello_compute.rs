//! wgpu's example `hello-compute`: steps of the Collatz conjecture. The shader is as published, the host code is its
//! `execute_gpu_inner`, ported to wgpu 30 (MIT OR Apache-2.0, see `ported/wgpu_examples`).

use crate::gpu::Gpu;
use crate::plant::Plant;
use crate::run::{Make, Outcome, timed};
use wgpu::util::DeviceExt as _;

const NUMBERS: u32 = 1 << 14;

pub fn run(make: Make<'_>, _: Option<&'static Plant>) -> Outcome {
    timed(|| {
        let limits = wgpu::Limits::downlevel_defaults();
        let asked = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let gpu = Gpu::open(make, &asked);
        let shader = include_str!("../ported/wgpu_examples/hello_compute.wgsl");
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(shader.into()),
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        (gpu.name(), move || steps(&gpu, &pipeline))
    })
}

fn steps(gpu: &Gpu, pipeline: &wgpu::ComputePipeline) -> Vec<u8> {
    let numbers: Vec<u32> = (1..=NUMBERS).collect();
    let storage = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("Storage Buffer"),
        contents: bytemuck::cast_slice(&numbers),
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC,
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: storage.as_entire_binding() }],
    });
    let mut encoder = gpu.encoder();
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.insert_debug_marker("compute collatz iterations");
        pass.dispatch_workgroups(NUMBERS, 1, 1);
    }
    gpu.queue.submit([encoder.finish()]);
    gpu.read_buffer(&storage)
}
