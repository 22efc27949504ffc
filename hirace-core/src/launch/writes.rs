//! What a host writes into buffers between the dispatches of a launch, as it does with `queue.write_buffer`.

use super::buffers::{self, Surroundings};
use super::spec::LaunchSpec;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::scalars::Footprint;
use crate::patience::Patience;
use crate::program::Program;
use crate::vm::memory::{Buffer, Resource, Resources};
use std::sync::Arc;

/// One of them.
#[derive(Clone, Debug)]
pub struct Write {
    /// The number of the dispatch that it comes before.
    pub before: usize,
    /// The buffer, by its global variable.
    pub to: usize,
    /// What it holds from then on, from its beginning.
    pub contents: Arc<Buffer>,
}

impl Write {
    /// Writes it.
    pub fn apply(&self, resources: &Resources) {
        if let Some(Some(Resource::Buffer(buffer))) = resources.by_global.get(self.to) {
            buffer.restore(&self.contents.snapshot());
        }
    }
}

/// The writes that `spec` has, into what is bound.
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
            // What no dispatch uses holds nothing.
            Some(None) | None => continue,
            Some(Some(_)) => {
                let error =
                    format!("`{name}` is no buffer: only buffers are written between dispatches");
                return Err(Box::new(Diagnostic::new(error)));
            }
        };
        let around = Surroundings {
            patience: Patience::ENDLESS,
            seed: spec.seed,
            stream: 0,
            elements: Footprint::of(module, variable.ty).elements(buffer.len()),
            below: u32::MAX,
            sentinels: &[],
        };
        let filled = buffers::fill(module, name, variable.ty, &binding.contents, &around)?;
        if filled.bytes.len() > buffer.len() as usize {
            let (written, has) = (filled.bytes.len(), buffer.len());
            let error = format!("{written} bytes are written to `{name}`, which has {has}");
            return Err(Box::new(Diagnostic::new(error)));
        }
        let contents = Arc::new(Buffer::new(&filled.bytes));
        writes.push(Write { before: *before, to: handle.index(), contents });
    }
    Ok(writes)
}
