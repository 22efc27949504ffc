//! Summaries of runs: killed mutants, best environments, and tests with forbidden outcomes.

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
    pub of: usize,
    /// The fraction of mutants that were killed, if there are any (MC Mutants, Sec. 5: mutation score).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The mean, over the mutants, of the highest number of kills per second in one environment (mutant death rate).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
    /// The results of the mutants in each environment.
    pub environments: Vec<EnvironmentSummary>,
    /// The best environment of each test, in the order of the tests.
    pub best: Vec<BestEnvironment>,
    /// The tests with outcomes that the model forbids.
    pub violations: Vec<String>,
    /// The number of failed runs.
    pub failures: usize,
}

/// The results of the mutants in an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnvironmentSummary {
    /// The index of the environment.
    pub environment: usize,
    /// The number of mutants that were killed there.
    pub killed: usize,
    /// The number of mutants that were run there.
    pub of: usize,
    /// The mean number of kills per second.
    pub death_rate: f64,
}

/// The environment in which a test met its condition at the highest rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BestEnvironment {
    /// The name of the test.
    pub test: String,
    /// The index of the environment.
    pub environment: usize,
    /// The number of times per second.
    pub rate: f64,
}

impl Summary {
    /// Computes the summary of the runs of these tests.
    pub fn of(runs: &[Run], tests: &[TestInfo]) -> Self {
        let was_run = |tested: &&TestInfo| runs_of(runs, &tested.name).any(|run| run.instances > 0);
        let ran: Vec<&TestInfo> = tests.iter().filter(was_run).collect();
        let mutants: Vec<&TestInfo> = ran.iter().copied().filter(|test| test.is_mutant()).collect();
        let best: Vec<BestEnvironment> = ran
            .iter()
            .filter_map(|tested| best(&tested.name, runs_of(runs, &tested.name)))
            .collect();
        let rate =
            |name: &str| best.iter().find(|best| best.test == name).map_or(0.0, |best| best.rate);
        let is_killed = |tested: &&&TestInfo| runs_of(runs, &tested.name).any(|run| run.found > 0);
        let killed = mutants.iter().filter(is_killed).count();
        let violates =
            |tested: &&&TestInfo| runs_of(runs, &tested.name).any(|run| run.violates(tested));
        Self {
            killed,
            of: mutants.len(),
            score: mean(mutants.iter().map(|tested| f64::from(u8::from(is_killed(&tested))))),
            death_rate: mean(mutants.iter().map(|tested| rate(&tested.name))),
            environments: environments(runs, &mutants),
            violations: ran.iter().filter(violates).map(|tested| tested.name.clone()).collect(),
            failures: runs.iter().filter(|run| run.failure.is_some()).count(),
            best,
        }
    }
}

/// Returns the runs of a test.
fn runs_of<'a>(runs: &'a [Run], name: &'a str) -> impl Iterator<Item = &'a Run> {
    runs.iter().filter(move |run| run.test == name)
}

/// Returns the run with the highest rate; for equal rates, the one in the first environment.
fn best<'a>(name: &str, runs: impl Iterator<Item = &'a Run>) -> Option<BestEnvironment> {
    let most = runs
        .filter(|run| run.found > 0)
        .reduce(|best, run| if run.rate() > best.rate() { run } else { best })?;
    Some(BestEnvironment {
        test: name.to_owned(),
        environment: most.environment,
        rate: most.rate(),
    })
}

fn environments(runs: &[Run], mutants: &[&TestInfo]) -> Vec<EnvironmentSummary> {
    let is_mutant = |run: &&Run| mutants.iter().any(|tested| tested.name == run.test);
    let mut all: Vec<EnvironmentSummary> = Vec::new();
    let mut rates: Vec<Vec<f64>> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for run in runs.iter().filter(is_mutant).filter(|run| run.instances > 0) {
        let at = *places.entry(run.environment).or_insert_with(|| {
            let environment = run.environment;
            all.push(EnvironmentSummary { environment, killed: 0, of: 0, death_rate: 0.0 });
            rates.push(Vec::new());
            all.len() - 1
        });
        all[at].killed += usize::from(run.found > 0);
        all[at].of += 1;
        rates[at].push(run.rate());
    }
    for (environment, rates) in all.iter_mut().zip(rates) {
        environment.death_rate = mean(rates.into_iter()).unwrap_or_default();
    }
    all
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = numbers.len();
    (count > 0).then(|| numbers.sum::<f64>() / count as f64)
}
