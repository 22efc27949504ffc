//! Instrumentation for trails: a step of the trail before each barrier, and around each call of a function that contains one.

use super::instrument::InstrumentChange;
use crate::ir::barrier::Barrier;
use crate::ir::rebuild::FunctionBuilder;
use crate::ir::sites::SiteKind;
use crate::ir::walk::{FunctionId, StatementId};
use crate::program::Program;
use naga::{Span, Statement};
use rustc_hash::FxHashSet;

/// Returns the functions that contain workgroup barriers, directly or in functions they call.
pub(super) fn functions_with_workgroup_barriers(program: &Program) -> FxHashSet<FunctionId> {
    functions_with_barriers(program, |barrier| !barrier.is_subgroup_barrier())
}

/// Returns the functions that contain barriers that `is_included` selects, directly or in functions they call.
pub(super) fn functions_with_barriers(
    program: &Program,
    is_included: impl Fn(Barrier) -> bool,
) -> FxHashSet<FunctionId> {
    let sites = program.sites.list.iter();
    let barriers = sites
        .filter(|site| matches!(site.kind, SiteKind::Barrier(barrier) if is_included(barrier)));
    let mut with_barriers: FxHashSet<_> = barriers.map(|site| site.function).collect();
    // Callees precede their callers.
    for (handle, _) in program.module.functions.iter() {
        let id = FunctionId::Helper(handle);
        let mut callees = program.calls.callees(id).map(FunctionId::Helper);
        if callees.any(|callee| with_barriers.contains(&callee)) {
            with_barriers.insert(id);
        }
    }
    with_barriers
}

impl InstrumentChange<'_> {
    /// Adds code before a workgroup barrier that records that the invocation reaches it.
    pub(super) fn before_barrier(
        &self,
        into: &mut FunctionBuilder<'_>,
        at: StatementId,
        span: Span,
    ) {
        let sites = &self.program.sites;
        let Some(site) = sites.barrier(self.id, at) else { return };
        if !sites.barrier_at(site).is_some_and(|barrier| barrier.is_subgroup_barrier()) {
            // An invocation that does not return from the barrier has reached the sites before it.
            if self.plan.trails {
                self.call(into, "record_reached", Vec::new(), span);
            }
            let site = into.u32(site.0);
            self.call(into, "enter_barrier", vec![site], span);
        }
    }

    /// Adds the call `copy`, with code that records that the invocation is inside it.
    pub(super) fn wrap_call(
        &self,
        into: &mut FunctionBuilder<'_>,
        at: StatementId,
        copy: Statement,
        span: Span,
    ) {
        let Some(site) = self.program.sites.statement(self.id, at) else {
            return into.push(copy, span);
        };
        let site = into.u32(site.0);
        self.call(into, "enter_call", vec![site], span);
        into.push(copy, span);
        self.call(into, "leave_call", vec![site], span);
    }

    /// Returns whether the function called at this statement contains workgroup barriers and trails are recorded.
    pub(super) fn calls_with_barriers(&self, at: StatementId) -> bool {
        if self.with_barriers.is_empty() {
            return false;
        }
        let calls = self.program.calls.calls_in(self.id);
        let call = calls.binary_search_by_key(&at, |call| call.at).ok().map(|index| calls[index]);
        call.is_some_and(|call| self.with_barriers.contains(&FunctionId::Helper(call.callee)))
    }
}
