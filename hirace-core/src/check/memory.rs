//! What a launch left in its buffers and textures, read back as values of Rust types.

use crate::diagnostic::{Diagnostic, Result};
use crate::launch::buffers;
use crate::launch::spec::nearest;
use crate::launch::textures::TextureType;
use crate::launch::values::{Shape, type_name};
use crate::program::Program;
use crate::vm::memory::{Resource, Resources, Texture};
use naga::{GlobalVariable, Handle, TypeInner};
use std::sync::Arc;

/// Memory after a launch.
#[derive(Clone, Debug)]
pub struct FinalMemory {
    /// What was launched.
    pub program: Arc<Program>,
    /// Contents after the last dispatch. Not of what no dispatch used.
    pub resources: Resources,
}

impl FinalMemory {
    /// Whether there is anything called `name` in it.
    pub fn holds(&self, name: &str) -> bool {
        self.resource(name).is_ok()
    }

    /// The scalars of buffer `name`, for a value of `shape`: that of the Rust type called `rust`.
    pub fn values(&self, name: &str, shape: &Shape, rust: &str) -> Result<Vec<u32>> {
        let (handle, resource) = self.resource(name)?;
        let Resource::Buffer(buffer) = resource else { return Err(self.other_kind(handle)) };
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        buffers::read(module, name, ty, &buffer.bytes(), shape, rust)
    }

    /// The bytes of buffer `name`.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        match self.resource(name)? {
            (_, Resource::Buffer(buffer)) => Ok(buffer.bytes()),
            (handle, _) => Err(self.other_kind(handle)),
        }
    }

    /// The texels of texture `name`, x fastest, then y, then z: a list of `shape`.
    pub fn texels(&self, name: &str, shape: &Shape, rust: &str) -> Result<Vec<u32>> {
        let (handle, resource) = self.resource(name)?;
        let module = &self.program.module;
        let inner = &module.types[module.global_variables[handle].ty].inner;
        let (Resource::Texture(Texture { texels, .. }), &TypeInner::Image { dim, arrayed, class }) =
            (resource, inner)
        else {
            return Err(self.other_kind(handle));
        };
        let components =
            TextureType { dim, arrayed, class }.components(shape).ok_or_else(|| {
                let ty = type_name(module, module.global_variables[handle].ty);
                Diagnostic::new(format!("`{name}` is `{ty}`: its texels are not `{rust}`"))
            })?;
        let words = texels.snapshot();
        let texels = words.chunks(4).flat_map(|texel| texel.iter().take(components as usize));
        Ok(texels.copied().collect())
    }

    fn resource(&self, name: &str) -> Result<(Handle<GlobalVariable>, &Resource)> {
        let module = &self.program.module;
        let mut variables = module.global_variables.iter();
        let source = self.program.source.name();
        let Some((handle, _)) = variables.find(|(_, v)| v.name.as_deref() == Some(name)) else {
            let names = || module.global_variables.iter().filter(|(_, v)| v.binding.is_some());
            let names: Vec<&str> = names().filter_map(|(_, v)| v.name.as_deref()).collect();
            let error = Diagnostic::new(format!("{source} has no buffer `{name}`"));
            return Err(Box::new(match nearest(name, names.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => error.note("it takes no buffers or textures"),
                None => error.note(format!("it has: {}", names.join(", "))),
            }));
        };
        match self.resources.by_global.get(handle.index()).and_then(Option::as_ref) {
            Some(resource) => Ok((handle, resource)),
            None if module.global_variables[handle].binding.is_none() => {
                Err(Box::new(Diagnostic::new(format!(
                    "`{name}` is no buffer or texture: its memory ends with the workgroup or the invocation"
                ))))
            }
            None => Err(Box::new(Diagnostic::new(format!(
                "`{name}` was not used by what was launched, so it holds nothing"
            )))),
        }
    }

    fn other_kind(&self, handle: Handle<GlobalVariable>) -> Box<Diagnostic> {
        let variable = &self.program.module.global_variables[handle];
        let (name, ty) = (variable.name.as_deref(), type_name(&self.program.module, variable.ty));
        let name = name.unwrap_or("(unnamed)");
        let error = Diagnostic::new(format!("`{name}` is `{ty}`"));
        Box::new(match self.program.module.types[variable.ty].inner {
            TypeInner::Image { .. } => error.help("read it as a texture"),
            TypeInner::Sampler { .. } => error.note("a sampler holds nothing"),
            _ => error.help("read it as a buffer"),
        })
    }
}
