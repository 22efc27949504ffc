//! Compares whole subgroups with the oracle: rows of lanes that touch adjacent words, distant words, or the
//! same word.

use super::racy;
use crate::ir::access::{Action, Extent};
use crate::ir::sites::SiteId;
use crate::observe::fsm::Fsm;
use crate::observe::oracle::Oracle;
use crate::observe::width::Width;
use crate::observe::{Granule, Layout, MemoryLayout, Shape};
use crate::random::Random;
use crate::vm::observer::{Accesses, MemoryId, Observer, Pairing, Space, Watcher};
use naga::Barrier;
use std::collections::BTreeSet;

const SHAPE: Shape = Shape { workgroups: 2, workgroup_size: 64, subgroup_size: 32 };

/// Number of words of each memory.
const WORDS: u32 = 300;

fn layout() -> Layout {
    let memory = |space| Some(MemoryLayout { space, granule_shift: 2, bytes: 4 * WORDS });
    Layout::of(vec![memory(Space::Storage), memory(Space::Workgroup)])
}

/// Returns the words that the invocations of a workgroup touch, by their index in the dispatch or in the
/// workgroup.
fn offsets(random: &mut Random, first: u32) -> Vec<u32> {
    let (kind, from) = (random.bits() % 8, random.bits() as u32 % WORDS);
    let word = |lane: u32| match kind {
        0..=2 => first + lane,
        3 => first + (lane ^ 5),
        4 => (first + lane) * 2,
        5 => from,
        6 => from + lane,
        _ => first + lane / 2,
    };
    (0..32).map(|lane| 4 * (word(lane) % (WORDS + 8))).collect()
}

/// Shows a dispatch to an observer; the number determines the dispatch.
fn drive(number: u64, observer: &impl Observer) {
    let mut random = Random::new(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut watchers: Vec<_> = (0..SHAPE.workgroups).map(|w| observer.watch(w)).collect();
    let writes = 2 + random.bits() % 8;
    for _ in 0..4 + random.bits() % 24 {
        let workgroup = (random.bits() % 2) as u32;
        let watcher = &mut watchers[workgroup as usize];
        if random.bits().is_multiple_of(3) {
            watcher.barrier(SiteId(9), (Barrier::STORAGE | Barrier::WORK_GROUP).into());
            continue;
        }
        let (memory, space) =
            [(0, Space::Storage), (1, Space::Workgroup)][random.bits() as usize % 2];
        let subgroup = (random.bits() % 2) as u32;
        let first_invocation = 32 * subgroup;
        let first = if memory == 0 { 64 * workgroup } else { 0 } + first_invocation;
        let mask = match random.bits() % 4 {
            0 => 0xff00 | 1 << (random.bits() % 32),
            1 => 1 << (random.bits() % 32),
            _ => u64::from(u32::MAX),
        };
        let bytes = if random.bits().is_multiple_of(4) { 8 } else { 4 };
        watcher.access(&Accesses {
            site: SiteId(memory),
            action: match random.bits() % writes {
                0 => Action::Write,
                1 => Action::Atomic,
                _ => Action::Read,
            },
            commutes: false,
            space,
            memory: MemoryId(memory),
            subgroup,
            first_invocation,
            mask,
            offsets: &offsets(&mut random, first),
            extent: &[Extent { offset: 0, bytes }],
            stored: None,
            pairing: Pairing::Alone,
        });
    }
}

#[test]
fn rows_of_lanes_are_judged_as_the_oracle_judges_them() {
    let (mut clean, mut found) = (0, 0);
    for number in 0..3_000 {
        let oracle = Oracle::new(layout());
        drive(number, &oracle);
        let truth: BTreeSet<Granule> = oracle.racy().into_keys().collect();
        *if truth.is_empty() { &mut clean } else { &mut found } += 1;
        for (width, clock_bits) in [(Width::Narrow, 64), (Width::Wide, 64), (Width::Narrow, 1)] {
            let fsm = Fsm::with_width(layout(), SHAPE, &fsm_spec::TABLE, clock_bits, width);
            drive(number, &fsm);
            assert_eq!(racy(&fsm), truth, "{number}, {width:?}, clocks of {clock_bits} bits");
            fsm.reset();
            drive(number, &fsm);
            assert_eq!(racy(&fsm), truth, "{number}, {width:?}, on one thread");
        }
    }
    assert!(clean > 300 && found > 300, "{clean} clean, {found} racy");
}
