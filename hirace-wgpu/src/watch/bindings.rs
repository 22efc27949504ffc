//! The resources that a dispatch has bound to the variables of its kernel, and their offsets in the buffer for copies.

use super::kernel::ParsedKernel;
use super::not_watched::NotWatchedReason;
use super::texels::{Format, Level};
use crate::hooks::{BoundGroupOffsets, BufferPart, Dispatch, Resource, View};
use hirace_core::ir::globals::{role, Role};
use hirace_core::launch::host_memory::MAX_TOTAL_BYTES;
use hirace_core::launch::used::is_used;
use hirace_core::launch::Dispatch as Launched;
use hirace_core::vm::memory::{AddressMode, Compare, Sampler};
use naga::{AddressSpace, GlobalVariable, Handle, ImageClass, StorageAccess, TypeInner};
use std::ops::Range;

/// The maximum number of texels of a texture that is read.
const MAX_TEXELS: u64 = 1 << 25;

/// The reason for resources that the executors do not support.
const UNSUPPORTED: &str = "hirace does not support kernels with this kind of resource";

/// The resource that is bound to a variable.
#[derive(Debug)]
pub(crate) enum Part {
    /// A part of a buffer.
    Buffer(BufferCopy),
    /// A texture with its place in the buffer for copies.
    Texture { of: TextureRange, format: Format, levels: Vec<Level> },
    /// A texture of this size that is only written.
    Blank { of: TextureRange, size: [u32; 3] },
    /// A sampler.
    Sampler(Sampler),
    /// Immediate data, with its size in bytes.
    Immediates(u32),
}

/// The part of a texture that a view shows.
#[derive(Debug)]
pub(crate) struct TextureRange {
    texture: wgpu::Texture,
    levels: Range<u32>,
    layers: Range<u32>,
}

impl TextureRange {
    fn copy(
        &self,
        mip_level: u32,
        encoder: &mut wgpu::CommandEncoder,
        to: &wgpu::Buffer,
        place: &Level,
    ) {
        let [width, height, depth_or_array_layers] = place.size;
        let texture = wgpu::TexelCopyTextureInfo {
            texture: &self.texture,
            mip_level,
            origin: wgpu::Origin3d { x: 0, y: 0, z: self.layers.start },
            aspect: match self.texture.format().has_depth_aspect() {
                true => wgpu::TextureAspect::DepthOnly,
                false => wgpu::TextureAspect::All,
            },
        };
        let layout = wgpu::TexelCopyBufferLayout {
            offset: place.at,
            bytes_per_row: Some(place.bytes_per_row),
            rows_per_image: Some(height),
        };
        let buffer = wgpu::TexelCopyBufferInfo { buffer: to, layout };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers };
        encoder.copy_texture_to_buffer(texture, buffer, size);
    }

    fn shares(&self, other: &Self) -> bool {
        let meet = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
        self.texture == other.texture
            && meet(&self.levels, &other.levels)
            && meet(&self.layers, &other.layers)
    }
}

/// A part of a buffer, and its offset in the buffer for copies.
#[derive(Debug)]
pub(crate) struct BufferCopy {
    pub(crate) of: wgpu::Buffer,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) at: u64,
}

/// The bindings of a dispatch. See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    pub(crate) parts: Vec<(Handle<GlobalVariable>, Part)>,
    /// The total size of all copies in bytes.
    pub(crate) bytes: u64,
    /// Samplers with settings that the executors do not have.
    pub(crate) plainer: Vec<Handle<GlobalVariable>>,
}

impl BufferCopy {
    /// Records the copy of the part. `to` must be long enough.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer) {
        encoder.copy_buffer_to_buffer(&self.of, self.offset, to, self.at, self.bytes);
    }

    fn shares(&self, other: &Self) -> bool {
        self.of == other.of
            && self.offset < other.offset + other.bytes
            && other.offset < self.offset + self.bytes
    }
}

impl Part {
    /// Records the copies of the resource. `to` must be long enough.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer) {
        match self {
            Self::Buffer(piece) => piece.copy(encoder, to),
            Self::Texture { of, levels, .. } => {
                for (mip_level, level) in of.levels.clone().zip(levels) {
                    of.copy(mip_level, encoder, to, level);
                }
            }
            Self::Blank { .. } | Self::Sampler(_) | Self::Immediates(_) => {}
        }
    }

    /// Returns whether both parts share memory.
    fn shares(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Buffer(one), Self::Buffer(two)) => one.shares(two),
            (
                Self::Texture { of: one, .. } | Self::Blank { of: one, .. },
                Self::Texture { of: two, .. } | Self::Blank { of: two, .. },
            ) => one.shares(two),
            _ => false,
        }
    }
}

impl Bindings {
    /// Collects the bindings of `dispatch`.
    pub(crate) fn of(
        dispatch: &Dispatch<'_>,
        read: &ParsedKernel,
    ) -> Result<Self, NotWatchedReason> {
        let mut bindings = Self::default();
        let module = &read.program.module;
        let is_gl = dispatch.device().adapter_info().backend == wgpu::Backend::Gl;
        let launched = [Launched { entry: read.entry, workgroups: [1; 3] }];
        for (handle, variable) in module.global_variables.iter() {
            if !is_used(&read.program, &launched, handle) {
                continue;
            }
            let name = variable.name.clone().unwrap_or_default();
            let uncopied = |why| NotWatchedReason::NotCopyable(name.clone(), why);
            let part = match role(module, handle) {
                Role::Internal => continue,
                Role::Unsupported => return Err(uncopied(UNSUPPORTED)),
                Role::Parameters if variable.space == AddressSpace::Immediate => {
                    let size = module.types[variable.ty].inner.size(module.to_ctx());
                    Part::Immediates(size)
                }
                _ => {
                    let bound = variable.binding.and_then(|at| find(dispatch.groups(), at));
                    let (bound, number) =
                        bound.ok_or_else(|| NotWatchedReason::Unbound(name.clone()))?;
                    let entry = bound.group.entries.iter().find(|entry| entry.binding == number);
                    match entry.map(|entry| &entry.resource) {
                        Some(Resource::Buffer(part)) => {
                            bindings.buffer(part, dynamic(bound, number)).map_err(uncopied)?
                        }
                        Some(Resource::TextureView(view)) => {
                            let inner = &module.types[variable.ty].inner;
                            bindings.texture(view, inner, is_gl).map_err(uncopied)?
                        }
                        Some(Resource::Sampler(sampler)) => {
                            let (taken, is_plain) = plain(&sampler.how);
                            if !is_plain {
                                bindings.plainer.push(handle);
                            }
                            Part::Sampler(taken)
                        }
                        Some(_) => return Err(uncopied(UNSUPPORTED)),
                        None => return Err(NotWatchedReason::Unbound(name)),
                    }
                }
            };
            bindings.parts.push((handle, part));
        }
        bindings.refuse_aliases(module)?;
        Ok(bindings)
    }

    /// Returns an error if two variables share memory and one of them may write it.
    fn refuse_aliases(&self, module: &naga::Module) -> Result<(), NotWatchedReason> {
        let name = |handle: &Handle<GlobalVariable>| {
            module.global_variables[*handle].name.clone().unwrap_or_default()
        };
        for (index, (one, part)) in self.parts.iter().enumerate() {
            for (other, second) in &self.parts[..index] {
                let is_written = [one, other].into_iter().any(|of| is_written(module, *of));
                if is_written && part.shares(second) {
                    return Err(NotWatchedReason::Aliased(name(other), name(one)));
                }
            }
        }
        Ok(())
    }

    fn buffer(&mut self, part: &BufferPart, dynamic: u64) -> Result<Part, &'static str> {
        let offset = part.offset + dynamic;
        let rest = part.buffer.size().saturating_sub(offset);
        let bytes = part.size.map_or(rest, std::num::NonZero::get);
        self.piece(&part.buffer, offset, bytes).map(Part::Buffer)
    }

    /// Reserves space for a part of a buffer, if it can be copied.
    pub(crate) fn piece(
        &mut self,
        of: &wgpu::Buffer,
        offset: u64,
        bytes: u64,
    ) -> Result<BufferCopy, &'static str> {
        if bytes > MAX_TOTAL_BYTES {
            return Err("it is too long for hirace's executors");
        }
        if !of.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            return Err("its buffer does not allow copies");
        }
        if offset.checked_add(bytes).is_none_or(|end| end > of.size()) {
            return Err("it extends past the end of its buffer");
        }
        if !bytes.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)
            || !offset.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)
        {
            return Err("its offset or size is not a multiple of four bytes");
        }
        let at = self.bytes;
        self.bytes += bytes;
        Ok(BufferCopy { of: of.clone(), offset, bytes, at })
    }

    fn texture(
        &mut self,
        view: &View,
        inner: &TypeInner,
        is_gl: bool,
    ) -> Result<Part, &'static str> {
        let texture = view.view.texture();
        let of = &view.of;
        let first = of.base_mip_level;
        let count = of.mip_level_count.unwrap_or(texture.mip_level_count().saturating_sub(first));
        let is_3d = texture.dimension() == wgpu::TextureDimension::D3;
        let layers = match of.dimension {
            _ if is_3d => 1,
            Some(wgpu::TextureViewDimension::D1 | wgpu::TextureViewDimension::D2) => 1,
            Some(wgpu::TextureViewDimension::Cube) => 6,
            _ => of
                .array_layer_count
                .unwrap_or(texture.depth_or_array_layers().saturating_sub(of.base_array_layer)),
        };
        let size = |level: u32| {
            let deep = if is_3d { texture.depth_or_array_layers() >> level } else { layers };
            [(texture.width() >> level).max(1), (texture.height() >> level).max(1), deep.max(1)]
        };
        let shown = TextureRange {
            texture: texture.clone(),
            levels: first..first + count,
            layers: of.base_array_layer..of.base_array_layer + layers,
        };
        if storage_access(inner) == Some(StorageAccess::STORE) {
            return Ok(Part::Blank { of: shown, size: size(first) });
        }
        if texture.sample_count() > 1 {
            return Err("it is multisampled");
        }
        if !texture.usage().contains(wgpu::TextureUsages::COPY_SRC) {
            return Err("its texture does not allow copies");
        }
        if texture.format().is_multi_planar_format() {
            return Err("its texture has planes of several formats");
        }
        if texture.format().is_depth_stencil_format() && is_gl {
            return Err("OpenGL cannot copy depth textures");
        }
        let format = Format::of(of.format.unwrap_or(texture.format()));
        let format = format.ok_or("hirace does not support its format")?;
        let sizes: Vec<[u32; 3]> = (first..first + count).map(size).collect();
        let (levels, end) = format.levels(&sizes, self.bytes);
        // Executors use four words per texel.
        let texels = |[x, y, z]: &[u32; 3]| u64::from(*x) * u64::from(*y) * u64::from(*z);
        if sizes.iter().map(texels).sum::<u64>() > MAX_TEXELS {
            return Err("it has too many texels");
        }
        self.bytes = end;
        Ok(Part::Texture { of: shown, format, levels })
    }
}

/// Returns whether kernels may write to the resource of a variable.
pub(crate) fn is_written(module: &naga::Module, variable: Handle<GlobalVariable>) -> bool {
    let variable = &module.global_variables[variable];
    let access = match variable.space {
        AddressSpace::Storage { access } => Some(access),
        _ => storage_access(&module.types[variable.ty].inner),
    };
    access.is_some_and(|access| access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC))
}

/// Returns the access mode of a storage texture, or `None` for other types.
fn storage_access(of: &TypeInner) -> Option<StorageAccess> {
    match of {
        TypeInner::Image { class: ImageClass::Storage { access, .. }, .. } => Some(*access),
        _ => None,
    }
}

/// Returns the group of a binding, and the number of the binding in it.
fn find(
    groups: &[Option<BoundGroupOffsets>],
    at: naga::ResourceBinding,
) -> Option<(&BoundGroupOffsets, u32)> {
    Some((groups.get(at.group as usize)?.as_ref()?, at.binding))
}

/// Returns the dynamic offset of a binding. The offsets are in the order of the bindings that have one.
fn dynamic(bound: &BoundGroupOffsets, number: u32) -> u64 {
    let Some(entries) = &bound.group.layout.entries else { return 0 };
    let is_dynamic = |entry: &&wgpu::BindGroupLayoutEntry| {
        matches!(entry.ty, wgpu::BindingType::Buffer { has_dynamic_offset: true, .. })
    };
    let mut numbers: Vec<u32> =
        entries.iter().filter(is_dynamic).map(|entry| entry.binding).collect();
    numbers.sort_unstable();
    let place = numbers.iter().position(|&other| other == number);
    place.and_then(|place| bound.offsets.get(place)).map_or(0, |&offset| offset.into())
}

/// Returns the closest sampler that the executors support, and whether it is equivalent.
fn plain(how: &wgpu::SamplerDescriptor<'_>) -> (Sampler, bool) {
    let linear = how.mag_filter == wgpu::FilterMode::Linear;
    let address = match how.address_mode_u {
        wgpu::AddressMode::Repeat => AddressMode::Repeat,
        wgpu::AddressMode::MirrorRepeat => AddressMode::MirrorRepeat,
        wgpu::AddressMode::ClampToEdge | wgpu::AddressMode::ClampToBorder => {
            AddressMode::ClampToEdge
        }
    };
    let compare = how.compare.map_or(Compare::default(), |compare| match compare {
        wgpu::CompareFunction::Never => Compare::Never,
        wgpu::CompareFunction::Less => Compare::Less,
        wgpu::CompareFunction::Equal => Compare::Equal,
        wgpu::CompareFunction::LessEqual => Compare::LessEqual,
        wgpu::CompareFunction::Greater => Compare::Greater,
        wgpu::CompareFunction::NotEqual => Compare::NotEqual,
        wgpu::CompareFunction::GreaterEqual => Compare::GreaterEqual,
        wgpu::CompareFunction::Always => Compare::Always,
    });
    let one_way = [how.address_mode_v, how.address_mode_w].map(|mode| mode == how.address_mode_u);
    let is_plain = one_way == [true, true]
        && how.address_mode_u != wgpu::AddressMode::ClampToBorder
        && how.mag_filter == how.min_filter
        && how.mipmap_filter == wgpu::MipmapFilterMode::Nearest
        && how.lod_min_clamp == 0.0
        && how.lod_max_clamp >= 32.0
        && how.anisotropy_clamp == 1;
    (Sampler { linear, address, compare }, is_plain)
}
