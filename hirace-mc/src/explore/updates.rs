//! A reduction: of updates that commute and whose results are unused, one order is explored.
//!
//! Two such updates that are adjacent in coherence order can be exchanged as long as no read takes the value between
//! them: memory after both is the same. Other orders are therefore explored only after an access appears that could
//! observe some of the updates and not others: a read of the location, or a write other than these updates, that is not
//! ordered with all of them. For example, a counter that is set before a barrier and read after the next one needs no
//! order of the additions in between.

use super::search::Search;
use crate::execution_graph::{Label, Node};
use crate::program::{Program, Update};

impl<P: Program> Search<'_, P> {
    /// Returns whether exchanging the two updates gives an execution with the same final state, as far as is known.
    pub(super) fn may_exchange(&self, one: u32, other: u32) -> bool {
        let nodes = &self.graph.nodes;
        self.commute(&nodes[one as usize], &nodes[other as usize]) && !self.is_observed(one)
    }

    /// Records that the order of updates at the location of `event`, which was added last, may matter.
    pub(super) fn distinguish(&mut self, event: u32) {
        let node = &self.graph.nodes[event as usize];
        let Some(cell) = self.graph.cells.get(node.cell as usize) else { return };
        let unknown = |update: &u32| is_unknown(&self.graph.nodes[*update as usize]);
        let updates: Vec<u32> = cell.coherence.iter().copied().filter(unknown).collect();
        if updates.iter().any(|&update| self.is_observed(update)) {
            for update in updates {
                self.graph.backtrack[update as usize] = true;
            }
        }
    }

    /// Returns whether an access to the location of `update` may be ordered between it and the updates that commute
    /// with it.
    fn is_observed(&self, update: u32) -> bool {
        let (graph, model) = (&self.graph, self.shared.options.model);
        let node = |event: u32| &graph.nodes[event as usize];
        let cell = &graph.cells[node(update).cell as usize];
        let reads = cell.reads.iter().filter(|&&read| !node(read).writes);
        let all: Vec<u32> = cell.coherence.iter().chain(reads).copied().collect();
        let (alike, others): (Vec<u32>, Vec<u32>) =
            all.into_iter().partition(|&event| self.commute(node(update), node(event)));
        others.iter().any(|&other| {
            alike.iter().any(|&one| !model.ordered(graph, one.min(other), one.max(other)))
        })
    }

    /// Returns whether two updates store the same value in either order, and their results are unused.
    fn commute(&self, one: &Node, other: &Node) -> bool {
        let (Label::Update(_, one_does), Label::Update(_, other_does)) = (one.label, other.label)
        else {
            return false;
        };
        let same = match (one_does, other_does) {
            (Update::Add(_, bits), Update::Add(_, others)) => bits == others,
            (Update::Min(_), Update::Min(_))
            | (Update::Max(_), Update::Max(_))
            | (Update::And(_), Update::And(_))
            | (Update::Or(_), Update::Or(_))
            | (Update::Xor(_), Update::Xor(_)) => true,
            (Update::Custom(one), Update::Custom(other)) => self.program.commute(one, other),
            _ => false,
        };
        same && is_unknown(one) && is_unknown(other)
    }
}

/// Returns whether an update writes and its result is unused.
fn is_unknown(node: &Node) -> bool {
    node.is_result_unused && node.writes
}
