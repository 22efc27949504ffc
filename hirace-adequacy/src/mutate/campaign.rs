//! Many mutants, judged side by side.
//!
//! Of the tests that reach a mutant, that one runs first that is likeliest to kill it: what killed it before, then what
//! runs most of its function. That order is the same in every run and shard, whatever else is judged at the time.

use super::directives;
use super::judge::{Judge, Judged, Limits, Mutated, Tests};
use super::results::Mutant;
use super::source::{Candidate, Source};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// A mutant, and the tests that reach it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The mutant.
    pub candidate: Candidate,
    /// Which source it is of.
    pub source: usize,
    /// The tests, by their numbers, the likeliest to kill it first.
    pub reached: Vec<usize>,
}

/// Hears of each mutant that is judged, and keeps it.
pub trait Keeper: Send {
    /// This one is judged.
    ///
    /// # Errors
    /// It cannot be kept: then no more are judged.
    fn judged(&mut self, mutant: &Mutant) -> Result<()>;
}

/// What is to be judged, and by what.
pub struct Campaign<'a> {
    /// What mutants are of.
    pub sources: &'a [Source],
    /// The tests.
    pub tests: &'a dyn Tests,
    /// What they are called.
    pub names: &'a [String],
    /// What each may take.
    pub limits: &'a [Limits],
    /// How often a test is run whose outcome may differ.
    pub repeats: u32,
    /// How many mutants are judged at a time.
    pub jobs: usize,
    /// Which test killed a mutant before, by its id.
    pub learned: &'a BTreeMap<String, String>,
    /// Set by somebody else to stop.
    pub stop: Option<&'a AtomicBool>,
}

impl Campaign<'_> {
    /// Judges those that have no status yet. Says whether all of them are judged.
    ///
    /// # Errors
    /// A test cannot be run, or a mutant not be kept.
    pub fn run(&self, subjects: &mut [Subject], keeper: &mut dyn Keeper) -> Result<bool> {
        let open: Vec<usize> = (0..subjects.len())
            .filter(|&index| subjects[index].candidate.mutant.status.is_none())
            .collect();
        let next = AtomicUsize::new(0);
        let is_stopped = || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let shared = Mutex::new((keeper, Vec::new()));
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
                let done = self.judged(subject).and_then(|judged| {
                    let Some(judged) = judged else { return Ok(()) };
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let mutant = with(subject, judged, start.elapsed().as_secs_f64());
                    shared.0.judged(&mutant)?;
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

    fn judged(&self, subject: &Subject) -> Result<Option<Judged>> {
        let source = &self.sources[subject.source];
        let mutant = &subject.candidate.mutant;
        let text = source.with(&subject.candidate);
        let mutated = Mutated { original: &source.hash, text: &text };
        let before = self.learned.get(&mutant.id);
        let mut order = subject.reached.clone();
        order.sort_by_key(|test| before != Some(&self.names[*test]));
        let Self { tests, names, limits, repeats, .. } = *self;
        let judge = Judge { tests, names, limits, repeats };
        judge.judge(mutated, &order)
    }
}

/// A mutant with what became of it.
fn with(subject: &Subject, judged: Judged, seconds: f64) -> Mutant {
    let Judged { status, killed_by, by_outputs, failed_runs } = judged;
    let mut mutant = Mutant {
        status: Some(status),
        killed_by,
        by_outputs,
        failed_runs,
        seconds,
        ..subject.candidate.mutant.clone()
    };
    directives::hold(&mut mutant);
    mutant
}
