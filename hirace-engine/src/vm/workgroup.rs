//! A workgroup that was started: its fragments, its memory and its barriers.
//!
//! A workgroup is a value: its watcher is passed in wherever something observable can happen.

pub mod start;
mod synchronization;

use super::code::Code;
use super::engine::fragment::{Fragment, SNAPSHOT_ROUNDS, State, lanes};
use super::engine::tally::Tally;
use super::engine::{Context, DirectHandler, Pause, Setup, WorkgroupVariable};
use super::observer::Watcher;
use super::ops::Slot;
use super::run::{Invocation, InvocationStatus};
use crate::ir::sites::SiteId;
use start::start_fragment;

/// Allocations of ended workgroups that starting ones reuse.
#[derive(Debug, Default)]
pub struct SpareAllocations<const N: usize> {
    registers: Vec<Vec<Slot<N>>>,
    shared: Vec<Vec<WorkgroupVariable>>,
    returned: Vec<Vec<Option<SiteId>>>,
}

/// The state of a started workgroup.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Workgroup<const N: usize> {
    /// The linear index of the workgroup.
    pub index: u32,
    pub fragments: Vec<Fragment<N>>,
    shared: Vec<WorkgroupVariable>,
    /// For each invocation that is done, the site where it returned.
    pub(super) returned_lanes: Vec<Option<SiteId>>,
    /// The index of the fragment that runs next.
    next: usize,
}

/// What a workgroup can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkgroupStatus {
    /// This many of its fragments can run.
    Ready(usize),
    /// No fragment can run until another workgroup changes memory.
    Blocked,
    /// All its invocations returned.
    Done,
}

impl<const N: usize> Workgroup<N> {
    /// Starts the workgroup with this linear index.
    pub fn start(setup: &Setup, index: u32, spare: &mut SpareAllocations<N>) -> Self {
        let code = setup.code;
        let invocations = code.invocations();
        let mut shared = spare.shared.pop().unwrap_or_default();
        shared.resize_with(code.workgroup_variables.len(), WorkgroupVariable::default);
        for (shared, (id, bytes)) in shared.iter_mut().zip(&code.workgroup_variables) {
            shared.id = *id;
            shared.words.clear();
            shared.words.resize(bytes.div_ceil(4) as usize, 0);
        }
        let mut returned = spare.returned.pop().unwrap_or_default();
        returned.clear();
        returned.resize(invocations as usize, None);
        let subgroups = 0..invocations.div_ceil(setup.subgroup_size);
        let fragments = subgroups.map(|subgroup| {
            let registers = spare.registers.pop().unwrap_or_default();
            let first = subgroup * setup.subgroup_size;
            let count = (invocations - first).min(setup.subgroup_size);
            start_fragment(setup, index, first, count, registers)
        });
        Self { index, fragments: fragments.collect(), shared, returned_lanes: returned, next: 0 }
    }

    /// Returns whether a fragment of the workgroup has run more than `steps` instructions.
    pub fn has_run(&self, steps: u64) -> bool {
        self.fragments.iter().any(|fragment| fragment.steps > steps)
    }

    /// Ends the workgroup and keeps its allocations for reuse.
    pub fn end(self, spare: &mut SpareAllocations<N>) {
        spare.shared.push(self.shared);
        spare.returned.push(self.returned_lanes);
        spare.registers.extend(self.fragments.into_iter().map(|fragment| fragment.registers));
    }

    /// Returns what the workgroup can do after `changes` changes of shared memory, once everything that can
    /// be [released](Self::release) is.
    pub fn status(&self, changes: u64) -> WorkgroupStatus {
        match self.fragments.iter().filter(|f| f.is_ready(changes)).count() {
            0 if self.fragments.is_empty() => WorkgroupStatus::Done,
            0 => WorkgroupStatus::Blocked,
            ready => WorkgroupStatus::Ready(ready),
        }
    }

    /// Releases fragments from the barriers and subgroup operations at which no invocation that they wait for
    /// can arrive before they continue. Returns whether any was released.
    pub fn release<W: Watcher + ?Sized>(
        &mut self,
        setup: &Setup,
        watcher: &mut W,
        tally: &mut Tally,
        spare: &mut SpareAllocations<N>,
    ) -> bool {
        let mut any = false;
        loop {
            any |= self.pass_subgroups(setup, watcher, tally, spare);
            let may_run = |f: &Fragment<N>| {
                f.is_ready(tally.changes) || matches!(f.state, State::Spinning(_))
            };
            if self.fragments.is_empty() || self.fragments.iter().any(may_run) {
                return any;
            }
            self.pass_workgroup(setup, watcher, tally, spare);
            any = true;
        }
    }

    /// Returns the index of the next fragment in round-robin order that can run.
    pub fn next_ready(&self, changes: u64) -> Option<usize> {
        let count = self.fragments.len();
        let mut order = (0..count).map(|index| (self.next + index) % count);
        order.find(|index| self.fragments[*index].is_ready(changes))
    }

    /// Returns the index of the `nth` fragment that can run.
    pub fn nth_ready(&self, changes: u64, nth: usize) -> Option<usize> {
        let all = self.fragments.iter().enumerate();
        let mut ready = all.filter(|(_, f)| f.is_ready(changes));
        ready.nth(nth).map(|(index, _)| index)
    }

    /// Runs a fragment for at most `fuel` instructions.
    pub fn turn<W: Watcher + ?Sized>(
        &mut self,
        setup: &Setup,
        watcher: &mut W,
        tally: &mut Tally,
        spare: &mut SpareAllocations<N>,
        which: usize,
        fuel: u64,
    ) {
        let Some(subgroup) = self.fragments.get(which).map(|fragment| fragment.subgroup) else {
            return;
        };
        let alone = self.fragments.iter().filter(|f| f.subgroup == subgroup).count() == 1;
        let fragment = &mut self.fragments[which];
        if let State::Spinning(_) = fragment.state {
            // The fragment went through its loop before and may do so again: a snapshot taken here shows
            // whether an iteration changes anything.
            fragment.take_snapshot(tally.changes, SNAPSHOT_ROUNDS);
        }
        fragment.state = State::Ready;
        let mut context = Context {
            setup,
            handler: DirectHandler { watcher, shared: &mut self.shared },
            tally,
            workgroup: self.index,
            alone,
            returned_lanes: &mut self.returned_lanes,
        };
        self.next = which;
        let pause = match setup.follower {
            None => context.run(fragment, fuel),
            Some(follower) => follower.run(&mut context, fragment, fuel),
        };
        match pause {
            Pause::Fuel => self.next = which + 1,
            Pause::Done => {
                let fragment = self.fragments.remove(which);
                spare.registers.push(fragment.registers);
                if let Some(follower) = setup.follower.filter(|_| alone) {
                    follower.end(self.index, subgroup);
                }
            }
            Pause::Barrier(index) => {
                fragment.state = State::AtBarrier(index);
                if let Some(snapshot) = &mut fragment.snapshot {
                    snapshot.passed_barrier = true;
                }
                self.split_off_waiting(which, spare);
            }
            Pause::SubgroupOperation => {
                // Others decide which values it receives.
                fragment.snapshot = None;
                fragment.state = State::AtSubgroupOperation;
            }
            Pause::Spinning => {
                let changes = tally.changes;
                let with_others = fragment.repetition.is_some_and(|found| found.with_others);
                let repeats =
                    |f: &Fragment<N>| f.repetition.is_some_and(|found| found.changes == changes);
                if !with_others || self.fragments.iter().all(repeats) {
                    self.fragments[which].state = State::Spinning(changes);
                } else {
                    self.next = which + 1;
                }
            }
            Pause::VisibleOperation => fragment.state = State::AwaitingAnswer,
            Pause::Starving => {
                self.split_off_waiting(which, spare);
                self.next = which + 1;
            }
        }
    }

    /// Splits off the inactive lanes of a fragment, so that they run.
    fn split_off_waiting(&mut self, which: usize, spare: &mut SpareAllocations<N>) {
        let fragment = &mut self.fragments[which];
        let waiting = fragment.lanes & !fragment.mask;
        if waiting != 0 {
            let room = spare.registers.pop().unwrap_or_default();
            let mut other = fragment.split(waiting, room);
            other.state = State::Ready;
            self.fragments.push(other);
        }
    }

    /// Returns the position of an invocation.
    pub fn invocation_status(&self, setup: &Setup, local: u32) -> InvocationStatus {
        let code = setup.code;
        let Some(fragment) = self.fragments.iter().find(|fragment| fragment.has(local)) else {
            return InvocationStatus::Returned(
                self.returned_lanes.get(local as usize).copied().flatten(),
            );
        };
        match fragment.state {
            State::AtBarrier(index) => {
                InvocationStatus::AtBarrier(code.barriers[index as usize].site)
            }
            _ => InvocationStatus::Running(place(code, fragment)),
        }
    }

    /// Returns the invocations that are not done, with their positions.
    pub fn unfinished_invocations<'a>(
        &'a self,
        setup: &'a Setup,
    ) -> impl Iterator<Item = (Invocation, InvocationStatus)> + 'a {
        self.fragments.iter().flat_map(move |fragment| {
            lanes(fragment.lanes).map(move |lane| {
                let local = fragment.first + lane as u32;
                let invocation = Invocation { workgroup: self.index, local };
                (invocation, self.invocation_status(setup, local))
            })
        })
    }
}

/// Returns where a fragment is running: its innermost loop, or the site of its next instruction.
pub fn place<const N: usize>(code: &Code, fragment: &Fragment<N>) -> SiteId {
    let here = || code.places.get(fragment.pc as usize).copied();
    fragment.innermost_loop().or_else(here).unwrap_or(SiteId::NONE)
}
