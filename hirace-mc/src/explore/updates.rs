//! Updates that commute and whose answers nobody looks at: one order of them stands for all.
//!
//! Two that are neighbours in coherence order may be exchanged as long as nobody reads what the first leaves, and what
//! is there behind both is the same. So their order is tried otherwise only once somebody is there who could find some
//! of them done and others not: who reads the location or writes it otherwise, and is not ordered with all of them.
//! A counter that is set before a barrier and read behind one needs no order of what is added between.

use super::graph::{Label, Node};
use super::search::Search;
use crate::program::{Program, Update};

impl<P: Program> Search<'_, P> {
    /// Whether an execution in which the two have changed places is one with the same end, as far as is known.
    pub(super) fn may_exchange(&self, one: u32, other: u32) -> bool {
        let nodes = &self.graph.nodes;
        self.commute(&nodes[one as usize], &nodes[other as usize]) && !self.is_looked_at(one)
    }

    /// Takes it down that with `event`, which was added last, the order of updates at its location may matter.
    pub(super) fn distinguish(&mut self, event: u32) {
        let node = &self.graph.nodes[event as usize];
        let Some(cell) = self.graph.cells.get(node.cell as usize) else { return };
        let unknown = |update: &u32| is_unknown(&self.graph.nodes[*update as usize]);
        let updates: Vec<u32> = cell.coherence.iter().copied().filter(unknown).collect();
        if updates.iter().any(|&update| self.is_looked_at(update)) {
            for update in updates {
                self.graph.reasons[update as usize] = true;
            }
        }
    }

    /// Whether somebody at the location of `update` may come between it and those that commute with it.
    fn is_looked_at(&self, update: u32) -> bool {
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

    /// Whether two updates leave the same in either order, and nobody looks at what they found.
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
            (Update::Own(one), Update::Own(other)) => self.program.commute(one, other),
            _ => false,
        };
        same && is_unknown(one) && is_unknown(other)
    }
}

/// Whether nobody looks at what an update found.
fn is_unknown(node: &Node) -> bool {
    node.forgotten && node.writes
}
