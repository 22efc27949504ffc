//! Between which barriers something is done.
//!
//! A point of a kernel is reached after some barrier, or after the start. Invocations of a workgroup pass the same
//! barriers in the same order, as long as each barrier stands in uniform control flow; so two of them can be between the same
//! two only where the last barrier of both was the same one, at the same turn of the loops around it.

use super::symbol::LoopId;

/// Most barriers of which one may have been the last. Where there are more, nothing is said of intervals.
const MOST: usize = 64;

/// Names the start, or a barrier as it stands in the entry point, calls followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BarrierId(pub u32);

/// How often the end of a loop was passed on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Crossed {
    /// Once.
    Once,
    /// Not known how often.
    Often,
}

/// The last barrier, and the way from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since {
    /// Which barrier.
    pub barrier: BarrierId,
    /// The loops that it stands in, outer ones first.
    pub loops: Vec<LoopId>,
    /// Those of them whose end was passed, in order.
    pub crossed: Vec<(LoopId, Crossed)>,
}

impl Since {
    fn crosses(&mut self, id: LoopId) {
        if !self.loops.contains(&id) {
            return;
        }
        match self.crossed.iter_mut().find(|(crossed, _)| *crossed == id) {
            Some((_, how)) => *how = Crossed::Often,
            None => {
                self.crossed.push((id, Crossed::Once));
                self.crossed.sort_unstable();
            }
        }
    }

    fn enters(&mut self, id: LoopId) {
        // Come back to, from outside of it: it's another run of the loop.
        self.crosses(id);
        self.crosses(id);
    }

    fn times(&self, id: LoopId) -> Option<Crossed> {
        self.crossed.iter().find(|(crossed, _)| *crossed == id).map(|&(_, how)| how)
    }

    /// The loops at whose same turn both are, if both come from the same barrier; `None` if they do not.
    pub fn same_turns(&self, other: &Self) -> Option<Vec<LoopId>> {
        if self.barrier != other.barrier {
            return None;
        }
        let same = |id: &&LoopId| match (self.times(**id), other.times(**id)) {
            (Some(Crossed::Often), _) => false,
            (a, b) => a == b,
        };
        Some(self.loops.iter().take_while(same).copied().collect())
    }
}

/// All barriers of one kind of memory that may have been the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    /// In order.
    since: Vec<Since>,
}

impl Interval {
    /// After this barrier, which stands in these loops.
    pub fn after(barrier: BarrierId, loops: &[LoopId]) -> Self {
        Self { since: vec![Since { barrier, loops: loops.to_vec(), crossed: Vec::new() }] }
    }

    /// The barriers, and the ways from there.
    pub fn since(&self) -> &[Since] {
        &self.since
    }

    /// Either of them. Whether there are not too many.
    #[must_use]
    pub fn join(&mut self, other: &Self) -> bool {
        self.since.extend(other.since.iter().cloned());
        self.since.sort_unstable();
        self.since.dedup();
        self.since.len() <= MOST
    }

    /// Past the end of a loop, to its next turn.
    pub fn cross(&mut self, id: LoopId) {
        self.each(|since| since.crosses(id));
    }

    /// Into a loop, from outside of it.
    pub fn enter(&mut self, id: LoopId) {
        self.each(|since| since.enters(id));
    }

    fn each(&mut self, change: impl Fn(&mut Since)) {
        self.since.iter_mut().for_each(change);
        self.since.sort_unstable();
        self.since.dedup();
    }

    /// Whether it has all of `other`.
    pub fn holds(&self, other: &Self) -> bool {
        other.since.iter().all(|since| self.since.contains(since))
    }
}
