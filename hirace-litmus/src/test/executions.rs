//! Enumeration of all consistent executions of a test by brute force: [`super::specification`] defines consistency.

use super::epochs::epochs;
use super::{Action, Outcome, Test, ThreadPlacement};
use std::collections::BTreeSet;

/// The result of all consistent executions of a test.
pub(super) struct Executions {
    pub outcomes: BTreeSet<Outcome>,
    /// Whether an execution has a data race between plain accesses.
    pub race: bool,
}

/// A relation between events: `relation[a][b]` is whether `a` is related to `b`.
type Relation = Vec<Vec<bool>>;

/// An operation of a thread.
struct Event<'a> {
    thread: usize,
    action: &'a Action,
    /// The number of barriers before the operation.
    epoch: usize,
}

impl Event<'_> {
    fn location(&self) -> Option<usize> {
        self.action.location().map(usize::from)
    }

    fn reads(&self) -> bool {
        matches!(self.action, Action::Read { .. } | Action::Add { .. }) || self.updates()
    }

    fn writes(&self) -> bool {
        matches!(self.action, Action::Write { .. } | Action::Add { .. }) || self.updates()
    }

    /// Returns whether the operation is a read-modify-write.
    fn updates(&self) -> bool {
        matches!(
            self.action,
            Action::Read { update: true, .. }
                | Action::Write { update: true, .. }
                | Action::Add { .. }
        )
    }

    /// Returns the value after the operation, if the location held `before` until then.
    fn value_after(&self, before: u32) -> u32 {
        match *self.action {
            Action::Write { value, .. } => value.into(),
            Action::Add { value, .. } => before.wrapping_add(value.into()),
            _ => before,
        }
    }
}

impl Executions {
    /// Enumerates the consistent executions of `test`. `fences` is whether fences between workgroups synchronize.
    pub fn of(test: &Test, fences: bool) -> Self {
        let events = events(test);
        let mut search = Search {
            test,
            program_order: program_order(&events),
            fences: fences && test.threads_in == ThreadPlacement::Workgroups,
            coherence: vec![Vec::new(); test.locations()],
            reads_from: vec![None; events.len()],
            found: Self { outcomes: BTreeSet::new(), race: false },
            events,
        };
        search.place_writes(0);
        search.found
    }
}

fn events(test: &Test) -> Vec<Event<'_>> {
    let threads = test.threads.iter().zip(epochs(test)).enumerate();
    threads
        .flat_map(|(thread, (actions, epochs))| {
            let events = actions.iter().zip(epochs);
            events.map(move |(action, epoch)| Event { thread, action, epoch })
        })
        .collect()
}

/// Returns program order and the order that barriers establish.
fn program_order(events: &[Event<'_>]) -> Relation {
    let is_before = |a: usize, b: usize| match events[a].thread == events[b].thread {
        true => a < b,
        false => events[a].epoch < events[b].epoch,
    };
    (0..events.len()).map(|a| (0..events.len()).map(|b| is_before(a, b)).collect()).collect()
}

struct Search<'a> {
    test: &'a Test,
    events: Vec<Event<'a>>,
    program_order: Relation,
    fences: bool,
    /// The writes of each location in coherence order.
    coherence: Vec<Vec<usize>>,
    /// The write that each pure read reads from; `None` is the initial value.
    reads_from: Vec<Option<usize>>,
    found: Executions,
}

impl Search<'_> {
    /// Tries all positions in coherence order for this event and each later one that writes.
    fn place_writes(&mut self, event: usize) {
        let Some(next) = (event..self.events.len()).find(|&event| self.events[event].writes())
        else {
            return self.choose_sources(0);
        };
        let Some(location) = self.events[next].location() else { return };
        for at in 0..=self.coherence[location].len() {
            self.coherence[location].insert(at, next);
            self.place_writes(next + 1);
            self.coherence[location].remove(at);
        }
    }

    /// Tries all writes that this event and each later event that only reads can read from.
    fn choose_sources(&mut self, event: usize) {
        let is_choice =
            |event: &usize| self.events[*event].reads() && !self.events[*event].updates();
        let Some(next) = (event..self.events.len()).find(is_choice) else {
            return self.record_execution();
        };
        let Some(location) = self.events[next].location() else { return };
        let writes = self.coherence[location].clone();
        for from in std::iter::once(None).chain(writes.into_iter().map(Some)) {
            self.reads_from[next] = from;
            self.choose_sources(next + 1);
        }
    }

    /// Returns the write that an event reads from; for an update that is the previous write in coherence order.
    fn source(&self, event: usize) -> Option<usize> {
        match self.events[event].updates() {
            true => self.position(event)?.checked_sub(1).map(|at| {
                self.events[event].location().map_or(0, |location| self.coherence[location][at])
            }),
            false => self.reads_from[event],
        }
    }

    /// Returns the position of a write in coherence order.
    fn position(&self, write: usize) -> Option<usize> {
        let writes = &self.coherence[self.events[write].location()?];
        writes.iter().position(|&other| other == write)
    }

    /// Records the outcome and races of the current execution, if it is consistent.
    fn record_execution(&mut self) {
        let Some(before) = self.happens_before() else { return };
        let communication = self.communication();
        let all = 0..self.events.len();
        let is_contradicted = |a: usize| all.clone().any(|b| before[a][b] && communication[b][a]);
        if all.clone().any(is_contradicted) {
            return;
        }
        let conflicts = |a: usize, b: usize| {
            let (one, other) = (&self.events[a], &self.events[b]);
            one.location().is_some()
                && one.location() == other.location()
                && one.thread != other.thread
                && (one.writes() || other.writes())
        };
        let races =
            |a: usize| all.clone().any(|b| conflicts(a, b) && !before[a][b] && !before[b][a]);
        self.found.race |= !self.test.memory.atomic && all.clone().any(races);
        let outcome = self.outcome();
        self.found.outcomes.insert(outcome);
    }

    /// Returns happens-before, or `None` if it has a cycle.
    fn happens_before(&self) -> Option<Relation> {
        let mut before = self.program_order.clone();
        if self.fences {
            for (first, second) in self.synchronized_fences() {
                before[first][second] = true;
            }
        }
        close_transitively(&mut before);
        (0..self.events.len()).all(|event| !before[event][event]).then_some(before)
    }

    /// Returns the pairs of fences that synchronize: a write after the first one is read by a read before the second
    /// one.
    fn synchronized_fences(&self) -> Vec<(usize, usize)> {
        let is_fence = |event: &usize| *self.events[*event].action == Action::Fence;
        let fences: Vec<usize> = (0..self.events.len()).filter(is_fence).collect();
        let mut pairs = Vec::new();
        for read in (0..self.events.len()).filter(|&event| self.events[event].reads()) {
            let mut source = self.source(read);
            while let Some(write) = source {
                let before =
                    fences.iter().filter(|&&fence| self.is_earlier_in_thread(fence, write));
                for &first in before {
                    let after =
                        fences.iter().filter(|&&fence| self.is_earlier_in_thread(read, fence));
                    pairs.extend(after.map(|&second| (first, second)));
                }
                // An update continues the release sequence of the write that it reads from.
                source = if self.events[write].updates() { self.source(write) } else { None };
            }
        }
        pairs
    }

    /// Returns whether `a` is before `b` in the same thread.
    fn is_earlier_in_thread(&self, a: usize, b: usize) -> bool {
        self.events[a].thread == self.events[b].thread && a < b
    }

    /// Returns the transitive closure of rf, co and fr.
    fn communication(&self) -> Relation {
        let mut relation = vec![vec![false; self.events.len()]; self.events.len()];
        for writes in &self.coherence {
            for pair in writes.windows(2) {
                relation[pair[0]][pair[1]] = true;
            }
        }
        for read in (0..self.events.len()).filter(|&event| self.events[event].reads()) {
            let source = self.source(read);
            if let Some(write) = source {
                relation[write][read] = true;
            }
            let Some(location) = self.events[read].location() else { continue };
            let next = source.and_then(|write| self.position(write)).map_or(0, |at| at + 1);
            if let Some(&write) = self.coherence[location].get(next)
                && write != read
            {
                relation[read][write] = true;
            }
        }
        close_transitively(&mut relation);
        relation
    }

    fn outcome(&self) -> Outcome {
        let mut values = vec![0; self.events.len()];
        let mut memory = vec![0; self.coherence.len()];
        for (location, writes) in self.coherence.iter().enumerate() {
            for &write in writes {
                memory[location] = self.events[write].value_after(memory[location]);
                values[write] = memory[location];
            }
        }
        let mut registers = vec![0; self.test.registers()];
        for (index, event) in self.events.iter().enumerate() {
            if let Some(register) = event.action.register() {
                registers[usize::from(register)] =
                    self.source(index).map_or(0, |write| values[write]);
            }
        }
        Outcome { registers, memory }
    }
}

/// Computes the transitive closure of a relation.
fn close_transitively(relation: &mut Relation) {
    for middle in 0..relation.len() {
        let after = relation[middle].clone();
        for row in relation.iter_mut().filter(|row| row[middle]) {
            for (is_related, via) in row.iter_mut().zip(&after) {
                *is_related |= via;
            }
        }
    }
}
