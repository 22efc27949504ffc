//! Memory that is bound: a host's own, and how much of it there may be.

use crate::diagnostic::{Diagnostic, Result};
use crate::facts::Assumption;
use crate::ir::globals::{Role, role};
use crate::program::Program;
use crate::vm::memory::{Resource, Resources};
use naga::{AddressSpace, GlobalVariable, Handle};
use std::sync::Arc;

/// No launch has more bytes in buffers and textures.
pub const MAX_TOGETHER: u64 = 1 << 30;

/// What helps against buffers that are too large.
const SMALLER: &str = "races show on small buffers too";

/// What a host has bound to a program's variables, before it launches. Two are equal if they hold the same memory, not
/// only equal contents.
#[derive(Clone, Debug)]
pub struct Memory {
    /// It.
    pub resources: Arc<Resources>,
    /// The variables of which the contents are only like those of the host's.
    pub guessed: Vec<Handle<GlobalVariable>>,
    /// In what they are.
    pub assumptions: Vec<Assumption>,
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.resources, &other.resources)
    }
}

/// What a host has bound to a variable that is used.
pub fn bound(
    program: &Program,
    memory: &Memory,
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

/// Refuses buffers that are too large together by their types alone, before memory is taken for any. `handles` are those that are used.
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
        // Of an array without a length this is one element.
        let size = module.types[variable.ty].inner.size(module.to_ctx());
        together = together.saturating_add(u64::from(size));
        if together > MAX_TOGETHER {
            let span = module.global_variables.get_span(handle);
            let error = Diagnostic::at(&program.source, span.into(), too_large());
            return Err(Box::new(error.help(SMALLER)));
        }
    }
    Ok(())
}

/// Refuses more memory than the executors can hold several times over.
pub fn check_together<'a>(resources: impl Iterator<Item = &'a Resource>) -> Result<()> {
    let bytes = |resource: &Resource| match resource {
        Resource::Buffer(buffer) => u64::from(buffer.len()),
        Resource::Texture(texture) => u64::from(texture.texels.len()),
        Resource::Sampler(_) => 0,
    };
    match resources.map(bytes).sum::<u64>() > MAX_TOGETHER {
        false => Ok(()),
        true => Err(Box::new(Diagnostic::new(too_large()).help(SMALLER))),
    }
}

/// Returns the message about buffers that are too large.
fn too_large() -> String {
    let most = MAX_TOGETHER >> 20;
    format!("the buffers of a launch are larger than the launch limit of {most} MiB")
}
