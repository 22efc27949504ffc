//! Environments by what they are drawn from, as requests and campaigns say it.

use super::{Drawn, Layout, Ranges, Version};
use crate::results::Environment;
use serde::{Deserialize, Serialize};

/// What environments are drawn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recipe {
    /// The seed.
    pub seed: String,
    /// How many.
    #[serde(default = "fifty")]
    pub number: u32,
    /// The most workgroups of a dispatch: at least 2.
    #[serde(default = "most_workgroups")]
    pub max_workgroups: u32,
    /// The most invocations of a workgroup: at least 1.
    #[serde(default = "most_invocations")]
    pub max_workgroup_size: u32,
    /// How percentages are drawn.
    #[serde(default)]
    pub percentages: Percentages,
    /// How instances of a test lie.
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
    /// From 0 to 100, as GPUHarbor does.
    #[default]
    Often,
    /// The same, in multiples of 5.
    Rounded,
    /// 0 or 100, and workgroups have 256 invocations, as MC Mutants has it.
    Always,
}

/// A number of a recipe that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has to be from {least} to {most}")]
pub struct OutOfRange {
    /// Its name.
    pub name: &'static str,
    /// The least that it may be.
    pub least: u32,
    /// The greatest.
    pub most: u32,
}

impl Recipe {
    /// The most environments that a recipe has.
    pub const MOST: u32 = 100_000;

    /// The first of its numbers that is out of its range.
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

    /// The environments.
    pub fn environments(&self) -> impl Iterator<Item = Environment> + use<> {
        let max_workgroup_size = self.max_workgroup_size;
        let version = match self.percentages {
            Percentages::Often => Version::Often { max_workgroup_size, rounded: false },
            Percentages::Rounded => Version::Often { max_workgroup_size, rounded: true },
            Percentages::Always => Version::Always,
        };
        let ranges = Ranges { max_workgroups: self.max_workgroups, version };
        let layout = self.layout;
        let drawn = Drawn::new(&self.seed, ranges).take(self.number as usize);
        drawn.map(move |parameters| Environment { layout, parameters })
    }
}
