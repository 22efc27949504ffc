//! What each of several workers does: workgroups in ascending order, each run to its end.
//!
//! Gives up where the outcome may depend on how workgroups met: only the serial order knows what to do
//! then.

use super::{Gap, Pick, Ready, Slice, Start, Strategy, View};
use std::sync::atomic::{AtomicBool, Ordering};

/// A workgroup that runs longer than this may wait for one that was not started.
const QUANTUM: u64 = 16_000_000;

/// How many instructions run between two looks at what others want.
const SLICE: u64 = 1 << 16;

/// See the module.
pub struct Worker<'a> {
    /// Whether a worker gave up: then all do.
    give_up: &'a AtomicBool,
    /// Whether values flowed between workgroups.
    flowed: &'a dyn Fn() -> bool,
    quantum: u64,
    /// Instructions run when the workgroup began.
    before: u64,
}

impl<'a> Worker<'a> {
    /// For a run in which a fragment may run so many instructions.
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

    fn slice(&mut self, _: usize, _: &Ready<'_>, _: &View<'_>) -> Option<Slice> {
        Some(Slice { fragment: Pick::InTurn, fuel: SLICE })
    }

    fn ended(&mut self, _: usize, _: &View<'_>) -> Gap {
        if (self.flowed)() {
            self.give_up.store(true, Ordering::Relaxed);
        }
        Gap::Close
    }
}
