//! What a shard records about a launch in addition to the reported facts, so that merging all shards gives the result
//! of one run.

use super::finding::{Finding, Fingerprint};
use super::kind::{Certainty, Kind, Severity};
use super::place::Place;
use crate::ir::sites::SiteId;
use crate::source_map::LineColumn;

/// A launch in a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchShard {
    /// The index of the launch in the run, from 0.
    pub number: usize,
    /// The data of a launch whose schedules are divided among shards; `None` if one shard does the whole launch.
    pub partial: Option<PartialResults>,
}

/// The data that a merge over all schedules needs from one shard: results of the default order, which every shard runs,
/// and of the schedules of this shard.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialResults {
    /// The number of accesses that were checked in the default order.
    pub accesses_checked: u64,
    /// Whether any run did not terminate.
    pub cut_short: bool,
    /// Whether any run terminated without an access past the end of its buffers.
    pub one_is_sound: bool,
    /// The access sites that were not covered, in source order.
    pub missed: Vec<(SiteId, Place)>,
    /// For each warning, the first run that produced it: 0 is the default order, other runs are numbered by the amount
    /// added to the seed.
    pub warnings: Vec<u64>,
    /// The findings, each with the run from which it is shown.
    pub findings: Vec<ShownFinding>,
}

/// A finding that is shown, with the run from which it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownFinding {
    /// The fingerprint of the finding.
    pub fingerprint: Fingerprint,
    /// The lines of the finding, which distinguish races with the same fingerprint.
    pub lines: Vec<u32>,
    /// The run.
    pub run: u64,
}

impl ShownFinding {
    /// Records that `finding` is shown from this run.
    pub fn new(finding: &Finding, run: u64) -> Self {
        let is_race = finding.kind() == Kind::DataRace;
        let lines = if is_race { finding.lines() } else { Vec::new() };
        Self { fingerprint: finding.fingerprint, lines, run }
    }

    /// Returns whether this record is about `finding`.
    pub fn is_of(&self, finding: &Finding) -> bool {
        let other = Self::new(finding, self.run);
        *self == other
    }
}

/// The key by which findings are sorted.
type SortKey = (Severity, Certainty, u8, Option<LineColumn>, Fingerprint, Vec<u32>);

/// Returns the sort key of findings: errors first, then certain findings, then causes before their consequences, then by location,
/// with a unique tie-breaker.
pub fn sort_key(finding: &Finding) -> SortKey {
    let at = finding.places().first().map(|place| place.at);
    let (severity, certainty) = finding.rank();
    let order = finding.kind().order_of_causes();
    (severity, certainty, order, at, finding.fingerprint, finding.lines())
}
