//! The state that all threads of an exploration share, and the splitting of work: while there are few work items, each
//! point with several choices becomes several items, each with its own copy of the graph.
//!
//! **Architecture invariant:** the result does not depend on the number of threads or on their timing. Results of items are merged in
//! the order of the choices. What ends a search early (the first finding, an operation that the model does not define) ends only
//! what one thread would explore after it: see [`Position`].

use super::{Options, Visit};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The position of a search among the items into which enclosing choice points are split.
#[derive(Clone, Debug, Default)]
pub(super) struct Position(Vec<(usize, Split)>);

/// A choice point that is split among threads: the index of its first item that ends the search, or the maximum.
#[derive(Clone, Debug)]
pub(super) struct Split(Arc<AtomicUsize>);

impl Split {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }

    /// Returns the index of the first item that ends the search, if there is one.
    pub(super) fn end(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|index| *index != usize::MAX)
    }
}

impl Position {
    /// Returns the position of an item of `split` at this position.
    pub(super) fn item(&self, index: usize, split: &Split) -> Self {
        let mut position = self.clone();
        position.0.push((index, split.clone()));
        position
    }

    /// Ends the search for all items after this position.
    pub(super) fn end_search(&self) {
        self.0.iter().for_each(|(index, split)| {
            split.0.fetch_min(*index, Ordering::Relaxed);
        });
    }

    /// Returns whether the search ended at an earlier position.
    pub(super) fn is_after_end(&self) -> bool {
        self.0.iter().any(|(index, split)| *index > split.0.load(Ordering::Relaxed))
    }
}

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
