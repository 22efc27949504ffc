//! The times of runs, and everything that is computed from them: rates, and the environments with the highest rates.
//!
//! Documents have all this in one object, so that a document without it is the same for equal runs.

use super::summary::{mean, mutant_runs, runs_of, tests_that_ran};
use super::{Run, TestInfo};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::iter::repeat;

/// The times of runs, and the rates that follow from them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timing {
    /// The time of each run in seconds, in the order of the runs.
    pub runs: Vec<f64>,
    /// The mean, over the mutants, of the highest number of kills per second in one environment (mutant death rate).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
    /// The mean number of kills per second in each environment, in the order of `summary.environments`.
    #[serde(default)]
    pub environments: Vec<f64>,
    /// The best environment of each test, in the order of the tests.
    #[serde(default)]
    pub best: Vec<BestEnvironment>,
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

impl Timing {
    /// Computes the rates of runs that took these times.
    pub fn of(runs: &[Run], seconds: Vec<f64>, tests: &[TestInfo]) -> Self {
        let ran = tests_that_ran(runs, tests);
        let timed = runs.iter().zip(seconds.iter().copied().chain(repeat(0.0)));
        let rates: Vec<f64> = timed.map(|(run, seconds)| rate(run.found, seconds)).collect();
        let best: Vec<BestEnvironment> =
            ran.iter().filter_map(|tested| best(&tested.name, runs, &rates)).collect();
        let highest =
            |name: &str| best.iter().find(|best| best.test == name).map_or(0.0, |best| best.rate);
        let mutants: Vec<&TestInfo> = ran.iter().copied().filter(|test| test.is_mutant()).collect();
        let mut environments: Vec<Vec<f64>> = Vec::new();
        let mut places: HashMap<usize, usize> = HashMap::new();
        for (at, run) in mutant_runs(runs, &mutants) {
            let place = *places.entry(run.environment).or_insert_with(|| {
                environments.push(Vec::new());
                environments.len() - 1
            });
            environments[place].push(rates[at]);
        }
        Self {
            death_rate: mean(mutants.iter().map(|tested| highest(&tested.name))),
            environments: environments
                .into_iter()
                .map(|rates| mean(rates.into_iter()).unwrap_or_default())
                .collect(),
            best,
            runs: seconds,
        }
    }

    /// Takes the times out of runs, and computes their rates. Returns `None` if the time of a run is unknown.
    pub fn take(runs: &mut [Run], tests: &[TestInfo]) -> Option<Self> {
        let seconds: Vec<Option<f64>> = runs.iter_mut().map(|run| run.seconds.take()).collect();
        let seconds: Vec<f64> = seconds.into_iter().collect::<Option<_>>()?;
        Some(Self::of(runs, seconds, tests))
    }
}

/// Returns the number of instances per second that met the condition.
pub fn rate(found: u64, seconds: f64) -> f64 {
    let rate = found as f64 / seconds;
    if rate.is_finite() { rate } else { 0.0 }
}

/// Returns the run of a test with the highest rate; for equal rates, the one in the first environment.
fn best(name: &str, runs: &[Run], rates: &[f64]) -> Option<BestEnvironment> {
    let found = runs_of(runs, name).filter(|(_, run)| run.found > 0);
    let (at, most) =
        found.reduce(|best, next| if rates[next.0] > rates[best.0] { next } else { best })?;
    Some(BestEnvironment { test: name.to_owned(), environment: most.environment, rate: rates[at] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_finite() {
        assert_eq!(rate(3, 1.5), 2.0);
        assert_eq!(rate(3, 0.0), 0.0);
        assert_eq!(rate(1 << 63, 5e-324), 0.0);
    }
}
