//! Compute pipelines, which a watcher may replace.

use super::object::{Fault, Object};
use super::shared::SharedDevice;
use crate::hooks::{ComputePipeline, CreatedPipeline, GroupLayout, PipelineRequest};
use std::sync::Arc;
use wgpu::custom::{ComputePipelineInterface, DispatchBindGroupLayout, DispatchComputePipeline};

pub(crate) fn pipeline(
    shared: &Arc<SharedDevice>,
    descriptor: &wgpu::ComputePipelineDescriptor<'_>,
) -> DispatchComputePipeline {
    let made = made(shared, descriptor).map(Arc::new);
    let inner = shared.reported(made, "Device::create_compute_pipeline");
    let inner = inner.map_err(|fault| fault.makes_invalid("ComputePipeline", descriptor.label));
    let own = Arc::clone(shared);
    DispatchComputePipeline::custom(Object { home: shared.home, inner, own })
}

fn made(
    shared: &SharedDevice,
    descriptor: &wgpu::ComputePipelineDescriptor<'_>,
) -> Result<ComputePipeline, Fault> {
    let layout = shared.home.open_some(descriptor.layout)?;
    let options = &descriptor.compilation_options;
    let request = PipelineRequest {
        device: &shared.device,
        label: descriptor.label,
        layout: layout.map(Arc::as_ref),
        module: shared.home.open(descriptor.module)?,
        entry_point: descriptor.entry_point,
        constants: options.constants,
        zero_initialize_workgroup_memory: options.zero_initialize_workgroup_memory,
        cache: shared.home.open_some(descriptor.cache)?,
    };
    let made = shared.watcher.as_ref().and_then(|watcher| watcher.compute_pipeline(&request));
    Ok(ComputePipeline {
        label: descriptor.label.map(str::to_owned),
        layout: layout.cloned(),
        made: made.unwrap_or_else(|| CreatedPipeline {
            pipeline: request.make(),
            layouts_of: None,
            state: None,
        }),
    })
}

impl ComputePipelineInterface for Object<Arc<ComputePipeline>, Arc<SharedDevice>> {
    fn get_bind_group_layout(&self, index: u32) -> DispatchBindGroupLayout {
        let shared = &self.own;
        let inner = self.inner.as_ref().map_err(Clone::clone).map(|pipeline| {
            let given = pipeline.layout.as_ref().and_then(|layout| {
                // wgpu rejects an index that is out of range.
                layout.groups.get(index as usize)?.clone()
            });
            given.unwrap_or_else(|| {
                let made = &pipeline.made;
                let asked = made.layouts_of.as_ref().unwrap_or(&made.pipeline);
                automatic(asked.get_bind_group_layout(index))
            })
        });
        let inner = shared.reported(inner, "ComputePipeline::get_bind_group_layout");
        DispatchBindGroupLayout::custom(Object { home: self.home, inner, own: () })
    }
}

/// Wraps a layout that a pipeline created.
pub(crate) fn automatic(inner: wgpu::BindGroupLayout) -> Arc<GroupLayout> {
    Arc::new(GroupLayout { inner, label: None, entries: None })
}
