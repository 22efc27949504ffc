//! The results of tests of the bounds of data races, as JSON `hirace.litmus-race-bounds/1`.

use super::{RaceBoundsCounts, RaceBoundsSize, RaceBoundsTest};
use crate::results::Target;
use crate::run::TargetInfo;
use serde::{Deserialize, Serialize};

/// The schema of the JSON document.
pub const SCHEMA: &str = "hirace.litmus-race-bounds/1";

/// The results of tests of the bounds of data races on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaceBounds {
    /// The schema: `hirace.litmus-race-bounds/1`.
    pub schema: String,
    /// The device under test.
    pub target: Target,
    /// The size of each dispatch.
    pub size: RaceBoundsSize,
    /// The tests, in the order in which they ran.
    pub tests: Vec<RaceBoundsRun>,
    /// Whether the run was stopped early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What differs between runs of the same command. Absent with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<RaceBoundsTiming>,
}

/// The times of tests of the bounds of data races.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaceBoundsTiming {
    /// The total time of each test in seconds, in the order of the tests.
    pub tests: Vec<f64>,
}

/// The results of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaceBoundsRun {
    /// The name of the test.
    pub test: String,
    /// The number of dispatches.
    pub iterations: u32,
    /// The number of elements of all dispatches.
    pub elements: u64,
    /// The number of elements at which the effects of the race continued after the barrier.
    pub unbounded: u64,
    /// The number of elements with a value that no invocation writes.
    pub other: u64,
    /// The total time in seconds. In documents it is in `timing`.
    #[serde(skip)]
    pub seconds: f64,
    /// The reason why the run is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl RaceBoundsRun {
    /// Returns empty results of a test.
    pub fn none(test: RaceBoundsTest) -> Self {
        Self {
            test: test.name().to_owned(),
            iterations: 0,
            elements: 0,
            unbounded: 0,
            other: 0,
            seconds: 0.0,
            failure: None,
        }
    }

    /// Adds the counts of a dispatch.
    pub fn add(&mut self, elements: u64, counts: RaceBoundsCounts, seconds: f64) {
        self.iterations += 1;
        self.elements += elements;
        self.unbounded += counts.unbounded;
        self.other += counts.other;
        self.seconds += seconds;
    }

    /// Returns whether the device broke the bounds of a race.
    pub fn is_broken(&self) -> bool {
        self.unbounded > 0 || self.other > 0
    }
}

impl RaceBounds {
    /// Returns empty results for a device.
    pub fn new(about: TargetInfo, size: RaceBoundsSize) -> Self {
        let (schema, target) = (SCHEMA.to_owned(), about.into());
        Self { schema, target, size, tests: Vec::new(), stopped: false, timing: None }
    }

    /// Returns the results with the times of the tests.
    pub fn with_timing(self) -> Self {
        let tests = self.tests.iter().map(|run| run.seconds).collect();
        Self { timing: Some(RaceBoundsTiming { tests }), ..self }
    }
}
