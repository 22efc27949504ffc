//! Tests that are processes: each run is one, and the mutant's text is in a file named in its environment.

use super::judge::{Attempt, AttemptResult, TestOutcome, TestRunner};
use super::known::{Comparison, compare};
use super::results::KillCause;
use crate::suite::call::{Call, CallOutcome, Limits};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::mutated::{self, RecordLine};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::TempDir;

/// Tests that are processes.
pub struct Processes<'a> {
    /// The call of each test.
    pub calls: Vec<Call>,
    /// The memory limit of a process in bytes.
    pub memory: Option<u64>,
    /// Set by another thread to stop.
    pub stop: Option<&'a AtomicBool>,
    scratch: TempDir,
    next: AtomicU64,
    /// Whether tests run in parallel. Each test then computes on one thread.
    side_by_side: bool,
}

impl<'a> Processes<'a> {
    /// Creates the runner for these calls.
    ///
    /// # Errors
    /// No temporary folder can be created.
    pub fn new(calls: Vec<Call>, jobs: usize, stop: Option<&'a AtomicBool>) -> Result<Self> {
        let scratch =
            tempfile::Builder::new().prefix("hirace-mutants").tempdir().map_err(cannot)?;
        Ok(Self {
            calls,
            memory: None,
            stop,
            scratch,
            next: AtomicU64::new(0),
            side_by_side: jobs > 1,
        })
    }
}

fn cannot(error: io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("tests cannot be run: {error}")).of_device())
}

impl TestRunner for Processes<'_> {
    fn run(&self, test: usize, attempt: Attempt<'_>) -> Result<AttemptResult> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file =
            |ending: &str| -> PathBuf { self.scratch.path().join(format!("{number}.{ending}")) };
        let (record, log, text) = (file("record"), file("log"), file("text"));
        let mut more = vec![
            (mutated::RECORD, record.display().to_string()),
            (mutated::SCHEDULE, attempt.schedule.to_string()),
            (mutated::LENIENT, String::from(if attempt.lenient { "1" } else { "0" })),
            // Backtraces are not read, and computing them takes longer than most tests.
            ("RUST_BACKTRACE", "0".to_owned()),
        ];
        if let Some(mutant) = attempt.mutant {
            fs::write(&text, mutant.text).map_err(cannot)?;
            more.push((mutated::MUTANT, text.display().to_string()));
            more.push((mutated::ORIGINAL, mutant.original.to_owned()));
            // Explanations of findings take longer than detection. They are needed only if the test has findings
            // without the mutant.
            if attempt.limits.known.is_empty() {
                more.push((mutated::UNEXPLAINED, "1".to_owned()));
            }
        }
        if let Some(steps) = attempt.limits.steps {
            more.push((mutated::STEPS, steps.to_string()));
        }
        if self.side_by_side {
            more.push(("RAYON_NUM_THREADS", "1".to_owned()));
        }
        let limits = Limits { time: attempt.limits.time, memory: self.memory, stop: self.stop };
        let ended = self.calls[test].run(&more, &log, limits).map_err(cannot)?;
        let lines = mutated::read(&record);
        let not_made = lines.iter().find_map(|line| match line {
            RecordLine::NotMade { why } => Some(why),
            _ => None,
        });
        if let (Some(why), CallOutcome::Passed | CallOutcome::Failed | CallOutcome::Crashed) =
            (not_made, &ended)
        {
            let error =
                Diagnostic::new(format!("a test cannot make a mutant that compiles: {why}"));
            let help = "raise --max-memory or lower --jobs: the test may lack memory or threads";
            return Err(Box::new(error.help(help).of_device()));
        }
        for path in [record, log, text] {
            let _ = fs::remove_file(path);
        }
        Ok(attempted(attempt, &ended, &lines))
    }
}

/// Returns the outcome of a test from how its process ended and what it recorded.
fn attempted(attempt: Attempt<'_>, ended: &CallOutcome, lines: &[RecordLine]) -> AttemptResult {
    let (mut found, mut exceeded) = (Vec::new(), BTreeSet::new());
    let (mut all_ended, mut steps) = (true, 0);
    // A test without recorded launches may use the text in other ways, so it may depend on the schedule.
    let mut steady = !lines.is_empty();
    for line in lines {
        if let RecordLine::Checked {
            findings,
            exceeded: over,
            steady: is_steady,
            ended: has_ended,
            steps: taken,
        } = line
        {
            (all_ended, steps) = (all_ended && *has_ended, steps.max(*taken));
            found.extend(findings.iter().cloned());
            exceeded.extend(over.iter().cloned());
            steady &= is_steady;
        }
    }
    let Comparison { new: findings, hiding } = match attempt.mutant {
        Some(mutant) => compare(&found, &attempt.limits.known, mutant),
        None => Comparison { new: found, hiding: Vec::new() },
    };
    let refused = lines.iter().find_map(|line| match line {
        RecordLine::Refused { why } => Some(why.clone()),
        _ => None,
    });
    // If the test fails although findings are ignored, an assertion on something else failed.
    let is_past_findings = attempt.lenient && lines.contains(&RecordLine::NotClean);
    let came = match ended {
        CallOutcome::Passed => TestOutcome::Passed,
        CallOutcome::TimedOut => TestOutcome::TimedOut,
        CallOutcome::OutOfMemory => TestOutcome::OutOfMemory,
        CallOutcome::Stopped => TestOutcome::Stopped,
        CallOutcome::Crashed | CallOutcome::Failed
            if let (Some(why), Some(_)) = (&refused, attempt.mutant) =>
        {
            TestOutcome::Refused(why.clone())
        }
        CallOutcome::Crashed => TestOutcome::Failed(KillCause::Crash),
        CallOutcome::Failed if is_past_findings => TestOutcome::Failed(KillCause::Assertion),
        CallOutcome::Failed if !all_ended => TestOutcome::Failed(KillCause::Hang),
        CallOutcome::Failed if findings.is_empty() => TestOutcome::Failed(KillCause::Assertion),
        CallOutcome::Failed => TestOutcome::Failed(KillCause::Finding),
    };
    AttemptResult { outcome: came, findings, hiding, exceeded, is_deterministic: steady, steps }
}
