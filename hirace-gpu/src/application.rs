//! Work on a device that an application opened and uses itself. Panics and uncaptured errors of wgpu become typed
//! errors.

use crate::adapter::Adapter;
use crate::error::{Error, Result};
use crate::fits;
use crate::guard::catch_panic_with_large_stack;
use crate::pipeline::{create_pipeline, parse_source};
use crate::scope::scoped;
use crate::shader::Shader;
use crate::wait::TIME_LIMIT;
use naga::Module;
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::sync::mpsc;
use wgpu::{BufferUsages, Device, DeviceDescriptor, Features, Limits, MapMode, PollType, Queue};

/// Opens a device for an application, with the supported ones of these features, and with these limits.
pub fn open(adapter: &Adapter, features: Features, limits: Limits) -> Result<(Device, Queue)> {
    let descriptor = DeviceDescriptor {
        required_features: adapter.features() & features,
        required_limits: limits,
        ..DeviceDescriptor::default()
    };
    let opened = catch_panic_with_large_stack(|| {
        let opened = pollster::block_on(adapter.inner.request_device(&descriptor));
        opened.map_err(|error| error.to_string())
    });
    opened.and_then(|opened| opened).map_err(|reason| Error::NotOpened { reason })
}

/// A compiled pipeline, with its workgroup size.
#[derive(Clone, Debug)]
pub struct CompiledPipeline {
    /// The pipeline of wgpu.
    pub pipeline: wgpu::ComputePipeline,
    /// The number of invocations of a workgroup in each dimension.
    pub workgroup_size: [u32; 3],
}

/// Compiles `shader` on `device`, without a cache.
pub fn compile(device: &Device, shader: &Shader<'_>) -> Result<CompiledPipeline> {
    let module = parse_source(shader.source)?;
    let workgroup_size = workgroup_size(&module, shader)?;
    fits::workgroup(&device.limits(), workgroup_size)?;
    Ok(CompiledPipeline { pipeline: create_pipeline(device, module, shader)?, workgroup_size })
}

/// Returns the workgroup size with the given values of overrides.
fn workgroup_size(module: &Module, shader: &Shader<'_>) -> Result<[u32; 3]> {
    let of = |module: &Module| {
        let entry = module.entry_points.iter().find(|entry| entry.name == shader.entry);
        entry.map(|entry| (entry.workgroup_size, entry.workgroup_size_overrides.is_some()))
    };
    let missing =
        || Error::Invalid { reason: format!("there is no entry point `{}`", shader.entry) };
    let (size, overridden) = of(module).ok_or_else(missing)?;
    if !overridden {
        return Ok(size);
    }
    let constants = shader.constants.iter().map(|(key, value)| ((*key).to_owned(), *value));
    let constants: PipelineConstants = constants.collect();
    let resolved = catch_panic_with_large_stack(|| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let info = validator.validate(module).map_err(|error| error.to_string())?;
        let resolved = process_overrides(module, &info, None, &constants);
        resolved.map(|(module, _)| of(&module)).map_err(|error| error.to_string())
    });
    match resolved {
        Ok(Ok(size)) => size.map(|(size, _)| size).ok_or_else(missing),
        Ok(Err(reason)) => Err(Error::Invalid { reason }),
        Err(reason) => Err(Error::Panicked { reason }),
    }
}

/// Returns the layout of a pipeline's bind group.
pub fn layout(
    device: &Device,
    pipeline: &wgpu::ComputePipeline,
    group: u32,
) -> Result<wgpu::BindGroupLayout> {
    scoped(device, || pipeline.get_bind_group_layout(group))
}

/// Creates a bind group.
pub fn bind(
    device: &Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    entries: &[wgpu::BindGroupEntry<'_>],
) -> Result<wgpu::BindGroup> {
    scoped(device, || {
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries })
    })
}

/// Creates a buffer of zeros that supports every use in a kernel, and copies from and to it.
pub fn zeros(device: &Device, label: &str, bytes: u64) -> Result<wgpu::Buffer> {
    // wgpu cannot bind empty buffers, and copies whole words.
    let size = bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(4);
    fits::buffer(&device.limits(), size)?;
    let usage = BufferUsages::STORAGE
        | BufferUsages::UNIFORM
        | BufferUsages::INDIRECT
        | BufferUsages::COPY_SRC
        | BufferUsages::COPY_DST;
    let descriptor =
        wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
    scoped(device, || device.create_buffer(&descriptor))
}

/// Writes the first bytes of a buffer, before everything submitted later. The rest of the last word is set to 0.
pub fn write(device: &Device, queue: &Queue, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<()> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    scoped(device, || queue.write_buffer(buffer, 0, &bytes))
}

/// Reads a buffer after everything submitted so far.
pub fn read(device: &Device, queue: &Queue, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
    let size = buffer.size();
    if size == 0 {
        return Ok(Vec::new());
    }
    fits::buffer(&device.limits(), size)?;
    let (sender, receiver) = mpsc::channel();
    let staging = scoped(device, || {
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("hirace read"),
            size,
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        queue.submit([encoder.finish()]);
        staging.map_async(MapMode::Read, .., move |mapped| {
            let _ = sender.send(mapped.is_ok());
        });
        staging
    })?;
    let wait = PollType::Wait { submission_index: None, timeout: Some(TIME_LIMIT) };
    match scoped(device, || device.poll(wait))? {
        Ok(_) => {}
        Err(wgpu::PollError::Timeout) => return Err(Error::TimedOut { limit: TIME_LIMIT }),
        Err(error) => return Err(Error::NotWaited { reason: error.to_string() }),
    }
    let mapped = receiver.recv_timeout(TIME_LIMIT).unwrap_or(false);
    let view = mapped.then(|| staging.get_mapped_range(..).ok()).flatten();
    view.map(|view| view.to_vec()).ok_or(Error::NotReadable)
}

/// Does `work` with a device, and returns an error of its calls as a value.
pub fn guarded<T>(device: &Device, work: impl FnOnce() -> T) -> Result<T> {
    scoped(device, work)
}
