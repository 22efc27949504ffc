//! The choice of environments for conformance tests: for each mutant of a test, the environment that killed it at the
//! highest rate (MC Mutants, Sec. 4; GPUHarbor calls this "tune and conform"). Tests without mutants run in the
//! environments that are best for the most mutants of all tests.

use crate::environment::Environment;
use crate::results::Document;
use crate::test::{self, Kind, Specification, Test};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use thiserror::Error;

/// A conformance test and the environment to run it in.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The test.
    pub test: Test,
    /// The environment.
    pub environment: Environment,
    /// The mutants of the test whose kill rate is highest in this environment; none if the test has no mutants.
    pub mutants: Vec<String>,
}

/// The reason why no environment can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TuningError {
    /// No mutant of these tests was killed.
    #[error("no mutant of the tests was killed in any environment")]
    NothingKilled,
    /// The results have no times, so no rates are known.
    #[error("the tuning results have no times, from which the best environments follow")]
    NoTimes,
}

/// The number of environments for a test that has no mutants.
const WITHOUT_MUTANTS: usize = 3;

/// Returns the environments in which mutants were killed at their highest rates, starting with the one that is best for
/// the most mutants.
///
/// # Errors
/// No mutant was killed, or the results have no times.
pub fn best_environments(tuned: &Document) -> Result<Vec<&Environment>, TuningError> {
    let timing = tuned.timing.as_ref().ok_or(TuningError::NoTimes)?;
    let is_mutant =
        |name: &str| tuned.tests.iter().any(|test| test.name == name && test.is_mutant());
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for best in timing.best.iter().filter(|best| is_mutant(&best.test)) {
        *counts.entry(best.environment).or_default() += 1;
    }
    let mut ranked: Vec<(usize, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(environment, count)| (Reverse(count), environment));
    let best =
        ranked.into_iter().filter_map(|(environment, _)| tuned.environments.get(environment));
    let best: Vec<&Environment> = best.collect();
    if best.is_empty() { Err(TuningError::NothingKilled) } else { Ok(best) }
}

/// Chooses the environments for each conformance test among `tests`, from the results of a tuning run. Returns the
/// choices and the names of the tests that are left out because none of their mutants was killed.
///
/// # Errors
/// No mutant was killed, all tests are left out, or the results have no times.
pub fn choices(
    tests: &[Test],
    specification: Specification,
    tuned: &Document,
) -> Result<(Vec<Choice>, Vec<String>), TuningError> {
    let mut choices: Vec<Choice> = Vec::new();
    let mut left_out = Vec::new();
    let mut best_for_most = best_environments(tuned)?;
    best_for_most.truncate(WITHOUT_MUTANTS);
    let known = test::all();
    let has_mutants = |name: &str| {
        let is_own = |test: &Test| matches!(&test.kind, Kind::Mutant { of } if of == name);
        known.iter().any(is_own)
            || tuned.tests.iter().any(|of| of.conformance_test.as_deref() == Some(name))
    };
    for test in tests.iter().filter(|test| test.kind_by(specification) == Kind::Conformance) {
        let before = choices.len();
        let of_test = |name: &str| {
            let tested = tuned.tests.iter().find(|tested| tested.name == name);
            tested.is_some_and(|tested| tested.conformance_test.as_ref() == Some(&test.name))
        };
        for best in tuned.best().iter().filter(|best| of_test(&best.test)) {
            let Some(environment) = tuned.environments.get(best.environment) else { continue };
            let known =
                choices[before..].iter_mut().find(|choice| choice.environment == *environment);
            match known {
                Some(choice) => choice.mutants.push(best.test.clone()),
                None => choices.push(Choice {
                    test: test.clone(),
                    environment: environment.clone(),
                    mutants: vec![best.test.clone()],
                }),
            }
        }
        if !has_mutants(&test.name) {
            choices.extend(best_for_most.iter().map(|&environment| Choice {
                test: test.clone(),
                environment: environment.clone(),
                mutants: Vec::new(),
            }));
        } else if choices.len() == before {
            left_out.push(test.name.clone());
        }
    }
    match choices.is_empty() {
        true => Err(TuningError::NothingKilled),
        false => Ok((choices, left_out)),
    }
}
