//! What a shard knows of a launch beside the facts that are shown, so that all shards together come to what one run does.

use super::finding::{Finding, Fingerprint};
use super::kind::{Certainty, Kind};
use super::place::Place;
use crate::ir::sites::SiteId;
use crate::source_map::LineColumn;

/// A launch in a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which launch of the run it is, from 0.
    pub number: usize,
    /// Of one whose schedules are divided among shards. Of others one shard does all.
    pub divided: Option<Divided>,
}

/// What the sum over all schedules hangs on, of those that a shard ran: the plain order, which each runs, and its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided {
    /// Accesses that were checked in the plain order.
    pub accesses_checked: u64,
    /// Whether a run did not come to its end.
    pub cut_short: bool,
    /// Whether a run came to its end within its buffers.
    pub one_is_sound: bool,
    /// The access sites that were not covered, in the order of the source.
    pub missed: Vec<(SiteId, Place)>,
    /// For each warning, the first run that had it: 0 is the plain order, and others go by how much is added to the seed.
    pub warnings: Vec<u64>,
    /// Findings, and the runs that they are shown of.
    pub findings: Vec<Shown>,
}

/// Which finding is shown, and of which run.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Its name.
    pub fingerprint: Fingerprint,
    /// The lines of its places, by which races of one name differ.
    pub lines: Vec<u32>,
    /// The run.
    pub run: u64,
}

impl Shown {
    /// That `finding` is shown of this run.
    pub fn new(finding: &Finding, run: u64) -> Self {
        let is_race = finding.kind() == Kind::DataRace;
        let lines = if is_race { finding.lines() } else { Vec::new() };
        Self { fingerprint: finding.fingerprint, lines, run }
    }

    /// Whether it is of `finding`.
    pub fn is_of(&self, finding: &Finding) -> bool {
        let other = Self::new(finding, self.run);
        *self == other
    }
}

/// What findings are sorted by: what is certain in front, then by kind and place; and by what no two have alike.
pub fn order(finding: &Finding) -> (Certainty, Kind, Option<LineColumn>, Fingerprint, Vec<u32>) {
    let at = finding.places().first().map(|place| place.at);
    (finding.certainty(), finding.kind(), at, finding.fingerprint, finding.lines())
}
