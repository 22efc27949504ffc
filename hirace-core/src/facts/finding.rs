//! Findings: the bugs that a check reports.

use super::assertion::FailedAssertion;
use super::assumption::FieldValue;
use super::bounds::OutOfBounds;
use super::divergence::{Divergence, UnlocatedDivergence};
use super::doubt::Doubt;
use super::grid::Grid;
use super::kind::{Certainty, Kind, Severity};
use super::memory::Memory;
use super::place::Place;
use super::progress::NoProgress;
use super::race::Race;
use super::replay::Replay;
use super::suggestion::{Fix, Suggestion};
use std::fmt;

/// A bug found by a check.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The bug, with the facts of its kind.
    pub what: FindingKind,
    /// The number of occurrences: words of a race, visits of a barrier that diverged (workgroups, if only a device saw
    /// it), accesses out of bounds, or failures of an assertion.
    pub count: u64,
    /// The assumptions that the finding depends on; empty if the finding is certain.
    pub doubts: Vec<Doubt>,
    /// A way to fix the bug.
    pub suggestion: Option<Suggestion>,
    /// The edits that follow the suggestion, if they were tried.
    pub fix: Option<Fix>,
    /// The command that reproduces the finding; `None` if a test gave the buffers, because no command can do that.
    pub replay: Option<Replay>,
    /// The identifier that stays the same when lines move.
    pub fingerprint: Fingerprint,
    /// The shape of the dispatch that showed the finding.
    pub grid: Grid,
    /// The guessed numbers of the launch that showed the finding.
    pub shown_with: Vec<FieldValue>,
    /// The finding of the same launch that causes this one, if that is certain.
    pub caused_by: Option<Cause>,
}

/// A finding that causes another finding of the same launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cause {
    /// The fingerprint of the causing finding.
    pub fingerprint: Fingerprint,
    /// Its lines, which distinguish races with the same fingerprint.
    pub lines: Vec<u32>,
    /// Its severity.
    pub severity: Severity,
    /// How it is known that it is the cause.
    pub link: CauseLink,
}

/// How it is known that a finding causes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CauseLink {
    /// An index out of bounds is clamped to the last element, where accesses collide. If such accesses are dropped instead, there is no
    /// race.
    Clamping,
    /// The change that removes the causing finding removes this one, too. It was tried.
    SameChange,
}

impl Cause {
    /// Returns the cause of what follows from `finding`.
    #[doc(hidden)]
    pub fn new(finding: &Finding, link: CauseLink) -> Self {
        let Finding { fingerprint, .. } = *finding;
        Self { fingerprint, lines: finding.lines(), severity: finding.severity(), link }
    }

    /// Returns whether `finding` is the cause.
    pub fn is(&self, finding: &Finding) -> bool {
        let is_race = finding.kind() == Kind::DataRace;
        self.fingerprint == finding.fingerprint && (!is_race || self.lines == finding.lines())
    }
}

/// The facts about a bug, by kind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two accesses that nothing orders.
    Race(Race),
    /// A barrier that not all invocations reach.
    Divergence(Divergence),
    /// A barrier that not all invocations reach, where the barrier is not known.
    UnlocatedDivergence(UnlocatedDivergence),
    /// An access with an index that is out of bounds.
    OutOfBounds(OutOfBounds),
    /// A kernel that does not terminate.
    NoProgress(NoProgress),
    /// An assertion of the source that failed.
    Assertion(FailedAssertion),
}

impl Finding {
    /// Returns the kind of the bug.
    pub fn kind(&self) -> Kind {
        match self.what {
            FindingKind::Race(_) => Kind::DataRace,
            FindingKind::Divergence(_) | FindingKind::UnlocatedDivergence(_) => {
                Kind::BarrierDivergence
            }
            FindingKind::OutOfBounds(_) => Kind::OutOfBounds,
            FindingKind::NoProgress(_) => Kind::NoProgress,
            FindingKind::Assertion(_) => Kind::Assertion,
        }
    }

    /// Returns whether the finding is certain or depends on an assumption.
    pub fn certainty(&self) -> Certainty {
        if self.doubts.is_empty() { Certainty::Certain } else { Certainty::Possible }
    }

    /// Returns the severity, by the consequence of the finding.
    pub fn severity(&self) -> Severity {
        let is_harmless = match &self.what {
            FindingKind::Race(race) => {
                // If a read out of bounds is harmless, so is a race in which it takes part only because it is clamped.
                let is_of_warning = |cause: &Cause| {
                    (cause.link, cause.severity) == (CauseLink::Clamping, Severity::Warning)
                };
                race.leads_to.writes_same_value()
                    || self.caused_by.as_ref().is_some_and(is_of_warning)
            }
            FindingKind::OutOfBounds(found) => found.accesses.iter().all(|access| !access.is_used),
            FindingKind::Divergence(_)
            | FindingKind::UnlocatedDivergence(_)
            | FindingKind::NoProgress(_)
            | FindingKind::Assertion(_) => false,
        };
        if is_harmless { Severity::Warning } else { Severity::Error }
    }

    /// Returns whether the finding is an error, and not only a warning.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// Returns the rank of the finding for the verdict. Of the findings that several launches show of the same fault, the one with
    /// the lowest rank counts.
    #[doc(hidden)]
    pub fn rank(&self) -> (Severity, Certainty) {
        (self.severity(), self.certainty())
    }

    /// Returns the race, if the finding is a race.
    pub fn race(&self) -> Option<&Race> {
        match &self.what {
            FindingKind::Race(race) => Some(race),
            _ => None,
        }
    }

    /// Returns the memory that the finding is about, if there is one.
    pub fn memory(&self) -> Option<&Memory> {
        match &self.what {
            FindingKind::Race(race) => Some(&race.memory),
            FindingKind::OutOfBounds(found) => Some(&found.memory),
            FindingKind::Divergence(_)
            | FindingKind::UnlocatedDivergence(_)
            | FindingKind::NoProgress(_)
            | FindingKind::Assertion(_) => None,
        }
    }

    /// Returns the source locations of the finding, the most important one first.
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
            FindingKind::UnlocatedDivergence(found) => {
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

    /// Returns the lines of the source locations, sorted.
    pub fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.places().iter().map(|place| place.at.line).collect();
        lines.sort_unstable();
        lines
    }

    /// Returns whether `other` is the same finding in another launch.
    #[doc(hidden)]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let same_lines = self.kind() != Kind::DataRace || self.lines() == other.lines();
        self.fingerprint == other.fingerprint && same_lines
    }

    /// Merges in what a larger launch shows of this finding: whether the race also occurs between workgroups, where no
    /// barrier fixes it, and whether the writes store different values there.
    #[doc(hidden)]
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
            (self.suggestion, self.fix) = match &larger.suggestion {
                // More than one invocation of a workgroup writes, too.
                Some(Suggestion::OneWorkgroupWrites(_)) => {
                    (Some(Suggestion::OneWriter { loop_end_barrier: None }), None)
                }
                suggestion => (suggestion.clone(), larger.fix.clone()),
            };
        }
    }
}

/// Identifies a finding across moved lines; computed from the rule, the variable and the text of the sites. It always has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

/// Writes 16 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
