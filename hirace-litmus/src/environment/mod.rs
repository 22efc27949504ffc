//! What a test runs in: how many instances there are at once, where their memory lies, and what stresses it.

mod named;
mod permutation;
mod preset;
mod prng;
mod random;
mod recipe;
mod suitable;

pub use permutation::Permutation;
pub use preset::Preset;
pub use random::{Drawn, Ranges, Version};
pub use recipe::{OutOfRange, Percentages, Recipe};
pub use suitable::Unsuitable;

use serde::{Deserialize, Serialize};

/// How instances of a test lie in a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Parallel: each invocation of the testing workgroups runs threads of several instances (MC Mutants, Sec. 4).
    Parallel,
    /// Single-instance: one instance a dispatch, and the other workgroups stress.
    Single,
}

impl Layout {
    /// How many instances a dispatch runs.
    pub fn instances(self, parameters: &Parameters) -> u64 {
        match self {
            Self::Parallel => parameters.testing_invocations(),
            Self::Single => 1,
        }
    }
}

/// The parameters of an environment, by the names of the published formats. Percentages are from 0 to 100.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameters {
    /// How many workgroups run instances; the others stress.
    pub testing_workgroups: u32,
    /// The greatest number of workgroups of a dispatch. Each dispatch has from `testing_workgroups` up to so many.
    pub max_workgroups: u32,
    /// Invocations of a workgroup. Where results do not say, it was 256.
    #[serde(default = "published_size")]
    pub workgroup_size: u32,
    /// How often the ids of workgroups are shuffled.
    pub shuffle_pct: u32,
    /// How often threads of a test wait for each other before they begin.
    pub barrier_pct: u32,
    /// How often the workgroups that do not test stress memory.
    pub mem_stress_pct: u32,
    /// How often testing invocations stress memory before they begin.
    pub pre_stress_pct: u32,
    /// Words of the memory that is stressed.
    pub scratch_memory_size: u32,
    /// Words between the locations of a test.
    pub mem_stride: u32,
    /// Words of a region of which one word is stressed.
    pub stress_line_size: u32,
    /// How many such words are stressed.
    pub stress_target_lines: u32,
    /// Turns of the loop that stresses.
    pub mem_stress_iterations: u32,
    /// Turns of the loop that stresses before a test.
    pub pre_stress_iterations: u32,
    /// How often targets are given to stressing workgroups in turns rather than in chunks.
    pub stress_strategy_balance_pct: u32,
    /// How often the first access of a turn is a store.
    pub mem_stress_store_first_pct: u32,
    /// How often the second one is.
    pub mem_stress_store_second_pct: u32,
    /// How often the first access of a turn before a test is a store.
    pub pre_stress_store_first_pct: u32,
    /// How often the second one is.
    pub pre_stress_store_second_pct: u32,
    /// How many dispatches there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
}

impl Parameters {
    /// Invocations of the testing workgroups.
    pub fn testing_invocations(&self) -> u64 {
        u64::from(self.testing_workgroups) * u64::from(self.workgroup_size)
    }
}

/// The size of workgroups in results that do not say.
fn published_size() -> u32 {
    256
}
