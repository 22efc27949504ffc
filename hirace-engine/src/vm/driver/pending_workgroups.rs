//! The set of workgroups that were not started, stored without a list of all workgroups.

use crate::vm::strategy::Start;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// The workgroups that were not started.
pub enum PendingWorkgroups<'a> {
    /// The workgroups of a driver that does not share the dispatch.
    Own(OwnPositions),
    /// The workgroups of drivers that share a dispatch: the index of the next workgroup, and the number of
    /// workgroups. Workgroups are taken in order.
    Shared(&'a AtomicU32, u32),
}

impl PendingWorkgroups<'_> {
    /// Returns all workgroups of a dispatch of `count` workgroups.
    pub fn own(count: u32) -> Self {
        Self::Own(OwnPositions { moved: FxHashMap::default(), front: 0, back: count })
    }

    /// Returns only the workgroup with this linear index.
    pub fn only(workgroup: u32) -> Self {
        let back = workgroup.saturating_add(1);
        Self::Own(OwnPositions { moved: FxHashMap::default(), front: workgroup, back })
    }

    /// Returns the number of workgroups.
    pub fn left(&self) -> u32 {
        match self {
            Self::Own(own) => own.back - own.front,
            Self::Shared(next, count) => count.saturating_sub(next.load(Ordering::Relaxed)),
        }
    }

    /// Takes a workgroup; returns `None` if it does not exist.
    pub fn take(&mut self, start: Start) -> Option<u32> {
        match self {
            Self::Own(own) => own.take(start),
            Self::Shared(next, count) => {
                // The counter exceeds the end only slightly: there are few drivers, and none asks again after
                // `None`.
                let workgroup = next.fetch_add(1, Ordering::Relaxed);
                (workgroup < *count).then_some(workgroup)
            }
        }
    }
}

/// The positions from `front` to `back`. Each holds the workgroup of the same number, except for those in
/// `moved`.
pub struct OwnPositions {
    moved: FxHashMap<u32, u32>,
    front: u32,
    back: u32,
}

impl OwnPositions {
    fn take(&mut self, start: Start) -> Option<u32> {
        let last = self.back.checked_sub(1).filter(|last| *last >= self.front)?;
        match start {
            Start::First => Some(self.take_ahead(self.front)),
            Start::Last => self.take_at(last),
            Start::Nth(nth) => {
                self.take_at(self.front.checked_add(nth).filter(|position| *position <= last)?)
            }
            Start::Workgroup(workgroup) => self.take_at(self.position(workgroup)?),
            Start::Ascending(workgroup) => Some(self.take_ahead(self.position(workgroup)?)),
        }
    }

    /// Takes the workgroup at a position; the first one moves there, so that the others keep their order.
    fn take_ahead(&mut self, position: u32) -> u32 {
        let workgroup = self.workgroup_at(position);
        let first = self.workgroup_at(self.front);
        self.moved.remove(&self.front);
        if position != self.front {
            self.moved.insert(position, first);
        }
        self.front += 1;
        workgroup
    }

    /// Takes the workgroup at a position; the last one moves there.
    fn take_at(&mut self, position: u32) -> Option<u32> {
        let workgroup = self.workgroup_at(position);
        let last = self.back - 1;
        let end = self.workgroup_at(last);
        self.moved.insert(position, end);
        self.moved.remove(&last);
        self.back = last;
        Some(workgroup)
    }

    fn workgroup_at(&self, position: u32) -> u32 {
        self.moved.get(&position).copied().unwrap_or(position)
    }

    /// Returns the position of a workgroup, in time linear in the number of moved workgroups.
    fn position(&self, workgroup: u32) -> Option<u32> {
        let moved = self.moved.iter().find(|(_, moved)| **moved == workgroup);
        let is_in_range = (self.front..self.back).contains(&workgroup);
        let is_at_own_position = is_in_range && !self.moved.contains_key(&workgroup);
        moved.map(|(position, _)| *position).or(is_at_own_position.then_some(workgroup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workgroup_is_taken_once_by_every_kind_of_start() {
        let mut all = PendingWorkgroups::own(9);
        let requests = [
            (Start::Nth(4), Some(4)),
            (Start::First, Some(0)),
            (Start::Workgroup(4), None),
            (Start::Workgroup(8), Some(8)),
            (Start::Last, Some(6)),
            (Start::Nth(5), None),
            (Start::Workgroup(2), Some(2)),
            (Start::Nth(0), Some(1)),
        ];
        for (start, taken) in requests {
            assert_eq!(all.take(start), taken, "{start:?}");
        }
        let mut rest = Vec::from_iter(std::iter::from_fn(|| all.take(Start::First)));
        rest.sort_unstable();
        assert_eq!((rest, all.left()), (vec![3, 5, 7], 0));
    }

    #[test]
    fn taking_all_workgroups_except_one_in_order_moves_at_most_one() {
        let mut all = PendingWorkgroups::own(1000);
        for workgroup in [600].into_iter().chain(0..600).chain(601..1000) {
            assert_eq!(all.take(Start::Ascending(workgroup)), Some(workgroup));
            let PendingWorkgroups::Own(own) = &all else { panic!() };
            assert!(own.moved.len() <= 1, "{workgroup}: {:?}", own.moved);
            assert_eq!(all.take(Start::Ascending(workgroup)), None, "it was taken");
        }
        assert_eq!(all.left(), 0);
    }
}
