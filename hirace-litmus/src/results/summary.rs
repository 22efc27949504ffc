//! Summaries of runs: killed mutants, and tests with forbidden outcomes.

use super::{Run, TestInfo};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The summary of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The number of mutants that were killed in some environment.
    pub killed: usize,
    /// The number of mutants that were run.
    pub total: usize,
    /// The fraction of mutants that were killed, if there are any (MC Mutants, Sec. 5: mutation score).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The results of the mutants in each environment.
    pub environments: Vec<EnvironmentSummary>,
    /// The tests with outcomes that the model forbids.
    pub violations: Vec<String>,
    /// The number of failed runs.
    pub failures: usize,
}

/// The results of the mutants in an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnvironmentSummary {
    /// The index of the environment.
    pub environment: usize,
    /// The number of mutants that were killed there.
    pub killed: usize,
    /// The number of mutants that were run there.
    pub total: usize,
}

impl Summary {
    /// Computes the summary of the runs of these tests.
    pub fn of(runs: &[Run], tests: &[TestInfo]) -> Self {
        let ran = tests_that_ran(runs, tests);
        let mutants: Vec<&TestInfo> = ran.iter().copied().filter(|test| test.is_mutant()).collect();
        let is_killed =
            |tested: &&&TestInfo| runs_of(runs, &tested.name).any(|(_, run)| run.found > 0);
        let killed = mutants.iter().filter(is_killed).count();
        let violates =
            |tested: &&&TestInfo| runs_of(runs, &tested.name).any(|(_, run)| run.violates(tested));
        Self {
            killed,
            total: mutants.len(),
            score: mean(mutants.iter().map(|tested| f64::from(u8::from(is_killed(&tested))))),
            environments: environments(runs, &mutants),
            violations: ran.iter().filter(violates).map(|tested| tested.name.clone()).collect(),
            failures: runs.iter().filter(|run| run.failure.is_some()).count(),
        }
    }
}

/// Returns the tests that ran at least one instance.
pub(super) fn tests_that_ran<'a>(runs: &[Run], tests: &'a [TestInfo]) -> Vec<&'a TestInfo> {
    let was_run =
        |tested: &&TestInfo| runs_of(runs, &tested.name).any(|(_, run)| run.instances > 0);
    tests.iter().filter(was_run).collect()
}

/// Returns the runs of a test, with their indices.
pub(super) fn runs_of<'a>(
    runs: &'a [Run],
    name: &'a str,
) -> impl Iterator<Item = (usize, &'a Run)> {
    runs.iter().enumerate().filter(move |(_, run)| run.test == name)
}

/// Returns the runs of mutants that ran at least one instance, with their indices.
pub(super) fn mutant_runs<'a>(
    runs: &'a [Run],
    mutants: &'a [&TestInfo],
) -> impl Iterator<Item = (usize, &'a Run)> {
    let is_mutant = |run: &Run| mutants.iter().any(|tested| tested.name == run.test);
    runs.iter().enumerate().filter(move |(_, run)| is_mutant(run) && run.instances > 0)
}

fn environments(runs: &[Run], mutants: &[&TestInfo]) -> Vec<EnvironmentSummary> {
    let mut all: Vec<EnvironmentSummary> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (_, run) in mutant_runs(runs, mutants) {
        let at = *places.entry(run.environment).or_insert_with(|| {
            all.push(EnvironmentSummary { environment: run.environment, killed: 0, total: 0 });
            all.len() - 1
        });
        all[at].killed += usize::from(run.found > 0);
        all[at].total += 1;
    }
    all
}

pub(super) fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = numbers.len();
    (count > 0).then(|| numbers.sum::<f64>() / count as f64)
}
