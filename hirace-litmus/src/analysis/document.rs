//! `hirace.litmus-analysis/1`: what an analysis says. Rates are a second, parts and scores from 0 to 1; what is not defined is
//! left out.

use crate::results::table::Side;
use crate::score::correlation::Undefined;
use crate::test::Mutator;
use serde::{Deserialize, Serialize};

/// What `schema` says.
pub const SCHEMA: &str = "hirace.litmus-analysis/1";

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Analysis {
    /// `hirace.litmus-analysis/1`
    pub schema: String,
    /// Of all intervals: Wilson's of scores, Garwood's of rates.
    pub confidence: f64,
    /// The seconds that `reproducibility` of a test is for.
    pub budget: f64,
    /// Each way in which tests were run.
    pub sides: Vec<OfSide>,
    /// Runs of which not every instance was counted, in files that say how many there were.
    pub miscounted: Vec<OfMiscounted>,
}

/// Results that were run in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfSide {
    /// In which way.
    pub side: Side,
    /// How long all of it took, in seconds.
    pub seconds: f64,
    /// Over all devices.
    pub mutants: Summary,
    /// Each device.
    pub devices: Vec<OfDevice>,
    /// Each vendor, where results say whose devices they are of.
    pub vendors: Vec<OfVendor>,
    /// What is left of the score with one environment for each test on all devices, by budget and target.
    pub reproducible: Vec<Reproducible>,
    /// How alike devices are, if there are two or more and each showed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Similarity>,
}

/// Killed mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Killed in at least one environment.
    pub killed: usize,
    /// Of how many, each counted once for each device.
    pub of: usize,
    /// Killed, of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Estimated>,
    /// The average of the greatest death rate of each mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
    /// The same of each mutator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutators: Vec<OfMutator>,
}

/// Killed mutants of a mutator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfMutator {
    /// Which one.
    pub mutator: Mutator,
    /// Killed in at least one environment.
    pub killed: usize,
    /// Of how many.
    pub of: usize,
    /// The average of the greatest death rate of each mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
}

/// What is estimated, and the interval that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Estimated {
    /// By what was seen.
    pub value: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfDevice {
    /// What it is called.
    pub device: String,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// The file of its results.
    pub file: String,
    /// How long they took, in seconds.
    pub seconds: f64,
    /// Its mutants.
    pub mutants: Summary,
    /// The version of the specification by which tests are conformance tests: `wgsl` or `wgsl-2022`.
    pub specification: String,
    /// Conformance tests that found what they look for.
    pub failed: Vec<String>,
    /// How likely one run of all mutants is to kill all of those that it killed before, each in its best environment and within
    /// the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_reproducibility: Option<f64>,
    /// How many instances show what tests look for, over mutants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<Weak>,
    /// Each test.
    pub tests: Vec<OfTest>,
    /// Each environment.
    pub environments: Vec<OfEnvironment>,
    /// Each conformance test that failed beside each of its mutants.
    pub correlations: Vec<OfPair>,
}

/// A test on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfTest {
    /// Our name of it, or that of the results.
    pub test: String,
    /// What made it, if it is a mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
    /// In how many environments it found what it looks for.
    pub found_in: usize,
    /// The environment in which it has its greatest rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<u32>,
    /// That rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
    /// How likely it is to show again there within the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproducibility: Option<Estimated>,
}

/// An environment on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfEnvironment {
    /// Its number in the file.
    pub environment: u32,
    /// Mutants that it kills.
    pub killed: usize,
    /// Of how many.
    pub of: usize,
    /// Killed, of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The average of the death rates of mutants in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub death_rate: Option<f64>,
}

/// How many instances show what tests look for: of each mutant in its best environment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Weak {
    /// Of how many mutants.
    pub tests: usize,
    /// Of the one where they are fewest.
    pub least: f64,
    /// As many mutants have less as have more.
    pub median: f64,
    /// The mean.
    pub average: f64,
    /// Of the one where they are most.
    pub most: f64,
}

/// Devices of a vendor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfVendor {
    /// Whose.
    pub vendor: String,
    /// How many.
    pub devices: usize,
    /// Their mutants.
    pub mutants: Summary,
    /// How many instances show what tests look for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<Weak>,
}

/// What is left of a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reproducible {
    /// How long each test may run, in seconds.
    pub budget: f64,
    /// How likely it is to be that it is killed again.
    pub target: f64,
    /// Mutants that are.
    pub killed: usize,
    /// Of how many.
    pub of: usize,
}

/// How alike devices are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Similarity {
    /// Cosines: each device, in the order of `devices`, beside each.
    pub cosines: Vec<Vec<f64>>,
    /// The sum of squared distances to the centres of groups, of one group, of two, and so on.
    pub elbow: Vec<f64>,
    /// How many groups there are by where that bends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend: Option<usize>,
    /// The group of each device, from 0, if there are so many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<usize>,
}

/// A conformance test that failed, and one of its mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfPair {
    /// The conformance test.
    pub test: String,
    /// The mutant.
    pub mutant: String,
    /// Of how often each was found.
    pub counts: Correlated,
    /// Of how often a second.
    pub rates: Correlated,
}

/// A correlation, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Correlated {
    /// There is one.
    Known {
        /// Pearson's, from -1 to 1.
        coefficient: f64,
        /// Over how many environments.
        environments: usize,
        /// How likely as great a one is by chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chance: Option<f64>,
    },
    /// There is none.
    Undefined(Undefined),
}

/// A run of which not every instance was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfMiscounted {
    /// The file.
    pub file: String,
    /// The number of the environment.
    pub environment: u32,
    /// The name that the file has for the test.
    pub test: String,
    /// How many instances were counted.
    pub counted: u64,
    /// How many there were.
    pub ran: u64,
}
