//! The results of a campaign, `hirace.litmus/1` as JSON.

use super::{BestEnvironment, Run, Software, Summary, TestInfo, Timing};
use crate::environment::{Environment, Permutation};
use crate::run::TargetInfo;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::repeat;

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
    /// What differs between runs of the same command. Absent with `--no-timing`. The rates are computed if the file has no
    /// summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

impl Document {
    /// Computes the summary and the rates from the runs if the document has no summary.
    pub fn with_summary(mut self) -> Self {
        if self.summary == Summary::default() {
            self.summary = Summary::of(&self.runs, &self.tests);
            let timing = self.timing.take();
            self.timing = timing.map(|timing| Timing::of(&self.runs, timing.runs, &self.tests));
        }
        self
    }

    /// Returns the document without what differs between runs of the same command.
    pub fn without_timing(&self) -> Self {
        Self { timing: None, ..self.clone() }
    }

    /// Returns the runs, each with its time in seconds if the document has times.
    pub fn timed_runs(&self) -> impl Iterator<Item = (&Run, Option<f64>)> {
        let seconds = self.timing.iter().flat_map(|timing| &timing.runs).copied().map(Some);
        self.runs.iter().zip(seconds.chain(repeat(None)))
    }

    /// Returns the best environment of each test, if the document has times.
    pub fn best(&self) -> &[BestEnvironment] {
        self.timing.as_ref().map_or(&[], |timing| &timing.best)
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
    /// The operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operating_system: Option<Software>,
    /// The browser, if the tests ran in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Software>,
}

/// Describes a device of this computer.
impl From<TargetInfo> for Target {
    fn from(about: TargetInfo) -> Self {
        let TargetInfo { name, vendor, driver, .. } = about;
        let operating_system = Some(Software::operating_system());
        Self { name, vendor, driver, operating_system, browser: None }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let software = self.operating_system.iter().chain(&self.browser);
        match software.map(ToString::to_string).collect::<Vec<_>>().join(", ") {
            software if software.is_empty() => Ok(()),
            software => write!(f, " ({software})"),
        }
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
/// The text is not a document of this version, a run refers to an environment that does not exist, or the times are not those
/// of the runs.
pub fn read(text: &str) -> serde_json::Result<Document> {
    let document = serde_json::from_str::<Document>(text)?.with_summary();
    if let Some(timing) = &document.timing
        && timing.runs.len() != document.runs.len()
    {
        let (runs, times) = (document.runs.len(), timing.runs.len());
        let error = format!("`timing` has the times of {times} runs, but there are {runs}");
        return Err(serde::de::Error::custom(error));
    }
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
