//! The progress of an invocation: its next operation and, where reads are postponed and the model lets later operations
//! overtake them, the operations after that.

use super::history::{CachedState, StateCache, is_read};
use crate::execution_graph::{Graph, Label, NONE};
use crate::program::{Operation, Program, Step, Value};
use std::sync::Arc;

/// An invocation that has run to its next operation.
#[derive(Debug)]
pub(super) struct Invocation<S> {
    /// The state at the next operation.
    pub(super) at: Arc<CachedState<S>>,
    /// The number of operations before it.
    pub(super) index: u32,
    /// The number of reads before it.
    pub(super) reads: u32,
    /// The last event.
    pub(super) last: u32,
    pub(super) barrier: u32,
    pub(super) fence: u32,
    /// Whether the next operation is a postponed read that blocks the invocation.
    pub(super) held: bool,
    /// The operations from the first overtaken one on. `at` is the operation after all of them.
    pub(super) overtaken: Vec<Slot<S>>,
}

/// An operation that has been overtaken, or that has overtaken others.
#[derive(Debug)]
pub(super) struct Slot<S> {
    /// The operation and the state that waits at it.
    pub(super) at: Arc<CachedState<S>>,
    /// The index among the invocation's reads, if it is a read.
    pub(super) number: u32,
    pub(super) standing: OperationStatus,
}

/// The status of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationStatus {
    /// It has become this event.
    Done(u32),
    /// It is a postponed read.
    Postponed,
    /// It can be executed.
    Ready,
    /// It depends on reads without an answer.
    Unknown,
}

impl<S> Clone for Invocation<S> {
    fn clone(&self) -> Self {
        Self { at: self.at.clone(), overtaken: self.overtaken.clone(), ..*self }
    }
}

impl<S> Clone for Slot<S> {
    fn clone(&self) -> Self {
        Self { at: self.at.clone(), ..*self }
    }
}

impl<S> Invocation<S> {
    pub(super) fn new<P: Program<State = S>>(histories: &StateCache<'_, P>, number: usize) -> Self {
        let (at, overtaken) = (histories.start(number), Vec::new());
        let (last, barrier, fence) = (NONE, NONE, NONE);
        Self { at, index: 0, reads: 0, last, barrier, fence, held: false, overtaken }
    }

    /// Returns the next operation, which has not been executed.
    pub(super) fn step(&self) -> &Step {
        &self.at.step
    }

    /// Returns the invocation after its next operation has become `event`.
    pub(super) fn after<P: Program<State = S>>(
        &self,
        histories: &StateCache<'_, P>,
        number: usize,
        event: u32,
        answer: Option<Value>,
    ) -> Self {
        let is_barrier = matches!(self.step().operation, Operation::Barrier { .. });
        let is_fence = matches!(self.step().operation, Operation::Fence(_));
        Self {
            at: histories.after(&self.at, number, answer),
            index: self.index + 1,
            reads: self.reads + u32::from(is_read(self.step())),
            last: event,
            barrier: if is_barrier { event } else { self.barrier },
            fence: if is_fence { event } else { self.fence },
            held: false,
            overtaken: Vec::new(),
        }
    }

    /// Returns the state at the first operation that is not done.
    pub(super) fn stands(&self) -> &S {
        self.overtaken.first().map_or(&self.at.state, |slot| &slot.at.state)
    }

    /// Returns the index of the first overtaken operation; the index of the next operation if none was overtaken.
    pub(super) fn first(&self) -> u32 {
        self.index - self.overtaken.len() as u32
    }

    /// Returns the slot of the operation with this index, if it has one.
    pub(super) fn slot(&self, index: u32) -> Option<&Slot<S>> {
        self.overtaken.get(index.checked_sub(self.first())? as usize)
    }

    /// Moves the next operation to the overtaken ones, with this status, so that later operations may overtake it.
    pub(super) fn overtake<P: Program<State = S>>(
        &mut self,
        histories: &StateCache<'_, P>,
        number: usize,
        standing: OperationStatus,
    ) {
        let read = is_read(self.step());
        // The operations that may be executed earlier do not depend on this answer, so any value will do.
        let after = histories.after(&self.at, number, read.then_some(0));
        let at = std::mem::replace(&mut self.at, after);
        self.overtaken.push(Slot { at, number: self.reads, standing });
        self.index += 1;
        self.reads += u32::from(read);
    }

    /// Returns whether all reads in `on` have an answer.
    fn answered(&self, on: &[u32]) -> bool {
        let open = |slot: &Slot<S>| {
            is_read(&slot.at.step) && !matches!(slot.standing, OperationStatus::Done(_))
        };
        !self.overtaken.iter().any(|slot| open(slot) && on.contains(&slot.number))
    }

    /// Returns the index of the next operation that can be executed while others wait for answers, if there is one.
    pub(super) fn next_ready<P: Program<State = S>>(
        &mut self,
        histories: &StateCache<'_, P>,
        number: usize,
    ) -> Option<u32> {
        if let Some(at) =
            self.overtaken.iter().position(|slot| slot.standing == OperationStatus::Ready)
        {
            return Some(self.first() + at as u32);
        }
        loop {
            let moves = matches!(
                self.step().operation,
                Operation::Read(_)
                    | Operation::Write(..)
                    | Operation::Update(..)
                    | Operation::AssertionFailure
            );
            if !moves || !self.answered(&self.step().control) {
                return None;
            }
            let ready = self.answered(&self.step().depends);
            self.overtake(
                histories,
                number,
                if ready { OperationStatus::Ready } else { OperationStatus::Unknown },
            );
            if ready {
                return Some(self.index - 1);
            }
        }
    }

    /// Records that the overtaken operation `index` has become `event`, and recomputes the following operations with
    /// its answer. Returns false if the program contradicts the dependencies that it stated.
    pub(super) fn done<P: Program<State = S>>(
        &mut self,
        histories: &StateCache<'_, P>,
        number: usize,
        graph: &Graph,
        index: u32,
        event: u32,
    ) -> bool {
        let first = self.first();
        self.overtaken[(index - first) as usize].standing = OperationStatus::Done(event);
        let mut at = self.overtaken[0].at.clone();
        for position in 0..self.overtaken.len() {
            let before = &self.overtaken[position];
            let reads = is_read(&at.step);
            if reads != is_read(&before.at.step) {
                return false;
            }
            let standing = match before.standing {
                OperationStatus::Done(event)
                    if Label::of(&at.step.operation) != Some(graph.nodes[event as usize].label) =>
                {
                    return false;
                }
                OperationStatus::Unknown if self.answered(&at.step.depends) => {
                    OperationStatus::Ready
                }
                standing => standing,
            };
            let answer = match standing {
                OperationStatus::Done(event) => graph.nodes[event as usize].read,
                _ => 0,
            };
            let next = histories.after(&at, number, reads.then_some(answer));
            let slot = &mut self.overtaken[position];
            slot.at = std::mem::replace(&mut at, next);
            slot.standing = standing;
        }
        self.at = at;
        let done = self
            .overtaken
            .iter()
            .take_while(|slot| matches!(slot.standing, OperationStatus::Done(_)))
            .count();
        self.overtaken.drain(..done);
        true
    }
}
