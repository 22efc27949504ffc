//! The results of locks, as JSON `hirace.litmus-locks/1`.

use super::{Load, Lock, Taking};
use crate::results::Target;
use crate::run::TargetInfo;
use serde::{Deserialize, Serialize};

/// The schema of the JSON document.
pub const SCHEMA: &str = "hirace.litmus-locks/1";

/// The counters of a dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockCounters {
    /// The number of times the lock was taken.
    pub held: u64,
    /// The number of times an invocation gave up.
    pub given_up: u64,
    /// The number of additions that are visible at the end.
    pub counted: u64,
}

/// The results of locks on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Locks {
    /// The schema: `hirace.litmus-locks/1`.
    pub schema: String,
    /// The device under test.
    pub target: Target,
    /// The load of each dispatch.
    pub load: Load,
    /// The locks, in the order in which they ran.
    pub locks: Vec<LockRun>,
    /// Whether the run was stopped early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What differs between runs of the same command. Absent with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<LockTiming>,
}

/// The times of locks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LockTiming {
    /// The total time of each lock in seconds, in the order of the locks.
    pub locks: Vec<f64>,
}

/// The results of one lock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LockRun {
    /// The name of the lock.
    pub lock: String,
    /// The algorithm that takes it.
    pub algorithm: Taking,
    /// Whether there are storage barriers around the critical section.
    pub fenced: bool,
    /// The number of dispatches.
    pub iterations: u32,
    /// The number of times the lock was taken.
    pub held: u64,
    /// The number of times an invocation gave up.
    pub given_up: u64,
    /// The number of additions that were lost.
    pub lost: u64,
    /// The total time in seconds. In documents it is in `timing`.
    #[serde(skip)]
    pub seconds: f64,
    /// The reason why the run is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl LockRun {
    /// Returns empty results of a lock.
    pub fn none(lock: Lock) -> Self {
        Self {
            lock: lock.name().to_owned(),
            algorithm: lock.taking,
            fenced: lock.fenced,
            iterations: 0,
            held: 0,
            given_up: 0,
            lost: 0,
            seconds: 0.0,
            failure: None,
        }
    }

    /// Adds the counters of a dispatch.
    pub fn add(&mut self, left: LockCounters, seconds: f64) {
        self.iterations += 1;
        self.held += left.held;
        self.given_up += left.given_up;
        self.lost += left.held.abs_diff(left.counted);
        self.seconds += seconds;
    }

    /// Returns whether a lock lost an addition.
    pub fn is_broken(&self) -> bool {
        self.algorithm != Taking::Nothing && self.lost > 0
    }
}

impl Locks {
    /// Returns empty results for a device.
    pub fn new(about: TargetInfo, load: Load) -> Self {
        let (schema, target) = (SCHEMA.to_owned(), about.into());
        Self { schema, target, load, locks: Vec::new(), stopped: false, timing: None }
    }

    /// Returns the results with the times of the locks.
    pub fn with_timing(self) -> Self {
        let locks = self.locks.iter().map(|run| run.seconds).collect();
        Self { timing: Some(LockTiming { locks }), ..self }
    }
}
