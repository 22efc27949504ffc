//! Memory models: which executions there are, and what in them is ordered.
//!
//! Each states its axioms. The exploration asks a model, of an event that is being added to a consistent graph: on what
//! it hangs (`order`), what of the coherence order is behind it (`floor`), and whether the graph with it is consistent
//! still (`consistent`).

mod sc;
mod scoped_rc11;
mod wgsl;

use crate::explore::{Graph, INITIAL, Label, NONE, Node};
use crate::program::{Access, Classes, Scope};

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// WGSL's: what Vulkan's is for relaxed atomics and barriers.
    Wgsl,
    /// RC11 with scopes.
    ScopedRc11,
    /// Interleaving.
    Sc,
}

impl Model {
    /// Whether each event hangs on all before it in its invocation, rather than on its dependencies alone.
    pub(crate) fn in_order(self) -> bool {
        self != Self::Wgsl
    }

    /// How many kinds of memory it tells apart in happens-before, of those that a program has.
    pub(crate) fn classes(self, of_program: u8) -> u8 {
        if self == Self::ScopedRc11 { of_program } else { 1 }
    }

    /// Whether an update orders nothing but accesses to its location.
    pub(crate) fn updates_order_nothing(self) -> bool {
        self == Self::Wgsl
    }

    /// Whether the model gives `label` a meaning.
    pub(crate) fn expresses(self, label: Label) -> bool {
        match self {
            Self::Wgsl => wgsl::expresses(label),
            Self::ScopedRc11 | Self::Sc => !matches!(label, Label::ToDevice { .. }),
        }
    }

    /// Fills the rows of event `e`, which was added last: on what it hangs, and what happens before it. `depends`: the
    /// reads of its invocation on which it depends.
    pub(crate) fn order(self, graph: &mut Graph, e: u32, depends: &[u32]) {
        match self {
            Self::Wgsl => wgsl::order(graph, e, depends),
            Self::ScopedRc11 => scoped_rc11::order(graph, e),
            Self::Sc => sc::order(graph, e),
        }
    }

    /// The same of a barrier's event `e`, one of those from `first` on that are one: of all invocations that wait
    /// there.
    pub(crate) fn meet(self, graph: &mut Graph, e: u32, first: u32, waiting: &[u32]) {
        let ordered = match (self, graph.nodes[e as usize].label.atomic()) {
            (_, None) => Classes::default(),
            (Self::ScopedRc11, Some(atomic)) => atomic.orders,
            (Self::Wgsl | Self::Sc, Some(_)) => Classes::ALL,
        };
        if e > first {
            // What is before one of them is before all.
            graph.causes.include(e, first);
            graph.happens.each(ordered).for_each(|rows| rows.include(e, first));
        } else {
            for &invocation in waiting {
                let thread = &graph.threads[invocation as usize];
                let count = thread.partition_point(|&event| event < first);
                // Where program order is kept, the last has all before it in its row.
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

    /// The first position in the coherence order of `cell` that an event after `before` (its predecessor in program
    /// order) may read from, or be put after: 0 is the initial value, `k` the `k`th write.
    pub(crate) fn floor(self, graph: &Graph, cell: u32, before: u32) -> usize {
        if self == Self::Wgsl || before == NONE {
            return 0;
        }
        let cell = &graph.cells[cell as usize];
        let is_known = |event: u32| event == before || self.precedes(graph, event, before);
        // From the last on: the first that is known ends the search.
        let written =
            cell.coherence.iter().rposition(|&write| is_known(write)).map_or(0, |at| at + 1);
        let read = cell.reads.iter().filter(|&&read| is_known(read));
        read.map(|&read| cell.position(graph.nodes[read as usize].from)).fold(written, usize::max)
    }

    /// The writes at `cell` that an event after `before` has behind it or that a read behind it took: not the initial
    /// one.
    pub(crate) fn seen(self, graph: &Graph, cell: u32, before: u32) -> impl Iterator<Item = u32> {
        let cell = &graph.cells[cell as usize];
        let is_known = move |event: u32| event == before || self.precedes(graph, event, before);
        let read = cell.reads.iter().filter(move |&&read| is_known(read));
        let read = read.map(|&read| graph.nodes[read as usize].from);
        let written = cell.coherence.iter().copied().filter(move |&write| is_known(write));
        written.chain(read).filter(|&write| write != INITIAL)
    }

    /// Whether `a`, an access, comes before `b` in whatever order writes are.
    pub(crate) fn precedes(self, graph: &Graph, a: u32, b: u32) -> bool {
        let (one, other) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
        match self {
            Self::Sc => graph.causes.has(b, a),
            _ if one.invocation == other.invocation => one.index < other.index,
            // In the memory that the access is of.
            _ => one.label.access().is_some_and(|access| graph.happens.of(access.class).has(b, a)),
        }
    }

    /// Whether nothing but accesses to its location can be why an event is refused.
    pub(crate) fn refuses_by_location(self) -> bool {
        self == Self::Wgsl
    }

    /// Whether the graph, consistent before `e` was added last, is so with it.
    pub(crate) fn consistent(self, graph: &Graph, e: u32) -> bool {
        match self {
            Self::Wgsl => wgsl::consistent(graph, e, |_| true),
            Self::ScopedRc11 => scoped_rc11::consistent(graph),
            Self::Sc => sc::consistent(graph, e),
        }
    }

    /// Whether the graph, consistent before `e` was added last, is known not to be so with it even without those events
    /// of which it is not known whether they could be otherwise.
    pub(crate) fn refuses_without(self, graph: &Graph, e: u32, open: impl Fn(u32) -> bool) -> bool {
        self == Self::Wgsl && !wgsl::consistent(graph, e, |other| !open(other))
    }

    /// Whether read `r` may have been why `e`, which does not hang on it, was refused.
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

    /// Whether `a` and `b`, accesses to one location of which `b` was added later, are ordered.
    pub(crate) fn ordered(self, graph: &Graph, a: u32, b: u32) -> bool {
        let (one, other) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
        let class = graph.cells[other.cell as usize].class;
        one.invocation == other.invocation || graph.happens.of(class).has(b, a)
    }

    /// Whether two atomic accesses of these events are atomic for each other.
    pub(crate) fn inclusive(self, graph: &Graph, a: u32, b: u32) -> bool {
        self == Self::Sc || inclusive(graph, a, b)
    }
}

/// Whether the scope of each, which are atomic accesses, fences or barriers, has the other's invocation in it.
fn inclusive(graph: &Graph, a: u32, b: u32) -> bool {
    let (a, b) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
    let (Some(one), Some(other)) = (a.label.atomic(), b.label.atomic()) else { return false };
    let (here, there) =
        (graph.whereabouts[a.invocation as usize], graph.whereabouts[b.invocation as usize]);
    let includes = |scope: Scope| here.share(there, scope);
    includes(one.scope) && includes(other.scope)
}

/// Whether an event releases: it writes or is a fence, and its order says so.
fn releases(node: &Node) -> bool {
    let fence = matches!(node.label, Label::Fence(_));
    (fence || node.writes) && node.label.atomic().is_some_and(|atomic| atomic.order.releases())
}

/// Whether an event acquires: it reads or is a fence, and its order says so.
fn acquires(node: &Node) -> bool {
    let fence = matches!(node.label, Label::Fence(_));
    (fence || node.reads()) && node.label.atomic().is_some_and(|atomic| atomic.order.acquires())
}

/// Whether an access is atomic.
fn is_atomic(access: &Access) -> bool {
    access.atomic.is_some()
}
