//! The state of an invocation of a kernel, and its steps.

use super::place::{class, initial, location};
use super::{Kernel, scope};
use crate::program::{
    Access, Atomic, Classes, Location, MemoryOrder, Operation, Program, Scope, ScopePosition, Step,
    Update, Value,
};
use hirace_core::ir::access::Action;
use hirace_core::ir::barrier::Barrier;
use hirace_core::ir::order::MemorySemantics;
use hirace_core::ir::sites::SiteId;
use hirace_core::vm::machine::{self, Answer, Reads, Request, StepResult, SteppedInvocation};
use naga::{AtomicFunction, ScalarKind};

/// The state of an invocation. See the [module](super).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    invocation: SteppedInvocation,
    pending: Option<PendingRequest>,
}

/// A request of the machine that is being executed piece by piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PendingRequest {
    site: u32,
    kind: RequestKind,
    /// The reads on which each piece depends.
    depends: Vec<Reads>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RequestKind {
    /// A read, with the values of the pieces so far.
    Read(machine::Access, Vec<u32>),
    /// A write, with the values and the number of pieces that have been written.
    Write(machine::Access, Vec<u32>, usize),
    Update(machine::Access, machine::Update),
    Fence(Atomic),
    /// A barrier that orders memory beyond the invocations that wait at it, as fences before and after it do: the three
    /// operations, and the number of them that are done.
    Barrier([Operation; 3], usize),
}

impl State {
    /// Returns whether the operation at which the invocation waits is the last piece of a request of the machine.
    pub(super) fn is_last_piece(&self) -> bool {
        match self.pending.as_ref().map(|pending| &pending.kind) {
            Some(RequestKind::Read(access, values)) => values.len() + 1 >= access.pieces.len(),
            Some(RequestKind::Write(access, _, done)) => done + 1 >= access.pieces.len(),
            _ => true,
        }
    }
}

impl PendingRequest {
    /// Returns the next piece, and the reads on which it depends.
    fn operation(&self, kernel: &Kernel<'_>) -> (Operation, Reads) {
        let at = match &self.kind {
            RequestKind::Read(_, values) => values.len(),
            RequestKind::Write(_, _, done) => *done,
            RequestKind::Update(..) | RequestKind::Fence(_) | RequestKind::Barrier(..) => 0,
        };
        let operation = match &self.kind {
            RequestKind::Read(access, _) => Operation::Read(kernel.piece(access, at)),
            RequestKind::Write(access, values, _) => {
                Operation::Write(kernel.piece(access, at), values[at].into())
            }
            RequestKind::Update(access, update) => {
                let failed = kernel.ordering(access).on_failure;
                Operation::Update(kernel.piece(access, 0), kernel.update(*update, failed))
            }
            RequestKind::Fence(fence) => Operation::Fence(*fence),
            RequestKind::Barrier(parts, done) => parts[*done].clone(),
        };
        (operation, self.depends.get(at).copied().unwrap_or(Reads::NONE))
    }

    /// Takes the answer to the current piece. Returns the answer to the request if that was the last piece.
    fn take(&mut self, answer: Value) -> Option<Answer> {
        match &mut self.kind {
            RequestKind::Read(access, values) => {
                values.push(answer as u32);
                (values.len() == access.pieces.len()).then(|| Answer::Read(std::mem::take(values)))
            }
            RequestKind::Write(access, _, done) => {
                *done += 1;
                (*done == access.pieces.len()).then_some(Answer::Done)
            }
            RequestKind::Update(..) => Some(Answer::Updated(answer)),
            RequestKind::Fence(_) => Some(Answer::Done),
            RequestKind::Barrier(parts, done) => {
                *done += 1;
                (*done == parts.len()).then_some(Answer::Done)
            }
        }
    }

    /// Returns the number of answered reads that the machine has not received yet.
    fn reads(&self) -> u32 {
        match &self.kind {
            RequestKind::Read(_, values) => values.len() as u32,
            _ => 0,
        }
    }
}

impl Kernel<'_> {
    /// Returns how an atomic access orders memory: as the language specifies, or relaxed, with the scope of the memory.
    fn ordering(&self, access: &machine::Access) -> MemorySemantics {
        self.program.sites.ordering(access.site).unwrap_or_else(|| {
            let in_workgroup = access.action == Action::AtomicInWorkgroup;
            let scope = if in_workgroup { Scope::Workgroup } else { scope(access.place.space) };
            MemorySemantics::new(MemoryOrder::Relaxed, scope)
        })
    }

    fn piece(&self, access: &machine::Access, at: usize) -> Access {
        let space = access.place.space;
        let atomic = access.action.is_atomic().then(|| atomic(self.ordering(access)));
        let location = location(access.place, access.pieces[at]);
        Access { location, class: class(space), atomic, available: Some(scope(space)) }
    }

    fn update(&self, update: machine::Update, failed: MemoryOrder) -> Update {
        let value = update.value;
        let is_integer = matches!(update.scalar.kind, ScalarKind::Sint | ScalarKind::Uint);
        match update.function {
            AtomicFunction::Exchange { .. } => match update.compare {
                Some(expected) => Update::CompareExchange { expected, with: value, failed },
                None => Update::Exchange(value),
            },
            AtomicFunction::Add if is_integer => Update::Add(value, 32),
            AtomicFunction::Subtract if is_integer => {
                Update::Add((value as u32).wrapping_neg().into(), 32)
            }
            AtomicFunction::And => Update::And(value),
            AtomicFunction::InclusiveOr => Update::Or(value),
            AtomicFunction::ExclusiveOr => Update::Xor(value),
            AtomicFunction::Min if update.scalar.kind == ScalarKind::Uint => Update::Min(value),
            AtomicFunction::Max if update.scalar.kind == ScalarKind::Uint => Update::Max(value),
            _ => Update::Custom(self.number(update)),
        }
    }

    fn fence(&self, memory: naga::Barrier, site: SiteId) -> Atomic {
        let default_semantics = MemorySemantics {
            memory,
            ..MemorySemantics::new(MemoryOrder::AcquireRelease, Scope::QueueFamily)
        };
        atomic(self.program.sites.ordering(site).unwrap_or(default_semantics))
    }

    /// Returns the fence to put before and after a barrier, if the barrier orders memory for invocations other than
    /// those that wait at it. An invocation that passes the barrier then acquires what any of the waiting invocations
    /// acquired before it, and releases what all of them did before it.
    fn fence_around(&self, does: Barrier, site: SiteId) -> Option<Operation> {
        let waits = if does.is_subgroup_barrier() { Scope::Subgroup } else { Scope::Workgroup };
        let ordering = self.program.sites.ordering(site).filter(|_| self.has_fences)?;
        let orders_others = ordering.scope > waits && ordering.orders_other_memory();
        orders_others.then(|| Operation::Fence(atomic(ordering)))
    }

    /// Converts an event of the machine to a step.
    fn step_of(&self, state: &mut State, result: StepResult) -> Step {
        let (operation, depends, site) = match result {
            StepResult::ClaimFailed(claim) => {
                (Operation::AssertionFailure, state.invocation.control(), self.claims() + claim)
            }
            StepResult::Spinning(reads) => {
                (Operation::Spins(reads.collect()), state.invocation.control(), SiteId::NONE.0)
            }
            StepResult::Request(request, depends) => {
                let control = state.invocation.control();
                let (site, kind) = match request {
                    Request::Read(access) => (access.site, RequestKind::Read(access, Vec::new())),
                    Request::Write(access, values) => {
                        (access.site, RequestKind::Write(access, values, 0))
                    }
                    Request::Update(access, update) => {
                        (access.site, RequestKind::Update(access, update))
                    }
                    Request::Fence { memory, site } => {
                        (site, RequestKind::Fence(self.fence(memory, site)))
                    }
                    Request::Barrier { does, site } => {
                        let waits = barrier(does, site);
                        let Some(fence) = self.fence_around(does, site) else {
                            return self.step_at(state, (waits, site.0), control);
                        };
                        (site, RequestKind::Barrier([fence.clone(), waits, fence], 0))
                    }
                    other => return self.step_at(state, operation_of_stop(other), control),
                };
                let pending = PendingRequest { site: site.0, kind, depends };
                let (operation, depends) = pending.operation(self);
                state.pending = Some(pending);
                (operation, depends, site.0)
            }
        };
        self.step_at(state, (operation, site), depends)
    }

    fn step_at(&self, state: &State, (operation, site): (Operation, u32), depends: Reads) -> Step {
        self.reach(site);
        let read_count =
            state.invocation.reads() + state.pending.as_ref().map_or(0, PendingRequest::reads);
        let control = state.invocation.control().iter(read_count).collect();
        Step { operation, depends: depends.iter(read_count).collect(), control, site }
    }
}

/// Returns the operation for a request that accesses no memory and waits for no other invocation.
fn operation_of_stop(request: Request) -> (Operation, u32) {
    match request {
        Request::Limit { site } | Request::Subgroup { site, .. } => (Operation::Limit, site.0),
        Request::Spinning { site } => (Operation::Spins(Vec::new()), site.0),
        _ => (Operation::End, SiteId::NONE.0),
    }
}

fn barrier(does: Barrier, site: SiteId) -> Operation {
    let (waits, orders) = match does.is_subgroup_barrier() {
        true => (Scope::Subgroup, classes(does.in_subgroup)),
        false => (Scope::Workgroup, classes(does.in_workgroup)),
    };
    let orders = Atomic { order: MemoryOrder::AcquireRelease, scope: waits, orders };
    let orders = Some(orders).filter(|orders| orders.orders != Classes::default());
    Operation::Barrier { group: waits, barrier: site.0, orders }
}

fn atomic(semantics: MemorySemantics) -> Atomic {
    Atomic { order: semantics.order, scope: semantics.scope, orders: classes(semantics.memory) }
}

/// The storage classes, by number.
const CLASSES: [naga::Barrier; 3] =
    [naga::Barrier::STORAGE, naga::Barrier::WORK_GROUP, naga::Barrier::TEXTURE];

fn classes(memory: naga::Barrier) -> Classes {
    let named = CLASSES.iter().enumerate().filter(|(_, kind)| memory.contains(**kind));
    Classes(named.fold(0, |all, (class, _)| all | 1 << class))
}

impl Program for Kernel<'_> {
    type State = State;

    fn invocations(&self) -> &[ScopePosition] {
        &self.scope_positions
    }

    fn classes(&self) -> u8 {
        CLASSES.len() as u8
    }

    fn initial(&self, location: Location) -> Value {
        initial(self.resources, location)
    }

    fn start(&self, invocation: usize) -> State {
        let (workgroup, local) =
            (self.scope_positions[invocation].workgroup, self.local(invocation));
        State {
            invocation: SteppedInvocation::start(&self.machine, workgroup, local),
            pending: None,
        }
    }

    /// Returns whether two invocations are alike: those of one workgroup are, if the code reads no invocation IDs.
    fn alike(&self, one: usize, other: usize) -> bool {
        let position = |invocation: usize| self.scope_positions[invocation];
        one == other || !self.code.reads_ids() && position(one) == position(other)
    }

    fn step(&self, _: usize, state: &mut State, answer: Option<Value>) -> Step {
        let mut notes = self.machine.notes();
        if let Some(pending) = &mut state.pending {
            match pending.take(answer.unwrap_or(0)) {
                Some(answer) => {
                    state.pending = None;
                    // The answer has the right type by construction. A barrier needs none.
                    let _ = state.invocation.answer(&self.machine, &mut notes, &answer);
                }
                None => {
                    let site = pending.site;
                    let (operation, depends) = pending.operation(self);
                    return self.step_at(state, (operation, site), depends);
                }
            }
        }
        let result = loop {
            match state.invocation.step(&self.machine, &self.followed, &mut notes) {
                StepResult::Request(Request::Fence { .. }, _) if !self.has_fences => {
                    let _ = state.invocation.answer(&self.machine, &mut notes, &Answer::Done);
                }
                result => break result,
            }
        };
        self.step_of(state, result)
    }

    fn failed_postconditions(
        &self,
        memory: &dyn Fn(Location) -> Value,
    ) -> Vec<(u32, Vec<Location>)> {
        let claims = (0..).zip(&self.ensured);
        let unmet = claims.filter_map(|(number, claim)| {
            let seen = claim.unmet(memory)?;
            Some((number, seen.into_iter().map(|(location, _)| location).collect()))
        });
        unmet.collect()
    }

    fn is_result_unused(&self, _: usize, state: &State) -> bool {
        state.invocation.ignores_answer(&self.machine, &self.followed)
    }

    fn commute(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|number| self.numbered(number));
        let kind = |update: machine::Update| (update.function, update.scalar);
        let is_min_or_max = |update: &machine::Update| {
            matches!(update.function, AtomicFunction::Min | AtomicFunction::Max)
        };
        let is_signed = |update: &machine::Update| update.scalar.kind == ScalarKind::Sint;
        match (one, other) {
            (Some(one), Some(other)) => {
                kind(one) == kind(other) && is_min_or_max(&one) && is_signed(&one)
            }
            _ => false,
        }
    }

    fn apply_custom(&self, number: u32, found: Value) -> Value {
        self.left(number, found)
    }
}
