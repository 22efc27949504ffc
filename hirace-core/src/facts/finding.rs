//! Findings.

use super::assertion::FailedAssertion;
use super::assumption::FieldValue;
use super::bounds::OutOfBounds;
use super::divergence::{Divergence, DivergenceAlone};
use super::doubt::Doubt;
use super::grid::Grid;
use super::kind::{Certainty, Kind};
use super::memory::Memory;
use super::place::Place;
use super::progress::NoProgress;
use super::race::Race;
use super::replay::Replay;
use super::suggestion::Suggestion;
use std::fmt;

/// One bug.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub what: FindingKind,
    /// How many words (races), barrier visits (divergence; workgroups, where a device alone saw it), accesses (out of
    /// bounds) or failures (assertions).
    pub count: u64,
    /// What it hangs on; certain, if that is nothing.
    pub doubts: Vec<Doubt>,
    /// How to fix it.
    pub suggestion: Option<Suggestion>,
    /// The command that shows it again; `None` where no command can, since a test gave the buffers.
    pub replay: Option<Replay>,
    /// Its name that survives moved lines.
    pub fingerprint: Fingerprint,
    /// The shape of the dispatch that showed it.
    pub grid: Grid,
    /// The numbers that were guessed of the launch that showed it.
    pub shown_with: Vec<FieldValue>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingKind {
    /// Accesses that nothing orders.
    Race(Race),
    /// A barrier that not all reach.
    Divergence(Divergence),
    /// Likewise, where it is not known at which.
    DivergenceAlone(DivergenceAlone),
    /// An index past the end.
    OutOfBounds(OutOfBounds),
    /// A kernel that does not end.
    NoProgress(NoProgress),
    /// Something that the source claims, and that does not hold.
    Assertion(FailedAssertion),
}

impl Finding {
    /// What kind of bug.
    pub fn kind(&self) -> Kind {
        match self.what {
            FindingKind::Race(_) => Kind::DataRace,
            FindingKind::Divergence(_) | FindingKind::DivergenceAlone(_) => Kind::BarrierDivergence,
            FindingKind::OutOfBounds(_) => Kind::OutOfBounds,
            FindingKind::NoProgress(_) => Kind::NoProgress,
            FindingKind::Assertion(_) => Kind::Assertion,
        }
    }

    /// Whether it hangs on a guess.
    pub fn certainty(&self) -> Certainty {
        if self.doubts.is_empty() { Certainty::Certain } else { Certainty::Possible }
    }

    /// The race, if it is one.
    pub fn race(&self) -> Option<&Race> {
        match &self.what {
            FindingKind::Race(race) => Some(race),
            _ => None,
        }
    }

    /// The memory, if any is concerned.
    pub fn memory(&self) -> Option<&Memory> {
        match &self.what {
            FindingKind::Race(race) => Some(&race.memory),
            FindingKind::OutOfBounds(found) => Some(&found.memory),
            FindingKind::Divergence(_)
            | FindingKind::DivergenceAlone(_)
            | FindingKind::NoProgress(_)
            | FindingKind::Assertion(_) => None,
        }
    }

    /// Its places, the one to look at first in front.
    pub fn places(&self) -> Vec<Place> {
        match &self.what {
            FindingKind::Race(race) => {
                let other = race.other.as_ref().map(|other| other.access.place);
                std::iter::once(race.first.place).chain(other).collect()
            }
            FindingKind::Divergence(found) => {
                let missing = found.missing.iter().filter_map(|missing| missing.at.place());
                std::iter::once(found.barrier.place).chain(missing).collect()
            }
            FindingKind::DivergenceAlone(found) => {
                found.barriers.iter().map(|barrier| barrier.place).collect()
            }
            FindingKind::OutOfBounds(found) => found.accesses.iter().map(|a| a.place).collect(),
            FindingKind::Assertion(found) => vec![found.place],
            FindingKind::NoProgress(found) => {
                let others = found.waiting.iter().filter(|waiting| !waiting.same_line);
                let others = others.filter_map(|waiting| waiting.at.place());
                std::iter::once(found.place).chain(others).collect()
            }
        }
    }

    /// The lines of its places, in order.
    pub fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.places().iter().map(|place| place.at.line).collect();
        lines.sort_unstable();
        lines
    }

    /// Whether `other` is this finding on another launch.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let same_lines = self.kind() != Kind::DataRace || self.lines() == other.lines();
        self.fingerprint == other.fingerprint && same_lines
    }

    /// Takes over what a larger launch shows of this finding: that no barrier fixes it, since it
    /// races between workgroups, and that not all write the same there.
    pub fn widen(&mut self, larger: &Self) {
        if let (FindingKind::Race(own), Some(shown)) = (&mut self.what, larger.race()) {
            own.leads_to.widen(&shown.leads_to);
        }
        let across = larger.race().is_some_and(Race::is_across_workgroups);
        if let FindingKind::Race(Race { other: Some(other), .. }) = &mut self.what
            && across
            && !other.across_workgroups
        {
            other.across_workgroups = true;
            self.suggestion = match &larger.suggestion {
                // Within a workgroup more than one writes, too.
                Some(Suggestion::OneWorkgroupWrites(_)) => {
                    Some(Suggestion::OneWriter { turns: None })
                }
                larger => larger.clone(),
            };
        }
    }
}

/// Names a finding, and survives moved lines: made of the rule, the variable and the text of the sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

/// 16 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
