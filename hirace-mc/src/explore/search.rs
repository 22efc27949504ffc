//! The search: makes each choice in order, explores what follows from it, and backtracks.

use super::history::{StateCache, is_read};
use super::invocation::{Invocation, OperationStatus};
use super::shared::{Position, Shared, Split};
use super::totals::Totals;
use super::{FindingKind, Outcome};
use crate::execution_graph::{Graph, Label, NONE, PostponedRead};
use crate::program::{Operation, Program, Scope, Step, Update};

/// An operation of an invocation, identified by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OperationId {
    pub(super) invocation: u32,
    pub(super) index: u32,
}

/// The state of a search: an execution under construction, and what is needed to backtrack.
pub(super) struct Search<'a, P: Program> {
    pub(super) program: &'a P,
    pub(super) histories: &'a StateCache<'a, P>,
    pub(super) shared: &'a Shared<'a, P::State>,
    pub(super) graph: Graph,
    pub(super) invocations: Vec<Invocation<P::State>>,
    /// Pairs of events that race in the graph.
    pub(super) suspects: Vec<(FindingKind, u32, u32)>,
    pub(super) totals: Totals<P::State>,
    /// The remaining number of nested choices that may be split among threads.
    forks: u32,
    position: Position,
    /// Whether something ended the search at this position.
    has_ended: bool,
    /// New writes with the postponed reads that may take them. `offered` counts the entries that have been processed.
    pub(super) offers: Vec<(u32, OperationId)>,
    pub(super) processed_offers: usize,
    pub(super) trail: Vec<Undo<P::State>>,
}

/// A change that backtracking undoes.
pub(super) enum Undo<S> {
    /// An event was added. Holds the invocation before it, the number of suspects before it, and the position of the
    /// read among the postponed reads if it was one.
    Event {
        invocation: u32,
        before: Invocation<S>,
        suspects: usize,
        postponed: Option<(usize, PostponedRead)>,
    },
    /// The postponed read at this position of the cell was found to poll.
    Polls { cell: u32, at: usize },
    /// A read at this cell was postponed.
    Postponed { invocation: u32, before: Invocation<S>, cell: u32 },
}

impl<'a, P: Program> Search<'a, P> {
    pub(super) fn new(
        program: &'a P,
        histories: &'a StateCache<'a, P>,
        shared: &'a Shared<'a, P::State>,
        forks: u32,
    ) -> Self {
        let scope_positions = program.invocations();
        Self {
            program,
            histories,
            shared,
            graph: Graph::new(scope_positions, shared.options.model.classes(program.classes())),
            invocations: (0..scope_positions.len())
                .map(|number| Invocation::new(histories, number))
                .collect(),
            suspects: Vec::new(),
            totals: Totals::default(),
            forks,
            position: Position::default(),
            has_ended: false,
            offers: Vec::new(),
            processed_offers: 0,
            trail: Vec::new(),
        }
    }

    /// Returns a copy of the search at the same point, with empty totals and an empty undo trail.
    fn fork(&self, position: Position) -> Self {
        Self {
            program: self.program,
            histories: self.histories,
            shared: self.shared,
            graph: self.graph.clone(),
            invocations: self.invocations.clone(),
            suspects: self.suspects.clone(),
            totals: Totals::default(),
            forks: self.forks - 1,
            position,
            has_ended: self.has_ended,
            offers: self.offers.clone(),
            processed_offers: self.processed_offers,
            trail: Vec::new(),
        }
    }

    /// Ends the search after the current event.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.position.end_search();
    }

    /// Ends the search, because the model or the program does not define an operation.
    pub(super) fn refuse(&mut self, invocation: u32, site: u32) {
        self.totals.refused.get_or_insert(Outcome::Inexpressible { invocation, site });
        self.end();
    }

    /// Returns whether the search ended here or at an earlier position, or was stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.has_ended || self.shared.is_stopped() || self.position.is_after_end()
    }

    /// Explores all executions that extend the current graph, and restores the graph.
    pub(super) fn run(&mut self) {
        let mark = self.trail.len();
        while !self.is_stopped() {
            let goes_on = if let Some(&(write, place)) = self.offers.get(self.processed_offers) {
                self.processed_offers += 1;
                self.offer(write, place)
            } else if let Some(place) = self.next() {
                self.step(place)
            } else {
                self.leaf();
                false
            };
            if !goes_on {
                break;
            }
        }
        self.undo_to(mark);
    }

    /// Selects the next operation: operations that neither read nor wait come first, so that reads find as many writes
    /// as possible.
    fn next(&mut self) -> Option<OperationId> {
        let mut reading = None;
        let mut meeting = None;
        for number in 0..self.invocations.len() {
            let invocation = &mut self.invocations[number];
            let place = |index| OperationId { invocation: number as u32, index };
            if !invocation.overtaken.is_empty() {
                if let Some(index) = invocation.next_ready(self.histories, number) {
                    match invocation.slot(index).is_some_and(|slot| is_read(&slot.at.step)) {
                        true => reading = reading.or(Some(place(index))),
                        false => return Some(place(index)),
                    }
                }
                continue;
            }
            match invocation.step().operation {
                _ if invocation.held => {}
                Operation::End | Operation::Limit | Operation::Spins(_) => {}
                Operation::Barrier { .. } => meeting = meeting.or(Some(place(invocation.index))),
                Operation::Read(_) | Operation::Update(..) => {
                    reading = reading.or(Some(place(invocation.index)))
                }
                _ => return Some(place(invocation.index)),
            }
        }
        reading.or_else(|| meeting.and_then(|_| self.next_meeting()))
    }

    /// Returns an invocation at a barrier that all invocations of its group have reached.
    fn next_meeting(&self) -> Option<OperationId> {
        (0..self.invocations.len()).find_map(|number| {
            let invocation = &self.invocations[number];
            let Operation::Barrier { group: waits, barrier, .. } = invocation.step().operation
            else {
                return None;
            };
            let is_there = |other: &u32| {
                let other = &self.invocations[*other as usize];
                let Operation::Barrier { group: w, barrier: b, .. } = other.step().operation else {
                    return false;
                };
                (w, b) == (waits, barrier) && other.overtaken.is_empty()
            };
            let all = self.group(number as u32, waits).iter().all(is_there);
            all.then_some(OperationId { invocation: number as u32, index: invocation.index })
        })
    }

    /// Returns the invocations in the same instance of `scope`, ascending.
    pub(super) fn group(&self, invocation: u32, scope: Scope) -> Vec<u32> {
        let own = self.graph.scope_positions[invocation as usize];
        let all = 0..self.invocations.len() as u32;
        all.filter(|&other| own.share(self.graph.scope_positions[other as usize], scope)).collect()
    }

    /// Executes the operation. Returns whether the search goes on from the current graph; false means that all its
    /// extensions have been explored.
    fn step(&mut self, place: OperationId) -> bool {
        let step = self.step_at(place);
        let Some(label) = Label::of(&step.operation) else { return false };
        if !self.shared.options.model.expresses(label) {
            let site = step.site;
            self.refuse(place.invocation, site);
            return false;
        }
        let initial = |location| self.program.initial(location);
        let cell = label.access().map_or(NONE, |access| self.graph.cell(access, initial));
        match label {
            Label::Barrier { waits, .. } => self.pass_barrier(place.invocation, waits),
            Label::Fence(_) | Label::ToDevice { .. } | Label::Fails => {
                self.add(place, NONE, NONE, 0).is_some()
            }
            Label::Write(..) => self.write(place, cell),
            Label::Read(_) | Label::Update(..) => self.read(place, cell, label),
        }
    }

    fn floor(&self, place: OperationId, cell: u32) -> usize {
        let before = self.invocations[place.invocation as usize].last;
        self.shared.options.model.floor(&self.graph, cell, before)
    }

    fn write(&mut self, place: OperationId, cell: u32) -> bool {
        let parts = |at: usize| {
            let cell = &self.graph.cells[cell as usize];
            let next = cell.coherence.get(at).map(|&next| &self.graph.nodes[next as usize]);
            next.is_some_and(|next| next.reads() && next.from == cell.at(at))
        };
        let (floor, last) =
            (self.floor(place, cell), self.graph.cells[cell as usize].coherence.len());
        if (floor..last).all(parts) {
            let added = self.add(place, cell, NONE, last + 1).is_some();
            self.totals.abandoned += u64::from(!added);
            return added;
        }
        let mut after: Vec<usize> = (floor..=last).filter(|&at| !parts(at)).collect();
        after.reverse();
        if self.puts_last() && after.len() > 1 {
            let last = self.attempt(place, cell, NONE, after.remove(0) + 1);
            if last.taken > 0 && !last.reason {
                return false;
            }
        }
        self.choose(place, cell, &after, |_, after| (NONE, after + 1));
        false
    }

    fn read(&mut self, place: OperationId, cell: u32, label: Label) -> bool {
        let (floor, last) =
            (self.floor(place, cell), self.graph.cells[cell as usize].coherence.len());
        self.mark_order_relevant_to_read(place, cell, floor);
        let meaning = |search: &Self, position: usize| {
            (search.graph.cells[cell as usize].at(position), position + 1)
        };
        let mut tried = AttemptResult::default();
        if matches!(label, Label::Read(_)) && self.forgets(place, label) {
            for position in floor..=last {
                let (from, position) = meaning(self, position);
                let one = self.attempt(place, cell, from, position);
                if one.taken > 0 && !one.reason {
                    return false;
                }
                tried.add(one);
            }
        } else if last == floor {
            let (from, position) = meaning(self, last);
            tried = self.attempt(place, cell, from, position);
        } else {
            // The oldest write first: late visibility of other invocations' writes is the most likely cause of a
            // finding.
            let positions: Vec<usize> = (floor..=last).collect();
            tried = self.choose(place, cell, &positions, meaning);
        }
        let postponed =
            !self.is_stopped() && (tried.reason || tried.spun.is_some() || tried.taken == 0);
        if postponed {
            self.postpone(place, cell, tried.spun);
        }
        postponed
    }

    /// Explores all executions in which the operation takes one of these choices: the write that it reads from, and its
    /// coherence position if it writes.
    fn choose(
        &mut self,
        place: OperationId,
        cell: u32,
        choices: &[usize],
        meaning: impl Fn(&Self, usize) -> (u32, usize) + Sync + Send,
    ) -> AttemptResult {
        let mut tried = AttemptResult::default();
        if choices.len() > 1 && self.forks > 0 && self.shared.splits(self.graph.nodes.len()) {
            let (here, split) = (&*self, Split::new());
            let choices: Vec<(usize, usize)> = choices.iter().copied().enumerate().collect();
            let parts = self.shared.each(&choices, |&(index, choice)| {
                let mut part = here.fork(here.position.item(index, &split));
                let (from, position) = meaning(here, choice);
                let tried = part.attempt(place, cell, from, position);
                (tried, part.totals, part.graph.backtrack)
            });
            self.has_ended |= split.end().is_some();
            for (part, totals, reasons) in
                parts.into_iter().take(split.end().map_or(usize::MAX, |last| last + 1))
            {
                tried.add(part);
                self.totals.add(totals);
                self.graph
                    .backtrack
                    .iter_mut()
                    .zip(reasons)
                    .for_each(|(into, reason)| *into |= reason);
            }
            return tried;
        }
        for &choice in choices {
            let (from, position) = meaning(self, choice);
            tried.add(self.attempt(place, cell, from, position));
        }
        tried
    }

    /// Explores all executions in which the operation is this event, if the event is consistent.
    fn attempt(
        &mut self,
        place: OperationId,
        cell: u32,
        from: u32,
        position: usize,
    ) -> AttemptResult {
        if self.is_stopped() {
            return AttemptResult::default();
        }
        let mark = self.trail.len();
        let (offers, offered) = (self.offers.len(), self.processed_offers);
        let number = self.number(place);
        let suspects = self.suspects.len();
        let mut tried = AttemptResult::default();
        if let Some(event) = self.add(place, cell, from, position) {
            if self.shared.options.reductions.awaiting && self.spins(place, number).is_some() {
                tried.spun = Some(from);
                self.report_from(suspects);
            } else {
                self.run();
                tried.taken = 1;
                tried.reason = self.graph.backtrack[event as usize];
            }
            self.undo_to(mark);
        }
        self.offers.truncate(offers);
        self.processed_offers = offered;
        tried
    }

    /// Returns the reads on which the invocation waits if its next step is another iteration of a waiting loop and the
    /// read that was just answered is among them.
    pub(super) fn spins(&self, place: OperationId, number: u32) -> Option<&Vec<u32>> {
        let invocation = &self.invocations[place.invocation as usize];
        match &invocation.step().operation {
            Operation::Spins(on) if invocation.overtaken.is_empty() && on.contains(&number) => {
                Some(on)
            }
            _ => None,
        }
    }

    /// Returns whether the result of the operation is unused and a reduction makes use of that.
    pub(super) fn forgets(&self, place: OperationId, label: Label) -> bool {
        let options = self.shared.options;
        let invocation = &self.invocations[place.invocation as usize];
        let is_used = match label {
            Label::Read(_) => options.reductions.values,
            // A compare-exchange may fail, and is then only a read.
            Label::Update(_, Update::CompareExchange { .. }) => false,
            // An earlier operation that is still pending may access the same location, and would then be ordered before
            // this one.
            Label::Update(..) => {
                options.reductions.updates
                    && options.model.updates_order_nothing()
                    && place.index == invocation.first()
            }
            _ => false,
        };
        let at = invocation.slot(place.index).map_or(&invocation.at, |slot| &slot.at);
        is_used && self.histories.forgets(at, place.invocation as usize)
    }

    /// Returns the operation at `place`, which has not been executed yet.
    pub(super) fn step_at(&self, place: OperationId) -> &Step {
        let invocation = &self.invocations[place.invocation as usize];
        invocation.slot(place.index).map_or(invocation.step(), |slot| &slot.at.step)
    }

    /// Returns the index of the operation among the invocation's reads, provided that it is a read.
    pub(super) fn number(&self, place: OperationId) -> u32 {
        let invocation = &self.invocations[place.invocation as usize];
        invocation.slot(place.index).map_or(invocation.reads, |slot| slot.number)
    }

    /// Lets a postponed read take a new write. Returns whether the read may also be postponed further.
    fn offer(&mut self, write: u32, place: OperationId) -> bool {
        let cell = self.graph.nodes[write as usize].cell;
        let position = self.graph.cells[cell as usize].position(write);
        let Some(at) = self.postponed_at(place, cell) else { return true };
        let floor = self.floor(place, cell);
        self.mark_order_relevant_to_read(place, cell, floor);
        if position < floor {
            return true;
        }
        let tried = self.attempt(place, cell, write, position + 1);
        let here = &mut self.graph.cells[cell as usize];
        let polls = &mut here.postponed[at].polls;
        if polls.is_none() && tried.spun.is_some() {
            *polls = tried.spun;
            self.trail.push(Undo::Polls { cell, at });
            self.mark_order_relevant(cell);
        }
        let here = &self.graph.cells[cell as usize];
        let polls = here.postponed[at].polls;
        // The coherence-last value may keep the loop waiting forever.
        let may_wait = polls.is_some() && position < here.coherence.len();
        let is_offered_more =
            self.offers[self.processed_offers..].iter().any(|&(_, other)| other == place);
        tried.reason || tried.taken == 0 || is_offered_more || may_wait
    }

    fn postpone(&mut self, place: OperationId, cell: u32, polls: Option<u32>) {
        let number = place.invocation as usize;
        let invocation = &mut self.invocations[number];
        let before = invocation.clone();
        if self.shared.options.model.in_order() {
            invocation.held = true;
        } else if invocation.slot(place.index).is_some() {
            let at = place.index - invocation.first();
            invocation.overtaken[at as usize].status = OperationStatus::Postponed;
        } else {
            invocation.overtake(self.histories, number, OperationStatus::Postponed);
        }
        let postponed = PostponedRead { invocation: place.invocation, index: place.index, polls };
        self.graph.cells[cell as usize].postponed.push(postponed);
        if polls.is_some() {
            self.mark_order_relevant(cell);
        }
        self.trail.push(Undo::Postponed { invocation: place.invocation, before, cell });
    }
}

/// The result of trying one or more choices.
#[derive(Clone, Copy, Debug, Default)]
struct AttemptResult {
    /// The number of choices that were consistent.
    taken: usize,
    /// The write whose value repeats a waiting loop, if there is one; of several, the first that was tried.
    spun: Option<u32>,
    /// Whether the exploration found a reason to postpone the read.
    reason: bool,
}

impl AttemptResult {
    fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.spun = self.spun.or(other.spun);
        self.reason |= other.reason;
    }
}
