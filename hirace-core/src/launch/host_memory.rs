//! Memory that a host has bound, and the limit on the size of all bound memory.

use crate::diagnostic::{Diagnostic, Result};
use crate::facts::Assumption;
use crate::ir::globals::{Role, role};
use crate::program::Program;
use crate::vm::memory::{Resource, Resources};
use naga::{AddressSpace, GlobalVariable, Handle};
use std::sync::Arc;

/// The maximum size of all buffers and textures of a launch, in bytes.
pub const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// The help for buffers that are too large.
const SMALLER: &str = "races show on small buffers too";

/// The memory that a host has bound to a program's variables before it launches the program. Two values are equal if they refer
/// to the same memory, not only if their contents are equal.
#[derive(Clone, Debug)]
pub struct HostMemory {
    /// The bound resources.
    pub resources: Arc<Resources>,
    /// The variables whose contents only approximate the host's contents.
    pub guessed: Vec<Handle<GlobalVariable>>,
    /// The assumptions about these contents.
    pub assumptions: Vec<Assumption>,
}

impl PartialEq for HostMemory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.resources, &other.resources)
    }
}

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

/// Returns an error if the types of the buffers alone exceed the limit, before memory is allocated for any of them. `handles` are
/// the used variables.
pub fn check_types(
    program: &Program,
    handles: impl Iterator<Item = Handle<GlobalVariable>>,
) -> Result<()> {
    let module = &program.module;
    let mut together = 0u64;
    for handle in handles {
        let variable = &module.global_variables[handle];
        if !matches!(variable.space, AddressSpace::Storage { .. } | AddressSpace::Uniform) {
            continue;
        }
        // For an array without a length, this is the size of one element.
        let size = module.types[variable.ty].inner.size(module.to_ctx());
        together = together.saturating_add(u64::from(size));
        if together > MAX_TOTAL_BYTES {
            let span = module.global_variables.get_span(handle);
            let error = Diagnostic::at(&program.source, span.into(), too_large());
            return Err(Box::new(error.help(SMALLER)));
        }
    }
    Ok(())
}

/// Returns an error if the resources exceed the limit: the executors hold them several times.
pub fn check_together<'a>(resources: impl Iterator<Item = &'a Resource>) -> Result<()> {
    let bytes = |resource: &Resource| match resource {
        Resource::Buffer(buffer) => u64::from(buffer.len()),
        Resource::Texture(texture) => u64::from(texture.texels.len()),
        Resource::Sampler(_) => 0,
    };
    match resources.map(bytes).sum::<u64>() > MAX_TOTAL_BYTES {
        false => Ok(()),
        true => Err(Box::new(Diagnostic::new(too_large()).help(SMALLER))),
    }
}

/// Returns the message about buffers that are too large.
fn too_large() -> String {
    let most = MAX_TOTAL_BYTES >> 20;
    format!("the buffers of a launch are larger than the launch limit of {most} MiB")
}
