//! Bind groups, which record their entries, and layouts.

use super::object::{Fault, Home, Object};
use super::shared::SharedDevice;
use crate::hooks::{
    bind_group, BoundGroup, BoundSampler, BufferPart, Entry, GroupLayout, Layout, Resource, View,
};
use std::sync::Arc;
use wgpu::custom::{
    BindGroupInterface, BindGroupLayoutInterface, DispatchBindGroup, DispatchBindGroupLayout,
    DispatchPipelineLayout, PipelineLayoutInterface,
};

impl BindGroupLayoutInterface for Object<Arc<GroupLayout>> {}
impl BindGroupInterface for Object<Arc<BoundGroup>> {}
impl PipelineLayoutInterface for Object<Arc<Layout>> {}

pub(crate) fn group_layout(
    shared: &SharedDevice,
    descriptor: &wgpu::BindGroupLayoutDescriptor<'_>,
) -> DispatchBindGroupLayout {
    let layout = GroupLayout {
        inner: shared.device.create_bind_group_layout(descriptor),
        label: descriptor.label.map(str::to_owned),
        entries: Some(descriptor.entries.to_vec()),
    };
    DispatchBindGroupLayout::custom(shared.home.wrap(Arc::new(layout)))
}

pub(crate) fn pipeline_layout(
    shared: &SharedDevice,
    descriptor: &wgpu::PipelineLayoutDescriptor<'_>,
) -> DispatchPipelineLayout {
    let label = descriptor.label;
    let groups = descriptor.bind_group_layouts.iter();
    let groups: Result<Vec<_>, Fault> =
        groups.map(|&layout| Ok(shared.home.open_some(layout)?.cloned())).collect();
    let made = groups.map(|groups| {
        let inner: Vec<_> =
            groups.iter().map(|layout| layout.as_ref().map(|layout| &layout.inner)).collect();
        let inner = shared.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &inner,
            immediate_size: descriptor.immediate_size,
        });
        let immediate_size = descriptor.immediate_size;
        Arc::new(Layout { inner, label: label.map(str::to_owned), groups, immediate_size })
    });
    let inner = shared.reported(made, "Device::create_pipeline_layout");
    let inner = inner.map_err(|fault| fault.makes_invalid("PipelineLayout", label));
    DispatchPipelineLayout::custom(Object { home: shared.home, inner, own: () })
}

pub(crate) fn group(
    shared: &SharedDevice,
    descriptor: &wgpu::BindGroupDescriptor<'_>,
) -> DispatchBindGroup {
    let label = descriptor.label;
    let made = (|| {
        let layout = Arc::clone(shared.home.open(descriptor.layout)?);
        let entries = descriptor.entries.iter();
        let entries: Vec<Entry> =
            entries.map(|entry| kept(shared.home, entry)).collect::<Result<_, Fault>>()?;
        let inner = bind_group(&shared.device, label, &layout.inner, &entries, &[]);
        let label = label.map(str::to_owned);
        Ok(Arc::new(BoundGroup { inner, label, layout, entries }))
    })();
    let inner = shared.reported(made, "Device::create_bind_group");
    let inner = inner.map_err(|fault| fault.makes_invalid("BindGroup", label));
    DispatchBindGroup::custom(Object { home: shared.home, inner, own: () })
}

/// Converts an entry to inner objects.
fn kept(home: Home, entry: &wgpu::BindGroupEntry<'_>) -> Result<Entry, Fault> {
    use wgpu::BindingResource as Binding;
    let resource = match &entry.resource {
        Binding::Buffer(part) => Resource::Buffer(buffer_part(home, part)?),
        Binding::BufferArray(parts) => {
            Resource::BufferArray(all(parts.iter().map(|part| buffer_part(home, part)))?)
        }
        Binding::Sampler(sampler) => Resource::Sampler(BoundSampler {
            sampler: home.open(*sampler)?.clone(),
            how: home.object(*sampler)?.own.clone(),
        }),
        Binding::SamplerArray(samplers) => Resource::SamplerArray(all(samplers
            .iter()
            .map(|sampler| home.open(*sampler).cloned()))?),
        Binding::TextureView(view) => Resource::TextureView(View {
            view: home.open(*view)?.clone(),
            of: home.object(*view)?.own.clone(),
        }),
        Binding::TextureViewArray(views) => {
            Resource::TextureViewArray(all(views.iter().map(|view| home.open(*view).cloned()))?)
        }
        Binding::AccelerationStructure(tlas) => {
            Resource::AccelerationStructure(home.open(*tlas)?.clone())
        }
        Binding::AccelerationStructureArray(several) => {
            Resource::AccelerationStructureArray(all(several
                .iter()
                .map(|tlas| home.open(*tlas).cloned()))?)
        }
        Binding::ExternalTexture(texture) => {
            Resource::ExternalTexture(home.open(*texture)?.clone())
        }
        _ => return Err(Fault::new("this kind of binding is not supported by hirace-wgpu")),
    };
    Ok(Entry { binding: entry.binding, resource })
}

fn all<T>(parts: impl Iterator<Item = Result<T, Fault>>) -> Result<Vec<T>, Fault> {
    parts.collect()
}

fn buffer_part(home: Home, part: &wgpu::BufferBinding<'_>) -> Result<BufferPart, Fault> {
    let &wgpu::BufferBinding { buffer, offset, size } = part;
    Ok(BufferPart { buffer: home.open(buffer)?.clone(), offset, size })
}
