//! Intervals between barriers.
//!
//! A point of a kernel is reached after some barrier, or after the start. Invocations of a workgroup pass the same barriers in
//! the same order if each barrier is in uniform control flow. Then two of them can only be in the same interval if the last
//! barrier of both was the same one, at the same iteration of its enclosing loops.

use super::symbol::LoopId;

/// The maximum number of possible last barriers. If there are more, the walk fails.
const MAX_LAST_BARRIERS: usize = 64;

/// The identifier of the start, or of a barrier as reached in the entry point through a particular chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BarrierId(pub u32);

/// The number of times that the end of a loop was passed since a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum LoopCrossings {
    /// Once.
    Once,
    /// An unknown number of times.
    AnyNumber,
}

/// The last barrier, and the path from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LastBarrier {
    /// The barrier.
    pub barrier: BarrierId,
    /// The loops that enclose the barrier, outermost first.
    pub loops: Vec<LoopId>,
    /// The loops among them whose end was passed, sorted.
    pub crossings: Vec<(LoopId, LoopCrossings)>,
}

impl LastBarrier {
    fn crosses(&mut self, id: LoopId) {
        if !self.loops.contains(&id) {
            return;
        }
        match self.crossings.iter_mut().find(|(crossed, _)| *crossed == id) {
            Some((_, how)) => *how = LoopCrossings::AnyNumber,
            None => {
                self.crossings.push((id, LoopCrossings::Once));
                self.crossings.sort_unstable();
            }
        }
    }

    fn enters(&mut self, id: LoopId) {
        // Entering a loop from outside starts a new execution of it, whose iterations are unrelated to the previous ones.
        self.crosses(id);
        self.crosses(id);
    }

    fn times(&self, id: LoopId) -> Option<LoopCrossings> {
        self.crossings.iter().find(|(crossed, _)| *crossed == id).map(|&(_, how)| how)
    }

    /// Returns the loops, from the outermost, that are in the same iteration for both, or `None` if the last barriers differ.
    pub fn loops_in_same_iteration(&self, other: &Self) -> Option<Vec<LoopId>> {
        if self.barrier != other.barrier {
            return None;
        }
        let same = |id: &&LoopId| match (self.times(**id), other.times(**id)) {
            (Some(LoopCrossings::AnyNumber), _) => false,
            (a, b) => a == b,
        };
        Some(self.loops.iter().take_while(same).copied().collect())
    }
}

/// The interval of a point, given by all barriers for one kind of memory that may be the last one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    /// The possible last barriers, sorted.
    since: Vec<LastBarrier>,
}

impl Interval {
    /// Returns the interval after this barrier, which is in these loops.
    pub fn after(barrier: BarrierId, loops: &[LoopId]) -> Self {
        Self { since: vec![LastBarrier { barrier, loops: loops.to_vec(), crossings: Vec::new() }] }
    }

    /// Returns the possible last barriers, with the paths from them.
    pub fn since(&self) -> &[LastBarrier] {
        &self.since
    }

    /// Adds the possible last barriers of `other`. Returns whether their number is within the limit.
    #[must_use]
    pub fn join(&mut self, other: &Self) -> bool {
        self.since.extend(other.since.iter().cloned());
        self.since.sort_unstable();
        self.since.dedup();
        self.since.len() <= MAX_LAST_BARRIERS
    }

    /// Moves past the end of a loop's body to the next iteration.
    pub fn cross(&mut self, id: LoopId) {
        self.each(|since| since.crosses(id));
    }

    /// Moves into a loop from outside.
    pub fn enter(&mut self, id: LoopId) {
        self.each(|since| since.enters(id));
    }

    fn each(&mut self, change: impl Fn(&mut LastBarrier)) {
        self.since.iter_mut().for_each(change);
        self.since.sort_unstable();
        self.since.dedup();
    }

    /// Returns whether the interval includes all of `other`.
    pub fn holds(&self, other: &Self) -> bool {
        other.since.iter().all(|since| self.since.contains(since))
    }
}
