//! Exploration in a thread pool.

use super::history::StateCache;
use super::search::Search;
use super::shared::Shared;
use super::{Exploration, Options, Outcome, Visit};
use crate::program::Program;

/// The stack size per thread. The recursion is as deep as an execution has choices; the system allocates only the pages
/// that are used.
const STACK: usize = 1 << 30;

/// Explores the executions of a program in a thread pool.
pub(super) fn explore<P: Program>(
    program: &P,
    options: &Options<'_>,
    visit: Option<Visit<'_, P::State>>,
) -> Exploration<P::State> {
    let alike = if options.reductions.symmetry {
        super::symmetry::find_symmetric(program)
    } else {
        vec![Vec::new(); program.invocations().len()]
    };
    let shared = Shared::new(options, visit, alike);
    let histories = StateCache::new(program);
    let run = |threads: usize| {
        // Deep enough for enough items although their sizes differ, and shallow enough to be worth the copy.
        let forks = if threads > 1 { threads.ilog2() + 4 } else { 0 };
        let mut search = Search::new(program, &histories, &shared, forks);
        search.run();
        (search.is_stopped(), search.totals)
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(options.threads).stack_size(STACK).build();
    let (is_stopped, totals) = match pool {
        Ok(pool) => pool.install(|| run(pool.current_num_threads())),
        Err(_) => run(1),
    };
    let stopped = if is_stopped { Outcome::Stopped } else { Outcome::Complete };
    let explored =
        if totals.bounded && stopped == Outcome::Complete { Outcome::Bounded } else { stopped };
    Exploration {
        executions: totals.executions,
        blocked: totals.blocked,
        abandoned: totals.abandoned,
        outcome: totals.refused.unwrap_or(explored),
        findings: totals.findings,
    }
}
