//! Tests that observers see the same in stepped runs and in runs of whole subgroups.

use super::Small;
use super::bugs::BUGS;
use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::observe::fsm::Fsm;
use crate::observe::{Layout, MemoryLayout, Shape};
use crate::vm::interleave::Interleaving;
use crate::vm::observer::{Accesses, Observer, Space, Watcher};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// An observer that counts what it is shown.
#[derive(Default)]
struct Counting {
    accesses: AtomicU64,
    barriers: AtomicU64,
    ended: AtomicU64,
}

impl Observer for Counting {
    type Watcher<'o> = &'o Self;
    fn watch(&self, _: u32) -> &Self {
        self
    }
}

impl Watcher for &Counting {
    fn access(&mut self, _: &Accesses<'_>) {
        self.accesses.fetch_add(1, Ordering::Relaxed);
    }
    fn barrier(&mut self, _: SiteId, _: Barrier) {
        self.barriers.fetch_add(1, Ordering::Relaxed);
    }
    fn subgroup_barrier(&mut self, _: SiteId, _: u32, _: Barrier) {}
    fn ended(&mut self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
    fn diverged(&mut self) {}
}

#[test]
fn observers_see_each_step_and_each_barrier() {
    let text = "var<workgroup> tile: array<u32, 4>;
        fn all(u: u32) { tile[u % 4u] = u; workgroupBarrier(); m[u] = tile[(u + 1u) % 4u]; }";
    let small = Small::of_text(text, 12, 4, &[0; 12]);
    for seed in 0..5 {
        let observer = Counting::default();
        let order = Interleaving::random(seed);
        let stepped = small.stepper().run(&mut *order.chooser(), &observer);
        assert_eq!(stepped.steps, [3; 12]);
        assert_eq!(observer.accesses.into_inner(), 36);
        assert_eq!((observer.barriers.into_inner(), observer.ended.into_inner()), (3, 3));
    }
}

/// If control flow does not depend on the order, neither do the racy words: every interleaving shows all of
/// them.
#[test]
fn a_race_is_seen_in_every_interleaving() {
    let mut compared = 0;
    for bug in BUGS {
        let small = bug.small();
        let fsm = || {
            let mut memories = vec![None; small.kernel.program.module.global_variables.len()];
            let memory = |space, bytes| Some(MemoryLayout { space, granule_shift: 2, bytes });
            for (id, global) in small.kernel.program.module.global_variables.iter() {
                memories[id.index()] = match global.space {
                    naga::AddressSpace::WorkGroup => memory(Space::Workgroup, 32),
                    _ => memory(Space::Storage, 32),
                };
            }
            let workgroups = small.options.workgroups[0];
            let workgroup_size = bug.steps.len() as u32 / workgroups;
            Fsm::serial(
                Layout::of(memories),
                Shape { workgroups, workgroup_size, subgroup_size: 1 },
            )
        };
        let racy = |fsm: Fsm| BTreeSet::from_iter(fsm.racy().into_keys());
        let plain = fsm();
        small.kernel.observed(&small.options, &plain);
        let plain = racy(plain);
        // The previous run left its final memory in the buffers.
        let small = bug.small();
        for seed in 0..10 {
            let fsm = fsm();
            small.stepper().run(&mut *Interleaving::random(seed).chooser(), &fsm);
            let stepped = racy(fsm);
            assert!(!stepped.is_empty(), "{}, seed {seed}", bug.name);
            if !bug.branches() {
                assert_eq!(stepped, plain, "{}, seed {seed}", bug.name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 50, "{compared}");
}
