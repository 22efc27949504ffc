//! Memory that is not watched because all its accesses that could race are proven to be race-free.

use super::DispatchContext;
use crate::ir::layout::granule_shift;
use crate::ir::sites::SiteId;
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use crate::vm::run::Run;
use crate::watch::{NotWatched, WatchPlan};
use naga::{AddressSpace, GlobalVariable, Handle};

/// The parts of a dispatch that are not watched because they are proven to be race-free.
#[derive(Clone, Debug, Default)]
pub struct ProvenMemory {
    /// The number of words of memory that are entirely unwatched for this reason.
    pub words: u64,
    sites: Vec<SiteId>,
}

impl ProvenMemory {
    /// Returns the parts that `plan` leaves out because they are proven.
    pub fn from_plan(plan: &WatchPlan, known: &DispatchContext<'_>) -> Self {
        let sites = plan.sites().filter(|(_, watched)| is_proven(*watched));
        Self { words: proven_words(plan, known), sites: sites.map(|(site, _)| site).collect() }
    }

    /// Returns the number of accesses of a run that the proofs decided, which would have been checked otherwise.
    pub fn accesses(&self, run: &Run) -> u64 {
        let executed = self.sites.iter().filter_map(|site| run.executed.get(site.0 as usize));
        executed.map(|executed| executed.count).fold(0, u64::saturating_add)
    }
}

fn is_proven<T>(watched: Result<T, NotWatched>) -> bool {
    matches!(watched, Err(NotWatched::Proven(_)))
}

/// Returns the number of words of proven memory in a dispatch.
pub fn proven_words(plan: &WatchPlan, known: &DispatchContext<'_>) -> u64 {
    let DispatchContext { program, dispatch, resources, .. } = *known;
    let module = &program.module;
    let proven = plan.memories().iter();
    let proven = proven.filter(|memory| is_proven(memory.watched));
    let words = proven.map(|memory| {
        let variable = &module.global_variables[memory.global];
        let bytes = u64::from(bytes(module, resources, memory.global).unwrap_or(0));
        let words = bytes >> granule_shift(module, variable.ty);
        match variable.space {
            AddressSpace::WorkGroup => words.saturating_mul(
                dispatch.workgroups.iter().fold(1, |all: u64, &n| all.saturating_mul(n.into())),
            ),
            _ => words,
        }
    });
    words.fold(0, u64::saturating_add)
}

/// Returns the size of a memory in a launch, in bytes, or `None` if nothing is bound.
pub fn bytes(
    module: &naga::Module,
    resources: &Resources,
    global: Handle<GlobalVariable>,
) -> Option<u32> {
    let variable = &module.global_variables[global];
    let memory = MemoryId(global.index() as u32);
    match variable.space {
        AddressSpace::WorkGroup => module.types[variable.ty].inner.try_size(module.to_ctx()),
        AddressSpace::Handle => {
            // A texel has four words of contents but counts as one word of address space.
            Some(resources.texture(memory)?.texels.len() / 4)
        }
        _ => Some(resources.buffer(memory)?.len()),
    }
}
