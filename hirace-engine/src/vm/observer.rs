//! What can be seen of a run, and who watches.
//!
//! The engine knows nothing of races: it shows accesses and barriers.
//!
//! One [`Observer`] watches a dispatch; it makes one [`Watcher`] for each workgroup when that starts,
//! and the engine drops it when the workgroup ends. Workgroups run in parallel, so what they share
//! stands in the observer behind `&self`; a workgroup's own clocks and its workgroup-memory shadow
//! stand in its watcher. Watchers stand apart from what they watch: a workgroup is handed its own wherever
//! something can be seen. An access of a whole subgroup is one virtual call.

pub use super::stored::Stored;
use crate::ir::access::{Action, Extent};
use crate::ir::barrier::Barrier;
pub use crate::ir::memory::{MemoryId, Space};
use crate::ir::sites::SiteId;
use crate::points::Counter;

/// One instruction's accesses: the active lanes of (a fragment of) one subgroup, at one site.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// Where in the program.
    pub site: SiteId,
    /// What each lane does.
    pub action: Action,
    /// True for an atomic whose effect does not depend on order and whose result nobody uses, on
    /// memory that sees only such atomics of that kind: values do not flow through it.
    pub commutes: bool,
    /// The kind of memory.
    pub space: Space,
    /// The memory.
    pub memory: MemoryId,
    /// The subgroup's index in its workgroup.
    pub subgroup: u32,
    /// Local invocation index of lane 0.
    pub first_invocation: u32,
    /// Bit l is set if lane l takes part. Never zero.
    pub mask: u64,
    /// For each lane, the byte offset in the memory of what it touches (texels count as 4 bytes).
    /// Meaningless for lanes not in `mask`.
    pub offsets: &'a [u32],
    /// The bytes touched, relative to the lane's offset.
    pub extent: &'a [Extent],
    /// What a store writes, if the observer [wants](Observer::wants_values) to know.
    pub stored: Option<Stored<'a>>,
    /// Whether they come with those of another instruction.
    pub pairing: Pairing,
}

/// A read and a write of the same granules by the same lanes, that no barrier and no other way through the code lies
/// between. Both are shown; who asks no more than whether something races may look at both at the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// None that is known.
    #[default]
    Alone,
    /// These are reads, and the writes are yet to come, at this site.
    BeforeWrite(SiteId),
    /// These are writes, and the reads were shown, at this site.
    AfterRead(SiteId),
}

impl Accesses<'_> {
    /// The lanes that take part, each with its byte offset.
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
    /// Watches one workgroup of it.
    type Watcher<'o>: Watcher
    where
        Self: 'o;

    /// A workgroup starts. `workgroup` is its linear index: x + y·X + z·X·Y.
    fn watch(&self, workgroup: u32) -> Self::Watcher<'_>;

    /// Whether values flowed between workgroups so far, so that a parallel run is not repeatable.
    /// The engine then restores memory, calls [`Observer::reset`] and runs serially.
    fn flowed(&self) -> bool {
        false
    }

    /// Whether it has seen enough after so many steps of all subgroups together, so that the run may be left. Asked now
    /// and then.
    fn has_enough(&self, _steps: u64) -> bool {
        false
    }

    /// Whether its watchers are to be shown what stores write. Asked once, before the run.
    fn wants_values(&self) -> bool {
        false
    }

    /// Forgets everything seen: the dispatch starts anew, all of it on one thread.
    fn reset(&self) {}
}

/// Watches one workgroup.
pub trait Watcher {
    /// Memory is touched. Lanes count in ascending order; called before the effect on memory.
    fn access(&mut self, accesses: &Accesses<'_>);

    /// All live invocations of the workgroup have passed the barrier at `site`, which names these
    /// classes. (Where they met at different barriers: one of them.)
    fn barrier(&mut self, site: SiteId, barrier: Barrier);

    /// All live invocations of this subgroup have passed the subgroup barrier at `site`.
    fn subgroup_barrier(&mut self, site: SiteId, subgroup: u32, barrier: Barrier);

    /// These lanes of a subgroup, or of a part of one, are at what this counter counts.
    fn count(&mut self, _counter: Counter, _lanes: u64) {}

    /// These lanes of the subgroup whose lane 0 has this local invocation index come to the barrier with this number.
    fn visit(&mut self, _barrier: u32, _first_invocation: u32, _lanes: u64) {}

    /// All invocations of the workgroup are done.
    fn ended(&mut self) {}

    /// A barrier was not reached by all: nothing after this can be judged for this workgroup.
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

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    type Watcher<'o> = Self;
    fn watch(&self, _: u32) -> Self {
        Self
    }
}

impl Watcher for Unwatched {
    #[inline(always)]
    fn access(&mut self, _: &Accesses<'_>) {}
    fn barrier(&mut self, _: SiteId, _: Barrier) {}
    fn subgroup_barrier(&mut self, _: SiteId, _: u32, _: Barrier) {}
    fn diverged(&mut self) {}
}

/// Two observers at once.
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
