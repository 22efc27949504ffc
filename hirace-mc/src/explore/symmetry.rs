//! Alike invocations: of executions that differ by an exchange of theirs, one is enough.
//!
//! Each invocation's accesses are numbered by their places in the coherence orders of their locations. Of an orbit the
//! execution is kept in which these numbers, in program order, do not descend from one alike invocation to the next.
//! (GenMC does so at thread granularity; Kokologiannakis, Marmanis, Vafeiadis: SPORE, PLDI 2024.) What is compared does
//! not change as an execution grows, so that a beginning is judged by what is there.

use super::graph::{Graph, NONE};
use crate::program::Program;
use std::cmp::Ordering;

/// Of each invocation, the others that are alike.
pub(super) fn alike<P: Program>(program: &P) -> Vec<Vec<u32>> {
    let places = program.invocations();
    let same = |a: usize, b: usize| a != b && places[a] == places[b] && program.alike(a, b);
    (0..places.len())
        .map(|a| (0..places.len()).filter(|&b| same(a, b)).map(|b| b as u32).collect())
        .collect()
}

/// Whether the graph is a beginning of an execution that is kept, as far as `invocation` is concerned.
pub(super) fn is_kept(graph: &Graph, invocation: u32, others: &[u32]) -> bool {
    others.iter().all(|&other| {
        let (first, second) = (invocation.min(other), invocation.max(other));
        compare(graph, first, second) != Ordering::Greater
    })
}

/// How two alike invocations compare by the first events in which they differ; equal as long as none is there.
fn compare(graph: &Graph, one: u32, other: u32) -> Ordering {
    let (one, other) = (&graph.threads[one as usize], &graph.threads[other as usize]);
    let there = one.iter().zip(other).take_while(|&(&a, &b)| a != NONE && b != NONE);
    there
        .map(|(&a, &b)| key(graph, a).cmp(&key(graph, b)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Where an access is in its location's coherence order: a read comes after the write that it reads.
pub(crate) fn key(graph: &Graph, event: u32) -> usize {
    let node = &graph.nodes[event as usize];
    match graph.cells.get(node.cell as usize) {
        Some(cell) if node.writes => 2 * cell.position(event),
        Some(cell) => 2 * cell.position(node.from) + 1,
        None => 0,
    }
}
