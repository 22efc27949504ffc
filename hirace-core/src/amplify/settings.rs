//! Settings of schedule amplification.

use super::families::Family;
use crate::facts::DispatchOrder;

/// The strategies and limits for a launch.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The names of the strategies to run; empty: all.
    pub strategies: Vec<String>,
    /// The number of runs of each strategy for a dispatch.
    pub runs: u32,
    /// The seed for randomized strategies.
    pub seed: u64,
    /// The maximum depth of a bug that PCT looks for: the number of ordering constraints between accesses that the
    /// bug needs.
    pub depth: u32,
    /// The maximum number of schedules for an exhaustive run.
    pub most: u64,
    /// The only schedule to run, if it is set.
    pub replay: Option<DispatchOrder>,
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
