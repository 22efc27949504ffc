//! Maximal executions: counting them, checking their final state, and turning findings into plain data.

use super::execution::{Event, EventId, Execution, Finding, FindingKind, Source};
use super::search::{OperationId, Search};
use super::totals::key;
use crate::execution_graph::{INITIAL, Label, NONE, Node, PostponedRead};
use crate::program::{Operation, Program};
use std::cell::RefCell;

impl<P: Program> Search<'_, P> {
    /// Handles a graph to which nothing can be added: all invocations ended, or some wait forever, or reads were
    /// postponed in vain.
    pub(super) fn leaf(&mut self) {
        let Some(waited) = self.find_stuck_reads() else {
            self.totals.abandoned += 1;
            return;
        };
        let numbers = 0..self.invocations.len() as u32;
        let complete = numbers.clone().all(|number| {
            matches!(self.pending_operation(number), Some(Operation::End | Operation::Limit))
        });
        if complete {
            self.totals.executions += 1;
            self.check_postconditions();
        } else {
            self.totals.blocked += 1;
            self.report_divergence();
        }
        self.totals.bounded |=
            numbers.clone().any(|number| self.pending_operation(number) == Some(&Operation::Limit));
        self.report_from(0);
        if let Some(waited) = waited {
            let ids = waited.iter().map(|&(place, _)| id(place)).collect();
            self.find(
                FindingKind::NoTermination,
                ids,
                waited.iter().map(|&(_, site)| site).collect(),
            );
        }
        self.shared.count(self.graph.nodes.len());
        if let Some(visit) = self.shared.visit {
            (0..self.graph.cells.len() as u32).for_each(|cell| self.observe_final_value(cell));
            if visit(&self.execution()).is_break() {
                self.shared.stop();
            }
        }
    }

    /// Reports the postconditions that do not hold, if all invocations have ended.
    fn check_postconditions(&mut self) {
        let numbers = 0..self.invocations.len() as u32;
        if !numbers
            .into_iter()
            .all(|number| self.pending_operation(number) == Some(&Operation::End))
        {
            return;
        }
        let graph = &self.graph;
        let looked_at = RefCell::new(Vec::new());
        let held = |location| match graph.known_cell(location) {
            Some(cell) => {
                looked_at.borrow_mut().push(cell);
                graph.value(cell, graph.last(cell))
            }
            None => self.program.initial(location),
        };
        let unmet = self.program.failed_postconditions(&held);
        looked_at.into_inner().into_iter().for_each(|cell| self.observe_final_value(cell));
        for (claim, locations) in unmet {
            if !self.totals.unmet.insert(claim) {
                continue;
            }
            let cells =
                locations.into_iter().filter_map(|location| self.graph.known_cell(location));
            let mut writes: Vec<u32> = cells.map(|cell| self.graph.last(cell)).collect();
            writes.retain(|&write| write != INITIAL);
            let nodes = writes.iter().map(|&write| &self.graph.nodes[write as usize]);
            let place = |node: &Node| {
                let place = OperationId { invocation: node.invocation, index: node.index };
                (id(place), node.site)
            };
            let (events, sites) = nodes.map(place).unzip();
            self.found(FindingKind::Assertion, events, sites, Some(claim));
        }
    }

    /// Returns the operation at which an invocation stands, unless that is a postponed read.
    fn pending_operation(&self, number: u32) -> Option<&Operation> {
        let invocation = &self.invocations[number as usize];
        let stands = !invocation.held && invocation.overtaken.is_empty();
        stands.then_some(&invocation.step().operation)
    }

    /// Returns the reads on which invocations wait forever, with their sites. Returns `Some(None)` if there are none,
    /// or if one of the invocations would continue after reading a later value; `None` if a read was postponed in vain.
    fn find_stuck_reads(&mut self) -> Option<Option<Vec<(OperationId, u32)>>> {
        let mut waited = Vec::new();
        let mut latest = true;
        let has_postponed = |&cell: &usize| !self.graph.cells[cell].postponed.is_empty();
        let mut cells: Vec<usize> = (0..self.graph.cells.len()).filter(has_postponed).collect();
        // The number of a cell depends on how the search was split.
        cells.sort_unstable_by_key(|&cell| self.graph.cells[cell].location);
        for cell in cells {
            // `would_spin` removes the read from this list and restores it at the same position.
            for at in 0..self.graph.cells[cell].postponed.len() {
                let PostponedRead { invocation, index, .. } = self.graph.cells[cell].postponed[at];
                let place = OperationId { invocation, index };
                let on = self.would_spin(place, cell as u32)?;
                waited.push((place, self.step_at(place).site));
                let own = self.number(place);
                for number in on.into_iter().filter(|&number| number != own) {
                    latest &= self.is_latest(invocation, number, &mut waited);
                }
            }
        }
        for number in 0..self.invocations.len() as u32 {
            if let Some(Operation::Spins(on)) = self.pending_operation(number) {
                for read in on.clone() {
                    latest &= self.is_latest(number, read, &mut waited);
                }
            }
        }
        Some((latest && !waited.is_empty()).then_some(waited))
    }

    /// Returns whether an answered read took the last value of its location. Adds the read to `waited`.
    fn is_latest(
        &mut self,
        invocation: u32,
        number: u32,
        waited: &mut Vec<(OperationId, u32)>,
    ) -> bool {
        let read = self.graph.numbered[invocation as usize].get(number as usize);
        let Some(node) = read.and_then(|&read| self.graph.nodes.get(read as usize)) else {
            return false;
        };
        waited.push((OperationId { invocation, index: node.index }, node.site));
        let (cell, is_latest) = (node.cell, self.graph.last(node.cell) == node.from);
        self.mark_order_relevant(cell);
        is_latest
    }

    /// Returns the reads on which the invocation waits, if a postponed read that takes the last value of its location
    /// repeats a waiting loop.
    fn would_spin(&mut self, place: OperationId, cell: u32) -> Option<Vec<u32>> {
        if !self.shared.options.reductions.awaiting {
            return None;
        }
        let here = &self.graph.cells[cell as usize];
        let (last, mark, number) = (here.at(here.coherence.len()), self.mark(), self.number(place));
        let offers = self.offers.len();
        let position = here.coherence.len() + 1;
        self.add(place, cell, last, position)?;
        let spins = self.spins(place, number).cloned();
        self.undo_to(mark);
        self.offers.truncate(offers);
        spins
    }

    /// Reports each invocation that waits at a barrier that another invocation of its group can never reach.
    fn report_divergence(&mut self) {
        for number in 0..self.invocations.len() as u32 {
            let Some(&Operation::Barrier { group: waits, barrier, .. }) =
                self.pending_operation(number)
            else {
                continue;
            };
            let elsewhere = self.group(number, waits).into_iter().find(|&other| {
                match self.pending_operation(other) {
                    Some(Operation::End) => true,
                    Some(&Operation::Barrier { group: w, barrier: b, .. }) => {
                        (w, b) != (waits, barrier)
                    }
                    _ => false,
                }
            });
            if let Some(other) = elsewhere {
                let parts = [number, other].map(|number| {
                    let invocation = &self.invocations[number as usize];
                    (
                        id(OperationId { invocation: number, index: invocation.index }),
                        invocation.step().site,
                    )
                });
                self.find(
                    FindingKind::BarrierDivergence,
                    parts.map(|p| p.0).to_vec(),
                    parts.map(|p| p.1).to_vec(),
                );
            }
        }
    }

    /// Records the events with which `event`, the last one added, races, and whether it is a failed assertion. A prefix
    /// is enough for this in models where every prefix can be completed.
    pub(super) fn find_races_with(&mut self, event: u32) {
        let model = self.shared.options.model;
        let node = &self.graph.nodes[event as usize];
        let before = self.suspects.len();
        if node.label == Label::Fails {
            self.suspects.push((FindingKind::Assertion, event, event));
        } else if node.cell != NONE {
            let cell = &self.graph.cells[node.cell as usize];
            let alone = cell
                .reads
                .iter()
                .filter(|&&read| node.writes && !self.graph.nodes[read as usize].writes);
            for &other in cell.coherence.iter().chain(alone) {
                if other == event || model.is_ordered(&self.graph, other, event) {
                    continue;
                }
                let plain = |event: u32| self.graph.nodes[event as usize].label.atomic().is_none();
                if plain(event) || plain(other) {
                    self.suspects.push((FindingKind::DataRace, other, event));
                } else if !model.are_mutually_atomic(&self.graph, other, event) {
                    self.suspects.push((FindingKind::HeterogeneousRace, other, event));
                }
            }
        }
        if model.in_order() {
            self.report_from(before);
        }
    }

    /// Reports the suspects from index `first` on.
    pub(super) fn report_from(&mut self, first: usize) {
        for at in first..self.suspects.len() {
            let (kind, a, b) = self.suspects[at];
            self.report(kind, &[a, b]);
        }
    }

    fn report(&mut self, kind: FindingKind, events: &[u32]) {
        let node = |&event: &u32| &self.graph.nodes[event as usize];
        let count = if kind == FindingKind::Assertion { 1 } else { events.len() };
        let place = |event: &u32| OperationId {
            invocation: node(event).invocation,
            index: node(event).index,
        };
        let ids = events[..count].iter().map(|event| id(place(event))).collect();
        self.find(kind, ids, events[..count].iter().map(|event| node(event).site).collect());
    }

    fn find(&mut self, kind: FindingKind, events: Vec<EventId>, sites: Vec<u32>) {
        if self.totals.seen.insert((kind, key(&sites))) {
            self.found(kind, events, sites, None);
        }
    }

    fn found(
        &mut self,
        kind: FindingKind,
        events: Vec<EventId>,
        sites: Vec<u32>,
        claim: Option<u32>,
    ) {
        let execution = self.execution();
        self.totals.findings.push(Finding { kind, events, sites, claim, execution });
        if self.shared.options.first_finding {
            self.end();
        }
    }

    /// Converts the graph to plain data.
    fn execution(&self) -> Execution<P::State> {
        let graph = &self.graph;
        let id_of = |event: u32| {
            let node = &graph.nodes[event as usize];
            id(OperationId { invocation: node.invocation, index: node.index })
        };
        let event = |event: u32| {
            let node = &graph.nodes[event as usize];
            let source = || {
                if node.from == INITIAL { Source::Initial } else { Source::Event(id_of(node.from)) }
            };
            Event {
                id: id_of(event),
                operation: node.label.operation(),
                site: node.site,
                read: node.reads().then(|| (node.read, source())),
                wrote: node.writes.then_some(node.wrote),
            }
        };
        let made =
            |thread: &Vec<u32>| thread.iter().copied().filter(|&e| e != NONE).map(event).collect();
        let mut cells: Vec<_> = graph.cells.iter().enumerate().collect();
        cells.retain(|(_, cell)| !(cell.coherence.is_empty() && cell.reads.is_empty()));
        cells.sort_unstable_by_key(|(_, cell)| cell.location);
        let last = |number: usize| {
            let cell = &graph.cells[number];
            graph.value(number as u32, cell.at(cell.coherence.len()))
        };
        Execution {
            events: graph.threads.iter().map(made).collect(),
            coherence: cells
                .iter()
                .map(|(_, cell)| {
                    (cell.location, cell.coherence.iter().map(|&write| id_of(write)).collect())
                })
                .collect(),
            order: (0..graph.nodes.len() as u32).map(id_of).collect(),
            memory: cells.iter().map(|&(number, cell)| (cell.location, last(number))).collect(),
            states: self
                .invocations
                .iter()
                .map(|invocation| invocation.first_pending_state().clone())
                .collect(),
        }
    }
}

fn id(place: OperationId) -> EventId {
    EventId { invocation: place.invocation, index: place.index }
}
