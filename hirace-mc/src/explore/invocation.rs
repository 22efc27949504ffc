//! An invocation on its way: what it does next, and, where reads are postponed and the model lets others overtake them,
//! what it does after.

use super::graph::{Graph, Label, NONE};
use super::history::{Histories, Stand};
use crate::program::{Operation, Program, Step, Value};
use std::sync::Arc;

/// An invocation, run to an operation that is not done yet.
#[derive(Debug)]
pub(super) struct Invocation<S> {
    /// Where it stands: its operation.
    pub(super) at: Arc<Stand<S>>,
    /// How many came before it.
    pub(super) index: u32,
    /// How many of these are reads.
    pub(super) reads: u32,
    /// The last event, barrier and fence.
    pub(super) last: u32,
    pub(super) barrier: u32,
    pub(super) fence: u32,
    /// Whether the operation is a read that is postponed, and holds the invocation up.
    pub(super) held: bool,
    /// Operations from the first that was overtaken on. `at` is what comes after all of them.
    pub(super) overtaken: Vec<Slot<S>>,
}

/// An operation of an invocation that has been overtaken, or has overtaken others.
#[derive(Debug)]
pub(super) struct Slot<S> {
    /// The operation, and the state that waits in it.
    pub(super) at: Arc<Stand<S>>,
    /// Which of the reads it is, if it is one.
    pub(super) number: u32,
    pub(super) standing: Standing,
}

/// How it stands with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is this event.
    Done(u32),
    /// A read that is postponed.
    Postponed,
    /// It may be done.
    Ready,
    /// It depends on reads that are not answered.
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
    pub(super) fn new<P: Program<State = S>>(histories: &Histories<'_, P>, number: usize) -> Self {
        let (at, overtaken) = (histories.start(number), Vec::new());
        let (last, barrier, fence) = (NONE, NONE, NONE);
        Self { at, index: 0, reads: 0, last, barrier, fence, held: false, overtaken }
    }

    /// Its operation, which is not done yet.
    pub(super) fn step(&self) -> &Step {
        &self.at.step
    }

    /// The invocation after its operation has become `event`.
    pub(super) fn after<P: Program<State = S>>(
        &self,
        histories: &Histories<'_, P>,
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

    /// Where it stands: at the first operation that is not done.
    pub(super) fn stands(&self) -> &S {
        self.overtaken.first().map_or(&self.at.state, |slot| &slot.at.state)
    }

    /// The index of the first operation that was overtaken; if there is none, of the next.
    pub(super) fn first(&self) -> u32 {
        self.index - self.overtaken.len() as u32
    }

    /// The slot of the operation of this index.
    pub(super) fn slot(&self, index: u32) -> Option<&Slot<S>> {
        self.overtaken.get(index.checked_sub(self.first())? as usize)
    }

    /// Lets others overtake its operation, which stands so.
    pub(super) fn overtake<P: Program<State = S>>(
        &mut self,
        histories: &Histories<'_, P>,
        number: usize,
        standing: Standing,
    ) {
        let read = is_read(self.step());
        // What an operation that nobody answered is answered does not matter to those that may be done before.
        let after = histories.after(&self.at, number, read.then_some(0));
        let at = std::mem::replace(&mut self.at, after);
        self.overtaken.push(Slot { at, number: self.reads, standing });
        self.index += 1;
        self.reads += u32::from(read);
    }

    /// Whether all reads in `on` are answered.
    fn answered(&self, on: &[u32]) -> bool {
        let open =
            |slot: &Slot<S>| is_read(&slot.at.step) && !matches!(slot.standing, Standing::Done(_));
        !self.overtaken.iter().any(|slot| open(slot) && on.contains(&slot.number))
    }

    /// The index of the next operation that may be done while others wait for their answers, if one may.
    pub(super) fn next_ready<P: Program<State = S>>(
        &mut self,
        histories: &Histories<'_, P>,
        number: usize,
    ) -> Option<u32> {
        if let Some(at) = self.overtaken.iter().position(|slot| slot.standing == Standing::Ready) {
            return Some(self.first() + at as u32);
        }
        loop {
            let moves = matches!(
                self.step().operation,
                Operation::Read(_)
                    | Operation::Write(..)
                    | Operation::Update(..)
                    | Operation::Fails
            );
            if !moves || !self.answered(&self.step().control) {
                return None;
            }
            let ready = self.answered(&self.step().depends);
            self.overtake(
                histories,
                number,
                if ready { Standing::Ready } else { Standing::Unknown },
            );
            if ready {
                return Some(self.index - 1);
            }
        }
    }

    /// Takes it down that the overtaken operation `index` has become `event`, and finds what is known now. False if the
    /// program does not keep to what it said its operations depend on.
    pub(super) fn done<P: Program<State = S>>(
        &mut self,
        histories: &Histories<'_, P>,
        number: usize,
        graph: &Graph,
        index: u32,
        event: u32,
    ) -> bool {
        let first = self.first();
        self.overtaken[(index - first) as usize].standing = Standing::Done(event);
        let mut at = self.overtaken[0].at.clone();
        for position in 0..self.overtaken.len() {
            let before = &self.overtaken[position];
            let reads = is_read(&at.step);
            if reads != is_read(&before.at.step) {
                return false;
            }
            let standing = match before.standing {
                Standing::Done(event)
                    if Label::of(&at.step.operation) != Some(graph.nodes[event as usize].label) =>
                {
                    return false;
                }
                Standing::Unknown if self.answered(&at.step.depends) => Standing::Ready,
                standing => standing,
            };
            let answer = match standing {
                Standing::Done(event) => graph.nodes[event as usize].read,
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
            .take_while(|slot| matches!(slot.standing, Standing::Done(_)))
            .count();
        self.overtaken.drain(..done);
        true
    }
}

/// Whether a step is answered.
pub(super) fn is_read(step: &Step) -> bool {
    matches!(step.operation, Operation::Read(_) | Operation::Update(..))
}
