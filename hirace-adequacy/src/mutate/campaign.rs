//! Judges many mutants in parallel.
//!
//! The tests that reach a mutant run in the order of their likelihood to kill it: first the test that killed it before, then
//! those that cover most of its function. The order is the same in every run and shard.

use super::directives;
use super::judge::{Judge, Limits, MutantOutcome, MutantText, TestRunner};
use super::results::Mutant;
use super::source::{Candidate, Source};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// A mutant with the tests that reach it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The mutant.
    pub candidate: Candidate,
    /// The number of its source.
    pub source: usize,
    /// The numbers of the tests, the likeliest to kill it first.
    pub reached: Vec<usize>,
}

/// A store for judged mutants.
pub trait MutantStore: Send {
    /// Stores a judged mutant.
    ///
    /// # Errors
    /// The mutant cannot be stored. The run ends then.
    fn store(&mut self, mutant: &Mutant) -> Result<()>;
}

/// The mutants to judge, the tests and their limits.
pub struct Campaign<'a> {
    /// The sources of mutants.
    pub sources: &'a [Source],
    /// The tests.
    pub tests: &'a dyn TestRunner,
    /// The names of the tests.
    pub names: &'a [String],
    /// The limits of each test.
    pub limits: &'a [Limits],
    /// The number of runs of a test whose outcome may vary.
    pub repeats: u32,
    /// The number of mutants that are judged in parallel.
    pub jobs: usize,
    /// The test that killed each mutant before, by the mutant's id.
    pub previous_killers: &'a BTreeMap<String, String>,
    /// Set by another thread to stop.
    pub stop: Option<&'a AtomicBool>,
}

impl Campaign<'_> {
    /// Judges the mutants without a status. Returns whether all are judged.
    ///
    /// # Errors
    /// A test cannot be run, or a mutant cannot be stored.
    pub fn run(&self, subjects: &mut [Subject], store: &mut dyn MutantStore) -> Result<bool> {
        let open: Vec<usize> = (0..subjects.len())
            .filter(|&index| subjects[index].candidate.mutant.status.is_none())
            .collect();
        let next = AtomicUsize::new(0);
        let is_stopped = || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let shared = Mutex::new((store, Vec::new()));
        let failed: Mutex<Option<Box<Diagnostic>>> = Mutex::new(None);
        let of = &*subjects;
        let work = || {
            while let Some(&index) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                let has_failed = failed.lock().unwrap_or_else(PoisonError::into_inner).is_some();
                if is_stopped() || has_failed {
                    break;
                }
                let subject = &of[index];
                let start = Instant::now();
                let done = self.judge_subject(subject).and_then(|judged| {
                    let Some(judged) = judged else { return Ok(()) };
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let mutant =
                        mutant_with_outcome(subject, judged, start.elapsed().as_secs_f64());
                    shared.0.store(&mutant)?;
                    shared.1.push((index, mutant));
                    Ok(())
                });
                if let Err(error) = done {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        let jobs = self.jobs.clamp(1, open.len().max(1));
        thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
        let (_, judged) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_all = judged.len() == open.len();
        for (index, mutant) in judged {
            subjects[index].candidate.mutant = mutant;
        }
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(is_all),
        }
    }

    fn judge_subject(&self, subject: &Subject) -> Result<Option<MutantOutcome>> {
        let source = &self.sources[subject.source];
        let mutant = &subject.candidate.mutant;
        let text = source.with(&subject.candidate);
        let mutated = MutantText::new(source, &subject.candidate.edits, &text);
        let before = self.previous_killers.get(&mutant.id);
        let mut order = subject.reached.clone();
        order.sort_by_key(|test| before != Some(&self.names[*test]));
        let Self { tests, names, limits, repeats, .. } = *self;
        let judge = Judge { tests, names, limits, repeats };
        judge.judge(mutated, &order)
    }
}

/// Returns a mutant with its outcome.
fn mutant_with_outcome(subject: &Subject, judged: MutantOutcome, seconds: f64) -> Mutant {
    let MutantOutcome { status, killed_by, by_outputs, failed_runs, hidden_by, reason } = judged;
    let mut mutant = Mutant {
        status: Some(status),
        killed_by,
        by_outputs,
        failed_runs,
        hidden_by,
        reason,
        seconds: Some(seconds),
        ..subject.candidate.mutant.clone()
    };
    directives::check_expectation(&mut mutant);
    mutant
}
