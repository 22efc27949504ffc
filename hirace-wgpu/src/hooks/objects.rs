//! The descriptions of objects that a dispatch uses.

use std::sync::Arc;

/// A shader module and its source.
#[derive(Debug)]
pub struct Module {
    /// The inner module.
    pub inner: wgpu::ShaderModule,
    /// The label.
    pub label: Option<String>,
    /// The source.
    pub source: Source,
    /// The runtime checks that the application requested; `None` for [`Source::Passthrough`], which has none.
    pub checks: Option<wgpu::ShaderRuntimeChecks>,
}

/// The source of a shader module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// WGSL.
    Wgsl(String),
    /// A naga module.
    Naga(Box<wgpu::naga::Module>),
    /// SPIR-V that wgpu parses.
    #[cfg(feature = "spirv")]
    SpirV(Vec<u32>),
    /// GLSL.
    #[cfg(feature = "glsl")]
    Glsl {
        /// The text.
        shader: String,
        /// The shader stage.
        stage: wgpu::naga::ShaderStage,
        /// The preprocessor definitions.
        defines: Vec<(String, String)>,
    },
    /// A shader that is passed to the driver unchanged. wgpu has no naga module for it.
    Passthrough {
        /// The SPIR-V form.
        spirv: Option<Vec<u32>>,
        /// The WGSL form.
        wgsl: Option<String>,
        /// The GLSL form.
        glsl: Option<String>,
    },
    /// A language for which this crate was built without support: GLSL or SPIR-V, which have features.
    Unread,
}

impl Source {
    pub(crate) fn of(source: &wgpu::ShaderSource<'_>) -> Self {
        match source {
            wgpu::ShaderSource::Wgsl(text) => Self::Wgsl(text.to_string()),
            wgpu::ShaderSource::Naga(module) => Self::Naga(Box::new(module.as_ref().clone())),
            #[cfg(feature = "spirv")]
            wgpu::ShaderSource::SpirV(words) => Self::SpirV(words.to_vec()),
            #[cfg(feature = "glsl")]
            wgpu::ShaderSource::Glsl { shader, stage, defines } => Self::Glsl {
                shader: shader.to_string(),
                stage: *stage,
                defines: defines.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
            },
            _ => Self::Unread,
        }
    }
}

/// The layout of a bind group.
#[derive(Debug)]
pub struct GroupLayout {
    /// The inner layout.
    pub inner: wgpu::BindGroupLayout,
    /// The label.
    pub label: Option<String>,
    /// The entries; `None` for the automatic layout of a pipeline.
    pub entries: Option<Vec<wgpu::BindGroupLayoutEntry>>,
}

/// The layout of a pipeline.
#[derive(Debug)]
pub struct Layout {
    /// The inner layout.
    pub inner: wgpu::PipelineLayout,
    /// The label.
    pub label: Option<String>,
    /// The layouts of its groups.
    pub groups: Vec<Option<Arc<GroupLayout>>>,
    /// The size of the immediates in bytes.
    pub immediate_size: u32,
}

impl GroupLayout {
    fn same(&self, other: &Self) -> bool {
        let sorted = |layout: &Self| {
            let mut entries = layout.entries.clone()?;
            entries.sort_by_key(|entry| entry.binding);
            Some(entries)
        };
        std::ptr::eq(self, other)
            || matches!((sorted(self), sorted(other)), (Some(one), Some(two)) if one == two)
    }
}

impl Layout {
    /// Returns whether wgpu treats both layouts as the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let groups = || self.groups.iter().zip(&other.groups);
        self.immediate_size == other.immediate_size
            && self.groups.len() == other.groups.len()
            && groups().all(|pair| match pair {
                (Some(one), Some(two)) => one.same(two),
                (one, two) => one.is_none() && two.is_none(),
            })
    }
}

/// A bind group and its entries.
#[derive(Debug)]
pub struct BoundGroup {
    /// The inner group.
    pub inner: wgpu::BindGroup,
    /// The label.
    pub label: Option<String>,
    /// The layout.
    pub layout: Arc<GroupLayout>,
    /// The entries.
    pub entries: Vec<Entry>,
}

impl BoundGroup {
    /// Creates a group with these entries and `more`, and another layout. This is for pipelines that need an additional
    /// binding when no group is free.
    #[must_use]
    pub fn with(
        &self,
        device: &wgpu::Device,
        layout: &wgpu::BindGroupLayout,
        more: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::BindGroup {
        bind_group(device, self.label.as_deref(), layout, &self.entries, more)
    }
}

/// An entry of a bind group.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The binding number.
    pub binding: u32,
    /// The bound resource.
    pub resource: Resource,
}

/// A part of a buffer.
#[derive(Clone, Debug)]
pub struct BufferPart {
    /// The inner buffer.
    pub buffer: wgpu::Buffer,
    /// The offset in bytes.
    pub offset: wgpu::BufferAddress,
    /// The size in bytes; `None` for the rest of the buffer.
    pub size: Option<wgpu::BufferSize>,
}

/// A view of a texture.
#[derive(Clone, Debug)]
pub struct View {
    /// The inner view, which knows its texture.
    pub view: wgpu::TextureView,
    /// The descriptor, without the label.
    pub of: wgpu::TextureViewDescriptor<'static>,
}

/// A sampler.
#[derive(Clone, Debug)]
pub struct BoundSampler {
    /// The inner sampler.
    pub sampler: wgpu::Sampler,
    /// The descriptor, without the label.
    pub how: wgpu::SamplerDescriptor<'static>,
}

/// A bound resource, as inner objects.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Resource {
    /// A part of a buffer.
    Buffer(BufferPart),
    /// An array of buffer parts.
    BufferArray(Vec<BufferPart>),
    /// A sampler.
    Sampler(BoundSampler),
    /// An array of samplers.
    SamplerArray(Vec<wgpu::Sampler>),
    /// A view of a texture.
    TextureView(View),
    /// An array of texture views.
    TextureViewArray(Vec<wgpu::TextureView>),
    /// An acceleration structure.
    AccelerationStructure(wgpu::Tlas),
    /// An array of acceleration structures.
    AccelerationStructureArray(Vec<wgpu::Tlas>),
    /// An external texture.
    ExternalTexture(wgpu::ExternalTexture),
}

/// The arrays that an entry of wgpu borrows.
enum BorrowedArrays<'a> {
    None,
    Buffers(Vec<wgpu::BufferBinding<'a>>),
    Samplers(Vec<&'a wgpu::Sampler>),
    Views(Vec<&'a wgpu::TextureView>),
    Structures(Vec<&'a wgpu::Tlas>),
}

impl BufferPart {
    fn binding(&self) -> wgpu::BufferBinding<'_> {
        wgpu::BufferBinding { buffer: &self.buffer, offset: self.offset, size: self.size }
    }
}

impl Resource {
    fn lent(&self) -> BorrowedArrays<'_> {
        match self {
            Self::BufferArray(parts) => {
                BorrowedArrays::Buffers(parts.iter().map(BufferPart::binding).collect())
            }
            Self::SamplerArray(samplers) => BorrowedArrays::Samplers(samplers.iter().collect()),
            Self::TextureViewArray(views) => BorrowedArrays::Views(views.iter().collect()),
            Self::AccelerationStructureArray(all) => {
                BorrowedArrays::Structures(all.iter().collect())
            }
            _ => BorrowedArrays::None,
        }
    }

    fn binding<'a>(&'a self, lent: &'a BorrowedArrays<'a>) -> wgpu::BindingResource<'a> {
        use wgpu::BindingResource as Binding;
        match (self, lent) {
            (_, BorrowedArrays::Buffers(parts)) => Binding::BufferArray(parts),
            (_, BorrowedArrays::Samplers(samplers)) => Binding::SamplerArray(samplers),
            (_, BorrowedArrays::Views(views)) => Binding::TextureViewArray(views),
            (_, BorrowedArrays::Structures(all)) => Binding::AccelerationStructureArray(all),
            (Self::Buffer(part), BorrowedArrays::None) => Binding::Buffer(part.binding()),
            (Self::Sampler(sampler), BorrowedArrays::None) => Binding::Sampler(&sampler.sampler),
            (Self::TextureView(view), BorrowedArrays::None) => Binding::TextureView(&view.view),
            (Self::AccelerationStructure(tlas), BorrowedArrays::None) => {
                Binding::AccelerationStructure(tlas)
            }
            (Self::ExternalTexture(texture), BorrowedArrays::None) => {
                Binding::ExternalTexture(texture)
            }
            (Self::BufferArray(_), BorrowedArrays::None) => Binding::BufferArray(&[]),
            (Self::SamplerArray(_), BorrowedArrays::None) => Binding::SamplerArray(&[]),
            (Self::TextureViewArray(_), BorrowedArrays::None) => Binding::TextureViewArray(&[]),
            (Self::AccelerationStructureArray(_), BorrowedArrays::None) => {
                Binding::AccelerationStructureArray(&[])
            }
        }
    }
}

/// Creates an inner bind group from recorded entries and `more`.
pub(crate) fn bind_group(
    device: &wgpu::Device,
    label: Option<&str>,
    layout: &wgpu::BindGroupLayout,
    entries: &[Entry],
    more: &[wgpu::BindGroupEntry<'_>],
) -> wgpu::BindGroup {
    let lent: Vec<BorrowedArrays<'_>> = entries.iter().map(|entry| entry.resource.lent()).collect();
    let kept = entries.iter().zip(&lent).map(|(entry, lent)| wgpu::BindGroupEntry {
        binding: entry.binding,
        resource: entry.resource.binding(lent),
    });
    let all: Vec<wgpu::BindGroupEntry<'_>> = kept.chain(more.iter().cloned()).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &all })
}
