//! Happens-before cycles, and the tests made from them.
//!
//! The events of a cycle form a ring. Two consecutive events of one thread are related by program order. Two
//! consecutive events of different threads are related by communication: reads-from, from-reads or coherence order,
//! depending on whether they read or write. The condition of the test is what an observer sees if all communications of
//! the cycle occurred (MC Mutants, Sec. 3; Alglave, Maranget, Tautschnig: Herding Cats, TOPLAS 2014).

use super::{Action, Condition};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Read,
    Write,
}

/// An event of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub does: AccessKind,
    pub thread: usize,
    pub location: u8,
    /// Whether the event is a read-modify-write.
    pub update: bool,
}

/// The rule that assigns the values 1, 2, … to writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueNumbering {
    /// In the order of the cycle.
    InOrder,
    /// Per location, in the coherence order of the cycle.
    ByLocation,
    /// As `ByLocation`, but a value that an earlier write of the cycle has is replaced by the next unused value.
    ByLocationDistinct,
}

/// A cycle over two threads: the events in the order of the ring, those of thread 0 first.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub events: Vec<Event>,
    pub numbering: ValueNumbering,
}

/// The threads and the condition of a test.
pub(super) struct TestBody {
    pub threads: Vec<Vec<Action>>,
    pub condition: Condition,
}

impl Cycle {
    /// Returns the test in which each thread performs its events in the order of `program`, a list of indices of
    /// events. Threads in `fenced` have a fence between their events. The condition refers to the events, in whatever
    /// order they are performed.
    pub fn test_body(&self, program: &[usize], fenced: [bool; 2]) -> TestBody {
        let values = self.values();
        let mut threads = vec![Vec::new(), Vec::new()];
        let reads = |count: usize| {
            let read = |event: &&Event| event.does == AccessKind::Read;
            self.events[..count].iter().filter(read).count() as u8
        };
        let registers: Vec<u8> = (0..self.events.len()).map(reads).collect();
        let mut next = reads(self.events.len());
        for &index in program {
            let Event { does, thread, location, update } = self.events[index];
            if fenced[thread] && !threads[thread].is_empty() {
                threads[thread].push(Action::Fence);
            }
            threads[thread].push(match does {
                AccessKind::Write => Action::Write { location, value: values[index], update },
                AccessKind::Read => Action::Read { location, register: registers[index], update },
            });
        }
        let mut all = Vec::new();
        for (from, to) in self.communications() {
            match (self.events[from].does, self.events[to].does) {
                (AccessKind::Write, AccessKind::Read) => {
                    all.push(Condition::Register(registers[to], values[from].into()));
                }
                (AccessKind::Read, _) => {
                    let seen = self.seen_instead(from, to, program, &values);
                    all.push(Condition::Register(registers[from], seen.into()));
                }
                (AccessKind::Write, AccessKind::Write) => {}
            }
        }
        for chain in self.chains() {
            let (last, before) = chain.split_last().expect("a chain has two writes at least");
            let location = self.events[*last].location;
            if before.len() > 1 {
                // The final memory shows which of three writes came last, but not the order of the others.
                let update = |at: usize| at + 1 == before.len() && self.has_updates();
                let reads = before.iter().enumerate().map(|(at, write)| {
                    all.push(Condition::Register(next, values[*write].into()));
                    next += 1;
                    Action::Read { location, register: next - 1, update: update(at) }
                });
                threads.push(reads.collect());
            }
            all.push(Condition::Memory(location, values[*last].into()));
        }
        TestBody { threads, condition: Condition::All(all) }
    }

    fn has_updates(&self) -> bool {
        self.events.iter().any(|event| event.update)
    }

    /// Returns the value of each write; 0 for reads.
    fn values(&self) -> Vec<u8> {
        let mut values = vec![0; self.events.len()];
        let chains = self.chains();
        let place = |write: usize| {
            let mut places = chains.iter().map(|chain| chain.iter().position(|at| *at == write));
            places.find_map(|at| at).unwrap_or(0) as u8 + 1
        };
        let writes = (0..self.events.len()).filter(|at| self.events[*at].does == AccessKind::Write);
        let mut greatest = 0;
        for write in writes {
            let place = place(write);
            values[write] = match self.numbering {
                ValueNumbering::InOrder => greatest + 1,
                ValueNumbering::ByLocationDistinct if values.contains(&place) => greatest + 1,
                ValueNumbering::ByLocationDistinct | ValueNumbering::ByLocation => place,
            };
            greatest = greatest.max(values[write]);
        }
        values
    }

    /// Returns the pairs of consecutive events of different threads.
    fn communications(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let count = self.events.len();
        let pairs = (0..count).map(move |index| (index, (index + 1) % count));
        pairs.filter(|(from, to)| self.events[*from].thread != self.events[*to].thread)
    }

    /// Returns the value that a read sees if it comes before a write of another thread: the initial value. If its own
    /// thread wrote the location before, the initial value would violate coherence of that thread alone; the read then
    /// sees the other thread's write, which precedes its own thread's write in the cycle.
    fn seen_instead(&self, read: usize, write: usize, program: &[usize], values: &[u8]) -> u8 {
        let Event { thread, location, .. } = self.events[read];
        let earlier = program.iter().take_while(|index| **index != read);
        let is_own = |index: &usize| {
            let event = self.events[*index];
            (event.does, event.thread, event.location) == (AccessKind::Write, thread, location)
        };
        if earlier.copied().any(|index| is_own(&index)) { values[write] } else { 0 }
    }

    /// Returns the writes in coherence order, as far as the cycle determines it: one chain per location with several
    /// writes.
    fn chains(&self) -> Vec<Vec<usize>> {
        let writes = |index: &usize| self.events[*index].does == AccessKind::Write;
        let mut chains: Vec<Vec<usize>> = Vec::new();
        for (from, to) in self.communications().filter(|(from, to)| writes(from) && writes(to)) {
            match chains.iter_mut().find(|chain| chain.last() == Some(&from)) {
                Some(chain) => chain.push(to),
                None => chains.push(vec![from, to]),
            }
        }
        chains
    }
}
