//! The model of WGSL: Vulkan's memory model, restricted to what WGSL can express. These are relaxed atomics, and
//! barriers of a workgroup or subgroup that order only the storage classes that they name.
//!
//! - locord := pairs of accesses to one location that are ordered by program order, or by a barrier between them that
//!   names the location's class.
//! - asmo := coherence order between atomic writes whose scopes include each other.
//! - fr := (rf⁻¹ ∩ locord⁻¹) ; locord into writes ∪ rf⁻¹ ; asmo ∪ reads of the initial value × writes of the location,
//!   without the identity. (The first part follows the Dat3M project. Without it the model would forbid that plain
//!   reads see two writes of another invocation in the wrong order; such reads race.)
//! - Consistency: locord ∪ rf ∪ fr ∪ asmo is acyclic, and so is locord of writes ∪ coherence order.
//! - A plain read does not read from a write that another write between the two, by locord, has replaced.
//! - Atomicity: coherence order has no write between the write that an update reads from and the update.
//! - No thin air: dependencies ∪ reads-from is acyclic, by construction of the executions. Program order is not part of
//!   this relation, so load buffering is allowed. Barriers are: an event after a barrier depends on all events before
//!   the barrier, of all invocations that wait at it. Vulkan's axioms have no such rule. They allow out-of-thin-air
//!   values, and allow a store after a barrier to be seen by a load before it, through another workgroup.
//!
//! Two conflicting accesses race if locord does not order them and they are not atomic for each other.
//! (Vulkan specification, appendix "Memory Model"; its Alloy model; Dat3M's `vulkan.cat`.)

use super::{inclusive, is_atomic};
use crate::execution_graph::{Graph, INITIAL, Label, NONE};
use crate::program::{Classes, MemoryOrder, Scope};

pub(super) fn expresses(label: Label) -> bool {
    let is_relaxed =
        |label: Label| label.atomic().is_none_or(|atomic| atomic.order == MemoryOrder::Relaxed);
    match label {
        Label::Read(_) | Label::Write(..) | Label::Update(..) => {
            is_relaxed(label) && is_relaxed(label.failed())
        }
        Label::Barrier { orders, .. } => {
            orders.is_none_or(|atomic| atomic.order == MemoryOrder::AcquireRelease)
        }
        Label::Fails => true,
        Label::Fence(_) | Label::ToDevice { .. } => false,
    }
}

pub(super) fn order(graph: &mut Graph, e: u32, depends: &[u32]) {
    let node = &graph.nodes[e as usize];
    let (invocation, mut barrier, from, reads) =
        (node.invocation as usize, node.barrier, node.from, node.reads());
    let class = node.label.access().map(|access| access.class);
    if barrier != NONE {
        graph.causes.join(e, barrier);
    }
    for &number in depends {
        let read = graph.numbered[invocation]
            .get(number as usize)
            .copied()
            .filter(|&read| read != NONE && read != e);
        if let Some(read) = read {
            graph.causes.join(e, read);
        }
    }
    if reads && from != INITIAL {
        graph.causes.join(e, from);
    }
    while let (Some(class), false) = (class, barrier == NONE) {
        let node = &graph.nodes[barrier as usize];
        let Label::Barrier { waits, orders, .. } = node.label else { break };
        let before = node.barrier;
        if orders.is_some_and(|orders| orders.orders.has(class)) {
            graph.happens.each(Classes::ALL).for_each(|rows| rows.include(e, barrier));
            if waits == Scope::Workgroup {
                break;
            }
        }
        barrier = before;
    }
}

/// Returns whether the axioms that involve `e` hold for its location, considering only the other events for which
/// `counts` is true.
pub(super) fn consistent(graph: &Graph, e: u32, counts: impl Fn(u32) -> bool) -> bool {
    let node = &graph.nodes[e as usize];
    if node.cell == NONE {
        return true;
    }
    let cell = &graph.cells[node.cell as usize];
    let reads_alone = cell.reads.iter().filter(|&&read| !graph.nodes[read as usize].writes);
    let others = cell.coherence.iter().chain(reads_alone).copied();
    let others: Vec<u32> = others.filter(|&other| other != e && counts(other)).collect();
    if others.is_empty() {
        return true;
    }
    let here = Location { graph, cell: node.cell as usize };
    others.iter().all(|&other| here.coherent(e, other))
        && here.unshadowed(e, &others)
        && here.acyclic(e, others)
}

/// The relations of one location.
struct Location<'a> {
    graph: &'a Graph,
    cell: usize,
}

impl Location<'_> {
    fn position(&self, write: u32) -> usize {
        self.graph.cells[self.cell].position(write)
    }

    fn locord(&self, a: u32, b: u32) -> bool {
        let (one, other) = (&self.graph.nodes[a as usize], &self.graph.nodes[b as usize]);
        one.invocation == other.invocation && one.index < other.index
            || self.graph.happens.has_any(b, a)
    }

    fn atomic(&self, event: u32) -> bool {
        self.graph.nodes[event as usize].label.access().is_some_and(is_atomic)
    }

    fn asmo(&self, a: u32, b: u32) -> bool {
        let writes = |event: u32| self.graph.nodes[event as usize].writes;
        writes(a) && writes(b) && inclusive(self.graph, a, b) && self.position(a) < self.position(b)
    }

    /// Returns whether `write` replaces the value that `read` reads (fr).
    fn is_replaced(&self, read: u32, write: u32) -> bool {
        let node = &self.graph.nodes[read as usize];
        if !node.reads() || !self.graph.nodes[write as usize].writes {
            return false;
        }
        match node.from {
            INITIAL => true,
            from if from == write => false,
            from => self.asmo(from, write) || self.locord(from, read) && self.locord(from, write),
        }
    }

    fn edge(&self, a: u32, b: u32) -> bool {
        let node = &self.graph.nodes[b as usize];
        node.reads() && node.from == a
            || self.locord(a, b)
            || self.asmo(a, b)
            || self.is_replaced(a, b)
    }

    /// Returns whether coherence order agrees with locord on two events, if both write.
    fn coherent(&self, e: u32, other: u32) -> bool {
        let writes = |event: u32| self.graph.nodes[event as usize].writes;
        if !writes(e) || !writes(other) {
            return true;
        }
        let later = self.position(other) > self.position(e);
        if later { !self.locord(other, e) } else { !self.locord(e, other) }
    }

    /// Returns whether `e` is not a plain read of a replaced write, and does not replace the write that a plain read
    /// reads from.
    fn unshadowed(&self, e: u32, others: &[u32]) -> bool {
        let shadowed = |read: u32, by: u32| {
            let from = self.graph.nodes[read as usize].from;
            from != INITIAL && by != from && self.locord(from, by) && self.locord(by, read)
        };
        let plain = |read: u32| !self.atomic(read);
        let node = &self.graph.nodes[e as usize];
        let old = node.reads()
            && plain(e)
            && others
                .iter()
                .any(|&other| self.graph.nodes[other as usize].writes && shadowed(e, other));
        let replaced =
            |read: u32| self.graph.nodes[read as usize].reads() && plain(read) && shadowed(read, e);
        let replaces = node.writes && others.iter().any(|&other| replaced(other));
        !old && !replaces
    }

    /// Returns whether no cycle goes through `e`.
    fn acyclic(&self, e: u32, mut others: Vec<u32>) -> bool {
        let mut left = vec![e];
        while let Some(event) = left.pop() {
            if event != e && self.edge(event, e) {
                return false;
            }
            others.retain(|&other| {
                let after = self.edge(event, other);
                if after {
                    left.push(other);
                }
                !after
            });
        }
        true
    }
}
