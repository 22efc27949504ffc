//! The state that all threads of an exploration share, and the splitting of work: while there are few work items, each
//! point with several choices becomes several items, each with its own copy of the graph.

use super::{Options, Outcome, Visit};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The state that all threads of an exploration share.
pub(super) struct Shared<'a, S> {
    pub(super) options: &'a Options<'a>,
    pub(super) visit: Option<Visit<'a, S>>,
    /// Per invocation: the invocations that may be exchanged with it.
    pub(super) alike: Vec<Vec<u32>>,
    counted: AtomicU64,
    /// The number of choice points that are currently split among threads.
    split: AtomicUsize,
    /// The number of events of the longest execution so far.
    longest: AtomicUsize,
    stopped: AtomicBool,
    refused: OnceLock<Outcome>,
}

impl<'a, S> Shared<'a, S> {
    pub(super) fn new(
        options: &'a Options<'a>,
        visit: Option<Visit<'a, S>>,
        alike: Vec<Vec<u32>>,
    ) -> Self {
        Self {
            options,
            visit,
            alike,
            counted: AtomicU64::new(0),
            split: AtomicUsize::new(0),
            longest: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            refused: OnceLock::new(),
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Returns whether there are few work items, and an execution with this number of events is probably less than half
    /// complete.
    pub(super) fn splits(&self, events: usize) -> bool {
        let longest = self.longest.load(Ordering::Relaxed);
        self.split.load(Ordering::Relaxed) < rayon::current_num_threads()
            && (longest == 0 || events < longest / 2)
    }

    /// Applies `part` to each item in parallel, and returns the results in order.
    pub(super) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        part: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
        self.split.fetch_add(1, Ordering::Relaxed);
        let made = items.par_iter().map(part).collect();
        self.split.fetch_sub(1, Ordering::Relaxed);
        made
    }

    /// Stops the exploration with `outcome`, because the program cannot be explored.
    pub(super) fn refuse(&self, outcome: Outcome) {
        self.refused.get_or_init(|| outcome);
        self.stop();
    }

    /// Returns the outcome if the program cannot be explored.
    pub(super) fn refusal(&self) -> Option<Outcome> {
        self.refused.get().copied()
    }

    /// Counts an explored execution with this number of events, and stops the exploration at the limit.
    pub(super) fn count(&self, events: usize) {
        if events > self.longest.load(Ordering::Relaxed) {
            self.longest.store(events, Ordering::Relaxed);
        }
        let enough = |limit: u64| self.counted.fetch_add(1, Ordering::Relaxed) + 1 >= limit;
        if self.options.limit_executions.is_some_and(enough) {
            self.stop();
        }
    }
}
