//! Adding events to the graph, updating postponed reads, and undoing both.

use super::search::{OperationId, Search, Undo};
use super::symmetry;
use crate::execution_graph::{Label, NONE, Node, PostponedRead};
use crate::program::{Program, Scope, Value};

impl<P: Program> Search<'_, P> {
    /// Adds an event if the graph is consistent with it. Returns the event.
    pub(super) fn add(
        &mut self,
        place: OperationId,
        cell: u32,
        from: u32,
        position: usize,
    ) -> Option<u32> {
        let model = self.shared.options.model;
        let invocation = &self.invocations[place.invocation as usize];
        let slot = invocation.slot(place.index);
        let (step, number) =
            slot.map_or((invocation.step(), invocation.reads), |slot| (&slot.at.step, slot.number));
        let label = Label::of(&step.operation)?;
        let found = if from == NONE { 0 } else { self.graph.value(cell, from) };
        let (read, wrote) = match label {
            Label::Write(_, value) => (0, Some(value)),
            Label::Update(_, update) => {
                (found, update.apply(found, |number| self.program.apply_custom(number, found)))
            }
            _ => (found, None),
        };
        let label = if wrote.is_none() { label.failed() } else { label };
        let node = Node {
            invocation: place.invocation,
            index: place.index,
            site: step.site,
            label,
            cell,
            from,
            read,
            wrote: wrote.unwrap_or(0),
            writes: wrote.is_some(),
            is_result_unused: self.forgets(place, label),
            before: invocation.last,
            barrier: invocation.barrier,
            fence: invocation.fence,
        };
        let taken = if node.writes && node.reads() { self.graph.taken(cell, from) } else { None };
        let (reads, writes) = (node.reads(), node.writes);
        let event = self.graph.push(node, position, number);
        model.order(&mut self.graph, event, &step.depends);
        let others = &self.shared.alike[place.invocation as usize];
        let is_kept = others.is_empty() || symmetry::is_kept(&self.graph, place.invocation, others);
        if taken.is_some() || !is_kept || !model.is_consistent(&self.graph, event) {
            self.mark_suspect_reads(event, taken);
            if taken.is_none() {
                self.mark_order_relevant_to_refusal(event);
            }
            self.graph.pop();
            return None;
        }
        let suspects = self.suspects.len();
        let postponed = if reads { self.take_up(place, cell) } else { None };
        self.advance(place, event, reads.then_some(read), suspects, postponed);
        self.distinguish(event);
        if writes {
            self.announce(event);
        }
        self.find_races_with(event);
        Some(event)
    }

    /// Advances the invocation past the operation that has become `event`.
    fn advance(
        &mut self,
        place: OperationId,
        event: u32,
        answer: Option<Value>,
        suspects: usize,
        postponed: Option<(usize, PostponedRead)>,
    ) {
        let number = place.invocation as usize;
        let invocation = &self.invocations[number];
        let after = if invocation.overtaken.is_empty() {
            invocation.after(self.histories, number, event, answer)
        } else {
            let mut after = invocation.clone();
            if !after.done(self.histories, number, &self.graph, place.index, event) {
                let site = self.graph.nodes[event as usize].site;
                self.refuse(place.invocation, site);
            }
            after
        };
        let before = std::mem::replace(&mut self.invocations[number], after);
        self.trail.push(Undo::Event { invocation: place.invocation, before, suspects, postponed });
    }

    /// Advances all invocations of a group past the barrier at which they wait. Returns false if one of them does not
    /// request an event.
    pub(super) fn pass_barrier(&mut self, invocation: u32, waits: Scope) -> bool {
        let waiting = self.group(invocation, waits);
        let first = self.graph.nodes.len() as u32;
        for &number in &waiting {
            let invocation = &self.invocations[number as usize];
            let Some(label) = Label::of(&invocation.step().operation) else { return false };
            let place = OperationId { invocation: number, index: invocation.index };
            let node = Node {
                invocation: number,
                index: invocation.index,
                site: invocation.step().site,
                label,
                cell: NONE,
                from: first,
                read: waiting.len() as Value,
                wrote: 0,
                writes: false,
                is_result_unused: false,
                before: invocation.last,
                barrier: invocation.barrier,
                fence: invocation.fence,
            };
            let event = self.graph.push(node, 0, 0);
            self.shared.options.model.meet(&mut self.graph, event, first, &waiting);
            self.advance(place, event, None, self.suspects.len(), None);
        }
        true
    }

    /// Removes the read from the postponed reads of the cell, if it is one of them. Returns its position there.
    fn take_up(&mut self, place: OperationId, cell: u32) -> Option<(usize, PostponedRead)> {
        let at = self.postponed_at(place, cell)?;
        Some((at, self.graph.cells[cell as usize].postponed.remove(at)))
    }

    /// Returns the position of a read among the postponed reads of the cell.
    pub(super) fn postponed_at(&self, place: OperationId, cell: u32) -> Option<usize> {
        let is_it = |other: &PostponedRead| {
            (other.invocation, other.index) == (place.invocation, place.index)
        };
        self.graph.cells[cell as usize].postponed.iter().position(is_it)
    }

    /// Processes a new write: marks the reads that could have taken it as worth postponing, and offers it to the reads
    /// that are postponed.
    fn announce(&mut self, write: u32) {
        let node = &self.graph.nodes[write as usize];
        let cell = &self.graph.cells[node.cell as usize];
        for &read in
            cell.reads.iter().filter(|&&read| read != write && !self.graph.causes.has(write, read))
        {
            let reader = &self.graph.nodes[read as usize];
            let could = reader.invocation != node.invocation || reader.index > node.index;
            let in_vain = if reader.writes {
                self.may_exchange(read, write)
            } else {
                reader.is_result_unused
            };
            if could && !in_vain {
                self.graph.backtrack[read as usize] = true;
            }
        }
        let number = node.cell;
        for at in 0..cell.postponed.len() {
            let PostponedRead { invocation, index, polls } =
                self.graph.cells[number as usize].postponed[at];
            let place = OperationId { invocation, index };
            self.offers.push((write, place));
            if let Some(from) = polls {
                self.mark_order_relevant(number);
                self.poll(place, number, from);
            }
        }
    }

    /// Marks the reads that may be the cause for refusing `event`, the last event of the graph, as worth postponing.
    fn mark_suspect_reads(&mut self, event: u32, taken: Option<u32>) {
        let (graph, model) = (&self.graph, self.shared.options.model);
        let node = &graph.nodes[event as usize];
        let others = &self.shared.alike[node.invocation as usize];
        let may_refuse = |&read: &u32| {
            let other = &graph.nodes[read as usize];
            other.reads()
                && (others.contains(&other.invocation) || model.may_refuse(graph, read, node))
        };
        let to_blame: Vec<u32> = match taken {
            Some(taken) if self.may_exchange(taken, event) => return,
            Some(taken) => vec![taken],
            None if others.is_empty() && model.refuses_by_location() => {
                let cell = graph.cells.get(node.cell as usize);
                let reads = cell.into_iter().flat_map(|cell| &cell.reads).copied();
                reads.filter(|&read| read != event).filter(may_refuse).collect()
            }
            None => (0..event).filter(may_refuse).collect(),
        };
        let open = |other| to_blame.iter().any(|&r| r == other || graph.causes.has(other, r));
        if taken.is_none() && model.refuses_without(graph, event, open) {
            return;
        }
        for read in to_blame {
            if !self.graph.causes.has(event, read) {
                self.graph.backtrack[read as usize] = true;
            }
        }
    }

    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    pub(super) fn undo_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Event { invocation, before, suspects, postponed }) => {
                    let cell = self.graph.nodes.last().map_or(NONE, |node| node.cell);
                    self.graph.pop();
                    if let Some((at, postponed)) = postponed {
                        self.graph.cells[cell as usize].postponed.insert(at, postponed);
                    }
                    self.suspects.truncate(suspects);
                    self.invocations[invocation as usize] = before;
                }
                Some(Undo::Polls { cell, at }) => {
                    self.graph.cells[cell as usize].postponed[at].polls = None
                }
                Some(Undo::Postponed { invocation, before, cell }) => {
                    self.graph.cells[cell as usize].postponed.pop();
                    self.invocations[invocation as usize] = before;
                }
                None => {}
            }
        }
    }

    /// Checks whether a new write races with the read of a waiting loop, when that read takes its earlier value `from`.
    fn poll(&mut self, place: OperationId, cell: u32, from: u32) {
        let (mark, suspects) = (self.trail.len(), self.suspects.len());
        let reads_alone = matches!(Label::of(&self.step_at(place).operation), Some(Label::Read(_)));
        if reads_alone && self.add(place, cell, from, 0).is_some() {
            self.report_from(suspects);
            self.undo_to(mark);
        }
    }
}
