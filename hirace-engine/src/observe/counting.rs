//! Counts executions for coverage.
//!
//! The observer sees code that is lowered for counting ([`crate::vm::lower::lower_counting`]). Workgroups
//! count separately. The next workgroup continues with the notes of one that ended, so that few notes are
//! added up at the end.

use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::points::{BarrierVisits, Counter, Counts, Points};
use crate::vm::observer::{Accesses, Observer, Watcher};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An observer that counts executions.
#[derive(Debug)]
pub struct CountObserver {
    zero_counts: Counts,
    /// Number of invocations of a workgroup.
    invocations: u32,
    spare: Mutex<Vec<Notes>>,
}

/// The counts of workgroups that ran one after another.
#[derive(Clone, Debug, Default)]
struct Notes {
    counts: Counts,
    /// The visits of the running workgroup, by barrier and invocation.
    visits: Vec<u32>,
}

impl CountObserver {
    /// Creates an observer that counts at `points`, for workgroups of this many invocations.
    pub fn new(points: &Points, invocations: u32) -> Self {
        let zero_counts = Counts::none(points, true);
        Self { zero_counts, invocations, spare: Mutex::new(Vec::new()) }
    }

    /// Returns the counts.
    pub fn counts(&self) -> Counts {
        let mut sum = self.zero_counts.clone();
        self.spare().iter().for_each(|notes| sum.add(&notes.counts));
        sum
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Notes>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for CountObserver {
    type Watcher<'o> = Workgroup<'o>;

    fn watch(&self, _: u32) -> Workgroup<'_> {
        let new = || {
            let visits = self.zero_counts.barriers.len() * self.invocations as usize;
            Notes { counts: self.zero_counts.clone(), visits: vec![0; visits] }
        };
        let spare = self.spare().pop();
        Workgroup { observer: self, notes: spare.unwrap_or_else(new), has_ended: false }
    }

    fn reset(&self) {
        self.spare().clear();
    }
}

/// The watcher that counts the executions of one workgroup.
#[derive(Debug)]
pub struct Workgroup<'o> {
    observer: &'o CountObserver,
    notes: Notes,
    has_ended: bool,
}

impl Watcher for Workgroup<'_> {
    fn access(&mut self, _: &Accesses<'_>) {}

    fn barrier(&mut self, _: SiteId, _: Barrier) {}

    fn subgroup_barrier(&mut self, _: SiteId, _: u32, _: Barrier) {}

    fn diverged(&mut self) {}

    fn ended(&mut self) {
        self.has_ended = true;
    }

    fn count(&mut self, counter: Counter, lanes: u64) {
        let index = counter.0 as usize;
        let Counts { lanes: invocations, subgroups, .. } = &mut self.notes.counts;
        let subgroups = subgroups.as_mut().and_then(|subgroups| subgroups.get_mut(index));
        if let (Some(invocations), Some(subgroups)) = (invocations.get_mut(index), subgroups) {
            *invocations += u64::from(lanes.count_ones());
            *subgroups += 1;
        }
    }

    fn visit(&mut self, barrier: u32, first_invocation: u32, lanes: u64) {
        let first = (barrier * self.observer.invocations + first_invocation) as usize;
        let of_subgroup = self.notes.visits.iter_mut().skip(first);
        for (lane, visits) in of_subgroup.take(64).enumerate() {
            *visits += (lanes >> lane & 1) as u32;
        }
    }
}

impl Drop for Workgroup<'_> {
    fn drop(&mut self) {
        let mut notes = mem::take(&mut self.notes);
        let by_barrier = notes.visits.chunks_exact(self.observer.invocations.max(1) as usize);
        for (sum, visits) in notes.counts.barriers.iter_mut().zip(by_barrier) {
            let visits = BarrierVisits::of(visits.iter().copied());
            // If a workgroup was cut off, other invocations may still have been on their way to the barrier.
            let divergent = if self.has_ended { visits.divergent } else { 0 };
            *sum += BarrierVisits { divergent, ..visits };
        }
        notes.visits.fill(0);
        self.observer.spare().push(notes);
    }
}
