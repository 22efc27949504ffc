//! What is tried.

use super::families::Family;
use crate::facts::Scheduled;

/// What is tried of a launch.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of strategies; empty: all.
    pub strategies: Vec<String>,
    /// How many runs each is given for a dispatch.
    pub runs: u32,
    /// What they draw by.
    pub seed: u64,
    /// The greatest depth of a bug that PCT looks for: how many accesses have to come in an order of their own, and one.
    pub depth: u32,
    /// How many schedules may be run to run them all.
    pub most: u64,
    /// The one schedule that is run, and no other.
    pub replay: Option<Scheduled>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { strategies: Vec::new(), runs: 20, seed: 0, depth: 3, most: 1_000, replay: None }
    }
}

impl Settings {
    pub(super) fn asks_for(&self, family: &Family) -> bool {
        self.asks_for_name(family.name)
    }

    pub(super) fn asks_for_name(&self, name: &str) -> bool {
        self.strategies.is_empty() || self.strategies.iter().any(|wanted| wanted == name)
    }
}
