//! Tests that are processes: each run is one, and the request to it names the file with the mutant's text.

use super::judge::{Attempt, AttemptResult, TestOutcome, TestRunner};
use super::known::{Comparison, compare};
use super::results::KillCause;
use crate::suite::call::{Call, CallOutcome, Limits, cannot_run as cannot};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::process_mutation::{self, RecordLine};
use hirace_core::process_request::{MutantFile, MutationRequest, Role};
use std::collections::BTreeSet;
use std::fs;
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

impl TestRunner for Processes<'_> {
    fn run(&self, test: usize, attempt: Attempt<'_>) -> Result<AttemptResult> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file =
            |ending: &str| -> PathBuf { self.scratch.path().join(format!("{number}.{ending}")) };
        let (record, log, text) = (file("record"), file("log"), file("text"));
        let mut mutant = None;
        if let Some(mutated) = attempt.mutant {
            fs::write(&text, mutated.text).map_err(cannot)?;
            mutant = Some(MutantFile { original: mutated.original.to_owned(), text: text.clone() });
        }
        let role = Role::Mutated(MutationRequest {
            // Explanations of findings take longer than detection. They are needed only if the test has findings
            // without the mutant.
            unexplained: mutant.is_some() && attempt.limits.known.is_empty(),
            mutant,
            record: record.clone(),
            schedule: attempt.schedule,
            steps: attempt.limits.steps,
            lenient: attempt.lenient,
        });
        let limits = Limits { time: attempt.limits.time, memory: self.memory, stop: self.stop };
        let ended = self.calls[test].run(role, !self.side_by_side, &log, limits)?;
        let lines = process_mutation::read(&record);
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
        Ok(attempted(attempt, &ended, &lines, self.calls[test].is_checked))
    }
}

/// Returns the outcome of a test from how its process ended and what it recorded. If the test `is_checked`, a finding that
/// the original does not have fails it.
fn attempted(
    attempt: Attempt<'_>,
    ended: &CallOutcome,
    lines: &[RecordLine],
    is_checked: bool,
) -> AttemptResult {
    let (mut found, mut exceeded) = (Vec::new(), BTreeSet::new());
    let (mut all_ended, mut steps) = (true, 0);
    // A test without recorded launches may use the text in other ways, so it may depend on the schedule.
    let mut steady = lines.iter().any(|line| matches!(line, RecordLine::Checked { .. }));
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
    // Checks on several threads are recorded in any order.
    found.sort();
    found.dedup();
    let Comparison { new: findings, hiding } = match attempt.mutant {
        Some(mutant) => compare(&found, &attempt.limits.known, mutant),
        None => Comparison { new: found, hiding: Vec::new() },
    };
    let refused = lines.iter().filter_map(|line| match line {
        RecordLine::Refused { why } => Some(why.clone()),
        _ => None,
    });
    let refused: BTreeSet<String> = refused.collect();
    // A test may expect that a check is refused.
    let newly_refused = refused.difference(&attempt.limits.refused).next();
    let is_certain = findings.iter().any(|finding| !finding.is_possible);
    // If the test fails although findings are ignored, an assertion on something else failed.
    let is_past_findings = attempt.lenient && lines.contains(&RecordLine::NotClean);
    let is_judged = attempt.mutant.is_some() && !attempt.lenient;
    let came = match ended {
        CallOutcome::Passed if is_checked && is_judged && is_certain => {
            TestOutcome::Failed(KillCause::Finding)
        }
        CallOutcome::Passed => TestOutcome::Passed,
        CallOutcome::TimedOut => TestOutcome::TimedOut,
        CallOutcome::OutOfMemory => TestOutcome::OutOfMemory,
        CallOutcome::Stopped => TestOutcome::Stopped,
        CallOutcome::Crashed | CallOutcome::Failed
            if let (Some(why), Some(_), true) =
                (newly_refused, attempt.mutant, findings.is_empty()) =>
        {
            TestOutcome::Refused(why.clone())
        }
        CallOutcome::Crashed => TestOutcome::Failed(KillCause::Crash),
        CallOutcome::Failed if is_past_findings => TestOutcome::Failed(KillCause::Assertion),
        CallOutcome::Failed if !all_ended => TestOutcome::Failed(KillCause::Hang),
        CallOutcome::Failed if findings.is_empty() => TestOutcome::Failed(KillCause::Assertion),
        CallOutcome::Failed => TestOutcome::Failed(KillCause::Finding),
    };
    AttemptResult {
        outcome: came,
        findings,
        hiding,
        exceeded,
        refused,
        is_deterministic: steady,
        steps,
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::{self, MutantText};
    use super::*;
    use hirace_core::finding::identity::FindingIdentity;

    fn finding(rule: &str) -> FindingIdentity {
        FindingIdentity {
            file: "a.wgsl".to_owned(),
            places: vec![(1, 1)],
            rule: rule.to_owned(),
            kernel: "main".to_owned(),
            variable: None,
            count: 1,
            only_by_clamping: false,
            is_possible: false,
            is_warning: false,
            is_one_sided: false,
        }
    }

    fn line(rules: &[&str]) -> RecordLine {
        RecordLine::Checked {
            findings: rules.iter().map(|rule| finding(rule)).collect(),
            exceeded: BTreeSet::new(),
            steady: true,
            ended: true,
            steps: 1,
        }
    }

    /// Returns how a test that passed counts, with these findings on a mutant and on the original.
    fn passed(rules: &[&str], known: &[&str], lenient: bool, is_checked: bool) -> TestOutcome {
        let known = known.iter().map(|rule| finding(rule)).collect();
        let limits = &judge::Limits { known, ..judge::Limits::NONE };
        let mutant = Some(MutantText {
            file: "a.wgsl",
            original: "x",
            original_text: "x",
            text: "x",
            edits: &[],
        });
        let attempt = Attempt { mutant, schedule: 0, lenient, limits };
        attempted(attempt, &CallOutcome::Passed, &[line(&[]), line(rules)], is_checked).outcome
    }

    #[test]
    fn new_findings_fail_checked_tests_although_they_pass() {
        let found = TestOutcome::Failed(KillCause::Finding);
        assert_eq!(passed(&["HR001"], &[], false, true), found);
        assert_eq!(passed(&["HR001", "HR003"], &["HR001"], false, true), found);
        assert_eq!(passed(&["HR001"], &["HR001"], false, true), TestOutcome::Passed);
        assert_eq!(passed(&[], &[], false, true), TestOutcome::Passed);
        assert_eq!(passed(&["HR001"], &[], true, true), TestOutcome::Passed);
        assert_eq!(passed(&["HR001"], &[], false, false), TestOutcome::Passed);
    }

    #[test]
    fn a_refusal_that_a_test_expects_does_not_make_a_mutant_unviable() {
        let refused = |why: &str| RecordLine::Refused { why: why.to_owned() };
        let outcome = |refusals: &[&str], known: &[&str]| {
            let refused_before = known.iter().map(|&why| why.to_owned()).collect();
            let limits = &judge::Limits { refused: refused_before, ..judge::Limits::NONE };
            let text =
                MutantText { file: "", original: "", original_text: "", text: "", edits: &[] };
            let attempt = Attempt { mutant: Some(text), schedule: 0, lenient: false, limits };
            let lines: Vec<RecordLine> = refusals.iter().map(|why| refused(why)).collect();
            attempted(attempt, &CallOutcome::Failed, &lines, false).outcome
        };
        let killed = TestOutcome::Failed(KillCause::Assertion);
        assert_eq!(outcome(&["no buffer"], &["no buffer"]), killed);
        let unviable = TestOutcome::Refused("no `subgroups`".to_owned());
        assert_eq!(outcome(&["no buffer", "no `subgroups`"], &["no buffer"]), unviable);
    }

    #[test]
    fn findings_on_the_original_do_not_fail_its_tests() {
        let limits = &judge::Limits::NONE;
        let attempt = Attempt { mutant: None, schedule: 0, lenient: false, limits };
        let result = attempted(attempt, &CallOutcome::Passed, &[line(&["HR001"])], true);
        assert_eq!((result.outcome, result.findings.len()), (TestOutcome::Passed, 1));
    }
}
