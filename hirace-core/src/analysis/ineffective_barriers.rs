//! Finds barriers of the wrong class: a barrier that orders no access, between atomic operations that another class of barriers
//! would order.
//!
//! Atomic operations take part in no race, so no race shows that `storageBarrier()` orders nothing between two of them on workgroup
//! memory. The analysis follows accesses through an entry point and the functions it calls, forwards and backwards, and knows for
//! each barrier the accesses before and after it, and whether another barrier or fence orders them. A barrier is found only if
//!
//! - it orders no access before it with one after it of the same memory, in any call, one of which writes; and
//! - of two atomic operations on one variable, one is the last before the barrier on all paths and the other the first after it,
//!   with no other barrier or fence between them that orders the variable; and
//! - their order has an effect, and two invocations of a workgroup may execute them on the same word ([`prove::meetings`]).
//!
//! A call is analyzed for each chain of calls that leads to it, so that accesses around one call are not mixed with those around
//! another. If there are too many, nothing is found.

use super::atomics::{AtomicOperation, atomic_operations};
use crate::ir::access::Action;
use crate::ir::barrier::MEMORY;
use crate::ir::dataflow::{self, Analysis, JoinSemiLattice};
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{FunctionId, NumberedStatement, StatementId};
use crate::program::Program;
use crate::prove;
use naga::{AddressSpace, Barrier as Flags, GlobalVariable, Handle, Statement, TypeInner};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of visited statements, over all chains of calls.
const MAX_STATEMENTS: usize = 200_000;

/// A barrier that orders none of the accesses before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IneffectiveBarrier {
    /// The barrier.
    pub barrier: SiteId,
    /// An atomic operation before the barrier, and one after it.
    pub accesses: [SiteId; 2],
    /// The variable that both access.
    pub variable: Handle<GlobalVariable>,
}

/// Returns the barriers of an entry point that order nothing, between atomic operations that need a barrier of another class.
pub fn ineffective_barriers(program: &Program, entry: usize) -> Vec<IneffectiveBarrier> {
    let has_neighbors = program.module.entry_points[entry].workgroup_size != [1; 3];
    let functions = program.calls.reachable([FunctionId::Entry(entry)]);
    let accesses = Accesses::new(program, &functions);
    if !has_neighbors || !accesses.may_be_ordered_wrongly(&functions) {
        return Vec::new();
    }
    let before = Walk::<false>::run(&accesses, entry);
    let after = Walk::<true>::run(&accesses, entry);
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let around: Vec<(SiteId, &State, &State)> = before
        .iter()
        .filter_map(|(at, before)| Some((at.barrier, before, after.get(at)?)))
        .collect();
    let effective: FxHashSet<SiteId> = around
        .iter()
        .filter(|(barrier, before, after)| accesses.is_effective(*barrier, before, after))
        .map(|(barrier, ..)| *barrier)
        .collect();
    let mut candidates: Vec<(SiteId, [SiteId; 2])> = around
        .iter()
        .filter(|(barrier, ..)| !effective.contains(barrier))
        .flat_map(|&(barrier, before, after)| {
            let pairs = accesses.unordered_pairs(barrier, before, after);
            pairs.into_iter().map(move |pair| (barrier, pair))
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let sites = candidates.iter().flat_map(|(_, pair)| *pair).collect();
    let Some(meetings) = prove::meetings(program, entry, None, &sites) else { return Vec::new() };
    let meet = |[a, b]: [SiteId; 2]| {
        let is_same = |sites: [SiteId; 2]| sites == [a, b] || sites == [b, a];
        meetings.iter().any(|meeting| meeting.in_workgroup && is_same(meeting.sites))
    };
    candidates.retain(|(_, pair)| meet(*pair));
    // The closest accesses are shown.
    let start = |site: SiteId| program.sites.get(site).map_or(0, |site| site.span.start);
    candidates.sort_by_key(|&(barrier, [a, b])| {
        let distance = start(barrier).abs_diff(start(a)) + start(barrier).abs_diff(start(b));
        (barrier, distance, a, b)
    });
    candidates.dedup_by_key(|(barrier, _)| *barrier);
    let found = candidates.into_iter().filter_map(|(barrier, pair)| {
        let variable = accesses.by_site.get(&pair[0])?.variable;
        Some(IneffectiveBarrier { barrier, accesses: pair, variable })
    });
    found.collect()
}

/// An access of shared memory.
struct Access {
    action: Action,
    variable: Handle<GlobalVariable>,
    /// The class of barriers that orders the variable.
    class: Flags,
    /// The atomic operation, if it is one that does not order memory by itself.
    relaxed: Option<AtomicOperation>,
}

/// The accesses of an entry point.
struct Accesses<'a> {
    program: &'a Program,
    by_site: FxHashMap<SiteId, Access>,
}

impl<'a> Accesses<'a> {
    fn new(program: &'a Program, functions: &[FunctionId]) -> Self {
        let sites = &program.sites;
        let atomics = atomic_operations(program, functions);
        let reached = sites.accesses().filter(|(_, site, _)| functions.contains(&site.function));
        let access = |(id, _, access): (SiteId, _, &crate::ir::access::Access)| {
            let orders_more = sites.ordering(id).is_some_and(|it| it.orders_other_memory());
            let relaxed = atomics.get(&id).copied().filter(|_| !orders_more);
            let class = class_of(program, access.global);
            (id, Access { action: access.action, variable: access.global, class, relaxed })
        };
        Self { program, by_site: reached.map(access).collect() }
    }

    /// Returns whether there are a barrier and relaxed atomic operations that it does not order.
    fn may_be_ordered_wrongly(&self, functions: &[FunctionId]) -> bool {
        let atomics = self.by_site.values().filter(|access| access.relaxed.is_some());
        let classes = atomics.fold(Flags::empty(), |all, access| all | access.class);
        let sites = self.program.sites.list.iter();
        let mut reached = sites.filter(|site| functions.contains(&site.function));
        reached.any(|site| match site.kind {
            SiteKind::Barrier(barrier) => {
                let orders = barrier.in_workgroup;
                !orders.is_empty() && !orders.contains(classes)
            }
            _ => false,
        })
    }

    /// Returns whether two variables may share memory: one is the other, or both have the same binding.
    fn may_alias(&self, a: Handle<GlobalVariable>, b: Handle<GlobalVariable>) -> bool {
        let binding =
            |global: Handle<GlobalVariable>| self.program.module.global_variables[global].binding;
        a == b || binding(a).is_some() && binding(a) == binding(b)
    }

    /// Returns whether a barrier orders an access before it with one after it.
    fn is_effective(&self, barrier: SiteId, before: &State, after: &State) -> bool {
        let orders =
            self.program.sites.barrier_at(barrier).map(|it| it.in_workgroup | it.in_subgroup);
        let ordered = |state: &State| -> Vec<&Access> {
            let accesses = state.keys().filter_map(|site| self.by_site.get(site));
            accesses.filter(|access| orders.is_some_and(|it| it.contains(access.class))).collect()
        };
        let after = ordered(after);
        ordered(before).iter().any(|a| {
            after.iter().any(|b| {
                let one_writes = a.action != Action::Read || b.action != Action::Read;
                one_writes && self.may_alias(a.variable, b.variable)
            })
        })
    }

    /// Returns the atomic operations on one variable directly before and after a barrier that no barrier orders, and whose order has
    /// an effect.
    fn unordered_pairs(&self, barrier: SiteId, before: &State, after: &State) -> Vec<[SiteId; 2]> {
        let Some(barrier) = self.program.sites.barrier_at(barrier) else { return Vec::new() };
        let orders = barrier.in_workgroup | barrier.in_subgroup;
        if barrier.is_subgroup_barrier() || barrier.in_workgroup.is_empty() {
            return Vec::new();
        }
        let open = |state: &State| -> Vec<(SiteId, &Access, AtomicOperation)> {
            let open = state.iter().filter(|(_, order)| **order == Order::OPEN);
            let accesses = open.filter_map(|(&site, _)| {
                let access = self.by_site.get(&site)?;
                Some((site, access, access.relaxed?))
            });
            accesses.filter(|(_, access, _)| !orders.intersects(access.class)).collect()
        };
        let mut pairs = Vec::new();
        for (first, a, earlier) in open(before) {
            for (second, b, later) in open(after) {
                if a.variable == b.variable && !earlier.commutes_with(later) {
                    pairs.push([first, second]);
                }
            }
        }
        pairs
    }
}

/// Returns the class of barriers that orders a variable.
fn class_of(program: &Program, variable: Handle<GlobalVariable>) -> Flags {
    let variable = &program.module.global_variables[variable];
    match (variable.space, &program.module.types[variable.ty].inner) {
        (AddressSpace::WorkGroup, _) => Flags::WORK_GROUP,
        (_, TypeInner::Image { .. } | TypeInner::BindingArray { .. }) => Flags::TEXTURE,
        _ => Flags::STORAGE,
    }
}

/// Whether a barrier or fence orders an access with a point, by the paths between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order(u8);

impl Order {
    /// No barrier orders them on any path.
    const OPEN: Self = Self(1);
    /// A barrier orders them on all paths. The join of both means that one does on some paths.
    const ORDERED: Self = Self(2);
}

impl JoinSemiLattice for Order {
    fn join(&mut self, other: &Self) -> bool {
        let before = *self;
        self.0 |= other.0;
        *self != before
    }
}

/// The accesses that may precede a point; backwards, those that may follow it.
type State = FxHashMap<SiteId, Order>;

/// A barrier, as reached by a chain of calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BarrierCall {
    calls: Vec<(FunctionId, StatementId)>,
    barrier: SiteId,
}

/// The analysis of accesses before barriers; backwards, of those after barriers.
struct Walk<'w, 'a, const IS_BACKWARD: bool> {
    accesses: &'w Accesses<'a>,
    function: FunctionId,
    calls: Vec<(FunctionId, StatementId)>,
    states: FxHashMap<BarrierCall, State>,
    /// The number of statements that may still be visited.
    remaining: usize,
}

impl<'a, const IS_BACKWARD: bool> Walk<'_, 'a, IS_BACKWARD> {
    /// Returns the state at each barrier of an entry point, or `None` if there are too many calls.
    fn run(accesses: &Accesses<'a>, entry: usize) -> Option<FxHashMap<BarrierCall, State>> {
        let mut walk = Walk::<IS_BACKWARD> {
            accesses,
            function: FunctionId::Entry(entry),
            calls: Vec::new(),
            states: FxHashMap::default(),
            remaining: MAX_STATEMENTS,
        };
        walk.call(FunctionId::Entry(entry), State::default());
        (walk.remaining > 0).then_some(walk.states)
    }

    /// Returns the state after a call of a function; backwards, the state before it.
    fn call(&mut self, callee: FunctionId, state: State) -> State {
        let program = self.accesses.program;
        let statements = program.body(callee).statements_of(callee.get(&program.module));
        let caller = std::mem::replace(&mut self.function, callee);
        let mut exits = dataflow::solve(self, statements.iter(), state, ());
        self.function = caller;
        if !IS_BACKWARD {
            exits.end.join(&exits.returned);
        }
        exits.end
    }

    fn access(&self, site: Option<SiteId>, state: &mut State) {
        let Some(site) = site.filter(|site| self.accesses.by_site.contains_key(site)) else {
            return;
        };
        self.fence(site, state);
        state.insert(site, Order::OPEN);
    }

    /// Applies what a fence, or an access with a memory ordering, orders.
    fn fence(&self, site: SiteId, state: &mut State) {
        if let Some(ordering) = self.accesses.program.sites.ordering(site) {
            self.order(ordering.acquires() | ordering.releases(), state);
        }
    }

    fn barrier(&mut self, site: SiteId, state: &mut State) {
        let Some(barrier) = self.accesses.program.sites.barrier_at(site) else { return };
        let orders = match barrier.is_subgroup_barrier() {
            true => MEMORY,
            false => barrier.in_workgroup | barrier.in_subgroup,
        };
        self.order(orders, state);
    }

    fn order(&self, memory: Flags, state: &mut State) {
        for (site, order) in state.iter_mut() {
            if self.accesses.by_site.get(site).is_some_and(|it| memory.contains(it.class)) {
                *order = Order::ORDERED;
            }
        }
    }
}

impl<'a, const IS_BACKWARD: bool> Analysis<'a> for Walk<'_, 'a, IS_BACKWARD> {
    type State = State;
    type Cause = ();

    const IS_BACKWARD: bool = IS_BACKWARD;

    fn bottom(&self) -> State {
        State::default()
    }

    fn statement(&mut self, at: NumberedStatement<'a>, state: &mut State, (): &()) {
        self.remaining = self.remaining.saturating_sub(1);
        let (id, sites) = (self.function, &self.accesses.program.sites);
        match at.statement {
            Statement::Emit(range) => {
                let mut loads: Vec<_> = range.clone().collect();
                if IS_BACKWARD {
                    loads.reverse();
                }
                for load in loads {
                    self.access(sites.load(id, load), state);
                }
            }
            Statement::ControlBarrier(_) => {
                let Some(barrier) = sites.barrier(id, at.id) else { return };
                let call = BarrierCall { calls: self.calls.clone(), barrier };
                self.states.entry(call).or_default().join(state);
                self.barrier(barrier, state);
            }
            // It contains one barrier before the load, and one after it.
            Statement::WorkGroupUniformLoad { .. } => {
                let Some(barrier) = sites.barrier(id, at.id) else { return };
                self.barrier(barrier, state);
                self.access(sites.statement(id, at.id), state);
                self.barrier(barrier, state);
            }
            Statement::MemoryBarrier(_) => {
                if let Some(fence) = sites.statement(id, at.id) {
                    self.fence(fence, state);
                }
            }
            Statement::Call { function, .. } if self.remaining > 0 => {
                self.calls.push((id, at.id));
                *state = self.call(FunctionId::Helper(*function), std::mem::take(state));
                self.calls.pop();
            }
            _ => self.access(sites.statement(id, at.id), state),
        }
    }
}

#[cfg(test)]
mod tests;
