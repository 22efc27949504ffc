//! The strategy of each of several worker threads: workgroups in ascending order, each run to its end.
//!
//! A worker gives up when the outcome may depend on how workgroups interact: only the serial order can handle
//! that.

use super::{Gap, Pick, Ready, Start, Strategy, TimeSlice, View};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of instructions after which a workgroup is assumed to wait for one that was not started.
const QUANTUM: u64 = 16_000_000;

/// Number of instructions between two checks of the shared flags.
const SLICE: u64 = 1 << 16;

/// The strategy of one worker.
pub struct Worker<'a> {
    /// Whether a worker gave up: then all do.
    give_up: &'a AtomicBool,
    /// Returns whether values flowed between workgroups.
    flowed: &'a dyn Fn() -> bool,
    quantum: u64,
    /// Number of instructions run when the workgroup began.
    before: u64,
}

impl<'a> Worker<'a> {
    /// Creates the strategy for a run in which a fragment may run `steps` instructions.
    pub fn new(give_up: &'a AtomicBool, flowed: &'a dyn Fn() -> bool, steps: u64) -> Self {
        Self { give_up, flowed, quantum: QUANTUM.min(steps), before: 0 }
    }
}

impl Strategy for Worker<'_> {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        if !view.residents.is_empty() || self.give_up.load(Ordering::Relaxed) {
            return None;
        }
        self.before = view.steps;
        Some(Start::First)
    }

    fn gives_up(&mut self, view: &View<'_>) -> bool {
        let steps = view.steps - self.before;
        if steps > self.quantum || (steps > SLICE && (self.flowed)()) {
            self.give_up.store(true, Ordering::Relaxed);
        }
        self.give_up.load(Ordering::Relaxed)
    }

    fn turn(&mut self, _: &View<'_>) -> usize {
        0
    }

    fn slice(&mut self, _: usize, _: &Ready<'_>, _: &View<'_>) -> Option<TimeSlice> {
        Some(TimeSlice { fragment: Pick::RoundRobin, fuel: SLICE })
    }

    fn ended(&mut self, _: usize, _: &View<'_>) -> Gap {
        if (self.flowed)() {
            self.give_up.store(true, Ordering::Relaxed);
        }
        Gap::Close
    }
}
