//! Memory models: which executions are consistent, and which events happen before others in them.
//!
//! Each model documents its axioms. When the explorer adds an event to a consistent graph, it queries the model for the
//! events on which the new event depends (`order`), the coherence positions that are ruled out for it (`floor`), and
//! whether the graph remains consistent (`is_consistent`).

mod sc;
mod scoped_rc11;
mod wgsl;

use crate::execution_graph::{Graph, INITIAL, Label, NONE, Node};
use crate::program::{Access, Classes, Scope};

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// The model of WGSL: Vulkan's memory model, restricted to relaxed atomics and barriers.
    Wgsl,
    /// RC11 with scopes.
    ScopedRc11,
    /// Sequential consistency, that is, interleaving.
    Sc,
}

impl Model {
    /// Returns whether the model keeps program order, so that each event is ordered after all earlier events of its invocation.
    pub(crate) fn in_order(self) -> bool {
        self != Self::Wgsl
    }

    /// Returns the number of storage classes that happens-before distinguishes, for a program with `program_classes`
    /// classes.
    pub(crate) fn classes(self, program_classes: u8) -> u8 {
        if self == Self::ScopedRc11 { program_classes } else { 1 }
    }

    /// Returns whether an update orders nothing except accesses to its location.
    pub(crate) fn updates_order_nothing(self) -> bool {
        self == Self::Wgsl
    }

    /// Returns whether the model defines `label`.
    pub(crate) fn expresses(self, label: Label) -> bool {
        match self {
            Self::Wgsl => wgsl::expresses(label),
            Self::ScopedRc11 | Self::Sc => !matches!(label, Label::ToDevice { .. }),
        }
    }

    /// Fills the rows of event `e`, which was added last: the events on which it depends, and the events that happen
    /// before it. `depends` lists the reads of its invocation on which it depends.
    pub(crate) fn order(self, graph: &mut Graph, e: u32, depends: &[u32]) {
        match self {
            Self::Wgsl => wgsl::order(graph, e, depends),
            Self::ScopedRc11 => scoped_rc11::order(graph, e),
            Self::Sc => sc::order(graph, e),
        }
    }

    /// Fills the rows of event `e` of a barrier. The events from `first` on stand for the same barrier, one for each
    /// invocation in `waiting`.
    pub(crate) fn meet(self, graph: &mut Graph, e: u32, first: u32, waiting: &[u32]) {
        let ordered = match (self, graph.nodes[e as usize].label.atomic()) {
            (_, None) => Classes::default(),
            (Self::ScopedRc11, Some(atomic)) => atomic.orders,
            (Self::Wgsl | Self::Sc, Some(_)) => Classes::ALL,
        };
        if e > first {
            // All events of the barrier have the same predecessors.
            graph.causes.include(e, first);
            graph.happens.each(ordered).for_each(|rows| rows.include(e, first));
        } else {
            for &invocation in waiting {
                let thread = &graph.threads[invocation as usize];
                let count = thread.partition_point(|&event| event < first);
                // If program order is kept, the row of the last event contains all earlier ones.
                let from = if self.in_order() { count.saturating_sub(1) } else { 0 };
                for at in from..count {
                    let event = graph.threads[invocation as usize][at];
                    graph.causes.join(e, event);
                    for rows in graph.happens.each(ordered) {
                        match self {
                            Self::Wgsl => rows.insert(e, event),
                            Self::ScopedRc11 | Self::Sc => rows.join(e, event),
                        }
                    }
                }
            }
        }
        let before = graph.nodes[e as usize].before;
        if self.in_order() && before != NONE {
            graph.happens.each(Classes::ALL).for_each(|rows| rows.join(e, before));
        }
    }

    /// Returns the first position in the coherence order of `cell` from which an event after `before` (its predecessor
    /// in program order) may read, or after which it may be placed. Position 0 is the initial value, position `k` the
    /// `k`th write.
    pub(crate) fn floor(self, graph: &Graph, cell: u32, before: u32) -> usize {
        if self == Self::Wgsl || before == NONE {
            return 0;
        }
        let cell = &graph.cells[cell as usize];
        let is_known = |event: u32| event == before || self.precedes(graph, event, before);
        // The search runs backward, so the first known write is the last one.
        let written =
            cell.coherence.iter().rposition(|&write| is_known(write)).map_or(0, |at| at + 1);
        let read = cell.reads.iter().filter(|&&read| is_known(read));
        read.map(|&read| cell.position(graph.nodes[read as usize].from)).fold(written, usize::max)
    }

    /// Returns the writes at `cell` that precede an event after `before`, and the writes from which a preceding read
    /// took its value. The initial value is not included.
    pub(crate) fn seen(self, graph: &Graph, cell: u32, before: u32) -> impl Iterator<Item = u32> {
        let cell = &graph.cells[cell as usize];
        let is_known = move |event: u32| event == before || self.precedes(graph, event, before);
        let read = cell.reads.iter().filter(move |&&read| is_known(read));
        let read = read.map(|&read| graph.nodes[read as usize].from);
        let written = cell.coherence.iter().copied().filter(move |&write| is_known(write));
        written.chain(read).filter(|&write| write != INITIAL)
    }

    /// Returns whether the access `a` precedes `b` under every coherence order.
    pub(crate) fn precedes(self, graph: &Graph, a: u32, b: u32) -> bool {
        let (one, other) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
        match self {
            Self::Sc => graph.causes.has(b, a),
            _ if one.invocation == other.invocation => one.index < other.index,
            // Happens-before of the storage class that `a` accesses.
            _ => one.label.access().is_some_and(|access| graph.happens.of(access.class).has(b, a)),
        }
    }

    /// Returns whether an event can be inconsistent only because of accesses to its own location.
    pub(crate) fn refuses_by_location(self) -> bool {
        self == Self::Wgsl
    }

    /// Returns whether the graph, which was consistent before `e` was added last, is consistent with it.
    pub(crate) fn is_consistent(self, graph: &Graph, e: u32) -> bool {
        match self {
            Self::Wgsl => wgsl::is_consistent(graph, e, |_| true),
            Self::ScopedRc11 => scoped_rc11::is_consistent(graph),
            Self::Sc => sc::is_consistent(graph, e),
        }
    }

    /// Returns whether `e`, the last event, is inconsistent even without the `open` events, which could be different in
    /// another execution.
    pub(crate) fn refuses_without(self, graph: &Graph, e: u32, open: impl Fn(u32) -> bool) -> bool {
        self == Self::Wgsl && !wgsl::is_consistent(graph, e, |other| !open(other))
    }

    /// Returns whether the read `r`, on which `e` does not depend, may make `e` inconsistent.
    pub(crate) fn may_refuse(self, graph: &Graph, r: u32, e: &Node) -> bool {
        match self {
            Self::Wgsl => {
                let read = &graph.nodes[r as usize];
                read.cell == e.cell && read.invocation == e.invocation
            }
            Self::ScopedRc11 => scoped_rc11::is_asked(graph),
            Self::Sc => true,
        }
    }

    /// Returns whether happens-before orders `a` and `b`, two accesses to one location of which `b` was added later.
    pub(crate) fn is_ordered(self, graph: &Graph, a: u32, b: u32) -> bool {
        let (one, other) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
        let class = graph.cells[other.cell as usize].class;
        one.invocation == other.invocation || graph.happens.of(class).has(b, a)
    }

    /// Returns whether two atomic accesses are atomic with respect to each other.
    pub(crate) fn are_mutually_atomic(self, graph: &Graph, a: u32, b: u32) -> bool {
        self == Self::Sc || inclusive(graph, a, b)
    }
}

/// Returns whether the scopes of two atomic accesses, fences or barriers each include the other's invocation.
fn inclusive(graph: &Graph, a: u32, b: u32) -> bool {
    let (a, b) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
    let (Some(one), Some(other)) = (a.label.atomic(), b.label.atomic()) else { return false };
    let (a_position, b_position) = (
        graph.scope_positions[a.invocation as usize],
        graph.scope_positions[b.invocation as usize],
    );
    let includes = |scope: Scope| a_position.share(b_position, scope);
    includes(one.scope) && includes(other.scope)
}

/// Returns whether an event is a release: a write or fence whose order releases.
fn releases(node: &Node) -> bool {
    let fence = matches!(node.label, Label::Fence(_));
    (fence || node.writes) && node.label.atomic().is_some_and(|atomic| atomic.order.releases())
}

/// Returns whether an event is an acquire: a read or fence whose order acquires.
fn acquires(node: &Node) -> bool {
    let fence = matches!(node.label, Label::Fence(_));
    (fence || node.reads()) && node.label.atomic().is_some_and(|atomic| atomic.order.acquires())
}

/// Returns whether an access is atomic.
fn is_atomic(access: &Access) -> bool {
    access.atomic.is_some()
}
