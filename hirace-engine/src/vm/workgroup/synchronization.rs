//! Where invocations wait for each other: barriers and subgroup operations.
//!
//! A barrier is passed when all live invocations have arrived. If some can no longer arrive (they returned,
//! or wait at another barrier), that is a divergence; those that arrived pass nevertheless, so that the run
//! ends. Of several barriers the first one in the program is passed, so that the invocations behind catch up
//! with the others. The same holds for several subgroup operations.

use super::{SpareAllocations, Workgroup};
use crate::vm::code::{Barrier, Code};
use crate::vm::engine::Setup;
use crate::vm::engine::fragment::{Fragment, State, lanes};
use crate::vm::engine::tally::Tally;
use crate::vm::observer::Watcher;
use crate::vm::run::Divergence;

impl<const N: usize> Workgroup<N> {
    /// Releases fragments that wait only for their own subgroup, in the subgroups where no fragment can run.
    /// Returns whether any was released.
    pub(super) fn pass_subgroups<W: Watcher + ?Sized>(
        &mut self,
        setup: &Setup,
        watcher: &mut W,
        tally: &mut Tally,
        spare: &mut SpareAllocations<N>,
    ) -> bool {
        let waiting = self.fragments.iter().filter(|f| waits_for_subgroup(setup.code, f));
        let mut subgroups: Vec<u32> = waiting.map(|fragment| fragment.subgroup).collect();
        subgroups.sort_unstable();
        subgroups.dedup();
        let mut any = false;
        for subgroup in subgroups {
            let mut of_it = self.fragments.iter().filter(|f| f.subgroup == subgroup);
            if !of_it.any(|fragment| fragment.is_ready(tally.changes)) {
                any |= self.pass_subgroup(subgroup, setup, watcher, tally, spare);
            }
        }
        any
    }

    fn pass_subgroup<W: Watcher + ?Sized>(
        &mut self,
        subgroup: u32,
        setup: &Setup,
        watcher: &mut W,
        tally: &mut Tally,
        spare: &mut SpareAllocations<N>,
    ) -> bool {
        self.merge(spare);
        let mut of_it = self.fragments.iter().filter(|f| f.subgroup == subgroup);
        let spins = of_it.clone().any(|fragment| matches!(fragment.state, State::Spinning(_)));
        let waiting = of_it.clone().filter(|fragment| waits_for_subgroup(setup.code, fragment));
        let Some(location) = waiting.map(Fragment::location).min() else { return false };
        let first = of_it.find(|fragment| fragment.location() == location);
        let is_there = |f: &Fragment<N>| {
            f.subgroup == subgroup && waits_for_subgroup(setup.code, f) && f.location() == location
        };
        match first.and_then(|first| barrier(setup.code, first)) {
            None => {
                for fragment in self.fragments.iter_mut().filter(|fragment| is_there(fragment)) {
                    fragment.state = State::Ready;
                    fragment.has_waited_for_subgroup = true;
                }
            }
            // A spinning fragment may still arrive.
            Some(_) if spins => return false,
            Some(barrier) => {
                let start = subgroup * setup.subgroup_size;
                let end = (start + setup.subgroup_size).min(setup.code.invocations());
                self.let_pass(setup, watcher, tally, barrier, start..end, is_there);
                watcher.subgroup_barrier(barrier.site, subgroup, barrier.does);
            }
        }
        true
    }

    /// Releases the fragments at a barrier when none can run.
    pub(super) fn pass_workgroup<W: Watcher + ?Sized>(
        &mut self,
        setup: &Setup,
        watcher: &mut W,
        tally: &mut Tally,
        spare: &mut SpareAllocations<N>,
    ) {
        self.merge(spare);
        self.next = 0;
        let first = self.fragments.iter().min_by_key(|fragment| fragment.location());
        if let Some(barrier) = first.and_then(|first| barrier(setup.code, first)) {
            let location = first.map(Fragment::location).unwrap_or_default();
            let all = 0..setup.code.invocations();
            self.let_pass(setup, watcher, tally, barrier, all, |f| f.location() == location);
            watcher.barrier(barrier.site, barrier.does);
        }
    }

    /// Releases fragments from a barrier, and records a divergence if not all of `expected` are among them.
    fn let_pass<W: Watcher + ?Sized>(
        &mut self,
        setup: &Setup,
        watcher: &mut W,
        tally: &mut Tally,
        barrier: Barrier,
        expected: std::ops::Range<u32>,
        is_there: impl Fn(&Fragment<N>) -> bool,
    ) {
        let mut arrived = Vec::new();
        for fragment in self.fragments.iter_mut().filter(|fragment| is_there(fragment)) {
            fragment.state = State::Ready;
            let first = fragment.first;
            arrived.extend(lanes(fragment.lanes).map(|lane| first + lane as u32));
        }
        if arrived.len() == expected.len() {
            return;
        }
        watcher.diverged();
        tally.record_divergence(barrier.site, || {
            arrived.sort_unstable();
            let missing = expected.filter(|local| arrived.binary_search(local).is_err());
            let missing = missing.map(|local| (local, self.invocation_status(setup, local)));
            Divergence {
                site: barrier.site,
                workgroup: self.index,
                missing: missing.collect(),
                arrived,
                count: 0,
            }
        });
    }

    /// Merges fragments of a subgroup that wait at the same instruction.
    fn merge(&mut self, spare: &mut SpareAllocations<N>) {
        let mut index = 0;
        while index < self.fragments.len() {
            let (before, rest) = self.fragments.split_at_mut(index);
            let Some(fragment) = rest.first() else { break };
            let waits = matches!(fragment.state, State::AtBarrier(_) | State::AtSubgroupOperation);
            let twin = before.iter().position(|other| {
                waits && other.state == fragment.state && other.can_merge(fragment)
            });
            match twin {
                Some(twin) => {
                    let other = self.fragments.remove(index);
                    spare.registers.push(self.fragments[twin].merge(other));
                }
                None => index += 1,
            }
        }
    }
}

/// Returns the barrier that a fragment waits at.
fn barrier<const N: usize>(code: &Code, fragment: &Fragment<N>) -> Option<Barrier> {
    match fragment.state {
        State::AtBarrier(index) => code.barriers.get(index as usize).copied(),
        _ => None,
    }
}

/// Returns whether a fragment waits only for its own subgroup.
fn waits_for_subgroup<const N: usize>(code: &Code, fragment: &Fragment<N>) -> bool {
    fragment.state == State::AtSubgroupOperation
        || barrier(code, fragment).is_some_and(|barrier| barrier.does.is_subgroup_barrier())
}
