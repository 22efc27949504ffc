//! The watch plan: which access sites are watched for races, and why others are not.
//!
//! A [`WatchPlan`] is created once for the entry points of a dispatch. The monitor pass instruments the sites that it selects,
//! the observers of the embedded executor watch the same sites, and reports list the sites that are left out. The plan follows
//! only from the program and a [`WatchOptions`], and states what *should* be watched. Whether a shadow fits in memory is decided later
//! ([`crate::shadow`] for instrumented modules), with separate reasons ([`NoShadow`]).
//!
//! **Architecture invariant:** no other code decides what is watched, and the plan has an answer for each access site.

mod reason;
#[cfg(test)]
mod tests;

use crate::ir::access::Action;
use crate::ir::layout::granule_shift;
use crate::ir::memory::Space;
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::FunctionId;
use crate::program::Program;
use naga::{
    AddressSpace, Barrier, GlobalVariable, Handle, ImageClass, Module, ShaderStage, StorageAccess,
    TypeInner,
};
pub use reason::{NoShadow, NotWatched, UnwatchedVariable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The memories of entry points that are watched, unless they are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Memories in which accesses may race: some access writes, and not all are atomic operations with a scope that covers all
    /// workgroups.
    #[default]
    MayRace,
    /// Memories that are not declared read-only, whatever the accesses. The native monitor uses this scope, because it also
    /// derives from atomic operations that values flow between workgroups, and counts accesses.
    Writable,
    /// All accessed memories, including those that are declared read-only.
    Accessed,
}

/// The options of a watch plan.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// The memories to watch.
    pub scope: Scope,
    /// Variables not to watch.
    pub leave_out: FxHashSet<Handle<GlobalVariable>>,
}

/// A memory that entry points use and invocations share.
#[derive(Clone, Debug)]
pub struct SharedVariable {
    /// The variable.
    pub global: Handle<GlobalVariable>,
    /// Its name, for messages.
    pub name: String,
    /// The granules that its shadow tracks, if any of its sites is watched; otherwise why none is.
    pub watched: Result<Granules, NotWatched>,
}

/// The granules that a shadow tracks in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granules {
    /// The kind of memory.
    pub space: Space,
    /// log2 of a granule's bytes. A texel counts as four.
    pub shift: u32,
}

/// A watch plan. See the [module](self).
#[derive(Clone, Debug)]
pub struct WatchPlan {
    entries: Vec<usize>,
    functions: FxHashSet<FunctionId>,
    memories: Vec<SharedVariable>,
    /// By [`SiteId`]; `None` for sites that are not accesses.
    sites: Vec<Option<Site>>,
    /// The memory that barriers order, within workgroups and within subgroups.
    ordered: (Barrier, Barrier),
}

/// An access site: its memory, and whether it is watched.
#[derive(Clone, Copy, Debug)]
struct Site {
    global: Handle<GlobalVariable>,
    watched: Result<(), NotWatched>,
}

impl WatchPlan {
    /// Creates the plan for these entry points of `program`. Entry points that are not compute shaders are ignored.
    pub fn new(program: &Program, entries: &[usize], request: &WatchOptions) -> Self {
        let module = &program.module;
        let is_compute = |entry: &usize| {
            module.entry_points.get(*entry).is_some_and(|e| e.stage == ShaderStage::Compute)
        };
        let entries: Vec<usize> = entries.iter().copied().filter(is_compute).collect();
        let from = entries.iter().copied().map(FunctionId::Entry);
        let functions: FxHashSet<FunctionId> = program.calls.reachable(from).into_iter().collect();
        let actions = actions(program, &functions);
        let mut memories = Vec::new();
        for (global, variable) in module.global_variables.iter() {
            let uses = |entry: &usize| !program.info.get_entry_point(*entry)[global].is_empty();
            let used = VariableUse { variable, done: actions.get(&global), module };
            if used.done.is_none() && !(used.is_shared() && entries.iter().any(uses)) {
                continue;
            }
            let left_out = request.leave_out.contains(&global);
            let watched = used.watched(request.scope, left_out);
            memories.push(SharedVariable { global, name: variable_name(module, global), watched });
        }
        let ordered = ordered(program, &functions);
        let mut plan = Self { entries, functions, memories, sites: Vec::new(), ordered };
        plan.sites = vec![None; program.sites.list.len()];
        for (site, place, access) in program.sites.accesses() {
            let global = access.global;
            let watched = match plan.memory(global) {
                Some(memory) if plan.reaches(place.function) => memory.watched.map(|_| ()),
                _ => Err(NotWatched::NotReached),
            };
            plan.sites[site.0 as usize] = Some(Site { global, watched });
        }
        plan
    }

    /// Returns the memory that barriers order among the invocations of workgroups, and among those of subgroups.
    pub fn ordered_classes(&self) -> (Barrier, Barrier) {
        self.ordered
    }

    /// Creates the plan for all compute entry points of `program`.
    pub fn of_all(program: &Program, request: &WatchOptions) -> Self {
        let entries: Vec<usize> = program.entries().map(|(index, _)| index).collect();
        Self::new(program, &entries, request)
    }

    /// Returns this plan without one of its sites.
    #[must_use]
    pub fn without(self, site: SiteId, reason: NotWatched) -> Self {
        self.excluding(|other| (other == site).then_some(reason))
    }

    /// Returns this plan without the sites for which `reason` returns a reason. Sites that were not watched before keep their
    /// reason. A memory that has lost all its sites is not watched either; its reason is that of one of the sites, preferably one
    /// for which races may be missed.
    #[must_use]
    pub fn excluding(mut self, reason: impl Fn(SiteId) -> Option<NotWatched>) -> Self {
        let mut kept = FxHashSet::default();
        let mut lost: FxHashMap<Handle<GlobalVariable>, NotWatched> = FxHashMap::default();
        for (number, site) in (0..).zip(&mut self.sites) {
            let Some(site) = site.as_mut().filter(|site| site.watched.is_ok()) else { continue };
            let Some(reason) = reason(SiteId(number)) else {
                kept.insert(site.global);
                continue;
            };
            site.watched = Err(reason);
            let of_memory = lost.entry(site.global).or_insert(reason);
            if !of_memory.may_miss_races() {
                *of_memory = reason;
            }
        }
        for memory in self.memories.iter_mut().filter(|memory| !kept.contains(&memory.global)) {
            if let Some(reason) = lost.get(&memory.global) {
                memory.watched = Err(*reason);
            }
        }
        self
    }

    /// Returns the indices of the entry points of the plan.
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// Returns whether an entry point is this function or calls it.
    pub fn reaches(&self, function: FunctionId) -> bool {
        self.functions.contains(&function)
    }

    /// Returns whether the access at `site` is watched, or why not; `None` if the site is not an access.
    pub fn site(&self, site: SiteId) -> Option<Result<(), NotWatched>> {
        Some(self.sites.get(site.0 as usize)?.as_ref()?.watched)
    }

    /// Returns whether the access at `site` is watched.
    pub fn watches(&self, site: SiteId) -> bool {
        self.site(site) == Some(Ok(()))
    }

    /// Iterates over the access sites, and whether each is watched.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, Result<(), NotWatched>)> + '_ {
        let sites = (0..).map(SiteId).zip(&self.sites);
        sites.filter_map(|(id, site)| Some((id, site.as_ref()?.watched)))
    }

    /// Iterates over the watched access sites.
    pub fn watched(&self) -> impl Iterator<Item = SiteId> + '_ {
        self.sites().filter_map(|(site, watched)| watched.is_ok().then_some(site))
    }

    /// Returns the memories that the entry points use and invocations share, in the order of the module.
    pub fn memories(&self) -> &[SharedVariable] {
        &self.memories
    }

    /// Returns the plan's answer for a memory, if it is one of those.
    pub fn memory(&self, global: Handle<GlobalVariable>) -> Option<&SharedVariable> {
        // The list is sorted by handle.
        let at = self.memories.binary_search_by_key(&global, |memory| memory.global).ok()?;
        self.memories.get(at)
    }

    /// Iterates over the memories in which races may be missed, in the order of the module.
    pub fn unwatched(&self) -> impl Iterator<Item = UnwatchedVariable> + '_ {
        self.memories.iter().filter_map(SharedVariable::unwatched)
    }
}

impl SharedVariable {
    /// Returns what to report about the memory, if races may be missed in it.
    pub fn unwatched(&self) -> Option<UnwatchedVariable> {
        let reason = self.watched.err().filter(|reason| reason.may_miss_races())?;
        Some(UnwatchedVariable { name: self.name.clone(), reason })
    }
}

/// Returns the name of a variable in messages.
pub fn variable_name(module: &Module, global: Handle<GlobalVariable>) -> String {
    let name = module.global_variables[global].name.clone();
    name.unwrap_or_else(|| format!("_{}", global.index()))
}

/// A variable, and the actions of its accesses.
struct VariableUse<'a> {
    module: &'a Module,
    variable: &'a GlobalVariable,
    done: Option<&'a FxHashSet<Action>>,
}

impl VariableUse<'_> {
    /// Returns how the variable is watched, or why it is not.
    fn watched(&self, scope: Scope, left_out: bool) -> Result<Granules, NotWatched> {
        if !self.is_writable() && scope != Scope::Accessed {
            return Err(NotWatched::ReadOnly);
        }
        if left_out {
            return Err(NotWatched::ExcludedByRequest);
        }
        let does_only =
            |action| self.done.is_some_and(|done| done.len() == 1 && done.contains(&action));
        match scope {
            Scope::MayRace if does_only(Action::Read) => Err(NotWatched::OnlyRead),
            Scope::MayRace if does_only(Action::Atomic) => Err(NotWatched::OnlyAtomics),
            Scope::MayRace | Scope::Accessed if self.done.is_none() => Err(NotWatched::NotAccessed),
            Scope::MayRace | Scope::Accessed | Scope::Writable => self.granules(),
        }
    }

    fn granules(&self) -> Result<Granules, NotWatched> {
        let shift = granule_shift(self.module, self.variable.ty);
        match (self.variable.space, self.inner()) {
            (_, TypeInner::BindingArray { .. }) => Err(NotWatched::ArrayOfBindings),
            (AddressSpace::Storage { .. }, _) => Ok(Granules { space: Space::Storage, shift }),
            (AddressSpace::WorkGroup, _) => Ok(Granules { space: Space::Workgroup, shift }),
            (_, TypeInner::Image { class: ImageClass::Storage { .. }, .. }) => {
                Ok(Granules { space: Space::Texture, shift: 2 })
            }
            _ => Err(NotWatched::Unsupported),
        }
    }

    /// Returns whether the memory is shared by invocations in a way other than sampling or reading constant data.
    fn is_shared(&self) -> bool {
        self.variable.space == AddressSpace::WorkGroup || self.storage_access().is_some()
    }

    /// Returns whether the variable is declared writable.
    fn is_writable(&self) -> bool {
        self.storage_access()
            .is_none_or(|access| access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC))
    }

    /// Returns the declared access of a storage buffer or texture, or of each element of an array of them.
    fn storage_access(&self) -> Option<StorageAccess> {
        let inner = match *self.inner() {
            TypeInner::BindingArray { base, .. } => &self.module.types[base].inner,
            _ => self.inner(),
        };
        match (self.variable.space, inner) {
            (AddressSpace::Storage { access }, _) => Some(access),
            (_, TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }) => {
                Some(*access)
            }
            _ => None,
        }
    }

    fn inner(&self) -> &TypeInner {
        &self.module.types[self.variable.ty].inner
    }
}

/// Returns the memory that the barriers of `functions` order, within workgroups and within subgroups.
fn ordered(program: &Program, functions: &FxHashSet<FunctionId>) -> (Barrier, Barrier) {
    let (mut in_workgroup, mut in_subgroup) = (Barrier::empty(), Barrier::empty());
    for site in program.sites.list.iter().filter(|site| functions.contains(&site.function)) {
        if let SiteKind::Barrier(barrier) = site.kind {
            in_workgroup |= barrier.in_workgroup;
            in_subgroup |= barrier.in_subgroup;
        }
    }
    (in_workgroup, in_subgroup)
}

/// Returns the actions of `functions` on each memory.
fn actions(
    program: &Program,
    functions: &FxHashSet<FunctionId>,
) -> FxHashMap<Handle<GlobalVariable>, FxHashSet<Action>> {
    let mut actions: FxHashMap<_, FxHashSet<_>> = FxHashMap::default();
    for (_, site, access) in program.sites.accesses() {
        if functions.contains(&site.function) {
            actions.entry(access.global).or_default().insert(access.action);
        }
    }
    actions
}
