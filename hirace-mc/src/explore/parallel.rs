//! What all threads of an exploration share, and how work is split among them: as long as there are few work items, the
//! choices where there is more than one become items of their own, each with a copy of the graph.

use super::history::Histories;
use super::search::Search;
use super::{Explored, Options, Outcome, Visit};
use crate::program::Program;
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// An exploration goes as deep as an execution has choices, and needs this much stack at most, of which the system
/// gives only what is touched.
const STACK: usize = 1 << 30;

/// What all threads look at.
pub(super) struct Shared<'a, S> {
    pub(super) options: &'a Options<'a>,
    pub(super) visit: Option<Visit<'a, S>>,
    /// Of each invocation, those that may be exchanged with it.
    pub(super) alike: Vec<Vec<u32>>,
    counted: AtomicU64,
    /// How many choices several threads share now.
    split: AtomicUsize,
    /// How many events the longest execution has so far.
    longest: AtomicUsize,
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

    /// Whether there are few work items, and an execution of so many events has far to go, as far as is known.
    pub(super) fn splits(&self, events: usize) -> bool {
        let longest = self.longest.load(Ordering::Relaxed);
        self.split.load(Ordering::Relaxed) < rayon::current_num_threads()
            && (longest == 0 || events < longest / 2)
    }

    /// What `part` makes of each item, by as many threads as there are.
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

    /// Stops, since this cannot be explored.
    pub(super) fn refuse(&self, outcome: Outcome) {
        self.refused.get_or_init(|| outcome);
        self.stop();
    }

    /// Takes it down that an execution of so many events was explored, and stops if that is enough.
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

pub(super) fn explore<P: Program>(
    program: &P,
    options: &Options<'_>,
    visit: Option<Visit<'_, P::State>>,
) -> Explored<P::State> {
    let (counted, stopped, refused) = (AtomicU64::new(0), AtomicBool::new(false), OnceLock::new());
    let alike = if options.reductions.symmetry {
        super::symmetry::alike(program)
    } else {
        vec![Vec::new(); program.invocations().len()]
    };
    let shared = Shared {
        options,
        visit,
        alike,
        counted,
        split: AtomicUsize::new(0),
        longest: AtomicUsize::new(0),
        stopped,
        refused,
    };
    let histories = Histories::new(program);
    let run = |threads: usize| {
        // So deep that items suffice though they differ in size, and are worth the copy.
        let forks = if threads > 1 { threads.ilog2() + 4 } else { 0 };
        let mut search = Search::new(program, &histories, &shared, forks);
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
