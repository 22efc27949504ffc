//! Logs what is done to a few granules.

use super::clocks::Clocks;
use super::trace::{Event, Trace};
use super::{Granule, Layout, events};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::observer::{Accesses, MemoryId, Observer, Watcher};
use crate::vm::run::Invocation;
use rustc_hash::FxHashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Observes a dispatch and logs the accesses to some granules, as many as fit.
///
/// An access that repeats an earlier one in all that happens-before looks at is left out: it
/// would make the log longer and the pairs no different.
#[derive(Debug)]
pub struct Tracer {
    layout: Layout,
    chosen: FxHashSet<Granule>,
    /// The memories that the chosen granules are in.
    memories: FxHashSet<MemoryId>,
    limit: usize,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    trace: Trace,
    seen: FxHashSet<(Granule, Invocation, SiteId, Action, u32, u32)>,
}

impl Tracer {
    /// Logs at most `limit` accesses to the `chosen` granules.
    pub fn new(layout: Layout, chosen: &[Granule], limit: usize) -> Self {
        Self {
            layout,
            chosen: chosen.iter().copied().collect(),
            memories: chosen.iter().map(|granule| granule.memory).collect(),
            limit,
            log: Mutex::default(),
        }
    }

    /// What was logged.
    pub fn into_trace(self) -> Trace {
        self.log.into_inner().unwrap_or_else(PoisonError::into_inner).trace
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, event: Event) {
        let Event { granule, invocation, site, action, epoch, subgroup_epoch, .. } = event;
        let repeats = (granule, invocation, site, action, epoch, subgroup_epoch);
        let mut log = self.log();
        if log.seen.contains(&repeats) {
            return;
        }
        if log.trace.events.len() < self.limit {
            log.seen.insert(repeats);
            log.trace.events.push(event);
        } else {
            log.trace.dropped += 1;
        }
    }
}

impl Observer for Tracer {
    type Watcher<'o> = TracerWatcher<'o>;

    fn watch(&self, workgroup: u32) -> TracerWatcher<'_> {
        TracerWatcher { tracer: self, workgroup, clocks: Clocks::default(), diverged: false }
    }

    fn reset(&self) {
        *self.log() = Log::default();
    }
}

/// Watches one workgroup for the [`Tracer`].
#[derive(Debug)]
pub struct TracerWatcher<'o> {
    tracer: &'o Tracer,
    workgroup: u32,
    clocks: Clocks,
    diverged: bool,
}

impl Watcher for TracerWatcher<'_> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        if self.diverged || !self.tracer.memories.contains(&accesses.memory) {
            return;
        }
        let events = events(&self.tracer.layout, &self.clocks, self.workgroup, accesses);
        for event in events.filter(|event| self.tracer.chosen.contains(&event.granule)) {
            self.tracer.record(event);
        }
    }

    fn barrier(&mut self, site: SiteId, barrier: naga::Barrier) {
        self.clocks.barrier(site, barrier);
    }

    fn subgroup_barrier(&mut self, _: SiteId, subgroup: u32) {
        self.clocks.subgroup_barrier(subgroup);
    }

    fn diverged(&mut self) {
        self.diverged = true;
    }
}
