//! Verification: explores launches of kernels and litmus tests, and assembles the results.

mod launches;
mod memory;
mod reproduction;

pub use launches::{LaunchOrigin, Launches, RecompileFile};
pub use memory::peak;

use crate::explore::{Exploration, Options, Outcome, Reductions, Visit, explore};
use crate::kernel::Bounds;
use crate::litmus::Test;
use crate::model::Model;
use crate::repair::{self, CandidateResult};
use crate::report::compose::{Reportable, Tally, program};
use crate::report::results::{Claim, Program, Repair, Results, SCHEMA, Timing, Verdict};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::InputError;
use hirace_core::postcondition::Condition;
use hirace_core::source_map::SourceMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The interval for checking the timeout and the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Settings of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The memory model.
    pub model: Model,
    /// The reductions to apply.
    pub reductions: Reductions,
    /// The bounds on the execution of kernels.
    pub bounds: Bounds,
    /// The number of executions after which to stop exploring a program.
    pub executions: Option<u64>,
    /// Whether to continue after the first finding.
    pub all: bool,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
    /// The time after which to stop exploring a program.
    pub timeout: Option<Duration>,
    /// A flag that stops the run when it is set.
    pub stop: Option<&'a AtomicBool>,
    /// The number of candidates to try for a repair; `None` for no repair.
    pub repair: Option<u64>,
    /// The postconditions of kernels, each with its source text.
    pub ensured: &'a [(SourceMap, Condition)],
}

impl Settings<'_> {
    /// Returns the limits of the search for a repair, if one is requested.
    fn limits(&self) -> Option<repair::Limits<'_>> {
        self.repair.map(|candidates| repair::Limits { candidates, stop: self.stop })
    }

    /// Returns the settings for exploring a repair candidate: as for the original, but deterministic up to the first
    /// finding, and with a bounded number of executions.
    fn of_candidates(&self) -> Self {
        let executions = self.executions.or(Some(repair::EXECUTIONS));
        Self { all: false, threads: 1, executions, ..*self }
    }
}

impl Model {
    /// The models with their names.
    pub const NAMED: [(&'static str, Self); 3] =
        [("wgsl", Self::Wgsl), ("scoped-rc11", Self::ScopedRc11), ("sc", Self::Sc)];

    /// Returns the name of the model.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, model)| *model == self).map_or("", |(name, _)| name)
    }
}

/// Explores a litmus test.
///
/// # Errors
/// Returns an error if the text is invalid, or if the model does not define one of its operations.
pub fn litmus(source: &SourceMap, settings: &Settings<'_>) -> Result<Program> {
    let (test, program, _) = explore_test(source, settings)?;
    let limits = settings.limits().filter(|_| program.verdict == Verdict::Violation);
    let candidate = settings.of_candidates();
    let explore = |source: &SourceMap| {
        let (_, program, found) = explore_test(source, &candidate).ok()?;
        let is_whole = program.verdict != Verdict::Inconclusive;
        Some(CandidateResult { verdict: program.verdict, found, is_complete: is_whole })
    };
    let repair = limits.map(|limits| match explore(source) {
        Some(CandidateResult { found: Some(found), .. }) => {
            repair::litmus(&test, found, limits, &explore)
        }
        _ => Repair::default(),
    });
    Ok(Program { repair, ..program })
}

/// Explores a litmus test. Also returns the finding that a repair has to remove, if there is one.
fn explore_test(
    source: &SourceMap,
    settings: &Settings<'_>,
) -> Result<(Test, Program, Option<repair::LitmusFinding>)> {
    let mut test = Test::read(source)?;
    test.loop_bound = test.loop_bound.max(settings.bounds.loop_iterations.min(64));
    let tally = Mutex::new(Tally::default());
    let claim = test.claim.clone();
    let look = |run: &_| {
        if let Some(claim) = &claim {
            tally.lock().unwrap_or_else(PoisonError::into_inner).add(&test, claim, run);
        }
        ControlFlow::Continue(())
    };
    // Whether a condition holds is known only at the end.
    let settings = Settings { all: settings.all || claim.is_some(), ..*settings };
    let visit = claim.is_some().then_some(&look as Visit<'_, _>);
    let mut found = None;
    let program = explored(&test, &test.name, &settings, visit, |explored| {
        let tally = std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner));
        let claimed =
            claim.as_ref().map(|claim| tally.claim(claim, explored.outcome == Outcome::Complete));
        found = repair::LitmusFinding::of(&explored.findings, claimed.as_ref());
        claimed
    })?;
    Ok((test, program, found))
}

/// Explores a program. `claim` computes the outcome of its condition.
fn explored<P: Reportable>(
    shown: &P,
    name: &str,
    settings: &Settings<'_>,
    visit: Option<Visit<'_, P::State>>,
    claim: impl FnOnce(&Exploration<P::State>) -> Option<Claim>,
) -> Result<Program> {
    let enough = AtomicBool::new(false);
    let options = Options {
        reductions: settings.reductions,
        limit_executions: settings.executions,
        stop: Some(&enough),
        first_finding: !settings.all,
        // Several threads would reach the limit in different executions each time.
        threads: if settings.executions.is_some() { 1 } else { settings.threads },
        ..Options::new(settings.model)
    };
    let start = Instant::now();
    let explored = run_with_deadline(settings, &enough, || explore(shown, &options, visit));
    if let Outcome::Inexpressible { site, .. } = explored.outcome {
        return Err(Box::new(inexpressible(shown, site, settings.model)));
    }
    let claim = claim(&explored);
    Ok(Program { seconds: start.elapsed().as_secs_f64(), ..program(shown, &explored, claim, name) })
}

/// Runs `work`, and sets `enough` when the timeout has passed or the run is stopped. `work` ends soon after that.
fn run_with_deadline<T>(
    settings: &Settings<'_>,
    enough: &AtomicBool,
    work: impl FnOnce() -> T,
) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let stopped = settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
                let late = settings.timeout.is_some_and(|timeout| start.elapsed() >= timeout);
                enough.fetch_or(stopped || late, Ordering::Relaxed);
            }
        });
        let worked = work();
        drop(done);
        worked
    })
}

fn inexpressible<P: Reportable>(shown: &P, site: u32, model: Model) -> Diagnostic {
    let message = format!("the memory model {} does not define this operation", model.name());
    let error = match shown.span_of(site) {
        Some(span) => Diagnostic::at(shown.text(), span, message),
        None => Diagnostic::new(message),
    };
    match model {
        Model::Wgsl => error.help(
            "use relaxed atomics and barriers, or pass --model scoped-rc11 for memory orders and fences",
        ),
        Model::ScopedRc11 | Model::Sc => {
            error.help("remove it: in this model, ordered writes are also available and visible")
        }
    }
}

/// Returns the results of a run that began at `start`. If an input could not be read or explored, the verdict is
/// inconclusive at best.
pub fn results(
    settings: &Settings<'_>,
    programs: Vec<Program>,
    errors: Vec<InputError>,
    start: Instant,
) -> Results {
    let least = if errors.is_empty() { Verdict::Verified } else { Verdict::Inconclusive };
    let verdict = programs.iter().map(|program| program.verdict).max();
    Results {
        schema: SCHEMA.to_owned(),
        verdict: verdict.map_or(Verdict::Inconclusive, |verdict| verdict.max(least)),
        model: settings.model.name().to_owned(),
        executions: programs.iter().map(|program| program.executions).sum(),
        blocked: programs.iter().map(|program| program.blocked).sum(),
        timing: Some(Timing {
            seconds: start.elapsed().as_secs_f64(),
            memory: peak(),
            programs: programs.iter().map(|program| program.seconds).collect(),
        }),
        stopped: settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)),
        programs,
        errors,
    }
}
