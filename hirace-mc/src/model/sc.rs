//! Sequential consistency: program order ∪ reads-from ∪ coherence ∪ from-reads is acyclic, for all accesses, plain and
//! atomic.
//!
//! A barrier is one event of all invocations that wait at it. Atomic accesses synchronize, whatever their order and
//! scope: happens-before is the closure of program order, barriers that order memory, and reads-from between atomic
//! accesses. Two conflicting accesses race if happens-before does not order them and one of them is plain.

use super::is_atomic;
use crate::execution_graph::{Graph, INITIAL, Label, NONE};
use crate::program::Classes;

pub(super) fn order(graph: &mut Graph, e: u32) {
    let node = &graph.nodes[e as usize];
    let (before, from, reads) = (node.before, node.from, node.reads());
    if before != NONE {
        graph.causes.join(e, before);
        graph.happens.each(Classes::ALL).for_each(|rows| rows.join(e, before));
    }
    if reads && from != INITIAL {
        graph.causes.join(e, from);
        let atomic = |event: u32| graph.nodes[event as usize].label.access().is_some_and(is_atomic);
        if atomic(e) && atomic(from) {
            graph.happens.each(Classes::ALL).for_each(|rows| rows.join(e, from));
        }
    }
}

/// Returns whether no cycle goes through `e`.
pub(super) fn consistent(graph: &Graph, e: u32) -> bool {
    let mut found = vec![false; graph.nodes.len()];
    let mut left = Vec::new();
    after(graph, e, &mut left);
    while let Some(event) = left.pop() {
        if event == e {
            return false;
        }
        if !std::mem::replace(&mut found[event as usize], true) {
            after(graph, event, &mut left);
        }
    }
    true
}

/// Adds the direct successors of `event` in any of the four orders.
fn after(graph: &Graph, event: u32, into: &mut Vec<u32>) {
    let node = &graph.nodes[event as usize];
    let next = |of: u32| {
        let node = &graph.nodes[of as usize];
        graph.threads[node.invocation as usize].get(node.index as usize + 1).copied()
    };
    match node.label {
        Label::Barrier { .. } => {
            into.extend((node.from..node.from + node.read as u32).filter_map(next))
        }
        _ => into.extend(next(event)),
    }
    if node.cell == NONE {
        return;
    }
    let cell = &graph.cells[node.cell as usize];
    if node.reads() {
        into.extend(
            cell.coherence[cell.position(node.from)..].iter().find(|&&write| write != event),
        );
    }
    if node.writes {
        into.extend(cell.coherence.get(cell.position(event)));
        into.extend(cell.reads.iter().filter(|&&read| graph.nodes[read as usize].from == event));
    }
}
