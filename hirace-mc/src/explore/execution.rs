//! Executions as plain data, and the findings in them.

use crate::program::{Location, Operation, Value};

/// An event of an execution: operation number `index` of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    /// The invocation.
    pub invocation: u32,
    /// The index among the operations of the invocation, from 0.
    pub index: u32,
}

/// The source of the value of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The initial value of the location.
    Initial,
    /// A write or an update.
    Event(EventId),
}

/// An executed operation of an invocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The identity of the event.
    pub id: EventId,
    /// The operation.
    pub operation: Operation,
    /// The site in the program.
    pub site: u32,
    /// The value that a read or an update read, and its source.
    pub read: Option<(Value, Source)>,
    /// The value that a write or an update wrote. A failed compare-exchange writes nothing.
    pub wrote: Option<Value>,
}

/// An execution as a graph of events. `S` is the state of an invocation.
#[derive(Clone, Debug)]
pub struct Execution<S> {
    /// The events of each invocation, in program order. In an incomplete execution an event may be missing between two
    /// others, where a read has no answer yet.
    pub events: Vec<Vec<Event>>,
    /// The writes of each accessed location in coherence order. Locations are ascending.
    pub coherence: Vec<(Location, Vec<EventId>)>,
    /// All events, in an order in which each event comes after the write that it reads from and after all events on
    /// which it depends.
    pub order: Vec<EventId>,
    /// The final value of each accessed location. Locations are ascending.
    pub memory: Vec<(Location, Value)>,
    /// The final state of each invocation.
    pub states: Vec<S>,
}

impl<S> Execution<S> {
    /// Returns the event with this identity.
    pub fn event(&self, id: EventId) -> Option<&Event> {
        let events = self.events.get(id.invocation as usize)?;
        events.binary_search_by_key(&id, |event| event.id).ok().map(|at| &events[at])
    }
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Two accesses to one location, at least one a write and at least one plain, that happens-before does not order.
    DataRace,
    /// Two atomic accesses to one location, at least one a write, that happens-before does not order, and whose scopes
    /// do not both include the other invocation.
    HeterogeneousRace,
    /// An invocation waits at a barrier that others never reach, because they ended or wait at another barrier.
    BarrierDivergence,
    /// An assertion of the program does not hold.
    Assertion,
    /// Invocations wait for values that no other invocation will write.
    NoTermination,
}

/// A finding, with its events and an execution that shows it.
#[derive(Clone, Debug)]
pub struct Finding<S> {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The accesses that race, or the reads that wait. For barrier divergence, one operation per invocation involved:
    /// the barrier at which it waits, or its end; these are not events of the execution.
    pub events: Vec<EventId>,
    /// The sites of these events.
    pub sites: Vec<u32>,
    /// The number of the [postcondition](crate::program::Program::failed_postconditions) that does not hold. The events are then the
    /// last writes to the locations that it reads.
    pub claim: Option<u32>,
    /// The execution, up to the finding.
    pub execution: Execution<S>,
}
