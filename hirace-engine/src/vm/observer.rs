//! The observer interface: what can be seen of a run.
//!
//! The engine knows nothing about races: it shows accesses and barriers.
//!
//! One [`Observer`] watches a dispatch. It makes one [`Watcher`] for each workgroup when the workgroup
//! starts; the engine drops the watcher when the workgroup ends. Workgroups run in parallel, so shared state
//! is in the observer behind `&self`, while a workgroup's own clocks and its shadow of workgroup memory are
//! in its watcher. Watchers are not part of the workgroup's state: the engine passes the watcher to the
//! workgroup wherever something observable can happen. An access of a whole subgroup is one virtual call.
//! So the engine is compiled once for all observers. On the reference kernels these calls account for less than
//! a hundredth of the instructions.

pub use super::code::Pairing;
pub use super::stored::Stored;
use crate::ir::access::{Action, Extent};
use crate::ir::barrier::Barrier;
pub use crate::ir::memory::{MemoryId, Space};
use crate::ir::sites::SiteId;
use crate::points::Counter;

/// The accesses of one instruction: those of the active lanes of one subgroup, or of a fragment of it, at one
/// site.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// The access site.
    pub site: SiteId,
    /// The operation that each lane performs.
    pub action: Action,
    /// Whether this is an atomic operation whose effect does not depend on order and whose result is unused,
    /// on memory that only atomic operations of that kind access. No values flow through it.
    pub commutes: bool,
    /// The address space.
    pub space: Space,
    /// The memory.
    pub memory: MemoryId,
    /// The subgroup's index in its workgroup.
    pub subgroup: u32,
    /// The local invocation index of lane 0.
    pub first_invocation: u32,
    /// The active lanes: bit l is set if lane l takes part. Never zero.
    pub mask: u64,
    /// For each lane, the byte offset of its access in the memory (a texel counts as 4 bytes). Unspecified
    /// for lanes that are not in `mask`.
    pub offsets: &'a [u32],
    /// The accessed bytes, relative to the lane's offset.
    pub extent: &'a [Extent],
    /// The values that a store writes, if the observer [wants](Observer::wants_values) them.
    pub stored: Option<Stored<'a>>,
    /// Whether these accesses are paired with those of another instruction.
    pub pairing: Pairing,
}

impl Accesses<'_> {
    /// Returns the lanes that take part, each with its byte offset.
    pub fn lanes(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut left = self.mask;
        std::iter::from_fn(move || {
            let lane = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            Some((lane, *self.offsets.get(lane as usize)?))
        })
    }
}

/// Watches a dispatch.
pub trait Observer: Sync {
    /// The watcher of one workgroup.
    type Watcher<'o>: Watcher
    where
        Self: 'o;

    /// Creates the watcher of a workgroup that starts. `workgroup` is its linear index: x + y·X + z·X·Y.
    fn watch(&self, workgroup: u32) -> Self::Watcher<'_>;

    /// Returns whether values have flowed between workgroups so far, so that a parallel run is not
    /// repeatable. The engine then restores memory, calls [`Observer::reset`] and runs serially.
    fn flowed(&self) -> bool {
        false
    }

    /// Returns whether the observer has seen enough after `_steps` steps of all subgroups together, so that
    /// the run may be abandoned. The engine calls this from time to time.
    fn has_enough(&self, _steps: u64) -> bool {
        false
    }

    /// Returns whether the watchers need the values that stores write. The engine calls this once, before the
    /// run.
    fn wants_values(&self) -> bool {
        false
    }

    /// Discards everything seen so far: the dispatch restarts, on a single thread.
    fn reset(&self) {}
}

/// Watches one workgroup.
pub trait Watcher {
    /// Called before memory is accessed. Lanes are processed in ascending order.
    fn access(&mut self, accesses: &Accesses<'_>);

    /// Called when all live invocations of the workgroup have passed the barrier at `site`, which names these
    /// classes. If they waited at different barriers, `site` is one of these.
    fn barrier(&mut self, site: SiteId, barrier: Barrier);

    /// Called when all live invocations of this subgroup have passed the subgroup barrier at `site`.
    fn subgroup_barrier(&mut self, site: SiteId, subgroup: u32, barrier: Barrier);

    /// Called when these lanes of a subgroup, or of a part of one, reach the point that this counter counts.
    fn count(&mut self, _counter: Counter, _lanes: u64) {}

    /// Called when lanes of a subgroup reach the barrier with number `_barrier`. `_first_invocation` is the
    /// local invocation index of the subgroup's lane 0.
    fn visit(&mut self, _barrier: u32, _first_invocation: u32, _lanes: u64) {}

    /// Called when all invocations of the workgroup are done.
    fn ended(&mut self) {}

    /// Called when not all invocations reached a barrier: what this workgroup does afterwards cannot be
    /// judged.
    fn diverged(&mut self);
}

impl<W: Watcher + ?Sized> Watcher for Box<W> {
    #[inline(always)]
    fn access(&mut self, accesses: &Accesses<'_>) {
        (**self).access(accesses);
    }
    fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        (**self).barrier(site, barrier);
    }
    fn subgroup_barrier(&mut self, site: SiteId, subgroup: u32, barrier: Barrier) {
        (**self).subgroup_barrier(site, subgroup, barrier);
    }
    fn ended(&mut self) {
        (**self).ended();
    }
    fn count(&mut self, counter: Counter, lanes: u64) {
        (**self).count(counter, lanes);
    }
    fn visit(&mut self, barrier: u32, first_invocation: u32, lanes: u64) {
        (**self).visit(barrier, first_invocation, lanes);
    }
    fn diverged(&mut self) {
        (**self).diverged();
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    type Watcher<'o> = Self;
    fn watch(&self, _: u32) -> Self {
        Self
    }
}

impl Watcher for NoObserver {
    #[inline(always)]
    fn access(&mut self, _: &Accesses<'_>) {}
    fn barrier(&mut self, _: SiteId, _: Barrier) {}
    fn subgroup_barrier(&mut self, _: SiteId, _: u32, _: Barrier) {}
    fn diverged(&mut self) {}
}

/// Passes everything to two observers.
impl<A: Observer, B: Observer> Observer for (A, B) {
    type Watcher<'o>
        = (A::Watcher<'o>, B::Watcher<'o>)
    where
        Self: 'o;
    fn watch(&self, workgroup: u32) -> Self::Watcher<'_> {
        (self.0.watch(workgroup), self.1.watch(workgroup))
    }
    fn flowed(&self) -> bool {
        self.0.flowed() || self.1.flowed()
    }
    fn wants_values(&self) -> bool {
        self.0.wants_values() || self.1.wants_values()
    }
    fn reset(&self) {
        self.0.reset();
        self.1.reset();
    }
}

impl<A: Watcher, B: Watcher> Watcher for (A, B) {
    fn access(&mut self, accesses: &Accesses<'_>) {
        self.0.access(accesses);
        self.1.access(accesses);
    }
    fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        self.0.barrier(site, barrier);
        self.1.barrier(site, barrier);
    }
    fn subgroup_barrier(&mut self, site: SiteId, subgroup: u32, barrier: Barrier) {
        self.0.subgroup_barrier(site, subgroup, barrier);
        self.1.subgroup_barrier(site, subgroup, barrier);
    }
    fn ended(&mut self) {
        self.0.ended();
        self.1.ended();
    }
    fn count(&mut self, counter: Counter, lanes: u64) {
        self.0.count(counter, lanes);
        self.1.count(counter, lanes);
    }
    fn visit(&mut self, barrier: u32, first_invocation: u32, lanes: u64) {
        self.0.visit(barrier, first_invocation, lanes);
        self.1.visit(barrier, first_invocation, lanes);
    }
    fn diverged(&mut self) {
        self.0.diverged();
        self.1.diverged();
    }
}
