//! The outcomes of the interleavings of a test: sequentially consistent executions of single operations.

use super::epochs::epochs;
use super::{Action, Outcome, Test};
use std::collections::{BTreeSet, HashSet};

/// A state of a partially executed test.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The number of actions that each thread has performed.
    done: Vec<usize>,
    outcome: Outcome,
    /// The thread that runs, if threads run until they wait or end.
    turn: Option<usize>,
}

/// Returns the outcomes of running the threads one after the other, each until it waits or ends, and the outcomes of
/// all interleavings.
pub(super) fn outcomes(test: &Test) -> (BTreeSet<Outcome>, BTreeSet<Outcome>) {
    (explored(test, true), explored(test, false))
}

fn explored(test: &Test, whole: bool) -> BTreeSet<Outcome> {
    let epochs = epochs(test);
    let outcome =
        Outcome { registers: vec![0; test.registers()], memory: vec![0; test.locations()] };
    let mut left = vec![State { done: vec![0; test.threads.len()], outcome, turn: None }];
    let mut seen: HashSet<State> = left.iter().cloned().collect();
    let mut ends = BTreeSet::new();
    while let Some(state) = left.pop() {
        let next = |thread: usize| epochs[thread].get(state.done[thread]).copied();
        let now = (0..test.threads.len()).filter_map(next).min();
        let can: Vec<usize> =
            (0..test.threads.len()).filter(|&at| now.is_some() && next(at) == now).collect();
        if can.is_empty() {
            ends.insert(state.outcome);
            continue;
        }
        for thread in can.iter().copied() {
            if whole && state.turn.is_some_and(|turn| turn != thread && can.contains(&turn)) {
                continue;
            }
            let mut next = state.clone();
            step(&test.threads[thread][state.done[thread]], &mut next.outcome);
            next.done[thread] += 1;
            next.turn = Some(thread);
            if seen.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    ends
}

fn step(action: &Action, outcome: &mut Outcome) {
    match *action {
        Action::Read { location, register, .. } => {
            outcome.registers[usize::from(register)] = outcome.memory[usize::from(location)];
        }
        Action::Write { location, value, .. } => {
            outcome.memory[usize::from(location)] = value.into();
        }
        Action::Add { location, value, register } => {
            let held = &mut outcome.memory[usize::from(location)];
            outcome.registers[usize::from(register)] = *held;
            *held = held.wrapping_add(value.into());
        }
        Action::Fence | Action::Barrier => {}
    }
}
