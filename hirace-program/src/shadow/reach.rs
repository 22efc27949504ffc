//! What entry points can reach, from what the enumerator of accesses knows.

use crate::ir::access::Action;
use crate::ir::sites::SiteKind;
use crate::ir::walk::FunctionId;
use crate::program::Program;
use naga::{AddressSpace, Barrier, GlobalVariable, Handle};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the chosen entry points can reach.
pub struct Reach {
    /// What is done to each shared memory.
    pub actions: FxHashMap<Handle<GlobalVariable>, FxHashSet<Action>>,
    /// The classes of the barriers.
    pub barriers: Barrier,
    /// The most bytes of workgroup memory that an entry point uses.
    pub workgroup_memory: u32,
}

impl Reach {
    pub fn new(program: &Program, entries: &[usize]) -> Self {
        let module = &program.module;
        let mut functions = FxHashSet::default();
        let mut workgroup_memory = 0;
        for &entry in entries {
            if entry >= module.entry_points.len() {
                continue;
            }
            functions.extend(program.calls.reachable([FunctionId::Entry(entry)]));
            let info = program.info.get_entry_point(entry);
            let used = module.global_variables.iter().filter(|&(global, variable)| {
                variable.space == AddressSpace::WorkGroup && !info[global].is_empty()
            });
            let size = used.map(|(_, variable)| {
                module.types[variable.ty].inner.size(module.to_ctx()).next_multiple_of(16)
            });
            workgroup_memory = workgroup_memory.max(size.sum());
        }
        let mut actions: FxHashMap<_, FxHashSet<_>> = FxHashMap::default();
        let mut barriers = Barrier::empty();
        for site in program.sites.list.iter().filter(|site| functions.contains(&site.function)) {
            match &site.kind {
                SiteKind::Access(access) => {
                    actions.entry(access.global).or_default().insert(access.action);
                }
                SiteKind::Barrier(barrier) => {
                    barriers |= barrier.in_workgroup;
                    if !barrier.in_subgroup.is_empty() {
                        barriers |= Barrier::SUB_GROUP;
                    }
                }
                _ => {}
            }
        }
        Self { actions, barriers, workgroup_memory }
    }
}
