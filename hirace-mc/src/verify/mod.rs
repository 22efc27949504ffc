//! Verifying: launches of kernels and litmus tests are explored, and what that says of them is put together.

mod launches;
mod memory;
mod replayed;

pub use launches::{Launches, Of, Reread};
pub use memory::peak;

use crate::explore::{Explored, Options, Outcome, Reductions, Visit, explore};
use crate::kernel::Bounds;
use crate::litmus::Test;
use crate::model::Model;
use crate::repair::{self, Tried};
use crate::report::compose::{Shown, Tally, program};
use crate::report::results::{Claim, Error, Program, Repair, Results, SCHEMA, Verdict};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::ensured::Condition;
use hirace_core::source_map::SourceMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether the time is up.
const LOOK: Duration = Duration::from_millis(20);

/// How programs are explored.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The memory model.
    pub model: Model,
    /// What is left out.
    pub reductions: Reductions,
    /// How far kernels are run.
    pub bounds: Bounds,
    /// After so many executions of a program it is enough.
    pub executions: Option<u64>,
    /// Whether to go on after something was found.
    pub all: bool,
    /// How many threads; 0: as many as there are cores.
    pub threads: usize,
    /// After so long it is enough of a program.
    pub timeout: Option<Duration>,
    /// Set by whoever wants it to end.
    pub stop: Option<&'a AtomicBool>,
    /// Of how many changed texts a repair is looked for, if one is.
    pub repair: Option<u64>,
    /// What is claimed of the memory of kernels when all invocations are done, each with its text.
    pub ensured: &'a [(SourceMap, Condition)],
}

impl Settings<'_> {
    /// How long a repair is looked for, if one is.
    fn limits(&self) -> Option<repair::Limits<'_>> {
        self.repair.map(|candidates| repair::Limits { candidates, stop: self.stop })
    }

    /// How a changed text is explored: as the original, up to what is found first, which is the same each time; and not
    /// for ever.
    fn of_candidates(&self) -> Self {
        let executions = self.executions.or(Some(repair::EXECUTIONS));
        Self { all: false, threads: 1, executions, ..*self }
    }
}

impl Model {
    /// The models, with their names.
    pub const NAMED: [(&'static str, Self); 3] =
        [("wgsl", Self::Wgsl), ("scoped-rc11", Self::ScopedRc11), ("sc", Self::Sc)];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, model)| *model == self).map_or("", |(name, _)| name)
    }
}

/// Explores a litmus test.
///
/// # Errors
/// What is wrong with its text, and what the model has no words for.
pub fn litmus(source: &SourceMap, settings: &Settings<'_>) -> Result<Program> {
    let (test, program, _) = tested(source, settings)?;
    let limits = settings.limits().filter(|_| program.verdict == Verdict::Violation);
    let candidate = settings.of_candidates();
    let explore = |source: &SourceMap| {
        let (_, program, found) = tested(source, &candidate).ok()?;
        let is_whole = program.verdict != Verdict::Inconclusive;
        Some(Tried { verdict: program.verdict, found, is_whole })
    };
    let repair = limits.map(|limits| match explore(source) {
        Some(Tried { found: Some(found), .. }) => repair::litmus(&test, found, limits, &explore),
        _ => Repair::default(),
    });
    Ok(Program { repair, ..program })
}

/// Explores a litmus test, with what was found that some change might help against.
fn tested(
    source: &SourceMap,
    settings: &Settings<'_>,
) -> Result<(Test, Program, Option<repair::SpottedInTest>)> {
    let mut test = Test::read(source)?;
    test.turns = test.turns.max(settings.bounds.turns.min(64));
    let tally = Mutex::new(Tally::default());
    let claim = test.claim.clone();
    let look = |run: &_| {
        if let Some(claim) = &claim {
            tally.lock().unwrap_or_else(PoisonError::into_inner).add(&test, claim, run);
        }
        ControlFlow::Continue(())
    };
    // Of a claim it is known only at the end whether it holds.
    let settings = Settings { all: settings.all || claim.is_some(), ..*settings };
    let visit = claim.is_some().then_some(&look as Visit<'_, _>);
    let mut found = None;
    let program = explored(&test, &test.name, &settings, visit, |explored| {
        let tally = std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner));
        let claimed =
            claim.as_ref().map(|claim| tally.claim(claim, explored.outcome == Outcome::Complete));
        found = repair::SpottedInTest::of(&explored.findings, claimed.as_ref());
        claimed
    })?;
    Ok((test, program, found))
}

/// Explores a program; `claim` says what became of its claim.
fn explored<P: Shown>(
    shown: &P,
    name: &str,
    settings: &Settings<'_>,
    visit: Option<Visit<'_, P::State>>,
    claim: impl FnOnce(&Explored<P::State>) -> Option<Claim>,
) -> Result<Program> {
    let enough = AtomicBool::new(false);
    let options = Options {
        reductions: settings.reductions,
        limit_executions: settings.executions,
        stop: Some(&enough),
        first_finding: !settings.all,
        threads: settings.threads,
        ..Options::new(settings.model)
    };
    let start = Instant::now();
    let explored = within(settings, &enough, || explore(shown, &options, visit));
    if let Outcome::Inexpressible { site, .. } = explored.outcome {
        return Err(Box::new(inexpressible(shown, site, settings.model)));
    }
    let claim = claim(&explored);
    Ok(Program { seconds: start.elapsed().as_secs_f64(), ..program(shown, &explored, claim, name) })
}

/// Does work that ends soon after `enough` is set: when the time is up, or the run is stopped.
fn within<T>(settings: &Settings<'_>, enough: &AtomicBool, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
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

fn inexpressible<P: Shown>(shown: &P, site: u32, model: Model) -> Diagnostic {
    let message = format!("the model {} has no such operation", model.name());
    let error = match shown.span_of(site) {
        Some(span) => Diagnostic::at(shown.text(), span, message),
        None => Diagnostic::new(message),
    };
    match model {
        Model::Wgsl => error.help(
            "it has relaxed atomics and barriers; for orders and fences, --model scoped-rc11",
        ),
        Model::ScopedRc11 | Model::Sc => {
            error.help("leave it out: here all that is ordered is also available and visible")
        }
    }
}

/// Returns the results of a run that took so long. Where an input could not be read or explored, the verdict is inconclusive at best.
pub fn results(
    settings: &Settings<'_>,
    programs: Vec<Program>,
    errors: Vec<Error>,
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
        seconds: start.elapsed().as_secs_f64(),
        memory: peak(),
        stopped: settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)),
        programs,
        errors,
    }
}

/// An error as results have it.
pub fn error(file: Option<&str>, error: &Diagnostic) -> Error {
    Error {
        file: file.map(str::to_owned),
        message: error.message.clone(),
        help: error.help.clone(),
    }
}
