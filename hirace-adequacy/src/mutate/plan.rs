//! Plans a mutation run: the sources that a suite launches, their mutants, and the tests that reach them.

use super::campaign::Subject;
use super::directives::Directives;
use super::judge::{Attempt, AttemptResult, Limits, TestOutcome, TestRunner};
use super::known::add_known;
use super::reach::TestReach;
use super::results::{KnownFinding, Mutant, Test};
use super::select::Selection;
use super::source::Source;
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

/// Returns the sources of the kernels that a suite launches, and the names of texts without a file.
pub fn sources(coverage: &Coverage) -> (Vec<Source>, Vec<String>) {
    let (mut sources, mut unread) = (Vec::new(), Vec::new());
    for file in &coverage.files {
        let text = text_of(Path::new(&file.file));
        let source = text.and_then(|text| Source::new(&file.file, &text));
        match source.filter(|source| Some(&source.hash) == file.text.as_ref()) {
            Some(source) => sources.push(source),
            None => unread.push(file.file.clone()),
        }
    }
    (sources, unread)
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

/// The behavior of the tests of a suite on the unmutated sources.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The tests that reach a mutant, for reports.
    pub tests: Vec<Test>,
    /// The findings of each test.
    pub findings: Vec<Vec<FindingIdentity>>,
    /// The limits of WebGPU that the launches of each test exceed.
    pub exceeded: Vec<BTreeSet<String>>,
    /// The largest number of steps of a dispatch of each test.
    pub steps: Vec<u64>,
}

impl Baseline {
    /// Runs the `needed` tests without a mutant. Tests whose outcome may vary run as often as they do on a mutant.
    ///
    /// # Errors
    /// A test fails.
    pub fn of(
        tests: &dyn TestRunner,
        names: &[String],
        needed: &BTreeSet<usize>,
        repeats: u32,
    ) -> Result<Option<Self>> {
        let run = |test: usize, schedule: u64| {
            let limits = &Limits::NONE;
            tests.run(test, Attempt { mutant: None, schedule, lenient: false, limits })
        };
        let of_test = |test: usize| -> Result<Option<(AttemptResult, f64)>> {
            let start = Instant::now();
            let mut all = run(test, 0)?;
            let seconds = start.elapsed().as_secs_f64();
            let (mut came, mut schedule) = (all.outcome.clone(), 0);
            loop {
                match came {
                    TestOutcome::Passed => {}
                    TestOutcome::Stopped => return Ok(None),
                    _ => return Err(fails(&names[test], schedule, came)),
                }
                schedule += 1;
                if all.is_deterministic || schedule >= u64::from(repeats) {
                    break;
                }
                let other = run(test, schedule)?;
                add_known(&mut all.findings, other.findings);
                all.exceeded.extend(other.exceeded);
                all.steps = all.steps.max(other.steps);
                came = other.outcome;
            }
            Ok(Some((all, seconds)))
        };
        let found: Result<Vec<_>> = needed.par_iter().map(|test| of_test(*test)).collect();
        let mut baseline = Self {
            findings: vec![Vec::new(); names.len()],
            exceeded: vec![BTreeSet::new(); names.len()],
            steps: vec![0; names.len()],
            ..Self::default()
        };
        for (test, found) in needed.iter().zip(found?) {
            let Some((all, seconds)) = found else { return Ok(None) };
            baseline.tests.push(Test {
                name: names[*test].clone(),
                seconds: Some(seconds),
                steady: all.is_deterministic,
            });
            (baseline.findings[*test], baseline.exceeded[*test]) = (all.findings, all.exceeded);
            baseline.steps[*test] = all.steps;
        }
        Ok(Some(baseline))
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
