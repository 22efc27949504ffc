//! Symmetry reduction: of executions that differ only by an exchange of alike invocations, one is explored.
//!
//! Each access has a key, which is its position in the coherence order of its location. Of all executions in an orbit,
//! the one is kept in which the keys, compared lexicographically in program order, do not descend from one alike
//! invocation to the next. (GenMC does this per thread: Kokologiannakis, Marmanis, Vafeiadis: SPORE, PLDI 2024.) The
//! comparison of existing events does not change as an execution grows, so a prefix can be rejected as soon as it
//! violates the order.

use crate::execution_graph::{Graph, NONE, key};
use crate::program::Program;
use std::cmp::Ordering;

/// Returns, for each invocation, the other invocations that are alike.
pub(super) fn alike<P: Program>(program: &P) -> Vec<Vec<u32>> {
    let places = program.invocations();
    let same = |a: usize, b: usize| a != b && places[a] == places[b] && program.alike(a, b);
    (0..places.len())
        .map(|a| (0..places.len()).filter(|&b| same(a, b)).map(|b| b as u32).collect())
        .collect()
}

/// Returns whether the graph is a prefix of an execution that is kept, comparing `invocation` with `others`.
pub(super) fn is_kept(graph: &Graph, invocation: u32, others: &[u32]) -> bool {
    others.iter().all(|&other| {
        let (first, second) = (invocation.min(other), invocation.max(other));
        compare(graph, first, second) != Ordering::Greater
    })
}

/// Compares two alike invocations by the first events in which they differ. They are equal while no such events exist.
fn compare(graph: &Graph, one: u32, other: u32) -> Ordering {
    let (one, other) = (&graph.threads[one as usize], &graph.threads[other as usize]);
    let there = one.iter().zip(other).take_while(|&(&a, &b)| a != NONE && b != NONE);
    there
        .map(|(&a, &b)| key(graph, a).cmp(&key(graph, b)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
