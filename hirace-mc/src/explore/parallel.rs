//! What all threads of an exploration share, and how work is split among them: the choices at the first few places where
//! there is more than one are work items of their own, each with a copy of the graph.

use super::search::Search;
use super::{Explored, Options, Outcome, Visit};
use crate::program::Program;
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An exploration goes as deep as an execution has choices, and needs this much stack at most, of which the system gives
/// only what is touched.
const STACK: usize = 1 << 30;

/// What all threads look at.
pub(super) struct Shared<'a, S> {
    pub(super) options: &'a Options<'a>,
    pub(super) visit: Option<Visit<'a, S>>,
    counted: AtomicU64,
    stopped: AtomicBool,
    refused: OnceLock<Outcome>,
}

impl<S> Shared<'_, S> {
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Stops, since this cannot be explored.
    pub(super) fn refuse(&self, outcome: Outcome) {
        self.refused.get_or_init(|| outcome);
        self.stop();
    }

    /// Takes it down that an execution was explored, and stops if that is enough.
    pub(super) fn count(&self) {
        let enough = |limit: u64| self.counted.fetch_add(1, Ordering::Relaxed) + 1 >= limit;
        if self.options.limit_executions.is_some_and(enough) {
            self.stop();
        }
    }
}

/// What `part` makes of each item, by as many threads as there are.
pub(super) fn each<T: Sync, R: Send>(items: &[T], part: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    items.par_iter().map(part).collect()
}

pub(super) fn explore<P: Program>(
    program: &P,
    options: &Options<'_>,
    visit: Option<Visit<'_, P::State>>,
) -> Explored<P::State> {
    let (counted, stopped, refused) = (AtomicU64::new(0), AtomicBool::new(false), OnceLock::new());
    let shared = Shared { options, visit, counted, stopped, refused };
    let run = |threads: usize| {
        // Some more items than threads, since they differ in size.
        let forks = if threads > 1 { threads.ilog2() + 4 } else { 0 };
        let mut search = Search::new(program, &shared, forks);
        search.run();
        search.totals
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(options.threads).stack_size(STACK).build();
    let totals = match pool {
        Ok(pool) => pool.install(|| run(pool.current_num_threads())),
        Err(_) => run(1),
    };
    let stopped = if shared.is_stopped() { Outcome::Stopped } else { Outcome::Complete };
    let explored =
        if totals.bounded && stopped == Outcome::Complete { Outcome::Bounded } else { stopped };
    Explored {
        executions: totals.executions,
        blocked: totals.blocked,
        abandoned: totals.abandoned,
        outcome: shared.refused.get().copied().unwrap_or(explored),
        findings: totals.findings,
    }
}
