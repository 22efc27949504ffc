//! Compute pipelines: what is asked for, and what a watcher makes of it.

use super::objects::{Layout, Module};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A compute pipeline that the application asks for.
#[derive(Clone, Copy, Debug)]
pub struct PipelineRequest<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its label.
    pub label: Option<&'a str>,
    /// Its layout; `None`: an automatic one.
    pub layout: Option<&'a Layout>,
    /// Its module.
    pub module: &'a Arc<Module>,
    /// Its entry point; `None`: the only one that the module has.
    pub entry_point: Option<&'a str>,
    /// Values of pipeline-overridable constants.
    pub constants: &'a [(&'a str, f64)],
    /// Whether workgroup memory is zero at first.
    pub zero_initialize_workgroup_memory: bool,
    /// The cache to compile it with.
    pub cache: Option<&'a wgpu::PipelineCache>,
}

impl PipelineRequest<'_> {
    /// The pipeline that is asked for.
    #[must_use]
    pub fn make(&self) -> wgpu::ComputePipeline {
        self.make_of(&self.module.inner, self.layout.map(|layout| &layout.inner))
    }

    /// The pipeline that is asked for, but of another module, and with another layout.
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

/// What a watcher gives for a pipeline that was asked for.
pub struct MadePipeline {
    /// The pipeline that dispatches run.
    pub pipeline: wgpu::ComputePipeline,
    /// The one that the application gets layouts of its groups from, if that is not the same. It matters where the
    /// layout is automatic: of a layout that the application gave, it gets the groups' layouts that it gave.
    pub layouts_of: Option<wgpu::ComputePipeline>,
    /// What is to be known of it at each dispatch.
    pub state: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for MadePipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pipeline, layouts_of, state: _ } = self;
        f.debug_struct("MadePipeline")
            .field("pipeline", pipeline)
            .field("layouts_of", layouts_of)
            .finish_non_exhaustive()
    }
}

/// A compute pipeline that was made.
#[derive(Debug)]
pub struct ComputePipeline {
    /// Its label.
    pub label: Option<String>,
    /// The layout that the application gave, if it gave one.
    pub layout: Option<Arc<Layout>>,
    /// What was made.
    pub made: MadePipeline,
}

impl ComputePipeline {
    /// Whether wgpu would take the layouts of both for the same.
    pub(crate) fn same_layout(&self, other: &Self) -> bool {
        match (&self.layout, &other.layout) {
            (Some(one), Some(two)) => one.same(two),
            _ => std::ptr::eq(self, other),
        }
    }

    /// What the watcher keeps of it.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.made.state.as_deref()?.downcast_ref()
    }
}
