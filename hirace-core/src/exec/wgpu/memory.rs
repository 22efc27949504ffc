//! The resources of a launch on the device.

use super::failure::{READ_BACK, failed_to};
use super::texels::Image;
use crate::diagnostic::Result;
use crate::facts::Warning;
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::memory::{AddressMode, Buffer, Compare, Resource, Resources, Sampler};
use hirace_gpu::OpenDevice;
use hirace_gpu::wgpu::{self, BufferUsages};
use naga::{AddressSpace, GlobalVariable, StorageAccess, TypeInner};

/// A resource on the device.
#[derive(Debug)]
pub enum Bound {
    /// For storage and uniform variables.
    Buffer(wgpu::Buffer),
    /// For textures.
    Texture(wgpu::Texture, wgpu::TextureView),
    /// For samplers.
    Sampler(wgpu::Sampler),
    /// The bytes of immediate data.
    Immediate(Vec<u8>),
}

/// The resources that are bound to the variables of a program, by index.
#[derive(Debug, Default)]
pub struct UploadedResources {
    pub by_global: Vec<Option<Bound>>,
    /// Warnings about contents that could not be copied exactly.
    pub warnings: Vec<Warning>,
}

impl UploadedResources {
    /// Copies the resources of `launch` to the device.
    pub fn new(device: &OpenDevice, program: &Program, launch: &Launch) -> Result<Self> {
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
                        let (gpu_texture, view, warning) = image.upload(device, texture)?;
                        memory.warnings.extend(warning);
                        Some(Bound::Texture(gpu_texture, view))
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

    /// Performs the writes of the launch before the dispatch with this index.
    pub fn write_before(
        &self,
        device: &OpenDevice,
        launch: &Launch,
        dispatch: usize,
    ) -> Result<()> {
        for write in launch.written_before(dispatch) {
            if let Some(Some(Bound::Buffer(buffer))) = self.by_global.get(write.to) {
                let written = device.write(buffer, 0, &padded(&write.contents));
                written.map_err(failed_to("write to a buffer"))?;
            }
        }
        Ok(())
    }

    /// Returns the resources after the last dispatch. What the program may write is read back, and everything else is unchanged.
    pub fn download(
        &self,
        device: &OpenDevice,
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
                    let read = device.read(buffer, 0..buffer.size());
                    let mut bytes = read.map_err(failed_to(READ_BACK))?;
                    bytes.truncate(before.len() as usize);
                    let mut after = Buffer::new(&bytes);
                    after.elastic = before.elastic;
                    *resource = Some(Resource::Buffer(after));
                }
                (_, Some(Bound::Texture(gpu_texture, _)), Some(Resource::Texture(before))) => {
                    if let Some(image) = image(&program.module, variable) {
                        let after = image.download(device, gpu_texture, before)?;
                        *resource = Some(Resource::Texture(after));
                    }
                }
                _ => {}
            }
        }
        Ok(resources)
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

/// Returns the bytes of a buffer, padded to whole words.
fn padded(buffer: &Buffer) -> Vec<u8> {
    buffer.snapshot().into_iter().flat_map(u32::to_le_bytes).collect()
}

fn upload(
    device: &OpenDevice,
    name: &str,
    buffer: &Buffer,
    usage: BufferUsages,
) -> Result<wgpu::Buffer> {
    let mut contents = padded(buffer);
    if usage.contains(BufferUsages::UNIFORM) {
        // The size that WGSL gives a uniform structure may be rounded up.
        contents.resize(contents.len().next_multiple_of(16), 0);
    }
    let result = device.buffer(name, &contents, usage);
    result.map_err(failed_to(format_args!("hold `{name}`")))
}

fn make_sampler(device: &OpenDevice, sampler: Sampler, comparison: bool) -> Result<wgpu::Sampler> {
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
    let result = device.sampler(&wgpu::SamplerDescriptor {
        address_mode_u: address,
        address_mode_v: address,
        address_mode_w: address,
        mag_filter: filter,
        min_filter: filter,
        compare: comparison.then_some(compare),
        ..wgpu::SamplerDescriptor::default()
    });
    result.map_err(failed_to("create a sampler"))
}
