//! Writes by the host into buffers between the dispatches of a launch, as with `queue.write_buffer`.

use super::buffers::{self, FillContext};
use super::spec::LaunchSpec;
use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::scalars::Footprint;
use crate::program::Program;
use crate::vm::memory::{Buffer, Resource, Resources};
use std::sync::Arc;

/// A write by the host.
#[derive(Clone, Debug)]
pub struct Write {
    /// The index of the dispatch that follows the write.
    pub before: usize,
    /// The index of the buffer's global variable.
    pub to: usize,
    /// The new contents, from the start of the buffer.
    pub contents: Arc<Buffer>,
}

impl Write {
    /// Performs the write.
    pub fn apply(&self, resources: &Resources) {
        if let Some(Some(Resource::Buffer(buffer))) = resources.by_global.get(self.to) {
            buffer.restore(&self.contents.snapshot());
        }
    }
}

/// Returns the writes of `spec` to the bound resources.
pub fn writes(program: &Program, spec: &LaunchSpec, bound: &Resources) -> Result<Vec<Write>> {
    let module = &program.module;
    let mut writes = Vec::new();
    for (before, binding) in &spec.writes {
        let name = binding.name.as_str();
        let mut variables = module.global_variables.iter();
        let found = variables.find(|(_, variable)| variable.name.as_deref() == Some(name));
        let Some((handle, variable)) = found else { continue };
        let buffer = match bound.by_global.get(handle.index()) {
            Some(Some(Resource::Buffer(buffer))) => buffer,
            // A variable that no dispatch uses has no memory.
            Some(None) | None => continue,
            Some(Some(_)) => {
                let error = format!(
                    "`{name}` is not a buffer: only buffers can be written between dispatches"
                );
                return Err(Box::new(Diagnostic::new(error)));
            }
        };
        let context = FillContext {
            deadline: Deadline::NEVER,
            seed: spec.seed,
            stream: 0,
            elements: Footprint::of(module, variable.ty).elements(buffer.len()),
            below: u32::MAX,
            sentinels: &[],
        };
        let filled = buffers::fill(module, name, variable.ty, &binding.contents, &context)?;
        if filled.bytes.len() > buffer.len() as usize {
            let (written, has) = (filled.bytes.len(), buffer.len());
            let error = format!("cannot write {written} bytes to `{name}`, which has {has}");
            return Err(Box::new(Diagnostic::new(error)));
        }
        let contents = Arc::new(Buffer::new(&filled.bytes));
        writes.push(Write { before: *before, to: handle.index(), contents });
    }
    Ok(writes)
}
