//! Resources that a host has bound, and the limits on the size of all bound memory.

use super::buffers::MAX_GENERATED_BYTES;
use super::spec::{HostMemory, LaunchSpec};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::globals::{Role, role};
use crate::program::Program;
use crate::vm::memory::Resource;
use naga::{AddressSpace, GlobalVariable, Handle};

/// The maximum size of all buffers and textures of a launch, in bytes.
pub const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// The help for buffers that are too large.
const SMALLER: &str = "races show on small buffers too";

/// Returns the resource that a host has bound to a used variable.
///
/// # Errors
/// If nothing is bound to a variable that needs a resource.
pub fn bound_resource(
    program: &Program,
    memory: &HostMemory,
    handle: Handle<GlobalVariable>,
) -> Result<Option<Resource>> {
    let resource = memory.resources.by_global.get(handle.index()).and_then(Option::as_ref);
    if resource.is_some() || role(&program.module, handle) == Role::Internal {
        return Ok(resource.cloned());
    }
    let variable = &program.module.global_variables[handle];
    let span = program.module.global_variables.get_span(handle);
    let name = variable.name.as_deref().unwrap_or("(unnamed)");
    let error = format!("nothing is bound to `{name}`");
    Err(Box::new(Diagnostic::at(&program.source, span.into(), error)))
}

/// The size of the resources of a launch, which may not exceed the limits.
pub struct LaunchSize<'a> {
    program: &'a Program,
    spec: &'a LaunchSpec,
    /// The number of bytes of all resources.
    total: u64,
    /// The number of bytes of the resources that were given no contents.
    inferred: u64,
}

impl<'a> LaunchSize<'a> {
    /// Returns the size of a launch without resources.
    pub fn new(program: &'a Program, spec: &'a LaunchSpec) -> Self {
        Self { program, spec, total: 0, inferred: 0 }
    }

    /// Adds the buffer of a variable as far as its type alone determines its size, before memory is allocated for it.
    ///
    /// # Errors
    /// The launch is too large.
    pub fn add_type(&mut self, handle: Handle<GlobalVariable>) -> Result<()> {
        let module = &self.program.module;
        let variable = &module.global_variables[handle];
        if !matches!(variable.space, AddressSpace::Storage { .. } | AddressSpace::Uniform) {
            return Ok(());
        }
        // For an array without a length, this is the size of one element.
        let size = module.types[variable.ty].inner.size(module.to_ctx());
        self.add(handle, size.into())
    }

    /// Adds the resource of a variable. The executors hold it several times.
    ///
    /// # Errors
    /// The launch is too large.
    pub fn add_resource(
        &mut self,
        handle: Handle<GlobalVariable>,
        resource: &Resource,
    ) -> Result<()> {
        let bytes = match resource {
            Resource::Buffer(buffer) => buffer.len(),
            Resource::Texture(texture) => texture.texels.len(),
            Resource::Sampler(_) => 0,
        };
        self.add(handle, bytes.into())
    }

    fn add(&mut self, handle: Handle<GlobalVariable>, bytes: u64) -> Result<()> {
        let globals = &self.program.module.global_variables;
        let name = globals[handle].name.as_deref().unwrap_or_default();
        let is_inferred = self.spec.memory.is_none() && self.spec.whole(name).is_none();
        self.total = self.total.saturating_add(bytes);
        self.inferred = self.inferred.saturating_add(if is_inferred { bytes } else { 0 });
        let too_large = |subset: &str, limit: u64| {
            let message = format!(
                "the buffers of a launch{subset} are larger than the launch limit of {} MiB",
                limit >> 20
            );
            Diagnostic::at(&self.program.source, globals.get_span(handle).into(), message)
        };
        if self.total > MAX_TOTAL_BYTES {
            return Err(Box::new(too_large("", MAX_TOTAL_BYTES).help(SMALLER)));
        }
        let limit = u64::from(MAX_GENERATED_BYTES);
        if self.inferred > limit {
            let help = format!("{SMALLER}; contents can be given, as in `--buffer {name}=zeros`");
            return Err(Box::new(too_large(" that are given no contents", limit).help(help)));
        }
        Ok(())
    }
}
