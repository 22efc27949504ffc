//! A memory that delays accesses and has the fault of its device.
//!
//! All invocations share one memory, which performs accesses one by one. An access is performed when it is issued, or
//! is delayed; later accesses of the same invocation may be performed in the meantime. An access to a word to which the
//! same invocation has a delayed access is performed after that one, so each word is coherent. Accesses after a barrier
//! wait for all accesses before it. Without a fault, WGSL therefore allows everything that this memory shows, and so
//! does the version of 2022, in which a barrier also orders accesses between workgroups.

use super::model::{Fault, Model};
use super::traffic::Traffic;
use hirace_engine::random::Random;
use hirace_engine::vm::deferred::{Effect, LANES, Memory, Operation, Ticket};
use hirace_engine::vm::run::Invocation;
use std::collections::HashMap;

/// A memory that delays accesses.
#[derive(Debug)]
pub struct DelayedMemory<'a> {
    model: &'a Model,
    random: Random,
    words: Vec<u32>,
    /// The delayed accesses, in the order in which they were issued.
    put_off: Vec<DelayedAccess>,
    traffic: Traffic,
    step: u64,
    /// For each word, the value before its last write. Only used for stale reads.
    overwritten: HashMap<u32, Overwritten>,
    /// For each workgroup, the step in which it passed its last barrier. Only used for stale reads.
    barriers: HashMap<u32, u64>,
}

/// An access that has not been performed yet.
#[derive(Clone, Copy, Debug)]
struct DelayedAccess {
    operation: Operation,
    /// The step in which it is performed.
    due: u64,
    /// Whether barriers wait for it.
    awaited: bool,
}

#[derive(Clone, Copy, Debug)]
struct Overwritten {
    before: u32,
    by: Invocation,
    step: u64,
}

/// The value that a delayed access read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub by: Invocation,
    pub ticket: Ticket,
    pub value: u32,
}

impl<'a> DelayedMemory<'a> {
    /// Creates a memory of zeroed words.
    pub fn new(model: &'a Model, random: Random, words: usize) -> Self {
        Self {
            model,
            random,
            words: vec![0; words],
            put_off: Vec::new(),
            traffic: Traffic::default(),
            step: 0,
            overwritten: HashMap::new(),
            barriers: HashMap::new(),
        }
    }

    /// Returns the content.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Ends a step: performs the accesses that are due and returns the values that they read in `answers`.
    pub fn step(&mut self, answers: &mut Vec<Answer>) {
        self.step += 1;
        self.traffic.step(self.step);
        let due = |late: &DelayedAccess| late.due <= self.step;
        if self.put_off.iter().any(due) {
            let (due, later) = self.put_off.iter().partition(|late| due(late));
            self.put_off = later;
            self.perform_all(due, answers);
        }
    }

    /// Performs all delayed accesses.
    pub fn settle(&mut self) {
        let all = std::mem::take(&mut self.put_off);
        self.perform_all(all, &mut Vec::new());
    }

    fn perform_all(&mut self, all: Vec<DelayedAccess>, answers: &mut Vec<Answer>) {
        for DelayedAccess { operation, .. } in all {
            let value = self.perform(operation);
            if operation.does.reads() {
                answers.push(Answer { by: operation.by, ticket: operation.ticket, value });
            }
        }
    }

    /// Records that a subgroup has arrived at a barrier.
    pub fn arrive(&mut self, workgroup: u32, subgroup: u32) {
        let leaky = self.model.fault == Some(Fault::Leaky);
        for late in &mut self.put_off {
            if leaky && is_of(late, workgroup, subgroup) {
                let traffic = self.traffic.of(late.operation.word);
                late.awaited &= self.random.unit() >= self.model.fault_probability(traffic);
            }
        }
    }

    /// Records that a workgroup passes a barrier.
    pub fn pass(&mut self, workgroup: u32) {
        if self.model.fault == Some(Fault::Stale) {
            self.barriers.insert(workgroup, self.step);
        }
    }

    /// Returns whether a subgroup may pass the barrier at which it has arrived.
    pub fn may_pass(&self, workgroup: u32, subgroup: u32) -> bool {
        !self.put_off.iter().any(|late| late.awaited && is_of(late, workgroup, subgroup))
    }

    fn happens(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.random.unit() < chance
    }

    /// Performs an access now. Returns the value before it.
    fn perform(&mut self, Operation { by, word, does, .. }: Operation) -> u32 {
        let Some(held) = self.words.get_mut(word as usize) else { return 0 };
        let before = *held;
        *held = does.leaves(before);
        if self.model.fault != Some(Fault::Stale) {
            return before;
        }
        match does {
            Effect::Read => self.stale(by, word).unwrap_or(before),
            Effect::Write(_) | Effect::Update(_) => {
                self.overwritten.insert(word, Overwritten { before, by, step: self.step });
                before
            }
        }
    }

    /// Returns an old value, if a stale value is read.
    fn stale(&mut self, by: Invocation, word: u32) -> Option<u32> {
        let old = *self.overwritten.get(&word)?;
        let barrier = self.barriers.get(&by.workgroup);
        let is_old = old.step + u64::from(self.model.max_delay) < self.step;
        if old.by == by || is_old || barrier.is_some_and(|barrier| *barrier >= old.step) {
            return None;
        }
        let chance = self.model.fault_probability(self.traffic.of(word));
        self.happens(chance).then_some(old.before)
    }

    /// Returns the step after which `operation` must be performed: that of the last access that it must follow.
    fn behind(&mut self, operation: &Operation) -> Option<u64> {
        let same = |late: &&DelayedAccess| {
            late.operation.by == operation.by && late.operation.word == operation.word
        };
        let last = *self.put_off.iter().rev().find(same)?;
        let are_stores = [last.operation.does, operation.does]
            .iter()
            .all(|does| matches!(does, Effect::Write(_)));
        if are_stores && self.model.fault == Some(Fault::Overtaking) {
            let chance = self.model.fault_probability(self.traffic.of(operation.word));
            if self.happens(chance) {
                return None;
            }
        }
        Some(last.due)
    }
}

impl Memory for DelayedMemory<'_> {
    fn issue(&mut self, operation: Operation) -> Option<u32> {
        let traffic = self.traffic.of(operation.word);
        self.traffic.count(operation.word);
        let behind = if self.put_off.is_empty() { None } else { self.behind(&operation) };
        let chance = self.model.delay_probability(traffic);
        let own = self
            .happens(chance)
            .then(|| self.step + 1 + u64::from(self.random.below(self.model.max_delay)));
        match own.max(behind) {
            Some(due) => {
                self.put_off.push(DelayedAccess { operation, due, awaited: true });
                None
            }
            None => Some(self.perform(operation)),
        }
    }
}

fn is_of(late: &DelayedAccess, workgroup: u32, subgroup: u32) -> bool {
    let Invocation { workgroup: of, local } = late.operation.by;
    of == workgroup && local / LANES == subgroup
}
