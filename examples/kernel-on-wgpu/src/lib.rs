//! A kernel in Rust that a program runs with wgpu: `smooth::kernel()` has its WGSL and its bindings. `tests/` runs it on a
//! device, and compares the result with what hirace computes.

use hirace::Kernel;
use hirace::kernel::BindingKind;
use hirace::prelude::*;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// Replaces each height by the mean of its neighborhood, which is smaller at the ends of the row.
#[hirace::monitor(workgroup_size(64))]
pub fn smooth(
    #[builtin(global_invocation_id)] id: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[uniform] least: f32,
    #[uniform] reach: u32,
    heights: &[f32],
    smoothed: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    let length = heights.len() as u32;
    if id.x < length {
        tile[lane] = heights[id.x];
    }
    workgroup_barrier();
    if id.x >= length {
        return;
    }
    let first = id.x - min(reach, id.x);
    let last = min(id.x + reach, length - 1);
    let mut sum = 0.0;
    for at in first..=last {
        if at / 64 == id.x / 64 {
            sum += tile[at % 64];
        } else {
            sum += heights[at];
        }
    }
    if tile[lane] < least {
        smoothed[id.x] = tile[lane];
    } else {
        smoothed[id.x] = sum / (last - first + 1) as f32;
    }
}

/// A device and its queue.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    /// Opens the first device; `None` if there is none.
    pub fn first() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).ok()?;
        let (device, queue) =
            pollster::block_on(adapter.request_device(&Default::default())).ok()?;
        Some(Self { device, queue })
    }

    /// Runs a kernel on these buffers, given by name, and returns the contents of the last one.
    pub fn run(&self, kernel: &Kernel, buffers: &[(&str, &[u8])], workgroups: u32) -> Vec<u8> {
        let source = wgpu::ShaderSource::Wgsl(kernel.wgsl());
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source,
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: kernel.entry(),
                layout: None,
                module: &module,
                entry_point: kernel.wgsl_entry(),
                compilation_options: Default::default(),
                cache: None,
            });
        let made = buffers.iter().map(|(name, contents)| {
            let binding = kernel
                .bindings()
                .iter()
                .find(|of| of.name == *name)
                .expect("the kernel has this binding");
            let usage = match binding.kind {
                BindingKind::Uniform => wgpu::BufferUsages::UNIFORM,
                _ => wgpu::BufferUsages::STORAGE,
            };
            let usage = usage | wgpu::BufferUsages::COPY_SRC;
            let buffer = BufferInitDescriptor {
                label: Some(name),
                contents,
                usage,
            };
            (binding.binding, self.device.create_buffer_init(&buffer))
        });
        let made: Vec<(u32, wgpu::Buffer)> = made.collect();
        let entries = made.iter().map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: buffer.as_entire_binding(),
        });
        let bound = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        let (_, last) = made.last().expect("there is a buffer");
        let read = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: last.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(workgroups, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(last, 0, &read, 0, last.size());
        self.queue.submit([encoder.finish()]);
        read.map_async(wgpu::MapMode::Read, .., |mapped| {
            mapped.expect("the buffer can be mapped")
        });
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .expect("the device answers");
        read.get_mapped_range(..)
            .expect("the buffer is mapped")
            .to_vec()
    }
}
