//! Tests that are launches, from flags and hirace.toml. They run in this process.
//!
//! Outputs are compared with the expected contents if the test defines any, otherwise with the outputs of the unmutated
//! source. On a device, mutants run in programs that hold many of them where possible (see `shared`).

mod shared;

use super::judge::{Attempt, AttemptResult, TestOutcome, TestRunner};
use super::known::{Comparison, compare};
use super::launch_test::LaunchTest;
use super::results::KillCause;
use super::schemata::Schemata;
use super::source::Source;
use hirace_core::check::file::check_file;
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::source::{check_launches, check_program as checked_of};
use hirace_core::check::{CheckOutcome, Options, Session};
use hirace_core::cover::Coverage;
use hirace_core::cover::collect::Collector;
use hirace_core::diagnostic::{Cause, Diagnostic, Result};
use hirace_core::exec::{EMBEDDED, Executor};
use hirace_core::facts::{Certainty, LaunchFacts};
use hirace_core::finding::identity::{exceeded_limits, finding_identities};
use hirace_core::ir::globals::is_writable;
use shared::BaselineRun;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Tests that run in this process.
pub struct Launches<'a> {
    /// The executor.
    pub executor: &'a (dyn Executor + Send + Sync),
    /// The sources.
    pub sources: &'a [Source],
    /// The tests.
    pub tests: Vec<LaunchTest>,
    /// Set by another thread to stop.
    pub stop: Option<&'a AtomicBool>,
    /// The outputs of each test without a mutant.
    baselines: Vec<OnceLock<BaselineRun>>,
    /// The programs that hold many mutants.
    schemata: Schemata,
}

impl<'a> Launches<'a> {
    /// Creates the tests of these sources.
    pub fn new(
        executor: &'a (dyn Executor + Send + Sync),
        sources: &'a [Source],
        tests: Vec<LaunchTest>,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let left = tests.iter().map(|_| OnceLock::new()).collect();
        Self { executor, sources, tests, stop, baselines: left, schemata: Schemata::default() }
    }

    /// Returns the coverage of a test.
    ///
    /// # Errors
    /// The test cannot be launched.
    pub fn coverage(&self, test: usize) -> Result<Coverage> {
        let LaunchTest { source, options, .. } = &self.tests[test];
        let source = &self.sources[*source];
        let mut collector = Collector::new(true, self.stop);
        let mut session =
            Session::new(self.executor).with_stop(self.stop).with_follower(Some(&mut collector));
        checked(source, &source.text, options, &mut session)?;
        let mut coverage = collector.coverage;
        for file in coverage.files.iter_mut().filter(|file| file.file == source.file) {
            file.text = Some(source.hash.clone());
        }
        Ok(coverage)
    }

    /// Runs a launch of a source and explains its races.
    ///
    /// # Errors
    /// The launch fails.
    pub fn explain(&self, source: usize, options: &Options) -> Result<CheckOutcome> {
        let source = &self.sources[source];
        checked(source, &source.text, options, &mut self.session())
    }

    fn session(&self) -> Session<'_> {
        Session::new(self.executor).with_stop(self.stop).without_search()
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Checks a text of a source.
fn checked(
    source: &Source,
    text: &str,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<CheckOutcome> {
    match source.is_host() {
        true => check_file(&source.parse_file(text)?, options, session),
        false => check_launches(&source.parse(text)?, options, session),
    }
}

impl TestRunner for Launches<'_> {
    fn run(&self, test: usize, attempt: Attempt<'_>) -> Result<AttemptResult> {
        let LaunchTest { source, options, .. } = &self.tests[test];
        let source = &self.sources[*source];
        let mut options = options.clone();
        for launch in &mut options.launches {
            launch.give(attempt.schedule, attempt.limits.steps);
            let time = attempt.limits.time;
            launch.timeout = Some(launch.timeout.map_or(time, |given| given.min(time)));
        }
        if let Some(mutant) = attempt.mutant
            && let Some(attempted) = self.run_in_schema(test, mutant, attempt, &options)?
        {
            return Ok(attempted);
        }
        let text = attempt.mutant.map_or(&*source.text, |mutant| mutant.text);
        let start = Instant::now();
        let checked = checked(source, text, &options, &mut self.session());
        let came = |came| AttemptResult {
            is_deterministic: self.executor.device().name == EMBEDDED,
            ..AttemptResult::of(came)
        };
        if self.is_stopped() {
            return Ok(came(TestOutcome::Stopped));
        }
        let failed = |failure: Diagnostic| match (attempt.mutant, failure.cause) {
            _ if start.elapsed() >= attempt.limits.time => Ok(came(TestOutcome::TimedOut)),
            (None, _) => Err(Box::new(failure)),
            (Some(_), Cause::Device) => Ok(came(TestOutcome::Failed(KillCause::Crash))),
            (Some(_), _) => Ok(came(TestOutcome::Refused(failure.message))),
        };
        match checked {
            Err(error) => failed(*error),
            Ok(checked) => match checked.failures.first() {
                Some(failure) => failed(failure.clone()),
                None => self.judged(test, attempt, checked),
            },
        }
    }
}

/// Returns the rules of certain errors. Warnings, and findings that are only possible, do not fail a test.
pub fn certain_rules(launch: &LaunchFacts) -> BTreeSet<String> {
    let certain = launch.errors().filter(|finding| finding.certainty() == Certainty::Certain);
    certain.map(|finding| finding.kind().code().to_owned()).collect()
}

impl Launches<'_> {
    /// Returns the outcome of a test that ran.
    fn judged(
        &self,
        test: usize,
        attempt: Attempt<'_>,
        checked: CheckOutcome,
    ) -> Result<AttemptResult> {
        let is_certain = |certainty| certainty == Certainty::Certain;
        let found = finding_identities(&checked.launches, is_certain);
        let exceeded = exceeded_limits(&checked.launches);
        let (steady, steps) = (checked.is_steady(), checked.steps());
        let Comparison { new: findings, hiding } = match attempt.mutant {
            Some(mutant) => compare(&found, &attempt.limits.known, mutant),
            None => Comparison { new: found, hiding: Vec::new() },
        };
        let hangs = !checked.all_terminated();
        let came = match (attempt.mutant, attempt.lenient) {
            (None, _) => match self.differs(test, &checked.memories, true)? {
                true => TestOutcome::Failed(KillCause::Assertion),
                false => TestOutcome::Passed,
            },
            (Some(_), false) if hangs => TestOutcome::Failed(KillCause::Hang),
            (Some(_), false) if !findings.is_empty() => TestOutcome::Failed(KillCause::Finding),
            (Some(_), _) => match self.differs(test, &checked.memories, false)? {
                true => TestOutcome::Failed(KillCause::Assertion),
                false => TestOutcome::Passed,
            },
        };
        if attempt.mutant.is_none() && attempt.schedule == 0 {
            let _ = self.baselines[test].set(BaselineRun::of(checked));
        }
        Ok(AttemptResult {
            outcome: came,
            findings,
            hiding,
            exceeded,
            refused: BTreeSet::new(),
            is_deterministic: steady,
            steps,
        })
    }

    /// Returns whether buffers differ from what is expected. For the unmutated source, the outputs under another
    /// schedule are compared with those of its first run.
    fn differs(&self, test: usize, memories: &[FinalMemory], is_original: bool) -> Result<bool> {
        let LaunchTest { expect, tolerance, golden, .. } = &self.tests[test];
        for expected in expect {
            let name = expected.target();
            let Some(memory) = memories.iter().find(|memory| memory.holds(&name)) else {
                // The kernel, or this mutant of it, has no such buffer.
                return match (is_original, memories.first()) {
                    (true, Some(memory)) => {
                        memory.find_difference(expected, *tolerance).map(|_| true)
                    }
                    _ => Ok(true),
                };
            };
            match memory.find_difference(expected, *tolerance) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(true),
                Err(error) if is_original => return Err(error),
                Err(_) => return Ok(true),
            }
        }
        let Some(BaselineRun { memories: left, .. }) = self.baselines[test].get() else {
            return Ok(false);
        };
        if left.len() != memories.len() {
            return Ok(true);
        }
        for (left, memory) in left.iter().zip(memories) {
            let named = golden.as_ref();
            for name in written_by(left) {
                if named.is_none_or(|named| named.contains(&name))
                    && left.contents(&name).ok() != memory.contents(&name).ok()
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Returns the buffers and textures that a program may write.
pub fn written_by(memory: &FinalMemory) -> Vec<String> {
    let module = &memory.program.module;
    let globals = module.global_variables.iter();
    let written = globals.filter(|(_, global)| is_writable(module, global));
    written.filter_map(|(_, global)| global.name.clone()).collect()
}
