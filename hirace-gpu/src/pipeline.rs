//! Compiles pipelines, once for each content, and caches them.

use crate::cache::{Cache, Counts};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::fits;
use crate::guard::catch_panic_with_large_stack;
use crate::opened::{OpenDevice, Pipelines};
use crate::scope::scoped_with_large_stack;
use crate::shader::{Shader, Source};
use std::borrow::Cow;
use std::sync::PoisonError;

impl OpenDevice {
    /// Returns the pipeline of `shader`, from the cache if possible. [`Error::Lost`] means that the driver lost the
    /// device while compiling.
    pub fn compile(&self, shader: &Shader<'_>) -> Result<wgpu::ComputePipeline> {
        self.compile_as(Content::of(shader), shader)
    }

    /// Returns the pipeline of `shader` like [`Self::compile`], with a content that the caller has already computed.
    pub fn compile_as(
        &self,
        content: Content,
        shader: &Shader<'_>,
    ) -> Result<wgpu::ComputePipeline> {
        let key = (content, shader.layout.cloned());
        if let Some(cached) = self.with_pipelines(|pipelines| pipelines.get(&key)) {
            return Ok(cached);
        }
        let module = parse_source(shader.source)?;
        self.check_workgroup(&module, shader.entry)?;
        let pipeline = create_pipeline(self.device(), module, shader)?;
        // If a driver cannot compile a shader, the device is lost.
        self.check_alive()?;
        self.with_pipelines(|pipelines| pipelines.put(key, pipeline.clone()));
        Ok(pipeline)
    }

    /// Returns the hits and misses of the pipeline cache.
    pub fn pipelines(&self) -> Counts {
        self.with_pipelines(|pipelines| pipelines.counts())
    }

    /// Empties the pipeline cache, so that the next pipeline is compiled.
    pub fn forget_pipelines(&self) {
        self.with_pipelines(Cache::clear);
    }

    fn with_pipelines<T>(&self, work: impl FnOnce(&mut Pipelines) -> T) -> T {
        work(&mut self.pipelines.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Rejects workgroups that are too large, if their size is known.
    fn check_workgroup(&self, module: &naga::Module, entry: &str) -> Result<()> {
        let mut entries = module.entry_points.iter();
        match entries.find(|candidate| {
            candidate.name == entry && candidate.workgroup_size_overrides.is_none()
        }) {
            Some(entry) => Ok(fits::workgroup(self.limits(), entry.workgroup_size)?),
            None => Ok(()),
        }
    }
}

/// Creates the pipeline of `shader`, whose parsed module is `module`.
pub(crate) fn create_pipeline(
    device: &wgpu::Device,
    module: naga::Module,
    shader: &Shader<'_>,
) -> Result<wgpu::ComputePipeline> {
    scoped_with_large_stack(device, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(shader.entry),
            source: wgpu::ShaderSource::Naga(Cow::Owned(module)),
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(shader.entry),
            layout: shader.layout,
            module: &module,
            entry_point: Some(shader.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: shader.constants,
                zero_initialize_workgroup_memory: true,
            },
            cache: None,
        })
    })
}

/// Returns the module of a shader.
pub(crate) fn parse_source(source: Source<'_>) -> Result<naga::Module> {
    match source {
        Source::Wgsl(text) => parse(text),
        Source::Naga(module) => Ok(module.clone()),
    }
}

/// Parses `text`. An error has the location in the text.
fn parse(text: &str) -> Result<naga::Module> {
    let parsed = catch_panic_with_large_stack(|| naga::front::wgsl::parse_str(text));
    let parsed = parsed.map_err(|reason| Error::Panicked { reason })?;
    parsed.map_err(|error| {
        let location = error.location(text);
        Error::Wgsl {
            line: location.map_or(0, |location| location.line_number),
            column: location.map_or(0, |location| location.line_position),
            message: error.message().to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_wgsl_is_rejected_with_its_location() {
        let text = "@compute @workgroup_size(1) fn main() {\n    let x = nothing;\n}";
        match parse(text) {
            Err(Error::Wgsl { line: 2, column: 13, message }) => {
                assert!(message.contains("nothing"), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
}
