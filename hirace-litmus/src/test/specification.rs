//! Versions of the WGSL specification, which classify outcomes by enumerating all executions of a test.
//!
//! | version | a fence between workgroups: `storageBarrier` |
//! | --- | --- |
//! | `wgsl-2022` | releases and acquires (before gpuweb's pull request 2297) |
//! | `wgsl` | orders nothing |
//!
//! An execution has, for each read, the write that it reads from (rf), and for each location the coherence order of its
//! writes (co). It is consistent if
//! - no write comes between the read and the write of an update;
//! - happens-before is a partial order. It consists of program order, barriers at which threads of a workgroup meet,
//!   and synchronization: a fence before a write synchronizes with a fence after a read of that write, or of an update
//!   in its release sequence;
//! - happens-before does not contradict communication (rf, co, and fr = rf⁻¹ ; co): an event sees no effect of a later
//!   event, and writes are in the order of happens-before.
//!
//! Without synchronization this is coherence, so loads may be buffered. There are no out-of-thin-air values, since a
//! written value depends only on the read of its own update. A data race is undefined behavior: if plain accesses
//! conflict without order in some execution, every outcome is allowed. (WGSL, "Memory Model"; the Vulkan memory model;
//! release and acquire as in Lahav et al., Repairing Sequential Consistency in C/C++11, PLDI 2017.)

use super::executions::Executions;
use super::{Outcome, Space, Test, interleavings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A version of the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Specification {
    /// The version of 2022, `wgsl-2022`.
    #[serde(rename = "wgsl-2022")]
    Wgsl2022,
    /// The current version, `wgsl`.
    #[default]
    #[serde(rename = "wgsl")]
    Today,
}

/// The class of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// An execution of the threads one after the other gives the outcome.
    Sequential,
    /// An interleaving of single operations gives the outcome.
    Interleaved,
    /// No interleaving gives the outcome, but it is allowed.
    Weak,
    /// The outcome is not allowed.
    Forbidden,
    /// A register or location holds a value that was never written to it. The outcome is not allowed.
    Other,
}

impl Specification {
    /// The versions and their names.
    pub const NAMED: [(&'static str, Self); 2] =
        [("wgsl-2022", Self::Wgsl2022), ("wgsl", Self::Today)];

    /// Returns the name of the version.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, version)| *version == self).map_or("", |(name, _)| name)
    }

    /// Returns the version of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, version)| *version)
    }

    /// Returns the outcomes that the version allows.
    pub fn allowed(self, test: &Test) -> BTreeSet<Outcome> {
        let executions = Executions::of(test, self == Self::Wgsl2022);
        if executions.race {
            let space = Space::of(test);
            return (0..space.counters()).filter_map(|counter| space.outcome(counter)).collect();
        }
        executions.outcomes
    }

    /// Returns whether the version forbids all outcomes that meet the condition of a test.
    pub fn forbids(self, test: &Test) -> bool {
        !self.allowed(test).iter().any(|outcome| test.condition.holds(outcome))
    }

    /// Returns the class of each outcome, by counter; the last one is [`Class::Other`].
    pub fn classify(self, test: &Test) -> Vec<Class> {
        let (space, allowed) = (Space::of(test), self.allowed(test));
        let (sequential, interleaved) = interleavings::outcomes(test);
        let class = |counter| match space.outcome(counter) {
            None => Class::Other,
            Some(outcome) if sequential.contains(&outcome) => Class::Sequential,
            Some(outcome) if interleaved.contains(&outcome) => Class::Interleaved,
            Some(outcome) if allowed.contains(&outcome) => Class::Weak,
            Some(_) => Class::Forbidden,
        };
        (0..space.counters()).map(class).collect()
    }
}
