//! The results of prefix sums, as JSON `hirace.litmus-prefix-sums/1`.

use super::{PrefixSumSize, Protocol};
use crate::results::Target;
use crate::run::TargetInfo;
use serde::{Deserialize, Serialize};

/// The schema of the JSON document.
pub const SCHEMA: &str = "hirace.litmus-prefix-sums/1";

/// The numbers of elements of a dispatch that are not as they should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrefixSumCounts {
    /// The number of elements whose sum is wrong.
    pub wrong: u64,
    /// The number of elements without a sum, because their workgroup gave up.
    pub missing: u64,
}

/// The results of prefix sums on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrefixSums {
    /// The schema: `hirace.litmus-prefix-sums/1`.
    pub schema: String,
    /// The device under test.
    pub target: Target,
    /// The size of each dispatch.
    pub size: PrefixSumSize,
    /// The protocols, in the order in which they ran.
    pub protocols: Vec<PrefixSumRun>,
    /// Whether the run was stopped early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What differs between runs of the same command. Absent with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<PrefixSumTiming>,
}

/// The times of prefix sums.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrefixSumTiming {
    /// The total time of each protocol in seconds, in the order of the protocols.
    pub protocols: Vec<f64>,
}

/// The results of one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrefixSumRun {
    /// The name of the protocol.
    pub protocol: String,
    /// The number of dispatches.
    pub iterations: u32,
    /// The number of elements of all dispatches.
    pub elements: u64,
    /// The number of elements whose sum is wrong.
    pub wrong: u64,
    /// The number of elements without a sum, because their workgroup gave up.
    pub missing: u64,
    /// The total time in seconds. In documents it is in `timing`.
    #[serde(skip)]
    pub seconds: f64,
    /// The reason why the run is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl PrefixSumRun {
    /// Returns empty results of a protocol.
    pub fn none(protocol: Protocol) -> Self {
        Self {
            protocol: protocol.name().to_owned(),
            iterations: 0,
            elements: 0,
            wrong: 0,
            missing: 0,
            seconds: 0.0,
            failure: None,
        }
    }

    /// Adds the counts of a dispatch.
    pub fn add(&mut self, elements: u64, counts: PrefixSumCounts, seconds: f64) {
        self.iterations += 1;
        self.elements += elements;
        self.wrong += counts.wrong;
        self.missing += counts.missing;
        self.seconds += seconds;
    }
}

impl PrefixSums {
    /// Returns empty results for a device.
    pub fn new(about: TargetInfo, size: PrefixSumSize) -> Self {
        let (schema, target) = (SCHEMA.to_owned(), about.into());
        Self { schema, target, size, protocols: Vec::new(), stopped: false, timing: None }
    }

    /// Returns the results with the times of the protocols.
    pub fn with_timing(self) -> Self {
        let protocols = self.protocols.iter().map(|run| run.seconds).collect();
        Self { timing: Some(PrefixSumTiming { protocols }), ..self }
    }
}
