//! What came of runs.

pub mod check;
mod document;
mod merge;
pub mod published;
pub mod role;
#[cfg(test)]
mod schema;
mod summary;
pub mod table;

pub use document::{
    Classes, Document, Failed, FailureKind, Held, Observed, Run, SCHEMA, Settings, Target, Tested,
    Verb, read,
};
pub use merge::{Merged, Unlike, missing};
pub use summary::{Best, InEnvironment, Summary};

use crate::environment::{Layout, Parameters};
use crate::test::{Space, Test};
use serde::{Deserialize, Serialize};

/// What a test showed in an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// How often there was each outcome, by counter of the test's [`Space`]; the last is of all else.
    pub outcomes: Vec<u64>,
    /// How long that took.
    pub seconds: f64,
}

impl Counts {
    /// None, of a test.
    pub fn none(test: &Test) -> Self {
        Self { outcomes: vec![0; Space::of(test).counters()], seconds: 0.0 }
    }

    /// How many instances were counted.
    pub fn instances(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// How often what the test looks for was there.
    pub fn found(&self, test: &Test) -> u64 {
        let space = Space::of(test);
        let counted = self.outcomes.iter().enumerate();
        let found = counted.filter(|(counter, _)| {
            space.outcome(*counter).is_some_and(|outcome| test.condition.holds(&outcome))
        });
        found.map(|(_, count)| count).sum()
    }
}

/// An environment that tests ran in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// How instances lie.
    pub layout: Layout,
    /// Its parameters.
    pub parameters: Parameters,
}

impl Environment {
    /// Reads what reports have of an environment.
    ///
    /// # Errors
    /// It is something else.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}
