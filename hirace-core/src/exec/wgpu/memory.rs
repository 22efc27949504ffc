//! What a launch binds, on the device.

use super::failure::{could_not_run, guarded};
use super::opened::Opened;
use super::texels::Image;
use crate::diagnostic::Result;
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::memory::{AddressMode, Buffer, Compare, Resource, Resources, Sampler};
use naga::{AddressSpace, GlobalVariable, StorageAccess, TypeInner};
use std::sync::mpsc;
use wgpu::{BufferUsages, CommandEncoderDescriptor, MapMode};

/// One resource there.
#[derive(Debug)]
pub enum Bound {
    /// For storage and uniform variables: the buffer, and how many bytes of it are bound.
    Buffer(wgpu::Buffer),
    /// For textures.
    Texture(wgpu::Texture, wgpu::TextureView),
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
    pub fn upload(device: &Opened, program: &Program, launch: &Launch) -> Result<Self> {
        let _span = tracing::debug_span!("upload").entered();
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
                Some(Resource::Texture(texture)) => match image(module, variable) {
                    None => None,
                    Some(image) => {
                        let (made, view, warning) = image.upload(device, texture)?;
                        memory.warnings.extend(warning);
                        Some(Bound::Texture(made, view))
                    }
                },
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

    /// What is there after the last dispatch: what the program may write is read back, all else is as it was.
    pub fn download(
        &self,
        device: &Opened,
        program: &Program,
        launch: &Launch,
    ) -> Result<Resources> {
        let mut resources = launch.resources.clone();
        let variables = program.module.global_variables.iter();
        for ((_, variable), (bound, resource)) in
            variables.zip(self.by_global.iter().zip(&mut resources.by_global))
        {
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
                (_, Some(Bound::Texture(made, _)), Some(Resource::Texture(before))) => {
                    if let Some(image) = image(&program.module, variable) {
                        let after = image.download(device, made, before)?;
                        *resource = Some(Resource::Texture(after));
                    }
                }
                _ => {}
            }
        }
        Ok(resources)
    }
}

impl Opened {
    /// `bytes` of a buffer from byte `first` on, after all that was submitted.
    pub(super) fn read(&self, buffer: &wgpu::Buffer, first: u64, bytes: u64) -> Result<Vec<u8>> {
        self.read_back(bytes, |encoder, to| {
            encoder.copy_buffer_to_buffer(buffer, first, to, 0, bytes);
        })
    }

    /// `bytes` that `copy` has copied to a buffer, after all that was submitted.
    pub(super) fn read_back(
        &self,
        bytes: u64,
        copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer) + Send,
    ) -> Result<Vec<u8>> {
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let _span = tracing::debug_span!("read back", bytes).entered();
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
            copy(&mut encoder, &staging);
            self.queue.submit([encoder.finish()]);
            staging.map_async(MapMode::Read, .., move |mapped| {
                let _ = sender.send(mapped.is_ok());
            });
            staging
        })?;
        self.wait(None, super::PATIENCE)?;
        // Another thread that waits may be the one to be told, a moment later.
        let mapped = receiver.recv_timeout(super::PATIENCE).unwrap_or(false);
        let view = mapped.then(|| staging.get_mapped_range(..).ok()).flatten();
        match view {
            Some(view) => Ok(view.to_vec()),
            None => Err(Box::new(could_not_run("the device's memory cannot be read back"))),
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

fn image<'a>(module: &naga::Module, variable: &'a GlobalVariable) -> Option<Image<'a>> {
    let name = variable.name.as_deref().unwrap_or("(unnamed)");
    match module.types[variable.ty].inner {
        TypeInner::Image { dim, arrayed, class } => Some(Image { name, dim, arrayed, class }),
        _ => None,
    }
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
    device: &Opened,
    name: &str,
    buffer: &Buffer,
    usage: BufferUsages,
) -> Result<wgpu::Buffer> {
    let mut contents = padded(buffer);
    if usage.contains(BufferUsages::UNIFORM) {
        // The size that WGSL gives a uniform structure may be rounded up.
        contents.resize(contents.len().next_multiple_of(16), 0);
    }
    // Not mapped when made: of a device that was lost, wgpu panics at that.
    guarded(&device.device, &format!("hold `{name}`"), || {
        let made = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(name),
            size: contents.len() as u64,
            usage: usage | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        device.queue.write_buffer(&made, 0, &contents);
        made
    })
}

fn make_sampler(device: &Opened, sampler: Sampler, comparison: bool) -> Result<wgpu::Sampler> {
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
