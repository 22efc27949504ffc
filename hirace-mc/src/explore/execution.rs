//! An execution as plain data, and what was found in one.

use crate::program::{Location, Operation, Value};

/// An event of an execution: the `index`th operation of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    /// The invocation.
    pub invocation: u32,
    /// Which of its operations, from 0 on.
    pub index: u32,
}

/// Where the value of a read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// What the location held before anything was written.
    Initial,
    /// A write or an update.
    Event(EventId),
}

/// What an invocation did.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Which event it is.
    pub id: EventId,
    /// The operation.
    pub operation: Operation,
    /// Where in the program.
    pub site: u32,
    /// What a read or an update found, and where that was written.
    pub read: Option<(Value, Source)>,
    /// What a write or an update left. An exchange that did not find what it expected leaves nothing.
    pub wrote: Option<Value>,
}

/// An execution: a graph of events. `S` is the state of an invocation.
#[derive(Clone, Debug)]
pub struct Execution<S> {
    /// What each invocation did, in program order. In an execution that is not complete a step may be missing between
    /// two others, where a read is not answered yet.
    pub events: Vec<Vec<Event>>,
    /// Of each location that was accessed, ascending: its writes, in coherence order.
    pub coherence: Vec<(Location, Vec<EventId>)>,
    /// All events in an order in which each comes after the one that it reads from, and after all that it hangs on.
    pub order: Vec<EventId>,
    /// What each location that was accessed holds in the end, ascending.
    pub memory: Vec<(Location, Value)>,
    /// Where each invocation stands in the end.
    pub states: Vec<S>,
}

impl<S> Execution<S> {
    /// The event of this identity.
    pub fn event(&self, id: EventId) -> Option<&Event> {
        let events = self.events.get(id.invocation as usize)?;
        events.binary_search_by_key(&id, |event| event.id).ok().map(|at| &events[at])
    }
}

/// What may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Two accesses to one location, at least one of which writes, at least one plain, neither before the other.
    DataRace,
    /// Two atomic accesses to one location, at least one of which writes, neither before the other, of scopes that do
    /// not each include the other invocation.
    HeterogeneousRace,
    /// An invocation waits at a barrier at which others, which ended or wait at another, will never be.
    BarrierDivergence,
    /// What the program claims does not hold.
    Assertion,
    /// Invocations wait for values that nobody writes any more.
    NoTermination,
}

/// Something that was found, and where.
#[derive(Clone, Debug)]
pub struct Finding<S> {
    /// What it is.
    pub kind: FindingKind,
    /// The accesses that race; the reads that are waited on; of a divergence, one place of each invocation concerned:
    /// the barrier where it waits, or where its end is. The latter two are no events of the execution.
    pub events: Vec<EventId>,
    /// The sites of these.
    pub sites: Vec<u32>,
    /// The number of a claim of [what is left](crate::program::Program::unmet) that does not hold: the events are then the
    /// last writes of what it looks at.
    pub claim: Option<u32>,
    /// The execution, as far as it had come.
    pub execution: Execution<S>,
}
