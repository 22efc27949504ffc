//! What is watched for races: for each access site, whether it is, or why not.
//!
//! A [`WatchPlan`] is made once for the entry points of a dispatch and asked by all that watch: the
//! monitor pass instruments the sites that it says, the observers of the embedded executor look at the same,
//! and reports list what is left out. It follows from the program and a [`Request`] alone, and says
//! what *should* be watched. Whether there is room for the shadow of that is decided afterwards
//! ([`crate::shadow`] for instrumented modules), for reasons of its own ([`NoShadow`]).
//!
//! **Architecture invariant:** nobody else decides what is watched, and each access site has an answer.

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
pub use reason::{NoShadow, NotWatched, Unwatched};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which memories that entry points use are watched, unless they are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those in which accesses may race: something is written, and not all are atomic operations that
    /// every workgroup knows.
    #[default]
    MayRace,
    /// Those that are not declared read-only, whatever is done to them. The native monitor takes these: it
    /// also sees by atomic operations that values flow between workgroups, and counts what it sees.
    Writable,
    /// Every one that is accessed, that which is declared read-only too.
    Accessed,
}

/// What is asked of a plan.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Which memories.
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
    /// What its shadow has to know of it, if any of its sites is watched; else why none is.
    pub watched: Result<Granules, NotWatched>,
}

/// What a shadow follows of a memory: units of this size, which barriers of its kind order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granules {
    /// The kind of memory.
    pub space: Space,
    /// log2 of a granule's bytes. A texel counts as four.
    pub shift: u32,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct WatchPlan {
    entries: Vec<usize>,
    functions: FxHashSet<FunctionId>,
    memories: Vec<SharedVariable>,
    /// By [`SiteId`]; `None` for what is no access.
    sites: Vec<Option<Site>>,
    /// What barriers order, among workgroups and among subgroups.
    ordered: (Barrier, Barrier),
}

/// An access, to which memory, and whether it is watched.
#[derive(Clone, Copy, Debug)]
struct Site {
    global: Handle<GlobalVariable>,
    watched: Result<(), NotWatched>,
}

impl WatchPlan {
    /// The plan for these entry points of `program`; those that are no compute shaders are passed over.
    pub fn new(program: &Program, entries: &[usize], request: &Request) -> Self {
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
            let used = Used { variable, done: actions.get(&global), module };
            if used.done.is_none() && !(used.is_shared() && entries.iter().any(uses)) {
                continue;
            }
            let left_out = request.leave_out.contains(&global);
            let watched = used.watched(request.scope, left_out);
            memories.push(SharedVariable { global, name: name(module, global), watched });
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

    /// The memory that barriers order among the invocations of workgroups, and among those of subgroups.
    pub fn ordered(&self) -> (Barrier, Barrier) {
        self.ordered
    }

    /// The plan for all compute entry points of `program`.
    pub fn of_all(program: &Program, request: &Request) -> Self {
        let entries: Vec<usize> = program.entries().map(|(index, _)| index).collect();
        Self::new(program, &entries, request)
    }

    /// This plan without one of its sites.
    #[must_use]
    pub fn without(self, site: SiteId, reason: NotWatched) -> Self {
        self.leaving_out(|other| (other == site).then_some(reason))
    }

    /// This plan without the sites that `reason` has a reason for. What was not watched before stays so for
    /// the reason that it had. A memory that has lost all its sites is not watched either: for the reason of
    /// one of them, and one for which races may be missed if there is such.
    #[must_use]
    pub fn leaving_out(mut self, reason: impl Fn(SiteId) -> Option<NotWatched>) -> Self {
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

    /// The entry points it is for, by index.
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// Whether they are or call this function.
    pub fn reaches(&self, function: FunctionId) -> bool {
        self.functions.contains(&function)
    }

    /// Whether the access at `site` is watched, or why not; `None` if there is no access.
    pub fn site(&self, site: SiteId) -> Option<Result<(), NotWatched>> {
        Some(self.sites.get(site.0 as usize)?.as_ref()?.watched)
    }

    /// Whether the access at `site` is watched.
    pub fn watches(&self, site: SiteId) -> bool {
        self.site(site) == Some(Ok(()))
    }

    /// The access sites, and whether each is watched.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, Result<(), NotWatched>)> + '_ {
        let sites = (0..).map(SiteId).zip(&self.sites);
        sites.filter_map(|(id, site)| Some((id, site.as_ref()?.watched)))
    }

    /// The access sites that are watched.
    pub fn watched(&self) -> impl Iterator<Item = SiteId> + '_ {
        self.sites().filter_map(|(site, watched)| watched.is_ok().then_some(site))
    }

    /// The memories that the entry points use and invocations share, in the order of the module.
    pub fn memories(&self) -> &[SharedVariable] {
        &self.memories
    }

    /// What it says of a memory, if that is one of those.
    pub fn memory(&self, global: Handle<GlobalVariable>) -> Option<&SharedVariable> {
        // They are in the order of their handles.
        let at = self.memories.binary_search_by_key(&global, |memory| memory.global).ok()?;
        self.memories.get(at)
    }

    /// The memories in which races may be missed, in the order of the module.
    pub fn unwatched(&self) -> impl Iterator<Item = Unwatched> + '_ {
        self.memories.iter().filter_map(SharedVariable::unwatched)
    }
}

impl SharedVariable {
    /// What is to be reported of it, if races may be missed in it.
    pub fn unwatched(&self) -> Option<Unwatched> {
        let reason = self.watched.err().filter(|reason| reason.may_miss_races())?;
        Some(Unwatched { name: self.name.clone(), reason })
    }
}

/// What the variable is called in messages.
pub fn name(module: &Module, global: Handle<GlobalVariable>) -> String {
    let name = module.global_variables[global].name.clone();
    name.unwrap_or_else(|| format!("_{}", global.index()))
}

/// A variable, and what is done to it.
struct Used<'a> {
    module: &'a Module,
    variable: &'a GlobalVariable,
    done: Option<&'a FxHashSet<Action>>,
}

impl Used<'_> {
    /// How the variable is watched, or why not.
    fn watched(&self, scope: Scope, left_out: bool) -> Result<Granules, NotWatched> {
        if !self.is_writable() && scope != Scope::Accessed {
            return Err(NotWatched::ReadOnly);
        }
        if left_out {
            return Err(NotWatched::AsAsked);
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

    /// Whether invocations share the memory, other than to sample or to read what never changes.
    fn is_shared(&self) -> bool {
        self.variable.space == AddressSpace::WorkGroup || self.storage_access().is_some()
    }

    /// Whether it is declared so that invocations may write it.
    fn is_writable(&self) -> bool {
        self.storage_access()
            .is_none_or(|access| access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC))
    }

    /// What may be done to the storage buffer or texture, if it is one, or to each of an array of them.
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

/// What the barriers of `functions` order, among workgroups and among subgroups.
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

/// What `functions` do to each memory.
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
