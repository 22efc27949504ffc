//! The invocations of a workgroup, stepped one by one.

use super::apply::apply;
use super::pending_request::{OperationVisibility, handling};
use super::request::{Answer, Request, UnexpectedAnswer};
use super::subgroup::combine;
use super::{Machine, Notes};
use crate::ir::sites::SiteId;
use crate::vm::engine::fragment::{Fragment, Location, SNAPSHOT_ROUNDS, State};
use crate::vm::engine::{Context, Pause, RequestHandler};
use crate::vm::observer::Watcher;
use crate::vm::run::InvocationStatus;
use crate::vm::workgroup::{SpareAllocations, Workgroup, place};

/// A workgroup that is stepped. It is a value, separate from memory and observers.
///
/// Two equal groups behave the same from then on if they get the same answers. Equality ignores how long they
/// have run, and the iterations of loops where no subgroup operation depends on these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group(Workgroup<1>);

/// The state of one invocation: its position, its registers, its request. A value like [`Group`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Invocation(Fragment<1>);

impl Invocation {
    /// Returns the local invocation index.
    pub fn local(&self) -> u32 {
        self.0.first
    }
}

/// The progress of an invocation in the program: of two positions, the lesser is behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(Location);

impl Group {
    pub(super) fn start(machine: &Machine<'_>, workgroup: u32) -> Self {
        Self(Workgroup::of_invocations(&machine.setup, workgroup))
    }

    /// Returns the linear index of the workgroup.
    pub fn index(&self) -> u32 {
        self.0.index
    }

    /// Returns the local indices of the invocations that have not returned, in ascending order.
    pub fn live_invocations(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.fragments.iter().map(|fragment| fragment.first)
    }

    /// Returns whether all invocations of the group returned.
    pub fn is_done(&self) -> bool {
        self.0.fragments.is_empty()
    }

    /// Returns whether an invocation can be stepped or waits for an answer: it has not returned and does not
    /// wait for other invocations.
    pub fn can_run(&self, local: u32) -> bool {
        let state = self.find(local).map(|at| self.0.fragments[at].state);
        matches!(state, Some(State::Ready | State::AwaitingAnswer))
    }

    /// Returns the position of an invocation; `None` if it returned.
    pub fn position(&self, local: u32) -> Option<Position> {
        Some(Position(self.0.fragments[self.find(local)?].position()))
    }

    /// Returns where an invocation is.
    pub fn invocation_status(&self, machine: &Machine<'_>, local: u32) -> InvocationStatus {
        self.0.invocation_status(&machine.setup, local)
    }

    /// Returns the state of one invocation; `None` if it returned.
    pub fn invocation(&self, local: u32) -> Option<Invocation> {
        Some(Invocation(self.0.fragments[self.find(local)?].clone()))
    }

    /// Restores the state of one invocation.
    pub fn put_back(&mut self, invocation: Invocation) {
        let local = invocation.local();
        if let Some(returned) = self.0.returned_lanes.get_mut(local as usize) {
            *returned = None;
        }
        match self.0.fragments.binary_search_by_key(&local, |fragment| fragment.first) {
            Ok(at) => self.0.fragments[at] = invocation.0,
            Err(at) => self.0.fragments.insert(at, invocation.0),
        }
    }

    /// Runs an invocation to its next visible operation. An invocation that waits for an answer or for other
    /// invocations does not move and repeats its request.
    pub fn step(&mut self, machine: &Machine<'_>, notes: &mut Notes, local: u32) -> Request {
        let Some(at) = self.find(local) else { return Request::End };
        let setup = &machine.setup;
        let code = setup.code;
        loop {
            let f = &mut self.0.fragments[at];
            let site = || code.places.get(f.pc as usize).copied().unwrap_or(SiteId::NONE);
            match f.state {
                State::AwaitingAnswer => match handling(setup, self.0.index, f) {
                    OperationVisibility::Ask(request) => return request,
                    OperationVisibility::Invisible(answer) => {
                        // The answer fits: it was made for this operation.
                        let _ = apply(setup, self.0.index, f, &mut notes.0, &answer);
                        continue;
                    }
                },
                State::AtBarrier(index) => {
                    let barrier = code.barriers[index as usize];
                    return Request::Barrier { does: barrier.does, site: barrier.site };
                }
                State::AtSubgroupOperation => {
                    return Request::Subgroup { subgroup: f.subgroup, site: site() };
                }
                State::Ready | State::Spinning(_) => {}
            }
            let fuel = machine.steps.saturating_sub(f.steps);
            let mut context = Context {
                setup,
                handler: RequestHandler,
                tally: &mut notes.0,
                workgroup: self.0.index,
                alone: false,
                returned_lanes: &mut self.0.returned_lanes,
            };
            match context.run(f, fuel) {
                Pause::VisibleOperation => f.state = State::AwaitingAnswer,
                // What it does after waiting for others does not depend on its own state alone.
                Pause::Barrier(index) => (f.state, f.snapshot) = (State::AtBarrier(index), None),
                Pause::SubgroupOperation => {
                    (f.state, f.snapshot) = (State::AtSubgroupOperation, None)
                }
                Pause::Spinning => return Request::Spinning { site: place(code, f) },
                Pause::Fuel => return Request::Limit { site: place(code, f) },
                Pause::Done => {
                    self.0.fragments.remove(at);
                    return Request::End;
                }
                // No lane waits for another: the fragment has one lane.
                Pause::Starving => {}
            }
        }
    }

    /// Answers the pending request of an invocation.
    pub fn answer(
        &mut self,
        machine: &Machine<'_>,
        notes: &mut Notes,
        local: u32,
        answer: &Answer,
    ) -> Result<(), UnexpectedAnswer> {
        let at = self.find(local).ok_or(UnexpectedAnswer)?;
        let f = &mut self.0.fragments[at];
        if f.state != State::AwaitingAnswer {
            return Err(UnexpectedAnswer);
        }
        apply(&machine.setup, self.0.index, f, &mut notes.0, answer)
    }

    /// Releases invocations from barriers and subgroup operations where everything that they wait for has
    /// arrived or can no longer arrive. Returns whether any was released.
    pub fn release<W: Watcher + ?Sized>(
        &mut self,
        machine: &Machine<'_>,
        notes: &mut Notes,
        watcher: &mut W,
    ) -> bool {
        let any =
            self.0.release(&machine.setup, watcher, &mut notes.0, &mut SpareAllocations::default());
        combine(&machine.setup, &mut self.0.fragments);
        any
    }

    /// Shows an observer the access that an invocation requests. Call this before the answer.
    pub fn show<W: Watcher + ?Sized>(&self, machine: &Machine<'_>, local: u32, watcher: &mut W) {
        if let Some(at) = self.find(local) {
            super::pending_request::show(&machine.setup, &self.0.fragments[at], watcher);
        }
    }

    /// Records that an invocation read shared memory: whether it polls is checked at the next repetition of
    /// its loop, and not only after many iterations.
    pub(in crate::vm) fn expect_spin(&mut self, local: u32) {
        if let Some(at) = self.find(local) {
            let f = &mut self.0.fragments[at];
            if f.snapshot.is_none() {
                f.rounds = u32::MAX;
            }
        }
    }

    /// Suspends an invocation that [spins](Request::Spinning) until memory changes. It cannot go until it is
    /// woken; other invocations of its subgroup that do not need it continue without it, as in whole
    /// subgroups. `changes` is the number of memory changes so far.
    pub(in crate::vm) fn sleep(&mut self, local: u32, changes: u64) {
        if let Some(at) = self.find(local) {
            self.0.fragments[at].state = State::Spinning(changes);
        }
    }

    /// Wakes a suspended invocation.
    pub(in crate::vm) fn wake(&mut self, local: u32, changes: u64) {
        if let Some(at) = self.find(local) {
            let f = &mut self.0.fragments[at];
            // A snapshot taken at the start shows whether another iteration changes anything.
            f.take_snapshot(changes, SNAPSHOT_ROUNDS);
            f.state = State::Ready;
        }
    }

    /// Returns the number of instructions that an invocation has run; 0 if it returned.
    pub(in crate::vm) fn has_run(&self, local: u32) -> u64 {
        self.find(local).map_or(0, |at| self.0.fragments[at].steps)
    }

    fn find(&self, local: u32) -> Option<usize> {
        self.0.fragments.binary_search_by_key(&local, |fragment| fragment.first).ok()
    }
}
