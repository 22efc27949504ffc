//! Memory that performs accesses late, and does wrong what its device is to do wrong.
//!
//! All invocations see one memory, in which accesses are performed one by one. An access is performed as it is issued, or
//! put off; meanwhile what the invocation issues behind it may be performed. One to a word on which the same
//! invocation has an access put off comes behind that, so that each word is coherent. What comes behind a barrier waits for all
//! that is before. So everything that this memory shows is allowed by WGSL, and by the version of 2022, in which a
//! barrier orders accesses between workgroups, too: unless there is a fault.

use super::model::{Fault, Model};
use super::traffic::Traffic;
use hirace_engine::random::Random;
use hirace_engine::vm::deferred::{Does, LANES, Memory, Operation, Ticket};
use hirace_engine::vm::run::Invocation;
use std::collections::HashMap;

/// See the module.
#[derive(Debug)]
pub struct Late<'a> {
    model: &'a Model,
    random: Random,
    words: Vec<u32>,
    /// In the order in which they were issued.
    put_off: Vec<PutOff>,
    traffic: Traffic,
    step: u64,
    /// Of a word, what its last write wrote over; where stale values are read.
    overwritten: HashMap<u32, Overwritten>,
    /// Of a workgroup, the step in which it passed its last barrier; likewise.
    barriers: HashMap<u32, u64>,
}

/// An access that is still to be performed.
#[derive(Clone, Copy, Debug)]
struct PutOff {
    operation: Operation,
    /// In which step it is performed.
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

/// What a late access read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub by: Invocation,
    pub ticket: Ticket,
    pub value: u32,
}

impl<'a> Late<'a> {
    /// So many words, all of them 0.
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

    /// What it holds.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Ends a step: performs what is due, and gives what that read.
    pub fn step(&mut self, answers: &mut Vec<Answer>) {
        self.step += 1;
        self.traffic.step(self.step);
        let due = |late: &PutOff| late.due <= self.step;
        if self.put_off.iter().any(due) {
            let (due, later) = self.put_off.iter().partition(|late| due(late));
            self.put_off = later;
            self.perform_all(due, answers);
        }
    }

    /// Performs all that was put off.
    pub fn settle(&mut self) {
        let all = std::mem::take(&mut self.put_off);
        self.perform_all(all, &mut Vec::new());
    }

    fn perform_all(&mut self, all: Vec<PutOff>, answers: &mut Vec<Answer>) {
        for PutOff { operation, .. } in all {
            let value = self.perform(operation);
            if operation.does.reads() {
                answers.push(Answer { by: operation.by, ticket: operation.ticket, value });
            }
        }
    }

    /// A subgroup comes to a barrier.
    pub fn arrive(&mut self, workgroup: u32, subgroup: u32) {
        let leaky = self.model.fault == Some(Fault::Leaky);
        for late in &mut self.put_off {
            if leaky && is_of(late, workgroup, subgroup) {
                let traffic = self.traffic.of(late.operation.word);
                late.awaited &= self.random.unit() >= self.model.goes_wrong(traffic);
            }
        }
    }

    /// A workgroup passes a barrier.
    pub fn pass(&mut self, workgroup: u32) {
        if self.model.fault == Some(Fault::Stale) {
            self.barriers.insert(workgroup, self.step);
        }
    }

    /// Whether a subgroup may pass the barrier that it came to.
    pub fn may_pass(&self, workgroup: u32, subgroup: u32) -> bool {
        !self.put_off.iter().any(|late| late.awaited && is_of(late, workgroup, subgroup))
    }

    fn happens(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.random.unit() < chance
    }

    /// Performs an access now. Gives what it found.
    fn perform(&mut self, Operation { by, word, does, .. }: Operation) -> u32 {
        let Some(held) = self.words.get_mut(word as usize) else { return 0 };
        let before = *held;
        *held = does.leaves(before);
        if self.model.fault != Some(Fault::Stale) {
            return before;
        }
        match does {
            Does::Read => self.stale(by, word).unwrap_or(before),
            Does::Write(_) | Does::Update(_) => {
                self.overwritten.insert(word, Overwritten { before, by, step: self.step });
                before
            }
        }
    }

    /// An old value, if one is read.
    fn stale(&mut self, by: Invocation, word: u32) -> Option<u32> {
        let old = *self.overwritten.get(&word)?;
        let barrier = self.barriers.get(&by.workgroup);
        let is_old = old.step + u64::from(self.model.longest) < self.step;
        if old.by == by || is_old || barrier.is_some_and(|barrier| *barrier >= old.step) {
            return None;
        }
        let chance = self.model.goes_wrong(self.traffic.of(word));
        self.happens(chance).then_some(old.before)
    }

    /// The step in which the last access is due behind which `operation` has to come.
    fn behind(&mut self, operation: &Operation) -> Option<u64> {
        let same = |late: &&PutOff| {
            late.operation.by == operation.by && late.operation.word == operation.word
        };
        let last = *self.put_off.iter().rev().find(same)?;
        let are_stores =
            [last.operation.does, operation.does].iter().all(|does| matches!(does, Does::Write(_)));
        if are_stores && self.model.fault == Some(Fault::Overtaking) {
            let chance = self.model.goes_wrong(self.traffic.of(operation.word));
            if self.happens(chance) {
                return None;
            }
        }
        Some(last.due)
    }
}

impl Memory for Late<'_> {
    fn issue(&mut self, operation: Operation) -> Option<u32> {
        let traffic = self.traffic.of(operation.word);
        self.traffic.count(operation.word);
        let behind = if self.put_off.is_empty() { None } else { self.behind(&operation) };
        let chance = self.model.puts_off(traffic);
        let own = self
            .happens(chance)
            .then(|| self.step + 1 + u64::from(self.random.below(self.model.longest)));
        match own.max(behind) {
            Some(due) => {
                self.put_off.push(PutOff { operation, due, awaited: true });
                None
            }
            None => Some(self.perform(operation)),
        }
    }
}

fn is_of(late: &PutOff, workgroup: u32, subgroup: u32) -> bool {
    let Invocation { workgroup: of, local } = late.operation.by;
    of == workgroup && local / LANES == subgroup
}
