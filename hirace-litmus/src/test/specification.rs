//! What versions of WGSL's specification say of outcomes, by enumerating all executions of a test.
//!
//! | version | a fence between workgroups: `storageBarrier` |
//! | --- | --- |
//! | `wgsl-2022` | releases and acquires (before gpuweb's pull request 2297) |
//! | `wgsl` | orders nothing |
//!
//! An execution says of each read which write it sees (rf), and of each location in which order its writes come (co). It is
//! consistent if
//! - no update has a write between what it reads and what it writes;
//! - happens-before is a partial order: program order, barriers that threads of a workgroup meet at, and synchronisation: a
//!   fence before a write with a fence behind a read of it, or of updates that follow on it;
//! - happens-before never runs against communication (rf, co, and fr = rf⁻¹ ; co): what comes before sees nothing of what
//!   comes after, and the same for writes.
//!
//! That is coherence where nothing synchronises, so that loads may be buffered; there are no values out of thin air, since no
//! written value hangs on a read but that of its own update. Data races are undefined: where plain accesses conflict unordered
//! in some execution, every outcome is allowed. (WGSL, «Memory Model»; Vulkan's; release and acquire as in Lahav et al.,
//! Repairing Sequential Consistency in C/C++11, PLDI 2017.)

use super::executions::Executions;
use super::{Outcome, Space, Test, interleavings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A version of the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Specification {
    /// `wgsl-2022`
    #[serde(rename = "wgsl-2022")]
    Wgsl2022,
    /// `wgsl`
    #[default]
    #[serde(rename = "wgsl")]
    Today,
}

/// What an outcome is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Some order of the threads gives it, each whole.
    Sequential,
    /// Some order of single operations gives it.
    Interleaved,
    /// No order does, and it is allowed.
    Weak,
    /// It is not allowed.
    Forbidden,
    /// Some register or location holds what nobody wrote there: it is not allowed.
    Other,
}

impl Specification {
    /// The versions, with their names.
    pub const NAMED: [(&'static str, Self); 2] =
        [("wgsl-2022", Self::Wgsl2022), ("wgsl", Self::Today)];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, version)| *version == self).map_or("", |(name, _)| name)
    }

    /// The one that is called so.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, version)| *version)
    }

    /// The outcomes that it allows.
    pub fn allowed(self, test: &Test) -> BTreeSet<Outcome> {
        let executions = Executions::of(test, self == Self::Wgsl2022);
        if executions.race {
            let space = Space::of(test);
            return (0..space.counters()).filter_map(|counter| space.outcome(counter)).collect();
        }
        executions.outcomes
    }

    /// Whether it allows none of the outcomes that a test looks for.
    pub fn forbids(self, test: &Test) -> bool {
        !self.allowed(test).iter().any(|outcome| test.condition.holds(outcome))
    }

    /// What each outcome is, by its counter; that of the last is [`Class::Other`].
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
