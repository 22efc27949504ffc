//! A reduction that explores only one of the executions that differ only in an unobserved coherence order.
//!
//! The behavior of an execution depends on the writes that its reads read from, and on the final memory. Coherence order
//! matters only because it affects these. (One execution per reads-from relation is enough: Chalupa, Chatterjee, Pavlogiannis,
//! Sinha, Vaidya: Data-Centric Dynamic Partial Order Reduction, POPL 2018.) A write is therefore placed last in the
//! coherence order. It is placed elsewhere only after the order may have mattered: a read could not take a write that
//! only coherence order hides from it, an event was refused, an invocation waits for the last value, or the final value
//! is observed and another one is possible.

use super::search::{OperationId, Search};
use crate::execution_graph::{Graph, INITIAL};
use crate::model::Model;
use crate::program::Program;

impl<P: Program> Search<'_, P> {
    /// Returns whether the reduction is enabled: a write is first placed last, and elsewhere only if there is a reason.
    pub(super) fn puts_last(&self) -> bool {
        self.shared.options.reductions.coherence
    }

    /// Records that the coherence order at `cell` may matter for a read, if the read could take a write before `floor`
    /// under another coherence order.
    pub(super) fn mark_order_relevant_to_read(
        &mut self,
        place: OperationId,
        cell: u32,
        floor: usize,
    ) {
        if floor > 1 && self.puts_last() && !self.are_hidden(place, cell, floor) {
            self.mark_order_relevant(cell);
        }
    }

    /// Returns whether all writes before `floor` are hidden from a read under every coherence order.
    fn are_hidden(&self, place: OperationId, cell: u32, floor: usize) -> bool {
        let (graph, model) = (&self.graph, self.shared.options.model);
        let before = self.invocations[place.invocation as usize].last;
        let seen: Vec<u32> = model.seen(graph, cell, before).collect();
        let hides = |by: u32, write: u32| by != write && is_behind(graph, model, by, write);
        let writes = &graph.cells[cell as usize].coherence[..floor - 1];
        writes.iter().all(|&write| seen.iter().any(|&by| hides(by, write)))
    }

    /// Records that the order of the writes at `cell` may matter.
    pub(super) fn mark_order_relevant(&mut self, cell: u32) {
        let Graph { nodes, cells, backtrack: reasons, .. } = &mut self.graph;
        for &write in &cells[cell as usize].coherence {
            reasons[write as usize] |= !nodes[write as usize].reads();
        }
    }

    /// Records that coherence order may be the cause for refusing `event`, the last event of the graph.
    pub(super) fn mark_order_relevant_to_refusal(&mut self, event: u32) {
        if !self.puts_last() {
            return;
        }
        let node = &self.graph.nodes[event as usize];
        let is_alone = self.shared.alike[node.invocation as usize].is_empty();
        if is_alone && self.shared.options.model.refuses_by_location() {
            self.mark_order_relevant(node.cell);
        } else {
            (0..self.graph.cells.len() as u32).for_each(|cell| self.mark_order_relevant(cell));
        }
    }

    /// Records that the coherence order at `cell` matters if another write, with another value, could be the last.
    pub(super) fn observe_final_value(&mut self, cell: u32) {
        let (graph, model) = (&self.graph, self.shared.options.model);
        let last = graph.last(cell);
        if last == INITIAL || !self.puts_last() {
            return;
        }
        let writes = &graph.cells[cell as usize].coherence;
        let may_be_last = |write: u32| {
            graph.taken(cell, write).is_none()
                && !writes
                    .iter()
                    .any(|&other| other != write && model.precedes(graph, write, other))
        };
        let value = graph.value(cell, last);
        if writes.iter().any(|&write| graph.value(cell, write) != value && may_be_last(write)) {
            self.mark_order_relevant(cell);
        }
    }
}

/// Returns whether `write` is before `by` under every coherence order: by precedence, or through a chain of updates
/// that ends at `by`.
fn is_behind(graph: &Graph, model: Model, mut by: u32, write: u32) -> bool {
    loop {
        let node = &graph.nodes[by as usize];
        if model.precedes(graph, write, by) || node.reads() && node.from == write {
            return true;
        }
        if !node.reads() || node.from == INITIAL {
            return false;
        }
        by = node.from;
    }
}
