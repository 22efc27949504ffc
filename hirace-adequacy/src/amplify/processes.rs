//! Schedule amplification of tests that are processes. Each process runs its launches under many schedules and is then
//! re-run once per finding to see whether the test passes.

use super::{TestResult, TestStore};
use crate::suite::call::{Call, CallOutcome, Limits, cannot_run as cannot};
use hirace_core::amplify::record::{self, ExploreSettings, Record, ReplayedLaunch, Task};
use hirace_core::amplify::results::{AmplifiedLaunch, FindingFacts, Judgement, Test};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::process_request::Role;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};
use tempfile::TempDir;

/// A test and how to run it.
#[derive(Clone, Debug)]
pub struct TestCall {
    /// The name in its suite.
    pub name: String,
    /// The call that runs it.
    pub call: Call,
}

/// Schedule amplification of tests that are processes.
pub struct Processes<'a> {
    tests: Vec<TestCall>,
    explore: ExploreSettings,
    jobs: usize,
    stop: Option<&'a AtomicBool>,
    scratch: TempDir,
    next: AtomicU64,
}

/// The outcome of a test without results.
enum TestError {
    Stopped,
    Failed(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for TestError {
    fn from(error: Box<Diagnostic>) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for TestError {
    fn from(error: io::Error) -> Self {
        Self::Failed(cannot(error))
    }
}

impl<'a> Processes<'a> {
    /// Creates the runner for these tests, with `jobs` tests at a time.
    ///
    /// # Errors
    /// No temporary folder can be created.
    pub fn new(
        tests: Vec<TestCall>,
        explore: ExploreSettings,
        jobs: usize,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Self> {
        let scratch =
            tempfile::Builder::new().prefix("hirace-schedules").tempdir().map_err(cannot)?;
        Ok(Self { tests, explore, jobs, stop, scratch, next: AtomicU64::new(0) })
    }

    /// Runs all tests without known results. Returns the results in the order of the tests; tests that were not run are
    /// missing.
    ///
    /// # Errors
    /// A test cannot be run, fails under the default schedule, or its result cannot be stored.
    pub fn run(&self, keeper: &mut dyn TestStore) -> Result<Vec<TestResult>> {
        let known = self.tests.iter().map(|test| keeper.known(&test.name).cloned());
        let mut done: Vec<Option<TestResult>> = known.collect();
        let open: Vec<usize> = (0..done.len()).filter(|&index| done[index].is_none()).collect();
        let next = AtomicUsize::new(0);
        let shared = Mutex::new((keeper, Vec::new(), None));
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            while let Some(&index) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                if lock().2.is_some() {
                    break;
                }
                let came = self.test(&self.tests[index]);
                let mut shared = lock();
                match came {
                    Ok(of_test) => {
                        match shared.0.store(&of_test) {
                            Ok(()) => shared.1.push((index, of_test)),
                            Err(error) => drop(shared.2.get_or_insert(error)),
                        };
                    }
                    Err(TestError::Stopped) => break,
                    Err(TestError::Failed(error)) => drop(shared.2.get_or_insert(error)),
                }
            }
        };
        let jobs = self.jobs.clamp(1, open.len().max(1));
        thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
        let (_, new, failed) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed {
            return Err(error);
        }
        new.into_iter().for_each(|(index, of_test)| done[index] = Some(of_test));
        Ok(done.into_iter().flatten().collect())
    }

    fn test(&self, test: &TestCall) -> std::result::Result<TestResult, TestError> {
        let (ended, folder, log) = self.call(test, &Task::Explore(self.explore.clone()))?;
        match ended {
            CallOutcome::Stopped => return Err(TestError::Stopped),
            CallOutcome::Passed => {}
            _ => {
                let said = fs::read_to_string(&log).unwrap_or_default();
                let error = Diagnostic::new(format!(
                    "test `{}` fails under the default schedule",
                    test.name
                ));
                let last = said.lines().rev().take(20).collect::<Vec<_>>();
                let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
                return Err(TestError::Failed(Box::new(error.note(last).of_device())));
            }
        }
        let Record { mut launches, files, looked_at } = record::read(&folder)?;
        let _ = fs::remove_dir_all(&folder);
        for launched in &mut launches {
            let one = |schedule: &str| ReplayedLaunch {
                file: launched.file.clone(),
                kernel: launched.kernel.clone(),
                number: launched.number,
                schedule: schedule.to_owned(),
            };
            let asked: Vec<_> = launched
                .dispatches
                .iter()
                .flat_map(|dispatched| &dispatched.findings)
                .map(|finding| one(&finding.schedule))
                .collect();
            let mut answers = Vec::new();
            for one in asked {
                answers.push(self.passes(test, one)?);
            }
            judge(launched, answers, |variable| looked_at.contains(variable));
            // The command would not launch what the test launches.
            launched.command = None;
        }
        Ok(TestResult { test: Test { name: test.name.clone(), launches }, files })
    }

    /// Returns whether a test passes with one launch under another schedule.
    fn passes(&self, test: &TestCall, one: ReplayedLaunch) -> std::result::Result<bool, TestError> {
        let (ended, folder, _) = self.call(test, &Task::Replay(one))?;
        let _ = fs::remove_dir_all(&folder);
        match ended {
            CallOutcome::Stopped => Err(TestError::Stopped),
            ended => Ok(ended == CallOutcome::Passed),
        }
    }

    /// Runs a test with a task. Returns how it ended, the folder of the task, and the log file.
    fn call(&self, test: &TestCall, task: &Task) -> Result<(CallOutcome, PathBuf, PathBuf)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = self.scratch.path().join(number.to_string());
        fs::create_dir_all(&folder).map_err(cannot)?;
        record::write_task(&folder, task).map_err(cannot)?;
        let log = folder.join("log");
        let role = Role::Amplified { folder: folder.clone() };
        // Launches have step limits, so no time limit is needed.
        let limits = Limits { time: Duration::MAX, memory: None, stop: self.stop };
        Ok((test.call.run(role, self.jobs == 1, &log, limits)?, folder, log))
    }
}

/// Records for each finding of a launch whether the test passes with it.
fn judge(launched: &mut AmplifiedLaunch, passes: Vec<bool>, looks_at: impl Fn(&str) -> bool) {
    let findings = launched.dispatches.iter_mut().flat_map(|dispatched| &mut dispatched.findings);
    for (finding, passes) in findings.zip(passes) {
        finding.test = match &finding.what {
            _ if !passes => Judgement::Fails,
            FindingFacts::OutputsDiffer(differs) if looks_at(&differs.variable) => {
                Judgement::Passes
            }
            _ => Judgement::Silent,
        };
    }
}
