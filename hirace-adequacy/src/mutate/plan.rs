//! Plans a mutation run: the sources that a suite launches, their mutants, and the tests that reach them.

use super::campaign::Subject;
use super::directives::Directives;
use super::judge::{Attempt, AttemptResult, Limits, TestOutcome, TestRunner};
use super::known::add_known;
use super::reach::TestReach;
use super::results::{KnownFinding, Mutant, Test};
use super::select::Selection;
use super::source::Source;
use super::syntax::Language;
use hirace_core::config::NearestConfigs;
use hirace_core::cover::Coverage;
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::finding::identity::FindingIdentity;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// The mutants to judge.
#[derive(Debug, Default)]
pub struct Plan {
    /// The selected mutants, by source and location.
    pub subjects: Vec<Subject>,
    /// Whether mutants were excluded only because a diff does not change their lines. An empty plan is then not an
    /// error.
    pub is_unchanged: bool,
    /// Warnings about directives without a mutant.
    pub warnings: Vec<Diagnostic>,
}

/// Returns the sources of the kernels that a suite launches, and the names of texts without a file. Shaders are preprocessed as
/// `hirace.toml` says.
///
/// # Errors
/// A `hirace.toml` is invalid.
pub fn sources(coverage: &Coverage) -> Result<(Vec<Source>, Vec<String>)> {
    let (mut sources, mut unread) = (Vec::new(), Vec::new());
    let mut configs = NearestConfigs::default();
    for file in &coverage.files {
        let text = text_of(Path::new(&file.file));
        let source = text.and_then(|text| Source::new(&file.file, &text));
        match source.filter(|source| Some(&source.hash) == file.text.as_ref()) {
            Some(source) if source.language == Language::Glsl => {
                let preprocessing = configs.preprocessing(Path::new(&file.file))?;
                sources.push(source.preprocessed(preprocessing));
            }
            Some(source) => sources.push(source),
            None => unread.push(file.file.clone()),
        }
    }
    Ok((sources, unread))
}

impl Plan {
    /// Selects the mutants of these sources, with the tests that reach them according to the coverage of each test.
    ///
    /// # Errors
    /// A source does not compile, a directive is malformed, or the selection names something that does not exist.
    pub fn new(sources: &[Source], tests: &[&Coverage], selection: &Selection) -> Result<Self> {
        let mut plan = Self::default();
        let (mut all, mut unchanged): (Vec<Mutant>, usize) = (Vec::new(), 0);
        let without_diff = Selection { changed: None, ..selection.clone() };
        for (index, source) in sources.iter().enumerate() {
            let mut directives = Directives::read(&source.file, &source.text)?;
            let reach = TestReach::of(&source.hash, tests.iter().copied());
            let candidates = source.selected_mutants(|mutant| {
                directives.apply(mutant);
                all.push(mutant.clone());
                let is_selected = selection.has(mutant);
                unchanged += usize::from(!is_selected && without_diff.has(mutant));
                is_selected && selection.shard.is_none_or(|shard| shard.has(&mutant.id))
            })?;
            for candidate in candidates {
                let reached = reach.of_mutant(&candidate.mutant);
                plan.subjects.push(Subject { candidate, source: index, reached });
            }
            plan.warnings.extend(directives.unused_warnings());
        }
        without_diff.check(all.iter())?;
        plan.is_unchanged = plan.subjects.is_empty() && unchanged > 0;
        Ok(plan)
    }
}

/// How often a test runs whose result may depend on the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The maximum number of runs.
    pub most: u32,
    /// Whether one run per mutant is enough for a test whose first two runs without a mutant have the same result.
    pub are_chosen: bool,
}

/// The behavior of the tests of a suite on the unmutated sources.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The tests that reach a mutant, for reports.
    pub tests: Vec<Test>,
    /// The findings of each test.
    pub findings: Vec<Vec<FindingIdentity>>,
    /// The limits of WebGPU that the launches of each test exceed.
    pub exceeded: Vec<BTreeSet<String>>,
    /// The reasons for which checks of each test are refused.
    pub refused: Vec<BTreeSet<String>>,
    /// The largest number of steps of a dispatch of each test.
    pub steps: Vec<u64>,
    /// The number of runs of each test on a mutant, as far as tests pass or fail in each of them.
    pub runs: Vec<u32>,
    /// The tests that run once per mutant only because two runs had the same result.
    pub alike: usize,
}

/// A test on the unmutated sources.
struct TestBaseline {
    result: AttemptResult,
    seconds: f64,
    runs: u32,
    /// Whether one run is enough only because two runs had the same result.
    is_alike: bool,
}

impl Baseline {
    /// Runs the `needed` tests without a mutant. Tests whose outcome may vary run as often as they do on a mutant, and twice
    /// to find out whether it does.
    ///
    /// # Errors
    /// A test fails.
    pub fn of(
        tests: &dyn TestRunner,
        names: &[String],
        needed: &BTreeSet<usize>,
        repeats: Repeats,
    ) -> Result<Option<Self>> {
        let run = |test: usize, schedule: u64| {
            let limits = &Limits::NONE;
            tests.run(test, Attempt { mutant: None, schedule, lenient: false, limits })
        };
        let of_test = |test: usize| -> Result<Option<TestBaseline>> {
            let start = Instant::now();
            let mut all = run(test, 0)?;
            let seconds = start.elapsed().as_secs_f64();
            let (mut came, mut schedule) = (all.outcome.clone(), 0);
            let mut is_alike = false;
            loop {
                match came {
                    TestOutcome::Passed => {}
                    TestOutcome::Stopped => return Ok(None),
                    _ => return Err(fails(&names[test], schedule, came)),
                }
                schedule += 1;
                if all.is_deterministic || is_alike || schedule >= u64::from(repeats.most) {
                    break;
                }
                let other = run(test, schedule)?;
                let is_same = other.outcome == TestOutcome::Passed
                    && (&other.findings, &other.exceeded) == (&all.findings, &all.exceeded);
                is_alike = repeats.are_chosen && schedule == 1 && is_same;
                add_known(&mut all.findings, other.findings);
                all.exceeded.extend(other.exceeded);
                all.refused.extend(other.refused);
                all.steps = all.steps.max(other.steps);
                came = other.outcome;
            }
            let runs = if all.is_deterministic || is_alike { 1 } else { repeats.most };
            Ok(Some(TestBaseline { result: all, seconds, runs, is_alike }))
        };
        let found: Result<Vec<_>> = needed.par_iter().map(|test| of_test(*test)).collect();
        let mut baseline = Self {
            findings: vec![Vec::new(); names.len()],
            exceeded: vec![BTreeSet::new(); names.len()],
            refused: vec![BTreeSet::new(); names.len()],
            steps: vec![0; names.len()],
            runs: vec![repeats.most; names.len()],
            ..Self::default()
        };
        for (test, found) in needed.iter().zip(found?) {
            let Some(found) = found else { return Ok(None) };
            let TestBaseline { result: all, seconds, runs, is_alike } = found;
            baseline.tests.push(Test {
                name: names[*test].clone(),
                seconds: Some(seconds),
                steady: all.is_deterministic || is_alike,
            });
            baseline.runs[*test] = runs;
            baseline.alike += usize::from(is_alike);
            (baseline.findings[*test], baseline.exceeded[*test]) = (all.findings, all.exceeded);
            baseline.refused[*test] = all.refused;
            baseline.steps[*test] = all.steps;
        }
        Ok(Some(baseline))
    }

    /// Returns the seconds that the tests of all mutants to be judged take if no test detects a mutant, with `jobs` at a time.
    pub fn most_seconds(&self, plan: &Plan, needed: &BTreeSet<usize>, jobs: usize) -> f64 {
        let seconds = |test: &usize| {
            let known = needed.iter().position(|needed| needed == test);
            let known = known.and_then(|place| self.tests.get(place)?.seconds).unwrap_or(0.0);
            known * f64::from(self.runs[*test])
        };
        let open = plan.subjects.iter().filter(|of| of.candidate.mutant.status.is_none());
        let (all, count) = open.fold((0.0, 0), |(all, count), subject| {
            (all + subject.reached.iter().map(seconds).sum::<f64>(), count + 1)
        });
        all / jobs.clamp(1, count.max(1)) as f64
    }

    /// Returns the findings of all tests.
    pub fn known_findings(&self, names: &[String]) -> Vec<KnownFinding> {
        let all = self.findings.iter().zip(names);
        let all = all.flat_map(|(findings, name)| {
            findings.iter().map(|finding| KnownFinding::of(finding, name))
        });
        let mut known: Vec<KnownFinding> = all.collect();
        KnownFinding::join(&mut known);
        known
    }
}

fn fails(name: &str, schedule: u64, came: TestOutcome) -> Box<Diagnostic> {
    let how = match came {
        TestOutcome::TimedOut => "takes too long",
        TestOutcome::OutOfMemory => "runs out of memory",
        _ => "fails",
    };
    let error = Diagnostic::new(format!("`{name}` {how} on the unmutated kernels"));
    Box::new(match schedule {
        0 => error.help("fix the test, or raise --max-memory or --timeout: a suite must pass before it can judge mutants"),
        _ => error
            .note(format!("it passes under the default schedule but fails under schedule {schedule}"))
            .help("find out what depends on the schedule: hirace check --schedules 20"),
    }
    .of_device())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Tests whose runs have these findings in turn, and the number of runs.
    struct ScriptedTests(Vec<&'static [&'static str]>, AtomicU32);

    impl TestRunner for ScriptedTests {
        fn run(&self, test: usize, attempt: Attempt<'_>) -> Result<AttemptResult> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let script = self.0[test];
            let rule = script[attempt.schedule as usize % script.len()];
            let is_failed = rule == "fails";
            let outcome = match is_failed {
                true => TestOutcome::Failed(super::super::results::KillCause::Assertion),
                false => TestOutcome::Passed,
            };
            let exceeded = BTreeSet::from([rule.to_owned()]);
            let is_deterministic = rule == "steady";
            Ok(AttemptResult { exceeded, is_deterministic, steps: 1, ..AttemptResult::of(outcome) })
        }
    }

    fn baseline(script: &'static [&'static str], are_chosen: bool) -> (Result<Baseline>, u32) {
        let tests = ScriptedTests(vec![script], AtomicU32::new(0));
        let repeats = Repeats { most: 20, are_chosen };
        let found = Baseline::of(&tests, &["t".to_owned()], &BTreeSet::from([0]), repeats);
        (found.map(Option::unwrap), tests.1.into_inner())
    }

    #[test]
    fn tests_run_once_per_mutant_if_two_runs_have_the_same_result() {
        for (script, are_chosen, runs, ran) in [
            (&["a"][..], true, 1, 2),
            (&["steady"], true, 1, 1),
            (&["a", "b"], true, 20, 20),
            // Only two runs are compared.
            (&["a", "a", "b"], true, 1, 2),
            // A given number decides.
            (&["a"], false, 20, 20),
            (&["steady"], false, 1, 1),
        ] {
            let (found, count) = baseline(script, are_chosen);
            let found = found.unwrap();
            assert_eq!((found.runs[0], count), (runs, ran), "{script:?} {are_chosen}");
            assert_eq!(found.tests[0].steady, runs == 1, "{script:?}");
            assert_eq!(found.alike, usize::from(ran == 2), "{script:?}");
        }
    }

    #[test]
    fn tests_that_fail_in_the_second_run_are_an_error() {
        let error = baseline(&["a", "fails"], true).0.unwrap_err();
        assert!(error.message.contains("`t` fails on the unmutated kernels"), "{error}");
    }

    #[test]
    fn the_estimate_counts_each_run_of_each_test_that_reaches_a_mutant() {
        let test = |seconds| Test { name: String::new(), seconds: Some(seconds), steady: false };
        let tests = vec![test(0.5), test(2.0)];
        let baseline = Baseline { tests, runs: vec![0, 20, 1], ..Baseline::default() };
        let text = "@compute @workgroup_size(1) fn main() { let x = 1 < 2; }";
        let candidates = Source::new("k.wgsl", text).unwrap().possible_mutants().unwrap();
        let subject = |reached: &[usize]| Subject {
            candidate: candidates[0].clone(),
            source: 0,
            reached: reached.to_vec(),
        };
        let subjects = vec![subject(&[1]), subject(&[1, 2]), subject(&[])];
        let plan = Plan { subjects, ..Plan::default() };
        let needed = BTreeSet::from([1, 2]);
        assert_eq!(baseline.most_seconds(&plan, &needed, 1), 22.0);
        assert_eq!(baseline.most_seconds(&plan, &needed, 2), 11.0);
        // There are no more jobs than mutants.
        assert_eq!(baseline.most_seconds(&plan, &needed, 8), 22.0 / 3.0);
    }
}
