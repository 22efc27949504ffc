//! The additional data in the document of a shard, which is needed to merge shards. See [`super::merge`].

use serde::{Deserialize, Serialize};

/// A launch in a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LaunchShard {
    /// The index of the launch in the run, from 0.
    pub number: usize,
    /// The data of a launch whose schedules are divided among shards; absent if one shard does the whole launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divided: Option<PartialResults>,
}

/// The data that a merge over all schedules needs from one shard: results of the default order, which every shard runs,
/// and of the schedules of this shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartialResults {
    /// The number of accesses that were checked in the default order.
    pub accesses_checked: u64,
    /// Whether any run did not terminate.
    pub cut_short: bool,
    /// Whether any run terminated without an access past the end of its buffers.
    pub has_valid_run: bool,
    /// Whether memory was not watched although the user did not exclude it.
    pub unwatched: bool,
    /// Whether a warning states that something was not checked.
    pub unchecked: bool,
    /// The access sites that were not covered.
    pub missed: Vec<MissedSite>,
    /// For each warning of the launch, the first run that produced it: 0 is the default order, other runs are numbered
    /// by the amount added to the seed.
    pub warnings: Vec<u64>,
    /// For each finding of the launch, the run from which it is shown.
    pub findings: Vec<ShownFinding>,
    /// The same for the suppressed findings.
    pub allowed: Vec<ShownFinding>,
}

/// An access site that was not covered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MissedSite {
    /// The number of the site in the program.
    pub site: u32,
    /// `file:line:column`.
    pub location: String,
}

/// The run from which a finding is shown, with the data that identifies and ranks the finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShownFinding {
    /// The lines of the finding.
    pub lines: Vec<u32>,
    /// The line and column of the first source location.
    pub location: Option<[u32; 2]>,
    /// Whether the finding is a race between workgroups, which no barrier fixes.
    pub across_workgroups: bool,
    /// The run, numbered as in `warnings`.
    pub run: u64,
}
