//! What locks kept, as JSON `hirace.litmus-locks/1`.

use super::{Load, Lock, Taking};
use crate::results::Target;
use crate::run::About;
use serde::{Deserialize, Serialize};

/// What the JSON calls itself.
pub const SCHEMA: &str = "hirace.litmus-locks/1";

/// What dispatches left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// How often the lock was held.
    pub held: u64,
    /// How often somebody gave up.
    pub given_up: u64,
    /// What was added under it.
    pub counted: u64,
}

/// Locks on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Locks {
    /// `hirace.litmus-locks/1`.
    pub schema: String,
    /// What they ran on.
    pub target: Target,
    /// What each dispatch asked of them.
    pub load: Load,
    /// In the order in which they ran.
    pub locks: Vec<LockRun>,
    /// Whether it was stopped before all of it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// One lock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LockRun {
    /// Its name.
    pub lock: String,
    /// How it is taken.
    pub taking: Taking,
    /// Whether storage barriers stand around what it guards.
    pub fenced: bool,
    /// How many dispatches.
    pub iterations: u32,
    /// How often it was held.
    pub held: u64,
    /// How often somebody gave up.
    pub given_up: u64,
    /// How often what was added under it was lost.
    pub lost: u64,
    /// How long that took.
    pub seconds: f64,
    /// Why it did not run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl LockRun {
    /// None of it done, of a lock.
    pub fn none(lock: Lock) -> Self {
        Self {
            lock: lock.name().to_owned(),
            taking: lock.taking,
            fenced: lock.fenced,
            iterations: 0,
            held: 0,
            given_up: 0,
            lost: 0,
            seconds: 0.0,
            failure: None,
        }
    }

    /// Adds what a dispatch left.
    pub fn add(&mut self, left: Held, seconds: f64) {
        self.iterations += 1;
        self.held += left.held;
        self.given_up += left.given_up;
        self.lost += left.held.abs_diff(left.counted);
        self.seconds += seconds;
    }

    /// Whether a lock was seen to keep nothing apart.
    pub fn is_broken(&self) -> bool {
        self.taking != Taking::Nothing && self.lost > 0
    }
}

impl Locks {
    /// None yet, on a device.
    pub fn new(about: About, load: Load) -> Self {
        let (schema, target) = (SCHEMA.to_owned(), about.into());
        Self { schema, target, load, locks: Vec::new(), stopped: false }
    }
}
