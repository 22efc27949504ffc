//! Facts about data races.

use super::barrier::Barrier;
use super::memory::Memory;
use super::picture::Picture;
use super::place::Place;
use super::race_consequences::RaceConsequences;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

/// Two accesses to the same words that nothing orders.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Race {
    /// The first of the words.
    pub memory: Memory,
    /// The access to show first: a write before a read, a plain access before an atomic one.
    pub first: Access,
    /// The other access. `None` if the race was detected once but did not occur again in the run that logs both
    /// accesses.
    pub other: Option<OtherAccess>,
    /// The consequences of the race.
    pub leads_to: Box<RaceConsequences>,
    /// The data of the diagram; `None` if no run logged the accesses.
    pub picture: Option<Box<Picture>>,
}

impl Race {
    /// Returns the kind of conflict between the two accesses; `None` if one of them is not known.
    pub fn hazard(&self) -> Option<Hazard> {
        let other = self.other.as_ref()?.access.action;
        Some(match (self.first.action, other) {
            (a, b) if a.is_atomic() && b.is_atomic() => Hazard::AtomicAtomic,
            (a, b) if a.is_atomic() || b.is_atomic() => Hazard::AtomicPlain,
            (Action::Write, Action::Write) => Hazard::WriteWrite,
            _ => Hazard::ReadWrite,
        })
    }

    /// Returns whether the reported pair of accesses is between two workgroups.
    pub fn is_shown_across_workgroups(&self) -> bool {
        self.other.as_ref().is_some_and(|other| matches!(other.relation, Relation::Workgroups(_)))
    }

    /// Returns whether any accesses of the race are between two workgroups, even if the reported pair is not.
    pub fn is_across_workgroups(&self) -> bool {
        self.other.as_ref().is_some_and(|other| other.across_workgroups)
    }
}

/// The kind of conflict between two racing accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hazard {
    /// One access reads, the other writes.
    ReadWrite,
    /// Both accesses write.
    WriteWrite,
    /// One access is atomic, the other is not.
    AtomicPlain,
    /// Both accesses are atomic, but their scopes do not include each other.
    AtomicAtomic,
}

impl Hazard {
    /// Returns the name used in JSON reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "read-write",
            Self::WriteWrite => "write-write",
            Self::AtomicPlain => "atomic-plain",
            Self::AtomicAtomic => "atomic-atomic",
        }
    }
}

/// One access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The site of the access.
    #[doc(hidden)]
    pub site: SiteId,
    /// The source location of the site.
    pub place: Place,
    /// What the access does.
    pub action: Action,
    /// The invocation that did the access, if it was observed.
    pub by: Option<Actor>,
}

/// An invocation at the moment of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actor {
    /// Who.
    pub invocation: Invocation,
    /// The index of its subgroup in the workgroup.
    pub subgroup: u32,
    /// The number of barriers that order this memory and that the workgroup had passed.
    pub epoch: u32,
}

/// The other access of a race, and its relation to the first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OtherAccess {
    /// The access.
    pub access: Access,
    /// Why nothing orders the two.
    pub relation: Relation,
    /// Further facts that explain the race.
    pub remarks: Vec<Remark>,
    /// The locations of further racing accesses on the same two lines.
    pub same_lines: Vec<Place>,
    /// The extent of the race.
    pub spread: RaceExtent,
    /// Whether any of the accesses are between two workgroups, which no barrier orders.
    pub across_workgroups: bool,
    /// Whether an index at these sites was out of bounds and was clamped to the last element.
    pub clamped: bool,
    /// Whether so few words raced that clamping alone explains the race.
    #[doc(hidden)]
    pub only_by_clamping: bool,
}

/// The reason why nothing orders two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relation {
    /// The accesses are in two workgroups; the lower index comes first.
    Workgroups([u32; 2]),
    /// The accesses are in one workgroup, between the same two barriers of the memory's class.
    Epoch {
        /// The number of barriers of that class that were passed.
        epoch: u32,
        /// The last barrier that was passed, if any, and whether it orders this memory.
        last: Option<(Barrier, bool)>,
    },
    /// The accesses are in one workgroup and separated by this barrier, which orders only other memory.
    OtherMemory(Barrier),
}

/// A fact that explains why accesses race.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// An atomic of workgroup scope is atomic only within its own workgroup.
    WorkgroupScope,
    /// An atomic access does not order a plain one.
    AtomicWithPlain,
    /// The kernel uses the value of an atomic for synchronization, but the atomic orders no other memory.
    Flag {
        /// The name of the atomic variable.
        variable: String,
        /// The location at which the atomic is read.
        place: Place,
    },
    /// A write of one component may write the whole vector.
    WholeVector,
    /// Both invocations belong to one subgroup, which need not run in lockstep.
    OneSubgroup,
    /// A subgroup barrier was passed, which orders only the invocations of one subgroup.
    SubgroupBarrier,
}

/// The extent of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RaceExtent {
    /// The number of instances of workgroup memory that raced; each workgroup has one.
    pub workgroups: u64,
    /// The number of dispatches of the launch in which the race occurred.
    pub dispatches: usize,
    /// The number of dispatches of the launch.
    pub of_dispatches: usize,
    /// The index of the dispatch that is shown, from 0.
    pub dispatch: usize,
}
