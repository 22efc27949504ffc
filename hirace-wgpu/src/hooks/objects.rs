//! What is kept of objects that a dispatch uses: what they were made of.

use std::sync::Arc;

/// A shader module, and what it was made of.
#[derive(Debug)]
pub struct Module {
    /// The inner module.
    pub inner: wgpu::ShaderModule,
    /// Its label.
    pub label: Option<String>,
    /// What it was made of.
    pub source: Source,
    /// The checks that the application wants in it; `None` of [`Source::Passthrough`], which has none.
    pub checks: Option<wgpu::ShaderRuntimeChecks>,
}

/// What a shader module was made of.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// WGSL.
    Wgsl(String),
    /// A module of naga's.
    Naga(Box<wgpu::naga::Module>),
    /// SPIR-V that wgpu reads.
    #[cfg(feature = "spirv")]
    SpirV(Vec<u32>),
    /// GLSL.
    #[cfg(feature = "glsl")]
    Glsl {
        /// The text.
        shader: String,
        /// The stage that it is for.
        stage: wgpu::naga::ShaderStage,
        /// What is defined before it is read.
        defines: Vec<(String, String)>,
    },
    /// What is given to the driver as it is. wgpu has no module of it.
    Passthrough {
        /// As SPIR-V.
        spirv: Option<Vec<u32>>,
        /// As WGSL.
        wgsl: Option<String>,
        /// As GLSL.
        glsl: Option<String>,
    },
    /// A language that this crate was built without: GLSL or SPIR-V, for which it has features.
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
    /// Its label.
    pub label: Option<String>,
    /// Its entries; `None` if it is a pipeline's automatic layout.
    pub entries: Option<Vec<wgpu::BindGroupLayoutEntry>>,
}

/// The layout of a pipeline.
#[derive(Debug)]
pub struct Layout {
    /// The inner layout.
    pub inner: wgpu::PipelineLayout,
    /// Its label.
    pub label: Option<String>,
    /// The layouts of its groups.
    pub groups: Vec<Option<Arc<GroupLayout>>>,
    /// How many bytes of immediates it has.
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
    /// Whether wgpu would take both for the same.
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

/// A bind group, and what is bound in it.
#[derive(Debug)]
pub struct BoundGroup {
    /// The inner group.
    pub inner: wgpu::BindGroup,
    /// Its label.
    pub label: Option<String>,
    /// Its layout.
    pub layout: Arc<GroupLayout>,
    /// What is bound.
    pub entries: Vec<Entry>,
}

impl BoundGroup {
    /// A group of what is bound in this one and of `more`, with another layout: for pipelines that need another
    /// binding, where no group is free.
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

/// One binding of a group.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number.
    pub binding: u32,
    /// What is bound.
    pub resource: Resource,
}

/// A part of a buffer.
#[derive(Clone, Debug)]
pub struct BufferPart {
    /// The inner buffer.
    pub buffer: wgpu::Buffer,
    /// Where the part begins, in bytes.
    pub offset: wgpu::BufferAddress,
    /// How long it is, in bytes; `None`: to the end of the buffer.
    pub size: Option<wgpu::BufferSize>,
}

/// A view of a texture.
#[derive(Clone, Debug)]
pub struct View {
    /// The inner view, which knows its texture.
    pub view: wgpu::TextureView,
    /// What of the texture it shows. It has no label.
    pub of: wgpu::TextureViewDescriptor<'static>,
}

/// A sampler.
#[derive(Clone, Debug)]
pub struct SampledBy {
    /// The inner sampler.
    pub sampler: wgpu::Sampler,
    /// How it samples. It has no label.
    pub how: wgpu::SamplerDescriptor<'static>,
}

/// What is bound, as inner objects.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Resource {
    /// A part of a buffer.
    Buffer(BufferPart),
    /// An array of them.
    BufferArray(Vec<BufferPart>),
    /// A sampler.
    Sampler(SampledBy),
    /// An array of them.
    SamplerArray(Vec<wgpu::Sampler>),
    /// A view of a texture.
    TextureView(View),
    /// An array of them.
    TextureViewArray(Vec<wgpu::TextureView>),
    /// An acceleration structure.
    AccelerationStructure(wgpu::Tlas),
    /// An array of them.
    AccelerationStructureArray(Vec<wgpu::Tlas>),
    /// An external texture.
    ExternalTexture(wgpu::ExternalTexture),
}

/// The arrays that an entry of wgpu's borrows.
enum Lent<'a> {
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
    fn lent(&self) -> Lent<'_> {
        match self {
            Self::BufferArray(parts) => {
                Lent::Buffers(parts.iter().map(BufferPart::binding).collect())
            }
            Self::SamplerArray(samplers) => Lent::Samplers(samplers.iter().collect()),
            Self::TextureViewArray(views) => Lent::Views(views.iter().collect()),
            Self::AccelerationStructureArray(all) => Lent::Structures(all.iter().collect()),
            _ => Lent::None,
        }
    }

    fn binding<'a>(&'a self, lent: &'a Lent<'a>) -> wgpu::BindingResource<'a> {
        use wgpu::BindingResource as Binding;
        match (self, lent) {
            (_, Lent::Buffers(parts)) => Binding::BufferArray(parts),
            (_, Lent::Samplers(samplers)) => Binding::SamplerArray(samplers),
            (_, Lent::Views(views)) => Binding::TextureViewArray(views),
            (_, Lent::Structures(all)) => Binding::AccelerationStructureArray(all),
            (Self::Buffer(part), Lent::None) => Binding::Buffer(part.binding()),
            (Self::Sampler(sampler), Lent::None) => Binding::Sampler(&sampler.sampler),
            (Self::TextureView(view), Lent::None) => Binding::TextureView(&view.view),
            (Self::AccelerationStructure(tlas), Lent::None) => Binding::AccelerationStructure(tlas),
            (Self::ExternalTexture(texture), Lent::None) => Binding::ExternalTexture(texture),
            (Self::BufferArray(_), Lent::None) => Binding::BufferArray(&[]),
            (Self::SamplerArray(_), Lent::None) => Binding::SamplerArray(&[]),
            (Self::TextureViewArray(_), Lent::None) => Binding::TextureViewArray(&[]),
            (Self::AccelerationStructureArray(_), Lent::None) => {
                Binding::AccelerationStructureArray(&[])
            }
        }
    }
}

/// An inner bind group of entries that are kept, and of `more`.
pub(crate) fn bind_group(
    device: &wgpu::Device,
    label: Option<&str>,
    layout: &wgpu::BindGroupLayout,
    entries: &[Entry],
    more: &[wgpu::BindGroupEntry<'_>],
) -> wgpu::BindGroup {
    let lent: Vec<Lent<'_>> = entries.iter().map(|entry| entry.resource.lent()).collect();
    let kept = entries.iter().zip(&lent).map(|(entry, lent)| wgpu::BindGroupEntry {
        binding: entry.binding,
        resource: entry.resource.binding(lent),
    });
    let all: Vec<wgpu::BindGroupEntry<'_>> = kept.chain(more.iter().cloned()).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &all })
}
