//! Rewrites one function: a check before each access, a step of the clocks after each barrier.

use super::redundant_checks::{CheckReplacement, RedundantChecks};
use super::runtime;
use crate::ir::access::{Access, Action, Target};
use crate::ir::memory::Space;
use crate::ir::rebuild::{FunctionBuilder, RebuildChange};
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use crate::pass::runtime::Runtime;
use crate::program::Program;
use crate::shadow::plan::{Plan, Purpose, ShadowLocation, WatchedMemory, class_name};
use crate::shadow::tally;
use crate::watch::WatchPlan;
use naga::valid::FunctionInfo;
use naga::{
    AddressSpace, Barrier, Block, Expression, Function, GlobalVariable, Handle, Module, Span,
    Statement,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The change that adds race checks to a function of `program`.
pub struct InstrumentChange<'a> {
    pub(super) program: &'a Program,
    watch: &'a WatchPlan,
    pub(super) plan: &'a Plan,
    pub(super) runtime: &'a Runtime,
    /// The functions that contain workgroup barriers, if trails are recorded.
    pub(super) with_barriers: &'a FxHashSet<FunctionId>,
    /// The checks that are omitted or merged.
    redundant_checks: RedundantChecks,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    /// The clamped index of each expression of the original that indexes watched memory.
    pub(super) clamped: FxHashMap<Handle<Expression>, ClampedIndex>,
}

/// An index that was clamped.
#[derive(Clone, Copy, Debug)]
pub struct ClampedIndex {
    /// The original index, as a `u32`.
    pub wanted: Handle<Expression>,
    /// The last valid index.
    pub last: Handle<Expression>,
    /// The smaller of the two.
    pub index: Handle<Expression>,
    /// The kind of index, as in the tally.
    pub kind: u32,
}

impl<'a> InstrumentChange<'a> {
    /// Creates the change. `module` is that of `program`, with the spans that copies must have.
    pub fn new(
        program: &'a Program,
        module: &'a Module,
        watch: &'a WatchPlan,
        plan: &'a Plan,
        runtime: &'a Runtime,
        with_barriers: &'a FxHashSet<FunctionId>,
        id: FunctionId,
    ) -> Self {
        Self {
            program,
            watch,
            plan,
            runtime,
            with_barriers,
            redundant_checks: RedundantChecks::default(),
            id,
            function: id.get(module),
            info: program.info_of(id),
            clamped: FxHashMap::default(),
        }
    }

    /// Omits or merges these checks.
    pub fn omitting(self, redundant_checks: RedundantChecks) -> Self {
        Self { redundant_checks, ..self }
    }

    /// Adds a check of the access at `site`, if it is watched.
    fn check(&mut self, into: &mut FunctionBuilder<'_>, site: Option<SiteId>, span: Span) {
        let Some(site) = site else { return };
        let Some(access) = self.program.sites.access(site) else { return };
        if self.plan.tally.is_some() {
            self.tally(into, access, site, span);
        }
        if !self.watch.watches(site) {
            return;
        }
        let Some(watched) = self.plan.watched(access.global) else { return };
        let read_site = match self.redundant_checks.get(&site) {
            Some(CheckReplacement::Omitted) => return,
            Some(CheckReplacement::With(read)) => *read,
            None => site,
        };
        let sites = [read_site, site];
        let action = action(access.action, watched.space).id() as u32;
        match access.target {
            Target::Pointer { observed, ref extent, .. } => {
                for run in extent {
                    let shift = watched.granule_shift;
                    let Some(first) = self.granule(into, observed, run.offset, shift, span) else {
                        continue;
                    };
                    let count = into.u32(run.bytes.div_ceil(1 << shift));
                    self.call_check(into, watched, &[first, count], action, sites, span);
                }
            }
            Target::Texel { coordinate, array_index } => {
                let texel = self.texel(into, access.global, coordinate, array_index, span);
                if let Some(texel_and_size) = texel {
                    self.call_check(into, watched, &texel_and_size, action, sites, span);
                }
            }
        }
    }

    /// Adds code that records that the access ran, and its out-of-bounds indices.
    fn tally(&mut self, into: &mut FunctionBuilder<'_>, access: &Access, site: SiteId, span: Span) {
        let number = into.u32(site.0);
        let bit = into.u32(1 << (site.0 % tally::SITES));
        self.call(into, &format!("{}_mark_reached", site.0 / tally::SITES), vec![bit], span);
        let Target::Pointer { pointer, .. } = access.target else { return };
        let mut at = pointer;
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
            self.function.expressions[at]
        {
            if let Some(&ClampedIndex { wanted, last, kind, .. }) = self.clamped.get(&at) {
                let kind = into.u32(kind);
                self.call(into, "check_index", vec![wanted, last, kind, number], span);
            }
            at = base;
        }
    }

    /// Returns whether indices into `global` are clamped.
    pub(super) fn clamps(&self, global: Handle<GlobalVariable>) -> bool {
        let space = self.program.module.global_variables[global].space;
        let shared = matches!(space, AddressSpace::Storage { .. } | AddressSpace::WorkGroup);
        self.plan.watched(global).is_some() || self.plan.clamps && shared
    }

    /// Calls the runtime's check for this kind of memory and shadow. `touched` are the first granule and the number of granules, or
    /// the texel and the size of the texture. The access is at the second of these sites, and also represents a read at the first.
    fn call_check(
        &self,
        into: &mut FunctionBuilder<'_>,
        watched: &WatchedMemory,
        touched: &[Handle<Expression>],
        action: u32,
        sites: [SiteId; 2],
        span: Span,
    ) {
        let mut arguments = Vec::new();
        let name = match &watched.place {
            ShadowLocation::Workgroup(first) => {
                arguments.push(into.u32(*first));
                "workgroup_access"
            }
            ShadowLocation::Storage(base) => {
                let Some(base) = self.runtime.value(base) else { return };
                arguments.push(into.declare(Expression::Override(base), Span::UNDEFINED));
                match watched.space {
                    Space::Storage => "storage_access",
                    Space::Texture => "texture_access",
                    Space::Workgroup => {
                        arguments.push(into.u32(watched.granules.unwrap_or(0)));
                        "slot_access"
                    }
                }
            }
        };
        arguments.extend(touched);
        arguments.push(into.u32(action));
        arguments.extend(sites.map(|site| into.u32(site.0)));
        self.call(into, name, arguments, span);
    }

    /// Adds the code after a barrier: the clocks of the classes that it names advance. A recording module also stores which
    /// barrier the workgroup has passed.
    fn after_barrier(
        &self,
        into: &mut FunctionBuilder<'_>,
        at: StatementId,
        flags: Barrier,
        span: Span,
    ) {
        let site = self.program.sites.barrier(self.id, at);
        let barrier = site.and_then(|site| self.program.sites.barrier_at(site));
        let barrier = barrier.unwrap_or(flags.into());
        for space in runtime::classes(self.plan) {
            let class = class_name(space);
            if barrier.in_workgroup.contains(class_flag(space)) {
                self.call(into, &format!("{class}_barrier"), Vec::new(), span);
            } else if barrier.in_subgroup.contains(class_flag(space)) {
                self.call(into, &format!("{class}_subgroup_barrier"), Vec::new(), span);
            }
        }
        if self.plan.purpose == Purpose::Record
            && !barrier.is_subgroup_barrier()
            && let Some(site) = site
        {
            let site = into.u32(site.0);
            self.call(into, "record_barrier", vec![site], span);
        }
    }

    /// Returns the barrier that also orders the shadow of the memory which `barrier` orders. A barrier without flags becomes a
    /// workgroup barrier, because not all languages have one that orders nothing.
    fn strengthened(&self, barrier: Barrier) -> Barrier {
        if barrier.is_empty() {
            return Barrier::WORK_GROUP;
        }
        let in_storage = |space| match space {
            Space::Workgroup => self.plan.has_slots(),
            _ => self.plan.watches(space),
        };
        let all = [Space::Storage, Space::Texture, Space::Workgroup];
        let needs_storage =
            all.into_iter().any(|space| barrier.contains(class_flag(space)) && in_storage(space));
        if needs_storage { barrier | Barrier::STORAGE } else { barrier }
    }

    pub(super) fn call(
        &self,
        into: &mut FunctionBuilder<'_>,
        name: &str,
        arguments: Vec<Handle<Expression>>,
        span: Span,
    ) {
        self.runtime.call(into, name, arguments, span);
    }
}

impl RebuildChange for InstrumentChange<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        if matches!(self.id, FunctionId::Entry(_)) {
            self.identify(into);
        }
    }

    fn expression(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        copy: &mut Expression,
    ) {
        self.clamp(into, original, copy);
        let site = self.program.sites.load(self.id, original);
        self.check(into, site, self.function.expressions.get_span(original));
    }

    fn begin_iteration(&mut self, into: &mut FunctionBuilder<'_>, at: StatementId, span: Span) {
        let Some(site) = self.program.sites.statement(self.id, at) else { return };
        let Some(function) = self.runtime.function("begin_iteration") else { return };
        let must_end = into.declare(Expression::CallResult(function), span);
        let arguments = vec![into.u32(site.0)];
        into.push(Statement::Call { function, arguments, result: Some(must_end) }, span);
        let accept = Block::from_vec(vec![Statement::Break]);
        into.push(Statement::If { condition: must_end, accept, reject: Block::new() }, span);
    }

    fn statement(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        at: StatementId,
        copy: Statement,
        span: Span,
    ) {
        let site = self.program.sites.statement(self.id, at);
        match copy {
            Statement::ControlBarrier(barrier) => {
                let strong = self.strengthened(barrier);
                self.before_barrier(into, at, span);
                into.push(Statement::ControlBarrier(strong), span);
                self.after_barrier(into, at, barrier, span);
            }
            // This is a barrier, the load, and a barrier. The check must be between the two barriers, so the first barrier is
            // duplicated before the check.
            Statement::WorkGroupUniformLoad { .. } => {
                let strong = self.strengthened(Barrier::WORK_GROUP);
                self.before_barrier(into, at, span);
                into.push(Statement::ControlBarrier(strong), span);
                self.after_barrier(into, at, Barrier::WORK_GROUP, span);
                self.check(into, site, span);
                into.push(copy, span);
                if strong != Barrier::WORK_GROUP {
                    into.push(Statement::ControlBarrier(Barrier::STORAGE), span);
                }
                self.after_barrier(into, at, Barrier::WORK_GROUP, span);
            }
            copy @ Statement::Call { .. } if self.calls_with_barriers(at) => {
                self.wrap_call(into, at, copy, span)
            }
            copy => {
                self.check(into, site, span);
                into.push(copy, span);
            }
        }
    }
}

/// Returns the automaton's action for an access.
fn action(action: Action, space: Space) -> fsm_spec::Action {
    match (action, space) {
        (Action::Read, _) => fsm_spec::Action::R,
        (Action::Write, _) => fsm_spec::Action::W,
        (Action::Atomic, Space::Workgroup) | (Action::AtomicInWorkgroup, _) => fsm_spec::Action::BA,
        (Action::Atomic, _) => fsm_spec::Action::GA,
    }
}

/// Returns the barrier flag that orders memory of this kind.
fn class_flag(space: Space) -> Barrier {
    match space {
        Space::Storage => Barrier::STORAGE,
        Space::Texture => Barrier::TEXTURE,
        Space::Workgroup => Barrier::WORK_GROUP,
    }
}
