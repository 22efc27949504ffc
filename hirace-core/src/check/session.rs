//! Who runs a check, who listens to it, and who may stop it.

use crate::event::{Event, Listener};
use crate::exec::Executor;
use crate::facts::LaunchFacts;
use crate::finding::baseline::Baseline;
use crate::patience::Patience;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Who runs a check, who listens to it, and who may stop it.
pub struct Session<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) stop: Option<&'a AtomicBool>,
    listener: Option<&'a mut dyn Listener>,
    known: Option<&'a mut Baseline>,
    pub(super) keeps_memory: bool,
}

impl<'a> Session<'a> {
    /// A session whose launches run on `executor`. Nobody listens, and nobody stops it.
    pub fn new(executor: &'a dyn Executor) -> Self {
        Self { executor, stop: None, listener: None, known: None, keeps_memory: true }
    }

    /// `listener` hears what happens.
    #[must_use]
    pub fn with_listener(self, listener: &'a mut dyn Listener) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// Somebody else sets `stop` to end the check early, with what it has.
    #[must_use]
    pub fn with_stop(self, stop: Option<&'a AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Findings that `known` has are allowed.
    #[must_use]
    pub fn with_baseline(self, known: Option<&'a mut Baseline>) -> Self {
        Self { known, ..self }
    }

    /// Nobody asks for memory after the launches, so that it is not kept.
    #[must_use]
    pub fn without_memory(self) -> Self {
        Self { keeps_memory: false, ..self }
    }

    /// How long to wait for work that may take so much time: no longer than until the session is stopped.
    pub fn patience(&self, timeout: Option<Duration>) -> Patience<'a> {
        Patience::new(self.stop, timeout)
    }

    /// Whether somebody wants it to end.
    pub fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(super) fn emit(&mut self, event: &Event<'_>) {
        if let Some(listener) = &mut self.listener {
            listener.event(event);
        }
    }

    /// Moves what was known before out of the findings of `launch`.
    pub(super) fn allow_known(&mut self, launch: &mut LaunchFacts) {
        if let Some(known) = &mut self.known {
            known.apply(launch);
        }
    }
}
