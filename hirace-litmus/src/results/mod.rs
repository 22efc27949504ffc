//! Results of runs.

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
    Classes, Document, FailureKind, FinalState, ObservedOutcome, Run, RunFailure, SCHEMA, Settings,
    Target, TestInfo, Verb, read,
};
pub use merge::{MergeError, ResultMerger, missing};
pub use summary::{BestEnvironment, EnvironmentSummary, Summary};

use crate::environment::{Layout, Parameters};
use crate::test::{Space, Test};
use serde::{Deserialize, Serialize};

/// The outcomes that a test showed in an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// The number of instances with each outcome, by counter of the test's [`Space`]; the last one counts all other
    /// outcomes.
    pub outcomes: Vec<u64>,
    /// The time that the instances took, in seconds.
    pub seconds: f64,
}

impl Counts {
    /// Returns counts of 0 for a test.
    pub fn none(test: &Test) -> Self {
        Self { outcomes: vec![0; Space::of(test).counters()], seconds: 0.0 }
    }

    /// Returns the number of instances.
    pub fn instances(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// Returns the number of instances that met the condition of the test.
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
    /// The layout of instances.
    pub layout: Layout,
    /// The parameters.
    pub parameters: Parameters,
}

impl Environment {
    /// Reads an environment from the JSON of a report.
    ///
    /// # Errors
    /// The text is not an environment.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}
