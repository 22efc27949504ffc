//! The choice of environments for conformance tests: for each mutant of a test, the environment that killed it at the
//! highest rate (MC Mutants, Sec. 4; GPUHarbor calls this "tune and conform").

use crate::environment::Environment;
use crate::results::Document;
use crate::test::{Kind, Specification, Test};
use thiserror::Error;

/// A conformance test and the environment to run it in.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The test.
    pub test: Test,
    /// The environment.
    pub environment: Environment,
    /// The mutants whose kill rate is highest in this environment.
    pub mutants: Vec<String>,
}

/// The reason why no environment can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TuningError {
    /// No mutant of these tests was killed.
    #[error("no mutant of the tests was killed in any environment")]
    NothingKilled,
}

/// Chooses the environments for each conformance test among `tests` that has mutants, from the results of a tuning run.
/// Returns the choices and the names of the tests that are left out because none of their mutants was killed.
///
/// # Errors
/// All tests are left out.
pub fn choices(
    tests: &[Test],
    specification: Specification,
    tuned: &Document,
) -> Result<(Vec<Choice>, Vec<String>), TuningError> {
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
        true => Err(TuningError::NothingKilled),
        false => Ok((choices, left_out)),
    }
}
