//! Render and mesh pipelines, which are forwarded and reported to the watcher as unwatched.

use super::compute_pipeline::automatic;
use super::object::{Fault, Home, Object};
use super::shared::SharedDevice;
use crate::hooks::UnwatchedPipeline;
use std::sync::Arc;
use wgpu::custom::{DispatchBindGroupLayout, DispatchRenderPipeline, RenderPipelineInterface};

type PipelineResult = Result<wgpu::RenderPipeline, Fault>;

pub(crate) fn render(
    shared: &Arc<SharedDevice>,
    descriptor: &wgpu::RenderPipelineDescriptor<'_>,
) -> DispatchRenderPipeline {
    let home = shared.home;
    let made = || -> PipelineResult {
        let layout = home.open_some(descriptor.layout)?;
        Ok(shared.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: descriptor.label,
            layout: layout.map(|layout| &layout.inner),
            vertex: wgpu::VertexState {
                module: &home.open(descriptor.vertex.module)?.inner,
                ..descriptor.vertex.clone()
            },
            primitive: descriptor.primitive,
            depth_stencil: descriptor.depth_stencil.clone(),
            multisample: descriptor.multisample,
            fragment: fragment(home, descriptor.fragment.as_ref())?,
            multiview_mask: descriptor.multiview_mask,
            cache: home.open_some(descriptor.cache)?,
        }))
    };
    let label = descriptor.label;
    finished(shared, made(), label, UnwatchedPipeline::RenderPipeline { label })
}

pub(crate) fn mesh(
    shared: &Arc<SharedDevice>,
    descriptor: &wgpu::MeshPipelineDescriptor<'_>,
) -> DispatchRenderPipeline {
    let home = shared.home;
    let made = || -> PipelineResult {
        let layout = home.open_some(descriptor.layout)?;
        let task = descriptor.task.as_ref().map(|task| {
            Ok(wgpu::TaskState { module: &home.open(task.module)?.inner, ..task.clone() })
        });
        Ok(shared.device.create_mesh_pipeline(&wgpu::MeshPipelineDescriptor {
            label: descriptor.label,
            layout: layout.map(|layout| &layout.inner),
            task: task.transpose()?,
            mesh: wgpu::MeshState {
                module: &home.open(descriptor.mesh.module)?.inner,
                ..descriptor.mesh.clone()
            },
            primitive: descriptor.primitive,
            depth_stencil: descriptor.depth_stencil.clone(),
            multisample: descriptor.multisample,
            fragment: fragment(home, descriptor.fragment.as_ref())?,
            multiview: descriptor.multiview,
            cache: home.open_some(descriptor.cache)?,
        }))
    };
    let label = descriptor.label;
    finished(shared, made(), label, UnwatchedPipeline::MeshPipeline { label })
}

fn fragment<'a>(
    home: Home,
    fragment: Option<&wgpu::FragmentState<'a>>,
) -> Result<Option<wgpu::FragmentState<'a>>, Fault> {
    let inner = |fragment: &wgpu::FragmentState<'a>| {
        let module = &home.open(fragment.module)?.inner;
        Ok(wgpu::FragmentState { module, ..fragment.clone() })
    };
    fragment.map(inner).transpose()
}

fn finished(
    shared: &Arc<SharedDevice>,
    made: PipelineResult,
    label: Option<&str>,
    unwatched: UnwatchedPipeline<'_>,
) -> DispatchRenderPipeline {
    if let (Ok(_), Some(watcher)) = (&made, &shared.watcher) {
        watcher.unwatched(unwatched);
    }
    let called = match unwatched {
        UnwatchedPipeline::RenderPipeline { .. } => "Device::create_render_pipeline",
        UnwatchedPipeline::MeshPipeline { .. } => "Device::create_mesh_pipeline",
    };
    let inner = shared.reported(made, called);
    let inner = inner.map_err(|fault| fault.makes_invalid("RenderPipeline", label));
    let own = Arc::clone(shared);
    DispatchRenderPipeline::custom(Object { home: shared.home, inner, own })
}

impl RenderPipelineInterface for Object<wgpu::RenderPipeline, Arc<SharedDevice>> {
    fn get_bind_group_layout(&self, index: u32) -> DispatchBindGroupLayout {
        let inner = self.inner.as_ref().map_err(Clone::clone);
        let layout = inner.map(|pipeline| automatic(pipeline.get_bind_group_layout(index)));
        let inner = self.own.reported(layout, "RenderPipeline::get_bind_group_layout");
        DispatchBindGroupLayout::custom(Object { home: self.home, inner, own: () })
    }
}
