//! Writes whose order nobody sees: one order of them stands for all.
//!
//! What an execution does hangs on the writes that its reads take, and on what memory holds in the end; coherence order
//! matters by way of these alone. (Of executions with one reads-from relation one is enough: Chalupa, Chatterjee,
//! Pavlogiannis, Sinha, Vaidya: Data-Centric Dynamic Partial Order Reduction, POPL 2018.) So a write is put last, and
//! elsewhere only once something was ruled out that another order might allow: a read could not take a write that
//! nothing but coherence order hides from it, an event was refused, an invocation waits for the last value, or the end
//! is looked at and could be another.

use super::graph::{Graph, INITIAL};
use super::search::{Place, Search};
use crate::model::Model;
use crate::program::Program;

impl<P: Program> Search<'_, P> {
    /// Whether a write that has several places is put last first, and elsewhere for a reason alone.
    pub(super) fn puts_last(&self) -> bool {
        self.shared.options.reductions.coherence
    }

    /// Takes it down that with a read at `cell` the order of the writes there may matter: some before `floor` it could
    /// take, were they not before others.
    pub(super) fn pass_over(&mut self, place: Place, cell: u32, floor: usize) {
        if floor > 1 && self.puts_last() && !self.are_hidden(place, cell, floor) {
            self.order_matters(cell);
        }
    }

    /// Whether all writes before `floor` are hidden from a read in whatever order writes are.
    fn are_hidden(&self, place: Place, cell: u32, floor: usize) -> bool {
        let (graph, model) = (&self.graph, self.shared.options.model);
        let before = self.invocations[place.invocation as usize].last;
        let seen: Vec<u32> = model.seen(graph, cell, before).collect();
        let hides = |by: u32, write: u32| by != write && is_behind(graph, model, by, write);
        let writes = &graph.cells[cell as usize].coherence[..floor - 1];
        writes.iter().all(|&write| seen.iter().any(|&by| hides(by, write)))
    }

    /// The order of the writes at `cell` may matter.
    pub(super) fn order_matters(&mut self, cell: u32) {
        let Graph { nodes, cells, reasons, .. } = &mut self.graph;
        for &write in &cells[cell as usize].coherence {
            reasons[write as usize] |= !nodes[write as usize].reads();
        }
    }

    /// The order of writes may matter that may be why `event`, which is last in the graph, cannot be.
    pub(super) fn blame_order(&mut self, event: u32) {
        if !self.puts_last() {
            return;
        }
        let node = &self.graph.nodes[event as usize];
        let is_alone = self.shared.alike[node.invocation as usize].is_empty();
        if is_alone && self.shared.options.model.refuses_by_location() {
            self.order_matters(node.cell);
        } else {
            (0..self.graph.cells.len() as u32).for_each(|cell| self.order_matters(cell));
        }
    }

    /// The order of writes at `cell` matters if the last could be one that leaves something else there.
    pub(super) fn look_at_last(&mut self, cell: u32) {
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
            self.order_matters(cell);
        }
    }
}

/// Whether `write` comes before `by`, or before what `by` follows directly since it is an update of that.
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
