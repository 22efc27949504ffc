//! An observer with one defect, which the random kernels must notice.

use hirace::raw::ir::access::{Action, Extent};
use hirace::raw::ir::barrier;
use hirace::raw::ir::sites::SiteId;
use hirace::raw::vm::observer::{Accesses, Observer, Space, Watcher};
use naga::Barrier;

/// A defect of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Does not see these actions.
    Misses(Action),
    /// Confuses the first action with the second.
    Takes(Action, Action),
    /// Does not watch this memory.
    Ignores(Space),
    /// Does not see barriers of this class.
    IgnoresBarrier(Barrier),
    /// Confuses a barrier of the first class with one of the second.
    Confuses(Barrier, Barrier),
    /// Treats a subgroup barrier of this class as a workgroup barrier.
    Widens(Barrier),
    /// Treats a workgroup as one subgroup.
    OneSubgroup,
    /// Treats every invocation as a separate subgroup.
    SingleLaneSubgroups,
    /// Treats all workgroups as the first.
    OneWorkgroup,
    /// Watches only the first workgroup.
    FirstWorkgroup,
    /// Sees only the first invocation of each instruction.
    FirstLane,
    /// Sees only the first word of an access.
    FirstWord,
    /// Does not see accesses that consist of several pieces.
    NoPieces,
}

impl Defect {
    /// Returns all defects.
    pub fn all() -> Vec<Self> {
        use Action::{Atomic, Read, Write};
        let mut arms = vec![
            Self::OneSubgroup,
            Self::SingleLaneSubgroups,
            Self::OneWorkgroup,
            Self::FirstWorkgroup,
            Self::FirstLane,
            Self::FirstWord,
            Self::NoPieces,
        ];
        let actions = [Read, Write, Atomic];
        arms.extend(actions.map(Self::Misses));
        for from in actions {
            arms.extend(actions.iter().filter(|to| **to != from).map(|to| Self::Takes(from, *to)));
        }
        arms.extend([Space::Storage, Space::Workgroup, Space::Texture].map(Self::Ignores));
        let classes = [Barrier::STORAGE, Barrier::WORK_GROUP, Barrier::TEXTURE];
        arms.extend(classes.map(Self::IgnoresBarrier));
        arms.push(Self::IgnoresBarrier(Barrier::SUB_GROUP));
        arms.extend(classes.map(Self::Widens));
        for from in classes {
            arms.extend(
                classes.iter().filter(|to| **to != from).map(|to| Self::Confuses(from, *to)),
            );
        }
        arms
    }
}

/// The observer `inner` with the defect `arm`.
pub struct Impaired<O> {
    pub inner: O,
    pub arm: Defect,
}

impl<O: Observer> Observer for Impaired<O> {
    type Watcher<'o>
        = ImpairedWatcher<O::Watcher<'o>>
    where
        Self: 'o;

    fn watch(&self, workgroup: u32) -> Self::Watcher<'_> {
        let seen = if self.arm == Defect::OneWorkgroup { 0 } else { workgroup };
        let blind = self.arm == Defect::FirstWorkgroup && workgroup > 0;
        ImpairedWatcher { inner: self.inner.watch(seen), arm: self.arm, blind }
    }

    fn flowed(&self) -> bool {
        self.inner.flowed()
    }

    fn reset(&self) {
        self.inner.reset();
    }
}

pub struct ImpairedWatcher<W> {
    inner: W,
    arm: Defect,
    blind: bool,
}

impl<W: Watcher> Watcher for ImpairedWatcher<W> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        let mut seen = *accesses;
        let first: [Extent; 1];
        match self.arm {
            Defect::Misses(action) if action == seen.action => return,
            Defect::Ignores(space) if space == seen.space => return,
            Defect::NoPieces if seen.extent.len() > 1 => return,
            Defect::Takes(from, to) if from == seen.action => seen.action = to,
            Defect::OneSubgroup => seen.subgroup = 0,
            Defect::FirstLane => seen.mask &= seen.mask.wrapping_neg(),
            Defect::FirstWord => {
                first = [Extent { bytes: 4, ..seen.extent[0] }];
                seen.extent = &first;
                return self.inner.access(&seen);
            }
            Defect::SingleLaneSubgroups => {
                for lane in (0..64).filter(|lane| accesses.mask >> lane & 1 == 1) {
                    seen.mask = 1 << lane;
                    seen.subgroup = seen.first_invocation + lane;
                    self.inner.access(&seen);
                }
                return;
            }
            _ if self.blind => return,
            _ => {}
        }
        self.inner.access(&seen);
    }

    fn barrier(&mut self, site: SiteId, barrier: barrier::Barrier) {
        let mut flags = barrier.in_workgroup;
        flags.set(Barrier::SUB_GROUP, !barrier.in_subgroup.is_empty());
        let barrier = flags;
        let seen = match self.arm {
            Defect::IgnoresBarrier(class) => barrier - class,
            Defect::Confuses(from, to) if barrier.contains(from) => (barrier - from) | to,
            _ => barrier,
        };
        if !seen.is_empty() {
            self.inner.barrier(site, seen.into());
        }
    }

    fn subgroup_barrier(&mut self, site: SiteId, subgroup: u32, barrier: barrier::Barrier) {
        match self.arm {
            Defect::IgnoresBarrier(Barrier::SUB_GROUP) => {}
            Defect::Widens(class) => self.inner.barrier(site, class.into()),
            Defect::OneSubgroup => self.inner.subgroup_barrier(site, 0, barrier),
            _ => self.inner.subgroup_barrier(site, subgroup, barrier),
        }
    }

    fn diverged(&mut self) {
        self.inner.diverged();
    }
}
