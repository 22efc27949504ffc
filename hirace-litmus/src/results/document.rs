//! The results of a campaign, `hirace.litmus/1` as JSON.

use super::{Run, Summary, TestInfo};
use crate::environment::{Environment, Permutation};
use crate::run::TargetInfo;
use serde::{Deserialize, Serialize};

/// The schema of the JSON document.
pub const SCHEMA: &str = "hirace.litmus/1";

/// The results of tests in environments on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// The schema: `hirace.litmus/1`.
    pub schema: String,
    /// The verb of the campaign.
    pub verb: Verb,
    /// The device under test.
    pub target: Target,
    /// The version of the specification that classified outcomes: `wgsl` or `wgsl-2022`.
    pub specification: String,
    /// The amount of work per test and environment, and the seed.
    pub settings: Settings,
    /// The shards in this document, for example `2/3`; empty if the campaign is whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// Whether the campaign was stopped early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The environments; runs refer to them by index.
    pub environments: Vec<Environment>,
    /// The tests, in the order in which they were given.
    pub tests: Vec<TestInfo>,
    /// The runs, by environment and then in the order of the tests.
    pub runs: Vec<Run>,
    /// The summary of the runs. It is computed from them if the file has none.
    #[serde(default)]
    pub summary: Summary,
}

impl Document {
    /// Computes the summary from the runs if the document has none.
    pub fn with_summary(mut self) -> Self {
        if self.summary == Summary::default() {
            self.summary = Summary::of(&self.runs, &self.tests);
        }
        self
    }
}

/// The verb of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Tests in one environment.
    Run,
    /// Tests in many environments.
    Tune,
    /// Conformance tests, each in the environments with the highest kill rates of its mutants.
    Conform,
    /// Tests in as many environments as the time allows.
    Explore,
}

impl Verb {
    /// Returns the name, as in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Tune => "tune",
            Self::Conform => "conform",
            Self::Explore => "explore",
        }
    }
}

/// The device under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Target {
    /// The name of the device.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// The driver.
    pub driver: String,
}

impl From<TargetInfo> for Target {
    fn from(about: TargetInfo) -> Self {
        Self { name: about.name, vendor: about.vendor, driver: about.driver }
    }
}

/// The amount of work per test and environment, and the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// The seed for environments and for everything that differs between dispatches.
    pub seed: String,
    /// The maximum number of dispatches of a test in an environment.
    pub iterations: u32,
    /// The time limit of a test in an environment, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The permutation of instances.
    pub permutation: Permutation,
}

/// Reads a document from JSON. Documents of other versions are errors.
///
/// # Errors
/// The text is not a document of this version, or a run refers to an environment that does not exist.
pub fn read(text: &str) -> serde_json::Result<Document> {
    let document = serde_json::from_str::<Document>(text)?.with_summary();
    let has_environment = |run: &Run| run.environment < document.environments.len();
    match document.runs.iter().find(|run| !has_environment(run)) {
        Some(run) => Err(serde::de::Error::custom(format!(
            "a run refers to environment {}, but there are only {}",
            run.environment,
            document.environments.len()
        ))),
        None => Ok(document),
    }
}
