//! What a launch binds, on the device.

use super::Device;
use super::failure::{could_not_run, guarded};
use super::texels;
use crate::diagnostic::Result;
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::memory::{AddressMode, Buffer, Compare, Resource, Resources, Sampler};
use naga::{AddressSpace, ImageClass, StorageAccess, TypeInner};
use std::sync::mpsc;
use wgpu::util::DeviceExt;
use wgpu::{BufferUsages, CommandEncoderDescriptor, MapMode};

/// One resource there.
#[derive(Debug)]
pub enum Bound {
    /// For storage and uniform variables: the buffer, and how many bytes of it are bound.
    Buffer(wgpu::Buffer),
    /// For textures.
    Texture(wgpu::TextureView),
    /// For samplers.
    Sampler(wgpu::Sampler),
    /// Bytes of immediate data.
    Immediate(Vec<u8>),
}

/// What the variables of a program are bound to, by index.
#[derive(Debug, Default)]
pub struct Memory {
    pub by_global: Vec<Option<Bound>>,
    /// What could not be put there as it was, in words.
    pub warnings: Vec<String>,
}

impl Memory {
    /// Copies what `launch` binds to the device.
    pub fn upload(device: &Device, program: &Program, launch: &Launch) -> Result<Self> {
        let mut memory = Self::default();
        let module = &program.module;
        for (handle, variable) in module.global_variables.iter() {
            let resource = launch.resources.by_global.get(handle.index()).and_then(Option::as_ref);
            let name = variable.name.as_deref().unwrap_or("(unnamed)");
            let bound = match resource {
                None => None,
                Some(Resource::Buffer(buffer)) => Some(match variable.space {
                    AddressSpace::Immediate => Bound::Immediate(padded(buffer)),
                    space => Bound::Buffer(upload(device, name, buffer, usage(space))?),
                }),
                Some(Resource::Texture(texture)) => {
                    let TypeInner::Image { dim, arrayed, class } = module.types[variable.ty].inner
                    else {
                        continue;
                    };
                    let image = texels::Image { name, dim, arrayed, class };
                    let (view, warning) = image.upload(device, texture)?;
                    memory.warnings.extend(warning);
                    Some(Bound::Texture(view))
                }
                Some(Resource::Sampler(sampler)) => {
                    let comparison = matches!(
                        module.types[variable.ty].inner,
                        TypeInner::Sampler { comparison: true }
                    );
                    Some(Bound::Sampler(make_sampler(device, *sampler, comparison)?))
                }
            };
            memory.by_global.push(bound);
        }
        Ok(memory)
    }

    /// What is there after the last dispatch: buffers that the program may write are read back; storage
    /// textures are not, and are missing; all else is as it was.
    pub fn download(
        &self,
        device: &Device,
        program: &Program,
        launch: &Launch,
    ) -> Result<Resources> {
        let mut resources = launch.resources.clone();
        let variables = program.module.global_variables.iter();
        for ((_, variable), (bound, resource)) in
            variables.zip(self.by_global.iter().zip(&mut resources.by_global))
        {
            let inner = &program.module.types[variable.ty].inner;
            match (variable.space, bound, &resource) {
                (
                    AddressSpace::Storage { access },
                    Some(Bound::Buffer(buffer)),
                    Some(Resource::Buffer(before)),
                ) if access.contains(StorageAccess::STORE) => {
                    let mut bytes = device.read(buffer, 0, buffer.size())?;
                    bytes.truncate(before.len() as usize);
                    let mut after = Buffer::new(&bytes);
                    after.elastic = before.elastic;
                    *resource = Some(Resource::Buffer(after));
                }
                (_, Some(Bound::Texture(_)), _) if is_storage(inner) => *resource = None,
                _ => {}
            }
        }
        Ok(resources)
    }
}

impl Device {
    /// `bytes` of a buffer from byte `first` on, after all that was submitted.
    pub(super) fn read(&self, buffer: &wgpu::Buffer, first: u64, bytes: u64) -> Result<Vec<u8>> {
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let (sender, receiver) = mpsc::channel();
        let staging = guarded(&self.device, "copy its memory back", || {
            let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("hirace staging"),
                size: bytes,
                usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
            let descriptor = CommandEncoderDescriptor { label: Some("hirace read") };
            let mut encoder = self.device.create_command_encoder(&descriptor);
            encoder.copy_buffer_to_buffer(buffer, first, &staging, 0, bytes);
            self.queue.submit([encoder.finish()]);
            staging.map_async(MapMode::Read, .., move |mapped| {
                let _ = sender.send(mapped.is_ok());
            });
            staging
        })?;
        self.wait(None)?;
        // Another thread that waits may be the one to be told, a moment later.
        let mapped = receiver.recv_timeout(super::PATIENCE).unwrap_or(false);
        let view = mapped.then(|| staging.get_mapped_range(..).ok()).flatten();
        match view {
            Some(view) => Ok(view.to_vec()),
            None => Err(Box::new(super::could_not_run("the device's memory cannot be read back"))),
        }
    }

    /// Sets one word of a buffer, before all that is submitted later.
    pub(super) fn write(&self, buffer: &wgpu::Buffer, word: u32, value: u32) {
        self.queue.write_buffer(buffer, u64::from(word) * 4, &value.to_le_bytes());
    }

    /// A buffer of `bytes` zeros.
    pub(super) fn zeros(&self, name: &str, bytes: u64) -> Result<wgpu::Buffer> {
        guarded(&self.device, &format!("make {name}"), || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(name),
                size: bytes,
                usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })
    }

    /// A storage buffer of these words.
    pub(super) fn words(&self, name: &str, words: &[u32]) -> Result<wgpu::Buffer> {
        // Not mapped when made: of a device that was lost, wgpu panics at that.
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let buffer = self.zeros(name, bytes.len() as u64)?;
        guarded(&self.device, &format!("make {name}"), || {
            self.queue.write_buffer(&buffer, 0, bytes);
        })?;
        Ok(buffer)
    }
}

fn is_storage(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Image { class: ImageClass::Storage { .. }, .. })
}

fn usage(space: AddressSpace) -> BufferUsages {
    match space {
        AddressSpace::Uniform => BufferUsages::UNIFORM,
        _ => BufferUsages::STORAGE | BufferUsages::COPY_SRC,
    }
}

/// The bytes of a buffer, filled up to whole words.
fn padded(buffer: &Buffer) -> Vec<u8> {
    buffer.snapshot().into_iter().flat_map(u32::to_le_bytes).collect()
}

fn upload(
    device: &Device,
    name: &str,
    buffer: &Buffer,
    usage: BufferUsages,
) -> Result<wgpu::Buffer> {
    let limits = device.device.limits();
    let most = match usage.contains(BufferUsages::UNIFORM) {
        true => limits.max_uniform_buffer_binding_size,
        false => limits.max_storage_buffer_binding_size,
    };
    if u64::from(buffer.len()) > most {
        let error = could_not_run(format!(
            "`{name}` has {} bytes, and the device can bind {most} at most",
            buffer.len()
        ));
        return Err(Box::new(error.help("give it fewer elements, or check without --device")));
    }
    let mut contents = padded(buffer);
    if usage.contains(BufferUsages::UNIFORM) {
        // The size that WGSL gives a uniform structure may be rounded up.
        contents.resize(contents.len().next_multiple_of(16), 0);
    }
    guarded(&device.device, &format!("hold `{name}`"), || {
        device.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some(name),
            contents: &contents,
            usage,
        })
    })
}

fn make_sampler(device: &Device, sampler: Sampler, comparison: bool) -> Result<wgpu::Sampler> {
    let address = match sampler.address {
        AddressMode::ClampToEdge => wgpu::AddressMode::ClampToEdge,
        AddressMode::Repeat => wgpu::AddressMode::Repeat,
        AddressMode::MirrorRepeat => wgpu::AddressMode::MirrorRepeat,
    };
    let filter = if sampler.linear { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    let compare = match sampler.compare {
        Compare::Never => wgpu::CompareFunction::Never,
        Compare::Less => wgpu::CompareFunction::Less,
        Compare::Equal => wgpu::CompareFunction::Equal,
        Compare::LessEqual => wgpu::CompareFunction::LessEqual,
        Compare::Greater => wgpu::CompareFunction::Greater,
        Compare::NotEqual => wgpu::CompareFunction::NotEqual,
        Compare::GreaterEqual => wgpu::CompareFunction::GreaterEqual,
        Compare::Always => wgpu::CompareFunction::Always,
    };
    guarded(&device.device, "make a sampler", || {
        device.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: address,
            address_mode_v: address,
            address_mode_w: address,
            mag_filter: filter,
            min_filter: filter,
            compare: comparison.then_some(compare),
            ..wgpu::SamplerDescriptor::default()
        })
    })
}
