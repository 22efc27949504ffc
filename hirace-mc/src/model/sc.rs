//! Interleaving: program order ∪ reads-from ∪ coherence ∪ from-reads is acyclic, of all accesses, plain and atomic.
//!
//! A barrier is one event of all who wait there. Whatever order and scope they have, atomic accesses synchronise:
//! happens-before is the closure of program order, of barriers that order memory, and of reads-from between atomic
//! accesses. Two conflicting accesses race if it does not order them and one is plain.

use super::is_atomic;
use crate::explore::{Graph, INITIAL, Label, NONE};
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

/// Whether no event comes after itself by way of `e`.
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

/// Adds what comes directly after `event` in any of the four orders.
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
