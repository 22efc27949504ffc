//! Logs all accesses to shared memory in execution order.

use super::Layout;
use super::events::{EventWatcher, Recorder};
use super::trace::{Event, Trace};
use crate::vm::observer::{MemoryId, Observer};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Observes a dispatch and logs every access, including repetitions, as many as fit.
#[derive(Debug)]
pub struct FullTracer {
    layout: Layout,
    limit: usize,
    log: Mutex<Trace>,
}

impl FullTracer {
    /// Creates an observer that logs at most `limit` accesses to the memories of `layout`.
    pub fn new(layout: Layout, limit: usize) -> Self {
        Self { layout, limit, log: Mutex::default() }
    }

    /// Returns the log.
    pub fn into_trace(self) -> Trace {
        self.log.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self) -> MutexGuard<'_, Trace> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder for FullTracer {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn wants(&self, _: MemoryId) -> bool {
        true
    }

    fn record(&self, event: Event) {
        let mut log = self.log();
        match log.events.len() < self.limit {
            true => log.events.push(event),
            false => log.dropped += 1,
        }
    }
}

impl Observer for FullTracer {
    type Watcher<'o> = EventWatcher<'o, Self>;

    fn watch(&self, workgroup: u32) -> EventWatcher<'_, Self> {
        EventWatcher::new(self, workgroup)
    }

    fn reset(&self) {
        *self.log() = Trace::default();
    }
}
