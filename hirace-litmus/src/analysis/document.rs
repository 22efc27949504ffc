//! The document of an analysis, `hirace.litmus-analysis/1`. Rates are per second; fractions and scores are from 0 to 1.
//! Undefined values are omitted.

use crate::results::Software;
use crate::results::table::Side;
use crate::score::correlation::Undefined;
use crate::test::Mutator;
use serde::{Deserialize, Serialize};

/// The schema of the document.
pub const SCHEMA: &str = "hirace.litmus-analysis/1";

/// The analysis of some results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Analysis {
    /// The schema: `hirace.litmus-analysis/1`.
    pub schema: String,
    /// The confidence of all intervals: Wilson intervals of scores, Garwood intervals of rates.
    pub confidence: f64,
    /// The time budget of the `reproducibility` of a test, in seconds.
    pub budget: f64,
    /// The results by the way in which tests were run.
    pub sides: Vec<SideAnalysis>,
    /// Runs in which not every instance was counted, in files that state the number of instances.
    pub miscounted: Vec<MiscountedRun>,
    /// The files without times, for which no rates are computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untimed: Vec<String>,
}

/// Results that were run in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SideAnalysis {
    /// The way in which tests were run.
    pub side: Side,
    /// The total time, in seconds.
    pub seconds: f64,
    /// The mutants on all devices.
    pub mutants: Summary,
    /// The devices.
    pub devices: Vec<DeviceAnalysis>,
    /// The vendors, if the results name them.
    pub vendors: Vec<VendorAnalysis>,
    /// The score that remains with one environment for each test on all devices, by budget and target.
    pub reproducible: Vec<Reproducible>,
    /// The similarity of the devices, if there are at least two and each of them showed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Similarity>,
}

/// The killed mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The number of mutants that were killed in at least one environment.
    pub killed: usize,
    /// The number of mutants, counted once for each device.
    pub total: usize,
    /// The fraction of mutants that were killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EstimatedValue>,
    /// The mean of the highest death rate of each mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
    /// The results by mutator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutators: Vec<MutatorAnalysis>,
}

/// The killed mutants of a mutator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MutatorAnalysis {
    /// The mutator.
    pub mutator: Mutator,
    /// The number of mutants that were killed in at least one environment.
    pub killed: usize,
    /// The number of mutants.
    pub total: usize,
    /// The mean of the highest death rate of each mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
}

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EstimatedValue {
    /// The estimate.
    pub value: f64,
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

/// The results of one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceAnalysis {
    /// The name of the device.
    pub device: String,
    /// The vendor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// The operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operating_system: Option<Software>,
    /// The browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Software>,
    /// The file of the results.
    pub file: String,
    /// The total time, in seconds.
    pub seconds: f64,
    /// The mutants.
    pub mutants: Summary,
    /// The version of the specification that determines which tests are conformance tests: `wgsl` or `wgsl-2022`.
    pub specification: String,
    /// The conformance tests whose condition was met.
    pub failed: Vec<String>,
    /// The probability that one run of all mutants kills again all mutants that were killed, each in its best
    /// environment and within the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_reproducibility: Option<f64>,
    /// The fraction of instances that met the condition, over mutants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<Weak>,
    /// The tests.
    pub tests: Vec<TestAnalysis>,
    /// The environments.
    pub environments: Vec<EnvironmentAnalysis>,
    /// The correlation of each failed conformance test with each of its mutants.
    pub correlations: Vec<MutantCorrelation>,
}

/// The results of a test on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestAnalysis {
    /// Our name of the test, or that of the results.
    pub test: String,
    /// The mutator, if the test is a mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
    /// The number of environments in which the condition was met.
    pub found_in: usize,
    /// The environment with the highest rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<u32>,
    /// The highest rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
    /// The probability that the condition is met again in that environment within the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproducibility: Option<EstimatedValue>,
}

/// The results of an environment on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnvironmentAnalysis {
    /// The number of the environment in the file.
    pub environment: u32,
    /// The number of mutants that it kills.
    pub killed: usize,
    /// The number of mutants that ran in it.
    pub total: usize,
    /// The fraction of mutants that it kills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The mean death rate of the mutants in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
}

/// The fraction of instances that met the condition, over the mutants, each in its best environment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Weak {
    /// The number of mutants.
    pub tests: usize,
    /// The smallest fraction of a mutant.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The mean.
    pub average: f64,
    /// The largest fraction of a mutant.
    pub most: f64,
}

/// The results of the devices of a vendor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VendorAnalysis {
    /// The vendor.
    pub vendor: String,
    /// The number of devices.
    pub devices: usize,
    /// The mutants.
    pub mutants: Summary,
    /// The fraction of instances that met the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<Weak>,
}

/// The score that remains with a time budget and a target of reproducibility.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reproducible {
    /// The time limit of each test, in seconds.
    pub budget: f64,
    /// The required probability of killing a mutant again.
    pub target: f64,
    /// The number of mutants that reach the target.
    pub killed: usize,
    /// The number of mutants.
    pub total: usize,
}

/// The similarity of devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Similarity {
    /// The cosine similarities of all pairs of devices, in the order of `devices`.
    pub cosines: Vec<Vec<f64>>,
    /// The sum of squared distances to the group centers, for one group, two groups, and so on.
    pub elbow: Vec<f64>,
    /// The number of groups at the bend of `elbow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend: Option<usize>,
    /// The group of each device, from 0, for that number of groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<usize>,
}

/// A conformance test that failed, and one of its mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MutantCorrelation {
    /// The conformance test.
    pub test: String,
    /// The mutant.
    pub mutant: String,
    /// The correlation of the counts.
    pub counts: Correlated,
    /// The correlation of the rates.
    pub rates: Correlated,
}

/// A correlation coefficient, or why it is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Correlated {
    /// The correlation is defined.
    Known {
        /// Pearson's coefficient, from -1 to 1.
        coefficient: f64,
        /// The number of environments.
        environments: usize,
        /// The p-value: the probability of a coefficient at least as large by chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chance: Option<f64>,
    },
    /// The correlation is undefined.
    Undefined(Undefined),
}

/// A run in which not every instance was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MiscountedRun {
    /// The file.
    pub file: String,
    /// The number of the environment.
    pub environment: u32,
    /// The name of the test in the file.
    pub test: String,
    /// The number of instances that were counted.
    pub counted: u64,
    /// The number of instances that ran.
    pub ran: u64,
}
