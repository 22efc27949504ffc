//! Judges a mutant: its tests run until one detects it in every run.
//!
//! A test is repeated under other schedules and detects a mutant if it fails each time. If it fails only sometimes, the
//! mutant is undecided. If no schedule can change a run, that run stands for all.
//!
//! A mutant that the device or the application of a test refuses is not detected by that test. If all of its tests refuse
//! it, it is unviable.

use super::results::{FailedRuns, KillCause, KilledBy, KnownFinding, Status};
use super::source::Source;
use hirace_core::diagnostic::Result;
use hirace_core::edit::Edit;
use hirace_core::finding::identity::FindingIdentity;
use std::collections::BTreeSet;
use std::time::Duration;

/// A test runner.
pub trait TestRunner: Sync {
    /// Runs a test once, on a mutant or on the unmutated source.
    ///
    /// # Errors
    /// The test cannot be run.
    fn run(&self, test: usize, attempt: Attempt<'_>) -> Result<AttemptResult>;
}

/// The settings of a run of a test.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The mutant, or `None` for the unmutated source.
    pub mutant: Option<MutantText<'a>>,
    /// The schedule of launches for which the test gives none.
    pub schedule: u64,
    /// Whether findings are ignored, so that they do not fail the test.
    pub lenient: bool,
    /// The limits and known findings of the test.
    pub limits: &'a Limits,
}

/// The limits of a test on a mutant, derived from its run without a mutant.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The time limit.
    pub time: Duration,
    /// The step limit of a subgroup, so that a hang is detected before the time limit, and in the same way on every
    /// machine. `None` if steps are not counted.
    pub steps: Option<u64>,
    /// The findings without a mutant.
    pub known: Vec<FindingIdentity>,
    /// The limits of WebGPU that the launches exceed without a mutant.
    pub exceeded: BTreeSet<String>,
    /// The reasons for which checks are refused without a mutant.
    pub refused: BTreeSet<String>,
    /// The maximum number of runs on a mutant.
    pub runs: u32,
}

impl Limits {
    /// The limits of a test about which nothing is known.
    pub const NONE: Self = Self {
        time: Duration::MAX,
        steps: None,
        known: Vec::new(),
        exceeded: BTreeSet::new(),
        refused: BTreeSet::new(),
        runs: u32::MAX,
    };
}

/// A mutated text.
#[derive(Clone, Copy, Debug)]
pub struct MutantText<'a> {
    /// The name of the source.
    pub file: &'a str,
    /// The hash of the original text.
    pub original: &'a str,
    /// The original text.
    pub original_text: &'a str,
    /// The text.
    pub text: &'a str,
    /// The edits that make the text from the original; empty if findings refer to the original.
    pub edits: &'a [Edit],
}

impl<'a> MutantText<'a> {
    /// Creates the mutant that `edits` make of a source, which has this text.
    pub fn new(source: &'a Source, edits: &'a [Edit], text: &'a str) -> Self {
        let (file, original, original_text) = (&source.file, &source.hash, &source.text);
        Self { file, original, original_text, text, edits }
    }
}

/// The result of a run of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptResult {
    /// How the test ended.
    pub outcome: TestOutcome,
    /// The findings. With a mutant, those that are not known.
    pub findings: Vec<FindingIdentity>,
    /// The known findings that may hide what the mutant causes.
    pub hiding: Vec<FindingIdentity>,
    /// The limits of WebGPU that the launches exceed.
    pub exceeded: BTreeSet<String>,
    /// The reasons for which checks were refused.
    pub refused: BTreeSet<String>,
    /// Whether no schedule can change the result.
    pub is_deterministic: bool,
    /// The largest number of steps of a dispatch.
    pub steps: u64,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed(KillCause),
    /// It exceeded its time limit.
    TimedOut,
    /// It ran out of memory.
    OutOfMemory,
    /// The device or the application refuses the mutant, for this reason.
    Refused(String),
    /// The run was stopped.
    Stopped,
}

impl AttemptResult {
    /// Returns a result with this outcome, and empty defaults.
    pub fn of(outcome: TestOutcome) -> Self {
        Self {
            outcome,
            findings: Vec::new(),
            hiding: Vec::new(),
            exceeded: BTreeSet::new(),
            refused: BTreeSet::new(),
            is_deterministic: false,
            steps: 0,
        }
    }

    /// Returns how the run ended. A mutant that exceeds a WebGPU limit is refused if the original does not exceed it.
    fn outcome_within(&self, limits: &Limits) -> TestOutcome {
        match self.exceeded.difference(&limits.exceeded).next() {
            _ if self.outcome == TestOutcome::Stopped => TestOutcome::Stopped,
            Some(limit) => TestOutcome::Refused(format!("it exceeds {limit}")),
            None => self.outcome.clone(),
        }
    }
}

/// The outcome of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct MutantOutcome {
    /// The status.
    pub status: Status,
    /// The test that killed it, and how.
    pub killed_by: Option<KilledBy>,
    /// Whether it is killed even if findings are ignored: by an assertion on outputs, or by a crash.
    pub by_outputs: Option<bool>,
    /// The runs of the test that sometimes fails.
    pub failed_runs: Option<FailedRuns>,
    /// For a mutant that survives, the findings without it that may hide what it causes.
    pub hidden_by: Vec<KnownFinding>,
    /// Why it cannot run.
    pub reason: Option<String>,
}

/// Judges mutants by these tests.
pub struct Judge<'a> {
    /// The tests.
    pub tests: &'a dyn TestRunner,
    /// The names of the tests.
    pub names: &'a [String],
    /// The limits of each test.
    pub limits: &'a [Limits],
    /// The number of runs of a test whose outcome may vary.
    pub repeats: u32,
}

/// The outcome of all runs of a test on a mutant.
enum RepeatedOutcome {
    Passes(Vec<FindingIdentity>),
    Refuses(String),
    Fails(KillCause, BTreeSet<String>),
    Differs(FailedRuns),
    Ends(Status),
}

impl Judge<'_> {
    /// Judges a mutant by these tests, in order. Returns `None` if it was stopped.
    ///
    /// # Errors
    /// A test cannot be run.
    pub fn judge(&self, mutant: MutantText<'_>, tests: &[usize]) -> Result<Option<MutantOutcome>> {
        let judged = |status| MutantOutcome {
            status,
            killed_by: None,
            by_outputs: None,
            failed_runs: None,
            hidden_by: Vec::new(),
            reason: None,
        };
        if tests.is_empty() {
            return Ok(Some(judged(Status::NoCoverage)));
        }
        let (mut differs, mut hidden_by) = (None, Vec::new());
        let (mut refused, mut refusals) = (None, 0);
        for (place, &test) in tests.iter().enumerate() {
            let Some(said) = self.run_repeatedly(mutant, test, false)? else { return Ok(None) };
            let killed =
                |how, rules| Some(KilledBy { test: self.names[test].clone(), cause: how, rules });
            match said {
                RepeatedOutcome::Passes(hiding) => hidden_by.extend(
                    hiding.iter().map(|finding| KnownFinding::of(finding, &self.names[test])),
                ),
                RepeatedOutcome::Refuses(why) => {
                    refused.get_or_insert(why);
                    refusals += 1;
                }
                RepeatedOutcome::Differs(runs) => differs = differs.or(Some(runs)),
                RepeatedOutcome::Ends(status) => {
                    let killed_by =
                        killed(KillCause::Hang, Vec::new()).filter(|_| status == Status::Timeout);
                    return Ok(Some(MutantOutcome {
                        killed_by,
                        by_outputs: Some(false),
                        ..judged(status)
                    }));
                }
                RepeatedOutcome::Fails(how, rules) => {
                    let by_outputs = match how {
                        KillCause::Assertion | KillCause::Crash => true,
                        // The tests before this one passed, and would also pass without findings.
                        KillCause::Finding | KillCause::Hang => {
                            match self.fails_by_outputs(mutant, &tests[place..])? {
                                Some(fails) => fails,
                                None => return Ok(None),
                            }
                        }
                    };
                    return Ok(Some(MutantOutcome {
                        killed_by: killed(how, rules.into_iter().collect()),
                        by_outputs: Some(by_outputs),
                        ..judged(Status::Killed)
                    }));
                }
            }
        }
        if refusals == tests.len() {
            return Ok(Some(MutantOutcome { reason: refused, ..judged(Status::Unviable) }));
        }
        KnownFinding::join(&mut hidden_by);
        Ok(Some(match differs {
            Some(runs) => MutantOutcome {
                failed_runs: Some(runs),
                by_outputs: Some(false),
                ..judged(Status::Undecided)
            },
            None => {
                MutantOutcome { by_outputs: Some(false), hidden_by, ..judged(Status::Survived) }
            }
        }))
    }

    /// Returns whether one of these tests fails when findings are ignored.
    fn fails_by_outputs(&self, mutant: MutantText<'_>, tests: &[usize]) -> Result<Option<bool>> {
        for &test in tests {
            match self.run_repeatedly(mutant, test, true)? {
                None => return Ok(None),
                Some(RepeatedOutcome::Fails(KillCause::Assertion | KillCause::Crash, _)) => {
                    return Ok(Some(true));
                }
                // Exceeding a limit takes the full time in each test, so the search ends here.
                Some(RepeatedOutcome::Ends(_)) => return Ok(Some(false)),
                Some(_) => {}
            }
        }
        Ok(Some(false))
    }

    /// Runs a test until its outcome is known. Returns `None` if it was stopped.
    fn run_repeatedly(
        &self,
        mutant: MutantText<'_>,
        test: usize,
        lenient: bool,
    ) -> Result<Option<RepeatedOutcome>> {
        let (mut failed, mut first, mut hides) = (0, None, Vec::new());
        for run in 0..self.repeats.min(self.limits[test].runs).max(1) {
            let (schedule, limits) = (u64::from(run), &self.limits[test]);
            let attempt = Attempt { mutant: Some(mutant), schedule, lenient, limits };
            let ran = self.tests.run(test, attempt)?;
            let steady = ran.is_deterministic;
            match ran.outcome_within(limits) {
                TestOutcome::Stopped => return Ok(None),
                TestOutcome::TimedOut => return Ok(Some(RepeatedOutcome::Ends(Status::Timeout))),
                TestOutcome::OutOfMemory => {
                    return Ok(Some(RepeatedOutcome::Ends(Status::OutOfMemory)));
                }
                TestOutcome::Refused(why) => return Ok(Some(RepeatedOutcome::Refuses(why))),
                TestOutcome::Failed(how) => {
                    failed += 1;
                    let rules = ran.findings.into_iter().map(|finding| finding.rule);
                    first.get_or_insert_with(|| (how, rules.collect()));
                }
                TestOutcome::Passed => hides.extend(ran.hiding),
            }
            let runs = run + 1;
            // In this mode, one passing run shows that outputs do not always kill the mutant.
            if lenient && failed == 0 {
                break;
            }
            if failed > 0 && failed < runs {
                return Ok(Some(RepeatedOutcome::Differs(FailedRuns { failed, runs })));
            }
            if steady {
                break;
            }
        }
        Ok(Some(match first {
            Some((how, rules)) => RepeatedOutcome::Fails(how, rules),
            None => RepeatedOutcome::Passes(hides),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Scripted tests, by the outcome of each run: pass (`p`), fail (`f`), finding (`r`), hang (`h`), timeout (`t`),
    /// out of memory (`m`), refused (`x`). The outcomes when findings are ignored follow after a `/`. A `!` marks a test as steady.
    struct ScriptedTests(Vec<&'static str>, Mutex<Vec<String>>);

    impl TestRunner for ScriptedTests {
        fn run(&self, test: usize, attempt: Attempt<'_>) -> Result<AttemptResult> {
            let (strict, lenient) = self.0[test].split_once('/').unwrap_or((self.0[test], "p"));
            let script = if attempt.lenient { lenient } else { strict };
            let steady = script.ends_with('!');
            let runs: Vec<char> = script.trim_end_matches('!').chars().collect();
            let came = match runs[attempt.schedule as usize % runs.len()] {
                'f' => TestOutcome::Failed(KillCause::Assertion),
                'r' => TestOutcome::Failed(KillCause::Finding),
                'h' => TestOutcome::Failed(KillCause::Hang),
                't' => TestOutcome::TimedOut,
                'm' => TestOutcome::OutOfMemory,
                'x' => TestOutcome::Refused("no".to_owned()),
                _ => TestOutcome::Passed,
            };
            self.1
                .lock()
                .unwrap()
                .push(format!("{test}{}", if attempt.lenient { "l" } else { "" }));
            Ok(AttemptResult { is_deterministic: steady, ..AttemptResult::of(came) })
        }
    }

    fn judged(scripts: &[&'static str]) -> (MutantOutcome, Vec<String>) {
        let tests = ScriptedTests(scripts.to_vec(), Mutex::default());
        let names: Vec<String> = (0..scripts.len()).map(|test| format!("t{test}")).collect();
        let limits = vec![Limits::NONE; scripts.len()];
        let judge = Judge { tests: &tests, names: &names, limits: &limits, repeats: 4 };
        let mutant = MutantText { file: "", original: "", original_text: "", text: "", edits: &[] };
        let all: Vec<usize> = (0..scripts.len()).collect();
        let judged = judge.judge(mutant, &all).unwrap().unwrap();
        (judged, tests.1.into_inner().unwrap())
    }

    #[test]
    fn a_mutant_is_killed_by_a_test_that_fails_in_all_runs() {
        let (found, runs) = judged(&["p", "f", "f"]);
        assert_eq!((found.status, found.by_outputs), (Status::Killed, Some(true)));
        assert_eq!(found.killed_by.unwrap().test, "t1");
        assert_eq!(runs.len(), 8);
    }

    #[test]
    fn one_run_stands_for_all_where_no_schedule_changes_anything() {
        assert_eq!(judged(&["p!", "p!"]).1, ["0", "1"]);
        assert_eq!(judged(&["p!", "p!"]).0.status, Status::Survived);
        assert_eq!(judged(&["f!"]).1, ["0"]);
    }

    #[test]
    fn what_fails_sometimes_is_undecided_unless_another_test_kills_it() {
        let (found, runs) = judged(&["ppf", "p!"]);
        assert_eq!(found.status, Status::Undecided);
        assert_eq!(found.failed_runs, Some(FailedRuns { failed: 1, runs: 3 }));
        assert_eq!(runs.len(), 4);
        assert_eq!(judged(&["ppf", "f!"]).0.status, Status::Killed);
    }

    #[test]
    fn a_finding_is_no_assertion() {
        let (found, runs) = judged(&["r!/p!", "p!/p!"]);
        assert_eq!((found.status, found.by_outputs), (Status::Killed, Some(false)));
        assert_eq!(found.killed_by.unwrap().cause, KillCause::Finding);
        assert_eq!(runs, ["0", "0l", "1l"]);
        assert_eq!(judged(&["r!/p!", "p!/f!"]).0.by_outputs, Some(true));
        assert_eq!(judged(&["h!/p!"]).0.killed_by.unwrap().cause, KillCause::Hang);
    }

    #[test]
    fn a_mutant_that_every_test_refuses_is_unviable() {
        let (found, _) = judged(&["x", "x"]);
        assert_eq!((found.status, found.reason.as_deref()), (Status::Unviable, Some("no")));
        assert_eq!((found.killed_by, found.by_outputs), (None, None));
        assert_eq!(judged(&["x", "p!"]).0.status, Status::Survived);
        assert_eq!(judged(&["x", "f!"]).0.status, Status::Killed);
    }

    #[test]
    fn a_limit_that_the_original_keeps_is_not_to_be_exceeded() {
        let exceeded = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let ran = AttemptResult {
            exceeded: exceeded(&["size of main"]),
            ..AttemptResult::of(TestOutcome::Failed(KillCause::Assertion))
        };
        let refused = TestOutcome::Refused("it exceeds size of main".to_owned());
        assert_eq!(ran.outcome_within(&Limits::NONE), refused);
        let limits = Limits { exceeded: exceeded(&["size of main"]), ..Limits::NONE };
        assert_eq!(ran.outcome_within(&limits), ran.outcome);
    }

    #[test]
    fn a_hang_is_not_an_assertion() {
        let (found, _) = judged(&["p!", "t"]);
        assert_eq!((found.status, found.by_outputs), (Status::Timeout, Some(false)));
        assert_eq!(judged(&["m"]).0.status, Status::OutOfMemory);
        assert_eq!(judged(&[]).0.status, Status::NoCoverage);
    }
}
