//! The exact history of one word, reduced to the accesses that a later access can race with: the reference for [`crate::proof`].
//!
//! For each invocation and action, it keeps the strongest synchronization since the last such access: none, a subgroup barrier or a
//! workgroup barrier. Nothing is lost, because an earlier access of the same kind by the same invocation is ordered with everything
//! that the last one is ordered with. The history uses neither the states nor the classes of the automaton.

use crate::grid::{Grid, Member};
use crate::state::Action;
use alloc::vec::Vec;

/// Two bits for each invocation and action: 0 for no access, otherwise the strongest synchronization since the access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct History(u64);

const UNORDERED: u64 = 0b01;
const SUBGROUP: u64 = 0b10;
const WORKGROUP: u64 = 0b11;

/// The lower bit of every entry.
const LOW: u64 = 0x5555_5555_5555_5555;

/// Number of bits of a [`History`] per invocation.
const PER_INVOCATION: usize = 2 * Action::COUNT;

fn entry(invocation: usize, action: Action) -> usize {
    PER_INVOCATION * invocation + 2 * action.id()
}

/// Returns the lower bits of the entries of the invocations for which `predicate` holds.
fn entries(grid: &Grid, predicate: impl Fn(Member) -> bool) -> u64 {
    let ones = LOW & ((1 << PER_INVOCATION) - 1);
    let members = grid.members().iter().enumerate();
    members
        .filter(|(_, m)| predicate(**m))
        .fold(0, |mask, (i, _)| mask | ones << (PER_INVOCATION * i))
}

impl History {
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    fn entries_at_level(self, level: u64) -> u64 {
        let differs = self.0 ^ (LOW * level);
        !(differs | differs >> 1) & LOW
    }

    fn pending(self) -> u64 {
        (self.0 | self.0 >> 1) & LOW
    }

    /// Returns the history after an access.
    pub(crate) fn record(self, access: &Access) -> Self {
        let at = entry(access.invocation, access.action);
        Self(self.0 & !(0b11 << at) | UNORDERED << at)
    }

    /// Returns the history after a barrier.
    pub(crate) fn pass(self, barrier: &Barrier) -> Self {
        if barrier.workgroup {
            let raised = self.pending() & barrier.entries;
            Self(self.0 | (raised * WORKGROUP))
        } else {
            let raised = self.entries_at_level(UNORDERED) & barrier.entries;
            Self(self.0 + (raised * (SUBGROUP - UNORDERED)))
        }
    }

    /// Returns whether an access races with any earlier one.
    pub(crate) fn races(self, access: &Access) -> bool {
        let pending = self.pending();
        let below_workgroup = pending & !self.entries_at_level(WORKGROUP);
        let unordered = self.entries_at_level(UNORDERED);
        (unordered & access.in_subgroup)
            | (below_workgroup & access.in_workgroup)
            | (pending & access.in_other_workgroups)
            != 0
    }
}

/// A possible access, with the entries of a history that it conflicts with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub invocation: usize,
    pub action: Action,
    /// Entries of other invocations of the subgroup.
    in_subgroup: u64,
    /// Entries of other subgroups of the workgroup.
    in_workgroup: u64,
    /// Entries of other workgroups.
    in_other_workgroups: u64,
}

impl Access {
    /// Returns all accesses that the invocations of `grid` can make.
    pub(crate) fn all(grid: &Grid) -> Vec<Self> {
        let invocations = 0..grid.members().len();
        let pairs = invocations.flat_map(|i| Action::ALL.iter().map(move |action| (i, *action)));
        pairs.map(|(invocation, action)| Self::new(grid, invocation, action)).collect()
    }

    fn new(grid: &Grid, invocation: usize, action: Action) -> Self {
        let me = grid.members()[invocation];
        let mut access =
            Self { invocation, action, in_subgroup: 0, in_workgroup: 0, in_other_workgroups: 0 };
        for (other, member) in grid.members().iter().enumerate() {
            let near = member.workgroup == me.workgroup;
            let reach = if other == invocation {
                continue;
            } else if member.subgroup == me.subgroup {
                &mut access.in_subgroup
            } else if near {
                &mut access.in_workgroup
            } else {
                &mut access.in_other_workgroups
            };
            for theirs in Action::ALL {
                if conflict(action, *theirs, near) {
                    *reach |= 1 << entry(other, *theirs);
                }
            }
        }
        access
    }
}

/// Returns whether two accesses of different invocations race unless they are ordered.
fn conflict(a: Action, b: Action, same_workgroup: bool) -> bool {
    let atomic = |action| matches!(action, Action::BA | Action::GA);
    let both_device_scope = a == Action::GA && b == Action::GA;
    match (a, b) {
        (Action::R, Action::R) => false,
        _ if atomic(a) && atomic(b) => !(same_workgroup || both_device_scope),
        _ => true,
    }
}

/// A barrier that the invocations of a grid can pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Barrier {
    /// Whether it is a workgroup barrier; otherwise a subgroup barrier.
    pub workgroup: bool,
    /// The number of the workgroup or subgroup.
    pub number: usize,
    /// The history entries of the invocations that pass it.
    entries: u64,
}

impl Barrier {
    /// Returns all barriers that subgroups and workgroups of `grid` can pass.
    pub(crate) fn all(grid: &Grid) -> Vec<Self> {
        let Some(last) = grid.members().last() else { return Vec::new() };
        let subgroups = (0..=last.subgroup).map(|number| {
            let entries = entries(grid, |member| member.subgroup == number);
            Self { workgroup: false, number, entries }
        });
        let workgroups = (0..=last.workgroup).map(|number| {
            let entries = entries(grid, |member| member.workgroup == number);
            Self { workgroup: true, number, entries }
        });
        subgroups.chain(workgroups).collect()
    }

    /// Returns whether `member` passes the barrier.
    pub(crate) fn includes(&self, member: Member) -> bool {
        self.number == if self.workgroup { member.workgroup } else { member.subgroup }
    }
}
