//! Environments: the number of simultaneous instances of a test, the placement of their memory, and the stress on it.

mod named;
mod permutation;
mod preset;
mod prng;
mod random;
mod recipe;
mod validation;

pub use permutation::Permutation;
pub use preset::Preset;
pub use random::{RandomEnvironments, Ranges, Version};
pub use recipe::{OutOfRange, Percentages, Recipe};
pub use validation::EnvironmentError;

use serde::{Deserialize, Serialize};

/// The layout of the instances of a test in a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Parallel: each invocation of the testing workgroups runs threads of several instances (MC Mutants, Sec. 4).
    Parallel,
    /// Single-instance: each dispatch runs one instance, and the other workgroups stress memory.
    Single,
}

impl Layout {
    /// Returns the number of instances of a dispatch.
    pub fn instances(self, parameters: &Parameters) -> u64 {
        match self {
            Self::Parallel => parameters.testing_invocations(),
            Self::Single => 1,
        }
    }
}

/// The parameters of an environment, with the names of the published formats. Percentages are from 0 to 100.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameters {
    /// The number of workgroups that run instances; the other workgroups stress memory.
    pub testing_workgroups: u32,
    /// The maximum number of workgroups of a dispatch. Each dispatch has from `testing_workgroups` up to this number.
    pub max_workgroups: u32,
    /// The number of invocations of a workgroup: 256 in results that do not state it.
    #[serde(default = "published_size")]
    pub workgroup_size: u32,
    /// The percentage of dispatches in which the ids of workgroups are shuffled.
    pub shuffle_pct: u32,
    /// The percentage of dispatches in which the threads of a test wait for each other before they start.
    pub barrier_pct: u32,
    /// The percentage of dispatches in which the workgroups that do not test stress memory.
    pub mem_stress_pct: u32,
    /// The percentage of dispatches in which testing invocations stress memory before they start.
    pub pre_stress_pct: u32,
    /// The size of the stressed memory, in words.
    pub scratch_memory_size: u32,
    /// The distance between the locations of a test, in words.
    pub mem_stride: u32,
    /// The size of a region of which one word is stressed, in words.
    pub stress_line_size: u32,
    /// The number of stressed words.
    pub stress_target_lines: u32,
    /// The number of iterations of the stress loop.
    pub mem_stress_iterations: u32,
    /// The number of iterations of the stress loop that runs before a test.
    pub pre_stress_iterations: u32,
    /// The percentage of dispatches in which stressed words are assigned to workgroups round-robin instead of in
    /// chunks.
    pub stress_strategy_balance_pct: u32,
    /// The percentage of dispatches in which the first access of an iteration of the stress loop is a store.
    pub mem_stress_store_first_pct: u32,
    /// The percentage of dispatches in which the second access is a store.
    pub mem_stress_store_second_pct: u32,
    /// The percentage of dispatches in which the first access of an iteration before a test is a store.
    pub pre_stress_store_first_pct: u32,
    /// The percentage of dispatches in which the second access before a test is a store.
    pub pre_stress_store_second_pct: u32,
    /// The number of dispatches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
}

impl Parameters {
    /// Returns the number of invocations in the testing workgroups.
    pub fn testing_invocations(&self) -> u64 {
        u64::from(self.testing_workgroups) * u64::from(self.workgroup_size)
    }
}

/// Returns the workgroup size of results that do not state it.
fn published_size() -> u32 {
    256
}

/// An environment that tests ran in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The layout of instances.
    pub layout: Layout,
    /// The parameters.
    pub parameters: Parameters,
}

impl Environment {
    /// Reads an environment from the JSON of a report.
    ///
    /// # Errors
    /// The text is not an environment.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}
