//! Data races.

use super::barrier::Barrier;
use super::leads_to::LeadsTo;
use super::memory::Memory;
use super::picture::Picture;
use super::place::Place;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

/// Two accesses to the same words that nothing orders.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// The first of the words.
    pub memory: Memory,
    /// The access to look at first: a write before a read, a plain access before an atomic one.
    pub first: Access,
    /// What it races with. `None`: the race was seen once and did not show again in the run that logs
    /// both accesses.
    pub other: Option<Other>,
    /// What can come of it.
    pub leads_to: Box<LeadsTo>,
    /// Who touched its words; `None` where no run logged that.
    pub picture: Option<Box<Picture>>,
}

impl Race {
    /// What the two accesses do; `None` if one of them is not known.
    pub fn hazard(&self) -> Option<Hazard> {
        let other = self.other.as_ref()?.access.action;
        Some(match (self.first.action, other) {
            (a, b) if a.is_atomic() && b.is_atomic() => Hazard::AtomicAtomic,
            (a, b) if a.is_atomic() || b.is_atomic() => Hazard::AtomicPlain,
            (Action::Write, Action::Write) => Hazard::WriteWrite,
            _ => Hazard::ReadWrite,
        })
    }

    /// Whether it is shown between two workgroups.
    pub fn is_shown_across_workgroups(&self) -> bool {
        self.other.as_ref().is_some_and(|other| matches!(other.relation, Relation::Workgroups(_)))
    }

    /// Whether it is a race between workgroups, be that shown or only known.
    pub fn is_across_workgroups(&self) -> bool {
        self.other.as_ref().is_some_and(|other| other.across_workgroups)
    }
}

/// What two racing accesses do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// One reads, one writes.
    ReadWrite,
    /// Both write.
    WriteWrite,
    /// One is atomic, one is not.
    AtomicPlain,
    /// Both are atomic, and not for each other.
    AtomicAtomic,
}

impl Hazard {
    /// What it is called in reports' JSON.
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
pub struct Access {
    /// Its site.
    pub site: SiteId,
    /// Where that is.
    pub place: Place,
    /// What it does.
    pub action: Action,
    /// Who did it, if that was seen.
    pub by: Option<Actor>,
}

/// An invocation at the moment of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Who.
    pub invocation: Invocation,
    /// Its subgroup, by index in the workgroup.
    pub subgroup: u32,
    /// Barriers that order this memory that its workgroup had passed.
    pub epoch: u32,
}

/// The other access of a race, and how the two stand to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// The access.
    pub access: Access,
    /// Why nothing orders the two.
    pub relation: Relation,
    /// What else is to be known to believe in the race.
    pub remarks: Vec<Remark>,
    /// Further accesses on the same two lines that race.
    pub same_lines: Vec<Place>,
    /// How far it goes.
    pub spread: Spread,
    /// Whether any of it was between two workgroups, which no barrier orders.
    pub across_workgroups: bool,
    /// Whether an index at these sites was out of bounds and was clamped to the last element.
    pub clamped: bool,
}

/// Why nothing orders two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are in these workgroups, the lower first.
    Workgroups([u32; 2]),
    /// They are in one workgroup and between the same two barriers of the memory's class.
    Epoch {
        /// How many of those were passed.
        epoch: u32,
        /// The last barrier passed, if there was one, and whether it orders this memory.
        last: Option<(Barrier, bool)>,
    },
    /// They are in one workgroup, with this barrier between them, which orders other memory.
    OtherMemory(Barrier),
}

/// What is to be known to believe in a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// An atomic of workgroup scope is one to its own workgroup alone.
    WorkgroupScope,
    /// An atomic access is not ordered with a plain one.
    AtomicWithPlain,
    /// What was seen of an atomic was taken for synchronisation, and orders no other memory.
    Flag {
        /// The atomic variable.
        variable: String,
        /// Where it is looked at.
        place: Place,
    },
    /// A write of one component may touch the whole vector.
    WholeVector,
    /// Both are of one subgroup, which need not run in lockstep.
    OneSubgroup,
    /// A subgroup barrier was passed, which orders the invocations of one subgroup alone.
    SubgroupBarrier,
}

/// How far a race goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Instances of workgroup memory that raced: one a workgroup.
    pub workgroups: u64,
    /// Dispatches of the launch in which it was seen.
    pub dispatches: usize,
    /// How many dispatches the launch has.
    pub of_dispatches: usize,
    /// The dispatch that it is shown in, from 0.
    pub dispatch: usize,
}
