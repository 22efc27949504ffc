//! Logs the accesses to a few granules.

use super::events::{EventWatcher, Recorder};
use super::trace::{Event, Trace};
use super::{Granule, Layout};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::observer::{MemoryId, Observer};
use crate::vm::run::Invocation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Observes a dispatch and logs the accesses to some granules, as many as fit.
///
/// An access that equals an earlier one in everything that happens-before depends on is omitted: it would
/// make the log longer without changing the pairs. The known written bits of both accesses are merged.
#[derive(Debug)]
pub struct Tracer {
    layout: Layout,
    chosen: FxHashSet<Granule>,
    /// The memories that contain the chosen granules.
    memories: FxHashSet<MemoryId>,
    limit: usize,
    quiet_limit: Option<u64>,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    trace: Trace,
    /// The position of each access in the trace.
    positions: FxHashMap<(Granule, Invocation, SiteId, Action, u32, u32), usize>,
    /// The number of accesses, and the number of steps, when `has_enough` was last called and found more
    /// accesses than before.
    last_growth: (usize, u64),
}

impl Tracer {
    /// Creates a tracer that logs at most `limit` accesses to the `chosen` granules.
    pub fn new(layout: Layout, chosen: &[Granule], limit: usize) -> Self {
        Self {
            layout,
            chosen: chosen.iter().copied().collect(),
            memories: chosen.iter().map(|granule| granule.memory).collect(),
            limit,
            quiet_limit: None,
            log: Mutex::default(),
        }
    }

    /// Sets the number of steps without a new access after which the tracer has enough: a loop that keeps
    /// racing has shown all its pairs by then.
    #[must_use]
    pub fn with_quiet_limit(self, steps: Option<u64>) -> Self {
        Self { quiet_limit: steps, ..self }
    }

    /// Returns the log.
    pub fn into_trace(self) -> Trace {
        self.log.into_inner().unwrap_or_else(PoisonError::into_inner).trace
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder for Tracer {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn wants(&self, memory: MemoryId) -> bool {
        self.memories.contains(&memory)
    }

    fn record(&self, event: Event) {
        if !self.chosen.contains(&event.granule) {
            return;
        }
        let Event { granule, invocation, site, action, epoch, subgroup_epoch, .. } = event;
        let key = (granule, invocation, site, action, epoch, subgroup_epoch);
        let mut log = self.log();
        let Log { trace, positions, .. } = &mut *log;
        if let Some(known) = positions.get(&key).and_then(|at| trace.events.get_mut(*at)) {
            known.written = known.written.merge(event.written);
            return;
        }
        if trace.events.len() < self.limit {
            positions.insert(key, trace.events.len());
            trace.events.push(event);
        } else {
            trace.dropped += 1;
        }
    }
}

impl Observer for Tracer {
    type Watcher<'o> = EventWatcher<'o, Self>;

    fn watch(&self, workgroup: u32) -> EventWatcher<'_, Self> {
        EventWatcher::new(self, workgroup)
    }

    fn wants_values(&self) -> bool {
        true
    }

    fn has_enough(&self, steps: u64) -> bool {
        let Some(limit) = self.quiet_limit else { return false };
        let mut log = self.log();
        let length = log.trace.events.len();
        if length > log.last_growth.0 {
            log.last_growth = (length, steps);
        }
        // A granule that was not accessed yet may still be accessed.
        let all_were_accessed = || {
            let accessed: FxHashSet<Granule> = log.trace.events.iter().map(|e| e.granule).collect();
            accessed.len() == self.chosen.len()
        };
        steps.saturating_sub(log.last_growth.1) > limit && all_were_accessed()
    }

    fn reset(&self) {
        *self.log() = Log::default();
    }
}
