//! Tests observers on single rules of the memory model.

use super::script::layout;
use crate::ir::access::{Action, Extent};
use crate::ir::sites::SiteId;
use crate::observe::fsm::{DivergedWorkgroups, Fsm, MonitorGaps};
use crate::observe::history::race;
use crate::observe::oracle::Oracle;
use crate::observe::trace::{Event, WrittenBits};
use crate::observe::tracer::Tracer;
use crate::observe::{Granule, Shape};
use crate::vm::observer::{Accesses, MemoryId, Observer, Pairing, Space, StoredValues, Watcher};
use crate::vm::run::Invocation;

/// Creates an access from workgroup, local index, action, epoch and subgroup epoch. Subgroups have two lanes.
fn event(workgroup: u32, local: u32, action: Action, epoch: u32, subgroup_epoch: u32) -> Event {
    Event {
        granule: Granule { memory: MemoryId(0), workgroup: 0, index: 0 },
        invocation: Invocation { workgroup, local },
        subgroup: local / 2,
        site: SiteId(0),
        action,
        epoch,
        subgroup_epoch,
        barriers: epoch,
        last_barrier: None,
        written: WrittenBits::Unknown,
    }
}

#[test]
fn what_is_a_race() {
    use Action::{Atomic, Read, Write};
    let write = event(0, 0, Write, 1, 1);
    let cases = [
        (event(0, 0, Write, 1, 1), false, "the same invocation"),
        (event(0, 1, Write, 1, 1), true, "the same subgroup"),
        (event(0, 1, Write, 1, 2), false, "the same subgroup, behind a subgroup barrier"),
        (event(0, 2, Write, 1, 2), true, "another subgroup, behind its own subgroup barrier"),
        (event(0, 2, Write, 2, 1), false, "the same workgroup, behind a barrier"),
        (event(1, 0, Write, 2, 2), true, "another workgroup"),
        (event(0, 1, Read, 1, 1), true, "a read"),
        (event(0, 1, Atomic, 1, 1), true, "an atomic"),
    ];
    for (other, races, what) in cases {
        assert_eq!((race(&write, &other), race(&other, &write)), (races, races), "{what}");
    }
    for action in [Read, Atomic] {
        assert!(!race(&event(0, 0, action, 1, 1), &event(1, 0, action, 1, 1)), "two of {action:?}");
    }
    assert!(race(&event(0, 0, Atomic, 1, 1), &event(1, 0, Read, 1, 1)), "a read and an atomic");
    let mut elsewhere = event(0, 1, Write, 1, 1);
    elsewhere.granule.index = 1;
    assert!(!race(&write, &elsewhere), "another granule");
}

/// Shows one lane's access to one word of storage.
fn access(watcher: &mut impl Watcher, local: u32, action: Action, commutes: bool) {
    stored(watcher, local, action, commutes, None);
}

fn stored(
    watcher: &mut impl Watcher,
    local: u32,
    action: Action,
    commutes: bool,
    stored: Option<StoredValues<'_>>,
) {
    watcher.access(&Accesses {
        site: SiteId(local),
        action,
        commutes,
        space: Space::Storage,
        memory: MemoryId(0),
        subgroup: 0,
        first_invocation: 0,
        mask: 1 << local,
        offsets: &[0; 4],
        extent: &[Extent { offset: 0, bytes: 4 }],
        stored,
        pairing: Pairing::Alone,
    });
}

#[test]
fn what_is_written_is_known_until_something_else_is_written() {
    let granule = Granule { memory: MemoryId(0), workgroup: 0, index: 0 };
    let wrote = |values: &[u32]| {
        let tracer = Tracer::new(layout(), &[granule], 9);
        assert!(Observer::wants_values(&tracer));
        let mut watcher = tracer.watch(0);
        for value in values {
            let value = [*value];
            stored(&mut watcher, 0, Action::Write, false, Some(StoredValues::of_a_word(&value)));
        }
        drop(watcher);
        let [event] = tracer.into_trace().events[..] else { panic!("one access") };
        event.written
    };
    assert_eq!(wrote(&[7]), WrittenBits::Bits(7));
    assert_eq!(wrote(&[7, 7]), WrittenBits::Bits(7));
    assert_eq!(wrote(&[7, 8, 7]), WrittenBits::DifferentBits);
    // An observer that only detects races is not shown values.
    assert!(!Observer::wants_values(&Fsm::serial(layout(), SHAPE)));
}

const SHAPE: Shape = Shape { workgroups: 2, workgroup_size: 4, subgroup_size: 4 };

#[test]
fn atomics_that_commute_are_no_flow() {
    for (commutes, flowed) in [(true, false), (false, true)] {
        let fsm = Fsm::new(layout(), SHAPE);
        for workgroup in 0..2 {
            access(&mut fsm.watch(workgroup), 0, Action::Atomic, commutes);
        }
        assert_eq!(fsm.flowed(), flowed);
        assert!(fsm.racy().is_empty());
        assert_eq!(fsm.checked(), 2);
    }
}

#[test]
fn nothing_is_judged_after_divergence_and_the_report_says_so() {
    let fsm = Fsm::new(layout(), SHAPE);
    let mut watcher = fsm.watch(1);
    access(&mut watcher, 0, Action::Write, false);
    watcher.diverged();
    access(&mut watcher, 1, Action::Write, false);
    drop(watcher);
    assert!(fsm.racy().is_empty());
    assert_eq!(
        fsm.gaps(),
        MonitorGaps { diverged: Some(DivergedWorkgroups { first: 1, others: 0 }), racy_words: 0 }
    );
}

#[test]
fn a_race_is_kept_with_the_site_of_the_later_access() {
    let fsm = Fsm::new(layout(), SHAPE);
    let mut watcher = fsm.watch(0);
    for local in [2, 3, 1] {
        access(&mut watcher, local, Action::Write, false);
    }
    drop(watcher);
    let granule = Granule { memory: MemoryId(0), workgroup: 0, index: 0 };
    assert_eq!(fsm.racy().into_iter().collect::<Vec<_>>(), [(granule, SiteId(3))]);
    assert_eq!(fsm.gaps(), MonitorGaps::default());
}

#[test]
fn a_trace_counts_what_does_not_fit_and_leaves_repetitions_out() {
    let granule = Granule { memory: MemoryId(0), workgroup: 0, index: 0 };
    let tracer = Tracer::new(layout(), &[granule], 2);
    let mut watcher = tracer.watch(0);
    for local in [0, 0, 1, 2, 0, 3] {
        access(&mut watcher, local, Action::Write, false);
    }
    drop(watcher);
    let trace = tracer.into_trace();
    let who: Vec<u32> = trace.events.iter().map(|event| event.invocation.local).collect();
    assert_eq!((who, trace.dropped), (vec![0, 1], 2));
}

#[test]
fn a_trace_has_enough_when_nothing_was_added_for_long() {
    let granule = Granule { memory: MemoryId(0), workgroup: 0, index: 0 };
    let tracer = Tracer::new(layout(), &[granule], 9).with_quiet_limit(Some(100));
    let mut watcher = tracer.watch(0);
    access(&mut watcher, 0, Action::Write, false);
    assert!(!tracer.has_enough(90) && !tracer.has_enough(190));
    access(&mut watcher, 1, Action::Write, false);
    assert!(!tracer.has_enough(250) && !tracer.has_enough(350));
    access(&mut watcher, 1, Action::Write, false);
    assert!(tracer.has_enough(351));
    let other = Granule { memory: MemoryId(0), workgroup: 0, index: 1 };
    let waiting = Tracer::new(layout(), &[granule, other], 9).with_quiet_limit(Some(100));
    access(&mut waiting.watch(0), 0, Action::Write, false);
    assert!(!waiting.has_enough(9) && !waiting.has_enough(1000), "one was not seen");
    let patient = Tracer::new(layout(), &[granule], 9);
    assert!(!patient.has_enough(u64::MAX));
}

#[test]
fn a_barrier_orders_the_memory_it_names_alone() {
    use naga::Barrier;
    for (barrier, racy) in [
        (Barrier::STORAGE, false),
        (Barrier::WORK_GROUP, true),
        (Barrier::TEXTURE, true),
        (Barrier::SUB_GROUP, false),
        (Barrier::empty(), true),
    ] {
        let observers = (Fsm::new(layout(), SHAPE), Oracle::new(layout()));
        let mut watcher = observers.watch(0);
        access(&mut watcher, 0, Action::Write, false);
        watcher.barrier(SiteId(9), barrier.into());
        access(&mut watcher, 1, Action::Read, false);
        drop(watcher);
        assert_eq!(observers.0.racy().is_empty(), !racy, "{barrier:?}");
        assert_eq!(observers.1.racy().is_empty(), !racy, "{barrier:?}");
    }
}
