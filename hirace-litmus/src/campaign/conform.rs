//! In which environments conformance is tested: those that killed a test's mutants most, a run for each mutant (MC Mutants,
//! Sec. 4; what GPUHarbor calls «tune and conform»).

use crate::results::{Document, Environment};
use crate::test::{Kind, Specification, Test};
use thiserror::Error;

/// A conformance test, and where it is to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The test.
    pub test: Test,
    /// Where.
    pub environment: Environment,
    /// The mutants that were killed there at the greatest rate.
    pub mutants: Vec<String>,
}

/// Why nothing can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotTuned {
    /// No mutant of these tests was killed.
    #[error("no mutant of the tests was killed in any environment")]
    NothingKilled,
}

/// Where each of `tests` that tests conformance to a specification and has mutants is to run, by what a tuning gave; tests of which no mutant was killed are left out,
/// by name.
///
/// # Errors
/// That is all of them.
pub fn choices(
    tests: &[Test],
    specification: Specification,
    tuned: &Document,
) -> Result<(Vec<Choice>, Vec<String>), NotTuned> {
    let mut choices: Vec<Choice> = Vec::new();
    let mut left_out = Vec::new();
    for test in tests.iter().filter(|test| test.kind_by(specification) == Kind::Conformance) {
        let before = choices.len();
        let of_test = |name: &str| {
            let tested = tuned.tests.iter().find(|tested| tested.name == name);
            tested.is_some_and(|tested| tested.of.as_ref() == Some(&test.name))
        };
        for best in tuned.summary.best.iter().filter(|best| of_test(&best.test)) {
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
        if choices.len() == before {
            left_out.push(test.name.clone());
        }
    }
    match choices.is_empty() {
        true => Err(NotTuned::NothingKilled),
        false => Ok((choices, left_out)),
    }
}
