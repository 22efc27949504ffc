//! Compute pipelines: requests, and the pipelines that a watcher creates for them.

use super::objects::{Layout, Module};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A request of the application for a compute pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelineRequest<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// The label.
    pub label: Option<&'a str>,
    /// The layout; `None` for an automatic one.
    pub layout: Option<&'a Layout>,
    /// The shader module.
    pub module: &'a Arc<Module>,
    /// The entry point; `None` for the only one of the module.
    pub entry_point: Option<&'a str>,
    /// The values of pipeline-overridable constants.
    pub constants: &'a [(&'a str, f64)],
    /// Whether workgroup memory is zero-initialized.
    pub zero_initialize_workgroup_memory: bool,
    /// The cache to compile it with.
    pub cache: Option<&'a wgpu::PipelineCache>,
}

impl PipelineRequest<'_> {
    /// Creates the requested pipeline.
    #[must_use]
    pub fn make(&self) -> wgpu::ComputePipeline {
        self.make_of(&self.module.inner, self.layout.map(|layout| &layout.inner))
    }

    /// Creates the requested pipeline with another module and layout.
    #[must_use]
    pub fn make_of(
        &self,
        module: &wgpu::ShaderModule,
        layout: Option<&wgpu::PipelineLayout>,
    ) -> wgpu::ComputePipeline {
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: self.label,
            layout,
            module,
            entry_point: self.entry_point,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: self.constants,
                zero_initialize_workgroup_memory: self.zero_initialize_workgroup_memory,
            },
            cache: self.cache,
        })
    }
}

/// The pipeline that a watcher creates for a request.
pub struct CreatedPipeline {
    /// The pipeline that dispatches run.
    pub pipeline: wgpu::ComputePipeline,
    /// The pipeline from which the application gets bind group layouts, if it is another one. It matters only for
    /// automatic layouts: for a layout that the application gave, the application gets its own group layouts.
    pub layouts_of: Option<wgpu::ComputePipeline>,
    /// A state that is available at each dispatch.
    pub state: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for CreatedPipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pipeline, layouts_of, state: _ } = self;
        f.debug_struct("CreatedPipeline")
            .field("pipeline", pipeline)
            .field("layouts_of", layouts_of)
            .finish_non_exhaustive()
    }
}

/// A created compute pipeline.
#[derive(Debug)]
pub struct ComputePipeline {
    /// The label.
    pub label: Option<String>,
    /// The layout that the application gave, if it gave one.
    pub layout: Option<Arc<Layout>>,
    /// The pipeline and its state.
    pub made: CreatedPipeline,
}

impl ComputePipeline {
    /// Returns whether wgpu treats the layouts of both pipelines as the same.
    pub(crate) fn same_layout(&self, other: &Self) -> bool {
        match (&self.layout, &other.layout) {
            (Some(one), Some(two)) => one.same(two),
            _ => std::ptr::eq(self, other),
        }
    }

    /// Returns the state that the watcher attached.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.made.state.as_deref()?.downcast_ref()
    }
}
