//! Compares observers with each other, and all of them with happens-before computed from a full log.

mod rows;
mod rules;
mod script;

use super::events::{EventWatcher, Recorder};
use super::fsm::Fsm;
use super::history::{SiteActionPair, race, site_action_pair};
use super::oracle::Oracle;
use super::trace::{Event, all_site_pairs, pairs, site_pairs_where};
use super::tracer::Tracer;
use super::width::Width;
use super::{Granule, Layout};
use crate::ir::access::Action;
use crate::vm::observer::{MemoryId, Observer, Space};
use fsm_spec::{Relation, State, Sync};
use proptest::prelude::*;
use script::{Script, layout};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// An observer that logs every event.
struct Everything(Layout, Mutex<Vec<Event>>);

impl Recorder for Everything {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn wants(&self, _: MemoryId) -> bool {
        true
    }

    fn record(&self, event: Event) {
        self.1.lock().expect("no panic before").push(event);
    }
}

impl Observer for Everything {
    type Watcher<'o> = EventWatcher<'o, Self>;

    fn watch(&self, workgroup: u32) -> EventWatcher<'_, Self> {
        EventWatcher::new(self, workgroup)
    }
}

fn record(script: &Script) -> Vec<Event> {
    let everything = Everything(layout(), Mutex::default());
    script.drive(&everything);
    everything.1.into_inner().expect("no panic before")
}

/// Returns all pairs of sites that race, by comparing every two accesses.
fn races(log: &[Event]) -> BTreeMap<Granule, BTreeSet<SiteActionPair>> {
    races_where(log, |_, _| true)
}

fn races_where(
    log: &[Event],
    wanted: impl Fn(&Event, &Event) -> bool,
) -> BTreeMap<Granule, BTreeSet<SiteActionPair>> {
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (i, later) in log.iter().enumerate() {
        for earlier in
            log[..i].iter().filter(|earlier| race(earlier, later) && wanted(earlier, later))
        {
            let pair = site_action_pair(earlier.site_action(), later.site_action());
            found.entry(later.granule).or_default().insert(pair);
        }
    }
    found
}

fn racy(fsm: &Fsm) -> BTreeSet<Granule> {
    fsm.racy().into_keys().collect()
}

/// Returns the sites of pairs, by granule.
fn by_granule(pairs: &[super::trace::Pair]) -> BTreeMap<Granule, BTreeSet<SiteActionPair>> {
    let mut places: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for pair in pairs {
        assert!(race(&pair.earlier, &pair.later), "{pair:?}");
        let both = site_action_pair(pair.earlier.site_action(), pair.later.site_action());
        places.entry(pair.later.granule).or_default().insert(both);
    }
    places
}

/// Returns whether values flow between workgroups: two of them access one granule, and not only to read.
fn flows(log: &[Event]) -> bool {
    let reads = |event: &Event| event.action == Action::Read;
    log.iter().enumerate().any(|(i, later)| {
        log[..i].iter().any(|earlier| {
            earlier.granule == later.granule
                && earlier.invocation.workgroup != later.invocation.workgroup
                && !(reads(earlier) && reads(later))
        })
    })
}

/// The possible widths of shadow words.
const WIDTHS: [Width; 2] = [Width::Narrow, Width::Wide];

/// Checks every observer on a script.
fn agree(script: &Script) {
    let log = record(script);
    let truth = races(&log);
    let racy_truth: BTreeSet<Granule> = truth.keys().copied().collect();

    let oracle = Oracle::new(layout());
    script.drive(&oracle);
    assert_eq!(oracle.pairs(), truth, "oracle");
    assert!(oracle.racy().keys().eq(&racy_truth), "oracle");
    assert!(!oracle.keeps_own_memory(), "workgroups have ended");

    for (clock_bits, width) in
        [64, 3, 1].into_iter().flat_map(|bits| WIDTHS.map(|width| (bits, width)))
    {
        let fsm = Fsm::with_width(layout(), script.shape, &fsm_spec::TABLE, clock_bits, width);
        script.drive(&fsm);
        assert_eq!(racy(&fsm), racy_truth, "automaton, {width:?}, clocks of {clock_bits} bits");
        assert_eq!(fsm.flowed(), flows(&log) || script.diverges(), "flow");
        fsm.reset();
        assert!(fsm.racy().is_empty());
        script.drive(&fsm);
        assert_eq!(racy(&fsm), racy_truth, "automaton, serial");
    }

    let granules: Vec<Granule> = log.iter().map(|event| event.granule).collect();
    let tracer = Tracer::new(layout(), &granules, usize::MAX);
    script.drive(&tracer);
    let trace = tracer.into_trace();
    assert_eq!(by_granule(&all_site_pairs(&trace).pairs), truth, "trace");
    let in_one_subgroup = |a: &Event, b: &Event| {
        (a.invocation.workgroup, a.subgroup) == (b.invocation.workgroup, b.subgroup)
    };
    for asked in [true, false] {
        let wanted = |a: &Event, b: &Event| in_one_subgroup(a, b) == asked;
        let found = site_pairs_where(&trace, wanted).pairs;
        assert!(found.iter().all(|pair| wanted(&pair.earlier, &pair.later)));
        assert_eq!(by_granule(&found), races_where(&log, wanted), "trace of some relations");
    }
    let pairs = pairs(&trace);
    assert!(pairs.iter().map(|pair| pair.later.granule).eq(first_racing(&trace.events)), "trace");
    for pair in &pairs {
        assert_eq!(Some(pair.earlier), nearest(&trace.events, &pair.later), "trace");
    }
}

/// Returns the granules that race, in the order of the accesses at which they do.
fn first_racing(log: &[Event]) -> Vec<Granule> {
    let mut granules = Vec::new();
    for (i, later) in log.iter().enumerate() {
        let races = log[..i].iter().any(|earlier| race(earlier, later));
        if races && !granules.contains(&later.granule) {
            granules.push(later.granule);
        }
    }
    granules
}

fn nearest(log: &[Event], later: &Event) -> Option<Event> {
    let before = log.iter().position(|event| event == later)?;
    log[..before].iter().rev().find(|earlier| race(earlier, later)).copied()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn observers_agree_with_happens_before(
        kind: u64,
        steps in proptest::collection::vec(any::<u64>(), 0..60),
    ) {
        agree(&Script::decode(kind, &steps));
    }
}

#[test]
fn observers_agree_on_a_fixed_choice_of_scripts() {
    (0..2_000).for_each(|number| agree(&Script::numbered(number)));
}

#[test]
fn scripts_race_on_a_third_to_two_thirds_of_what_is_shared() {
    let (mut shared, mut racy) = (0, 0);
    for number in 0..2_000 {
        let log = record(&Script::numbered(number));
        let mut invocations: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for event in &log {
            invocations.entry(event.granule).or_default().insert(event.invocation);
        }
        shared += invocations.values().filter(|who| who.len() > 1).count();
        racy += races(&log).len();
    }
    println!("{racy} of {shared}");
    assert!((30..=70).contains(&(100 * racy / shared)), "{racy} of {shared}");
}

#[test]
fn workgroups_in_parallel_give_the_same_racy_granules() {
    for number in 0..300 {
        let script = Script::numbered(number);
        let truth: BTreeSet<Granule> = races(&record(&script)).into_keys().collect();
        for (clock_bits, width) in [(64, Width::Narrow), (64, Width::Wide), (2, Width::Narrow)] {
            let fsm = Fsm::with_width(layout(), script.shape, &fsm_spec::TABLE, clock_bits, width);
            script.drive_in_parallel(&fsm);
            assert_eq!(racy(&fsm), truth, "script {number}");
        }
    }
}

/// Returns the transitions that a log takes, one granule at a time.
fn transitions(log: &[Event]) -> Vec<usize> {
    use fsm_spec::Action as Letter;
    let mut granules: BTreeMap<Granule, (State, Event)> = BTreeMap::new();
    let mut taken = Vec::new();
    for event in log {
        let entry = granules.entry(event.granule);
        let (state, last) = *entry.or_insert((State::Init, *event));
        let own = layout().memory(event.granule.memory).expect("watched").space == Space::Workgroup;
        let action = match event.action {
            Action::Read => Letter::R,
            Action::Write => Letter::W,
            Action::AtomicInWorkgroup => Letter::BA,
            Action::Atomic if own => Letter::BA,
            Action::Atomic => Letter::GA,
        };
        let relation = if event.invocation.workgroup != last.invocation.workgroup {
            Relation::G
        } else if event.subgroup != last.subgroup {
            Relation::B
        } else if event.invocation != last.invocation {
            Relation::W
        } else {
            Relation::S
        };
        let sync = if relation == Relation::G {
            Sync::U
        } else if event.epoch != last.epoch {
            Sync::B
        } else if relation != Relation::B && event.subgroup_epoch != last.subgroup_epoch {
            Sync::W
        } else {
            Sync::U
        };
        taken.push(fsm_spec::index(state, action, sync, relation));
        let next = fsm_spec::step(state, action, sync, relation);
        granules.insert(event.granule, (next, *event));
    }
    taken
}

/// Returns the possible readings of the clocks in a transition: the clocks of two subgroups or of two
/// workgroups may have any reading.
fn readings(sync: Sync, relation: Relation) -> &'static [Sync] {
    match (sync, relation) {
        (_, Relation::G) => &[Sync::U, Sync::W, Sync::B],
        (Sync::U, Relation::B) => &[Sync::U, Sync::W],
        (Sync::U, _) => &[Sync::U],
        (Sync::W, _) => &[Sync::W],
        (Sync::B, _) => &[Sync::B],
    }
}

#[test]
fn a_table_with_any_one_wrong_entry_is_distinguished_from_happens_before() {
    let scripts: Vec<Script> = (0..2_000).map(Script::numbered).collect();
    let logs: Vec<Vec<Event>> = scripts.iter().map(record).collect();
    let truths: Vec<BTreeSet<Granule>> =
        logs.iter().map(|log| races(log).into_keys().collect()).collect();
    let mut taken = vec![0; fsm_spec::TRANSITIONS];
    logs.iter().flat_map(|log| transitions(log)).for_each(|at| taken[at] += 1);

    let differs = |table: &[u8; fsm_spec::TRANSITIONS]| {
        scripts.iter().zip(&truths).any(|(script, truth)| {
            let fsm = Fsm::with(layout(), script.shape, table, 64);
            script.drive(&fsm);
            racy(&fsm) != *truth
        })
    };
    assert!(!differs(&fsm_spec::TABLE));
    let mut judged = 0;
    for (at, times) in taken.into_iter().enumerate() {
        let Some((state, action, sync, relation)) = fsm_spec::table::transition(at) else {
            continue;
        };
        // The first access has no relation; rare transitions may change nothing that is observed later.
        if matches!(state, State::Init | State::Race) || times < 25 {
            continue;
        }
        let mut table = fsm_spec::TABLE;
        let wrong = if table[at] == State::Race as u8 { state } else { State::Race };
        for read in readings(sync, relation) {
            table[fsm_spec::index(state, action, *read, relation)] = wrong as u8;
        }
        assert!(differs(&table), "{state} {action} {sync} {relation}, taken {times} times");
        judged += 1;
    }
    assert!(judged > 240, "{judged}");
}
