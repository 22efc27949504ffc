//! Planted data races: a shader's text is changed before wgpu sees it.

use hirace_wgpu::{CreatedPipeline, Hooks, PipelineRequest, Source, Watcher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A planted race.
#[derive(Debug)]
pub struct Plant {
    /// The description of the change, for users.
    pub what: &'static str,
    /// The label of the shader that is changed.
    pub shader: &'static str,
    /// The replacements: a text that must occur exactly once, and its replacement.
    pub changes: &'static [(&'static str, &'static str)],
    /// Whether the shader has been changed: otherwise the run must not count as a run with the race.
    pub done: AtomicBool,
}

impl Plant {
    /// Returns the text of the shader with the race.
    ///
    /// # Panics
    /// Panics if the shader is not the one for which the plant was made.
    fn text(&self, text: &str) -> String {
        self.done.store(true, Ordering::Relaxed);
        self.changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert_eq!(text.matches(from).count(), 1, "of {from:?} in {}:\n{text}", self.shader);
            text.replace(from, to)
        })
    }

    /// Wraps the tested instance, for programs whose shaders are in a library: pipelines are created from the changed text,
    /// which is the only text that the tested instance sees.
    pub fn around(&'static self, instance: wgpu::Instance) -> wgpu::Instance {
        hirace_wgpu::wrap_instance(instance, Arc::new(Gardener(self)))
    }
}

/// Returns the text, with the race if there is a plant.
pub fn text_of(plant: Option<&Plant>, text: &str) -> String {
    plant.map_or_else(|| text.to_owned(), |plant| plant.text(text))
}

#[derive(Debug)]
struct Gardener(&'static Plant);

impl Hooks for Gardener {
    fn device(
        &self,
        _: &wgpu::Device,
        _: &wgpu::Queue,
        _: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        Some(Arc::new(Gardener(self.0)))
    }
}

impl Watcher for Gardener {
    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        let label = request.module.label.as_deref()?;
        let Source::Wgsl(text) = &request.module.source else { return None };
        if label != self.0.shader {
            return None;
        }
        let module = request.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(self.0.text(text).into()),
        });
        let layout = request.layout.map(|layout| &layout.inner);
        let pipeline = request.make_of(&module, layout);
        Some(CreatedPipeline { pipeline, layouts_of: None, state: None })
    }
}
