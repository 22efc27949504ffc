//! Recipes: the parameters from which environments are generated, as requests and campaigns state them.

use super::{Environment, Layout, RandomEnvironments, Ranges, Version};
use serde::{Deserialize, Serialize};

/// A description of randomly generated environments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recipe {
    /// The seed of the generator.
    pub seed: String,
    /// The number of environments.
    #[serde(default = "fifty")]
    pub number: u32,
    /// The maximum number of workgroups of a dispatch: at least 2.
    #[serde(default = "most_workgroups")]
    pub max_workgroups: u32,
    /// The maximum number of invocations of a workgroup: at least 1.
    #[serde(default = "most_invocations")]
    pub max_workgroup_size: u32,
    /// How percentages are drawn.
    #[serde(default)]
    pub percentages: Percentages,
    /// The layout of the instances of a test.
    #[serde(default = "parallel")]
    pub layout: Layout,
}

fn fifty() -> u32 {
    50
}

fn most_workgroups() -> u32 {
    1024
}

fn most_invocations() -> u32 {
    256
}

fn parallel() -> Layout {
    Layout::Parallel
}

/// How percentages are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Percentages {
    /// Percentages from 0 to 100, as in GPUHarbor.
    #[default]
    Often,
    /// Percentages that are multiples of 5.
    Rounded,
    /// Percentages of 0 or 100, and workgroups of 256 invocations, as in MC Mutants.
    Always,
}

/// An error: a number of a recipe is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be from {least} to {most}")]
pub struct OutOfRange {
    /// The name of the number.
    pub name: &'static str,
    /// The smallest valid value.
    pub least: u32,
    /// The greatest valid value.
    pub most: u32,
}

impl Recipe {
    /// The maximum number of environments of a recipe.
    pub const MOST: u32 = 100_000;

    /// Returns the first number that is out of range.
    pub fn out_of_range(&self) -> Option<OutOfRange> {
        let ranges = [
            ("number", self.number, 1, Self::MOST),
            ("maxWorkgroups", self.max_workgroups, 2, 65_535),
            ("maxWorkgroupSize", self.max_workgroup_size, 1, 1024),
        ];
        let mut wrong =
            ranges.into_iter().filter(|(_, value, least, most)| !(least..=most).contains(&value));
        wrong.next().map(|(name, _, least, most)| OutOfRange { name, least, most })
    }

    /// Returns the environments.
    pub fn environments(&self) -> impl Iterator<Item = Environment> + use<> {
        let max_workgroup_size = self.max_workgroup_size;
        let version = match self.percentages {
            Percentages::Often => Version::Often { max_workgroup_size, rounded: false },
            Percentages::Rounded => Version::Often { max_workgroup_size, rounded: true },
            Percentages::Always => Version::Always,
        };
        let ranges = Ranges { max_workgroups: self.max_workgroups, version };
        let layout = self.layout;
        let drawn = RandomEnvironments::new(&self.seed, ranges).take(self.number as usize);
        drawn.map(move |parameters| Environment { layout, parameters })
    }
}
