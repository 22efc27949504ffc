//! The graph of an execution under construction: its events in the order in which they were added, and the coherence
//! order of each location.

mod rows;

use crate::program::{
    Access, Atomic, Class, Classes, Location, Operation, Scope, ScopePosition, Update, Value,
};
use rows::{ByClass, Rows};
use rustc_hash::FxHashMap;

/// The absence of an event or a cell.
pub(crate) const NONE: u32 = u32::MAX;
/// The initial value, where the index of a write is expected.
pub(crate) const INITIAL: u32 = u32::MAX - 1;

/// The operation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Read(Access),
    Write(Access, Value),
    Update(Access, Update),
    Fence(Atomic),
    Barrier { waits: Scope, barrier: u32, orders: Option<Atomic> },
    ToDevice { visible: bool },
    Fails,
}

impl Label {
    /// Returns the label for an operation, or `None` if the operation does not create an event.
    pub(crate) fn of(operation: &Operation) -> Option<Self> {
        match *operation {
            Operation::Read(access) => Some(Self::Read(access)),
            Operation::Write(access, value) => Some(Self::Write(access, value)),
            Operation::Update(access, update) => Some(Self::Update(access, update)),
            Operation::Fence(atomic) => Some(Self::Fence(atomic)),
            Operation::Barrier { group: waits, barrier, orders } => {
                Some(Self::Barrier { waits, barrier, orders })
            }
            Operation::ToDevice { visible } => Some(Self::ToDevice { visible }),
            Operation::AssertionFailure => Some(Self::Fails),
            Operation::Spins(_) | Operation::Limit | Operation::End => None,
        }
    }

    /// Returns the operation that the label stands for.
    pub(crate) fn operation(self) -> Operation {
        match self {
            Self::Read(access) => Operation::Read(access),
            Self::Write(access, value) => Operation::Write(access, value),
            Self::Update(access, update) => Operation::Update(access, update),
            Self::Fence(atomic) => Operation::Fence(atomic),
            Self::Barrier { waits, barrier, orders } => {
                Operation::Barrier { group: waits, barrier, orders }
            }
            Self::ToDevice { visible } => Operation::ToDevice { visible },
            Self::Fails => Operation::AssertionFailure,
        }
    }

    /// Returns the label of an update whose comparison failed: it has the memory order of the failure.
    pub(crate) fn failed(self) -> Self {
        match self {
            Self::Update(access, update @ Update::CompareExchange { failed, .. }) => {
                let atomic = access.atomic.map(|atomic| Atomic { order: failed, ..atomic });
                Self::Update(Access { atomic, ..access }, update)
            }
            other => other,
        }
    }

    /// Returns the access of the event, if it makes one.
    pub(crate) fn access(&self) -> Option<&Access> {
        match self {
            Self::Read(access) | Self::Write(access, _) | Self::Update(access, _) => Some(access),
            _ => None,
        }
    }

    /// Returns the atomic attributes of the access, fence or barrier.
    pub(crate) fn atomic(&self) -> Option<Atomic> {
        match self {
            Self::Fence(atomic) => Some(*atomic),
            Self::Barrier { orders, .. } => *orders,
            _ => self.access()?.atomic,
        }
    }
}

/// An event of the graph.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) invocation: u32,
    /// The index among the invocation's operations.
    pub(crate) index: u32,
    pub(crate) site: u32,
    pub(crate) label: Label,
    /// The index of the location in [`Graph::cells`].
    pub(crate) cell: u32,
    /// The write that it reads from. For a barrier: the first event of the group that waited; the events of the group
    /// are adjacent.
    pub(crate) from: u32,
    /// The value that it read. For a barrier: the number of invocations that waited.
    pub(crate) read: Value,
    pub(crate) wrote: Value,
    pub(crate) writes: bool,
    /// Whether its result is unused and a reduction makes use of that.
    pub(crate) is_result_unused: bool,
    /// The previous event in program order, if that was added first. In models that keep program order it always is.
    pub(crate) before: u32,
    /// The last barrier before it in its invocation.
    pub(crate) barrier: u32,
    /// The last fence before it in its invocation.
    pub(crate) fence: u32,
}

impl Node {
    /// Returns whether the event reads memory.
    pub(crate) fn reads(&self) -> bool {
        matches!(self.label, Label::Read(_) | Label::Update(..))
    }
}

/// A location and the events that access it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) location: Location,
    pub(crate) class: Class,
    pub(crate) initial: Value,
    /// Its writes, updates included, in coherence order.
    pub(crate) coherence: Vec<u32>,
    /// Its reads, updates included, in the order in which they were added.
    pub(crate) reads: Vec<u32>,
    /// The postponed reads of the location.
    pub(crate) postponed: Vec<PostponedRead>,
}

/// A read that has been postponed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostponedRead {
    pub(crate) invocation: u32,
    pub(crate) index: u32,
    /// A write whose value lets a waiting loop repeat, if one is known.
    pub(crate) polls: Option<u32>,
}

impl Cell {
    /// Returns the position of `write` in the coherence order; the initial value is at 0.
    pub(crate) fn position(&self, write: u32) -> usize {
        match write {
            INITIAL => 0,
            _ => self.coherence.iter().rposition(|&other| other == write).map_or(0, |at| at + 1),
        }
    }

    /// Returns the write at this position.
    pub(crate) fn at(&self, position: usize) -> u32 {
        if position == 0 { INITIAL } else { self.coherence[position - 1] }
    }
}

/// An execution under construction.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// The events on which each event depends (its causal prefix).
    pub(crate) causes: Rows,
    /// The events that happen before each event, per storage class.
    pub(crate) happens: ByClass,
    pub(crate) cells: Vec<Cell>,
    cell_of: FxHashMap<Location, u32>,
    /// The events of each invocation, by index.
    pub(crate) threads: Vec<Vec<u32>>,
    /// The reads of each invocation, by their index among its reads.
    pub(crate) numbered: Vec<Vec<u32>>,
    pub(crate) scope_positions: Vec<ScopePosition>,
    /// Per event: whether to explore executions in which this read is postponed, or this write is placed elsewhere in
    /// coherence order.
    pub(crate) backtrack: Vec<bool>,
    /// The number of events with sequentially consistent order.
    pub(crate) strong: u32,
}

impl Graph {
    /// Creates an empty graph that distinguishes this number of storage classes.
    pub(crate) fn new(scope_positions: &[ScopePosition], classes: u8) -> Self {
        Self {
            nodes: Vec::new(),
            causes: Rows::default(),
            happens: ByClass::new(classes),
            cells: Vec::new(),
            cell_of: FxHashMap::default(),
            threads: vec![Vec::new(); scope_positions.len()],
            numbered: vec![Vec::new(); scope_positions.len()],
            scope_positions: scope_positions.to_vec(),
            backtrack: Vec::new(),
            strong: 0,
        }
    }

    /// Returns the cell of the location of an access. Creates it if it does not exist.
    pub(crate) fn cell(&mut self, access: &Access, initial: impl FnOnce(Location) -> Value) -> u32 {
        let Access { location, class, .. } = *access;
        *self.cell_of.entry(location).or_insert_with(|| {
            let (coherence, reads, postponed) = Default::default();
            let initial = initial(location);
            self.cells.push(Cell { location, class, initial, coherence, reads, postponed });
            self.cells.len() as u32 - 1
        })
    }

    /// Returns the cell of a location, if it was accessed.
    pub(crate) fn known_cell(&self, location: Location) -> Option<u32> {
        self.cell_of.get(&location).copied()
    }

    /// Returns the last write of `cell` in coherence order.
    pub(crate) fn last(&self, cell: u32) -> u32 {
        let cell = &self.cells[cell as usize];
        cell.at(cell.coherence.len())
    }

    /// Returns the value that a read of `write` at `cell` returns.
    pub(crate) fn value(&self, cell: u32, write: u32) -> Value {
        match write {
            INITIAL => self.cells[cell as usize].initial,
            _ => self.nodes[write as usize].wrote,
        }
    }

    /// Returns the update that reads from `write` and writes, if there is one.
    pub(crate) fn taken(&self, cell: u32, write: u32) -> Option<u32> {
        let cell = &self.cells[cell as usize];
        let next = *cell.coherence.get(cell.position(write))?;
        let node = &self.nodes[next as usize];
        (node.reads() && node.from == write).then_some(next)
    }

    /// Adds an event, with empty rows. `position` is its position in the coherence order if it writes, `number` its
    /// index among the invocation's reads if it reads.
    pub(crate) fn push(&mut self, node: Node, position: usize, number: u32) -> u32 {
        let event = self.nodes.len() as u32;
        if node.cell != NONE {
            let cell = &mut self.cells[node.cell as usize];
            if node.writes {
                cell.coherence.insert(position - 1, event);
            }
            if node.reads() {
                cell.reads.push(event);
                put(&mut self.numbered[node.invocation as usize], number as usize, event);
            }
        }
        put(&mut self.threads[node.invocation as usize], node.index as usize, event);
        self.strong += u32::from(is_sequentially_consistent(&node));
        self.causes.push();
        self.happens.each(Classes::ALL).for_each(Rows::push);
        self.backtrack.push(false);
        self.nodes.push(node);
        event
    }

    /// Removes the last event.
    pub(crate) fn pop(&mut self) {
        let Some(node) = self.nodes.pop() else { return };
        let event = self.nodes.len() as u32;
        if node.cell != NONE {
            let cell = &mut self.cells[node.cell as usize];
            if node.writes {
                cell.coherence.retain(|&write| write != event);
            }
            if node.reads() {
                cell.reads.pop();
                take(&mut self.numbered[node.invocation as usize], event);
            }
        }
        take(&mut self.threads[node.invocation as usize], event);
        self.strong -= u32::from(is_sequentially_consistent(&node));
        self.causes.pop();
        self.happens.each(Classes::ALL).for_each(Rows::pop);
        self.backtrack.pop();
    }
}

/// Returns whether an event has sequentially consistent order.
pub(crate) fn is_sequentially_consistent(node: &Node) -> bool {
    node.label
        .atomic()
        .is_some_and(|atomic| atomic.order == crate::program::MemoryOrder::SequentiallyConsistent)
}

/// Stores `event` at `index`, which must be free. Extends the list if necessary.
fn put(list: &mut Vec<u32>, index: usize, event: u32) {
    if list.len() <= index {
        list.resize(index + 1, NONE);
    }
    list[index] = event;
}

/// Removes `event` and the empty entries at the end.
fn take(list: &mut Vec<u32>, event: u32) {
    if let Some(at) = list.iter().rposition(|&other| other == event) {
        list[at] = NONE;
    }
    while list.last() == Some(&NONE) {
        list.pop();
    }
}

/// Returns the key of an access in the coherence order of its location. A read comes directly after the write that it
/// reads.
pub(crate) fn key(graph: &Graph, event: u32) -> usize {
    let node = &graph.nodes[event as usize];
    match graph.cells.get(node.cell as usize) {
        Some(cell) if node.writes => 2 * cell.position(event),
        Some(cell) => 2 * cell.position(node.from) + 1,
        None => 0,
    }
}
