use crate::derive::memory;
use crate::export;
use crate::grid::{Grid, GridError};
use crate::proof::{Event, prove, refute};
use crate::state::{Action, Relation, State, Sync};
use crate::table::{TABLE, TRANSITIONS, index, pack_table, step, transition};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

fn grid(text: &str) -> Grid {
    text.parse().expect("a grid")
}

/// Returns the 15 transitions of the published table that contradict happens-before, with their published
/// next states.
fn published_errors() -> Vec<(usize, State)> {
    use Action::{BA, GA};
    use Relation::{B, S, W};
    let mut errors = Vec::new();
    for atomic in [BA, GA] {
        // Treats the atomic like a plain write, although the only plain access, the read, precedes the barrier.
        for (sync, relation) in
            [(Sync::W, S), (Sync::W, W), (Sync::B, S), (Sync::B, W), (Sync::B, B)]
        {
            errors.push((index(State::Read, atomic, sync, relation), State::Write));
        }
        // Still records several subgroups, although only one invocation has accessed the word since the barrier.
        for relation in [S, W] {
            errors.push((index(State::BAtomB, atomic, Sync::B, relation), State::BAtomB));
        }
    }
    // Ignores the second invocation.
    errors.push((index(State::WSyncAtom, GA, Sync::U, W), State::WSyncAtom));
    errors
}

fn published() -> [u8; TRANSITIONS] {
    let mut table = TABLE;
    for (at, next) in published_errors() {
        table[at] = next as u8;
    }
    table
}

/// Runs `table` on a trace, in which each access is given by its symbol, and returns the final state.
fn run(table: &[u8; TRANSITIONS], trace: &[(Action, Sync, Relation)]) -> State {
    trace.iter().fold(State::Init, |state, (action, sync, relation)| {
        State::ALL[table[index(state, *action, *sync, *relation)] as usize]
    })
}

#[test]
fn the_table_is_exact_on_four_invocations() {
    let proof = prove(&TABLE, &grid("2,1/1"));
    assert_eq!((proof.false_alarms, proof.missed, proof.counterexample), (0, 0, None));
    assert_eq!(proof.states, 1_580_879);
}

#[test]
fn the_table_is_exact_on_six_invocations() {
    let proof = prove(&TABLE, &grid("2,1/2,1"));
    assert_eq!((proof.false_alarms, proof.missed, proof.counterexample), (0, 0, None));
    assert_eq!(proof.states, 3_184_297);
}

#[test]
fn the_published_table_differs_in_fifteen_entries() {
    let published = published();
    let differing = (0..TRANSITIONS).filter(|at| TABLE[*at] != published[*at]).count();
    assert_eq!(differing, 15);
}

#[test]
fn the_published_table_is_not_exact() {
    let proof = prove(&published(), &grid("2,1"));
    assert!(proof.false_alarms > 0 && proof.missed > 0, "{proof:?}");
}

#[test]
fn each_of_the_published_errors_alone_is_found() {
    for (at, next) in published_errors() {
        let mut table = TABLE;
        table[at] = next as u8;
        let found = ["2", "1,1", "2,1"].iter().find_map(|text| refute(&table, &grid(text)));
        assert!(found.is_some(), "{:?}", transition(at));
    }
}

#[test]
fn a_read_behind_a_barrier_does_not_spoil_atomics() {
    use {Action::*, Relation::*};
    // R(t0); barrier; A(t0); A(t1)
    for atomic in [BA, GA] {
        let trace = [(R, Sync::U, S), (atomic, Sync::B, S), (atomic, Sync::U, Relation::W)];
        assert_eq!(run(&TABLE, &trace), State::BSyncAtomW);
        assert_eq!(run(&published(), &trace), State::Race);
    }
}

#[test]
fn atomics_of_several_subgroups_are_forgotten_behind_a_barrier() {
    use {Action::*, Relation::*};
    // A(t0); A(t2); barrier; A(t2); R(t2), t2 of another subgroup than t0
    for atomic in [BA, GA] {
        let trace = [(BA, Sync::U, S), (BA, Sync::U, B), (atomic, Sync::B, S), (R, Sync::U, S)];
        assert_eq!(run(&TABLE, &trace), State::Write);
        assert_eq!(run(&published(), &trace), State::Race);
    }
}

#[test]
fn a_read_after_atomics_of_two_invocations_races() {
    use {Action::*, Relation::*};
    // W(t0); subgroup barrier; GA(t0); GA(t1); R(t1)
    let trace =
        [(Action::W, Sync::U, S), (GA, Sync::W, S), (GA, Sync::U, Relation::W), (R, Sync::U, S)];
    assert_eq!(run(&TABLE, &trace), State::Race);
    assert_ne!(run(&published(), &trace), State::Race);
}

#[test]
fn a_counterexample_is_a_shortest_trace() {
    let mut blind = TABLE;
    blind[index(State::Write, Action::R, Sync::U, Relation::G)] = State::Write as u8;
    let trace = refute(&blind, &grid("1/1")).expect("an error");
    assert_eq!(trace, [Event::Access(0, Action::W), Event::Access(1, Action::R)]);
}

#[test]
fn minimizing_leaves_21_classes() {
    // Moore's partition refinement: split classes that one more access distinguishes, until nothing changes.
    let mut class: Vec<usize> = State::ALL.iter().map(|s| (*s == State::Race).into()).collect();
    loop {
        let signature = |state: usize| {
            let symbols = TRANSITIONS / State::COUNT;
            let row = &TABLE[state * symbols..][..symbols];
            (class[state], row.iter().map(|next| class[*next as usize]).collect::<Vec<_>>())
        };
        let signatures: Vec<_> = (0..State::COUNT).map(signature).collect();
        let distinct: BTreeSet<_> = signatures.iter().collect();
        let refined: Vec<usize> =
            signatures.iter().map(|s| distinct.iter().take_while(|d| **d < s).count()).collect();
        if refined == class {
            break;
        }
        class = refined;
    }
    assert_eq!(class.iter().max(), Some(&20));
    let twins = [
        (State::BSync, State::BwSync),
        (State::BAtom, State::BSyncAtom),
        (State::BAtomW, State::BSyncAtomW),
        (State::BAtomB, State::BSyncAtomB),
    ];
    for (one, other) in twins {
        assert_eq!(class[one.id()], class[other.id()], "{one} {other}");
    }
}

#[test]
fn atomic_twins_keep_apart_whether_a_plain_access_came_before() {
    use Action::{BA, R};
    let first = step(State::Init, BA, Sync::U, Relation::S);
    assert_eq!(first, State::BAtom);
    assert_eq!(step(first, BA, Sync::B, Relation::B), State::BAtom);
    let read = step(State::Init, R, Sync::U, Relation::S);
    assert_eq!(step(read, BA, Sync::B, Relation::B), State::BSyncAtom);
}

#[test]
fn read_twins_keep_apart_whether_a_subgroup_barrier_was_passed() {
    let read = |state, sync| step(state, Action::R, sync, Relation::S);
    assert_eq!(read(State::Write, Sync::B), State::BSync);
    assert_eq!(read(State::BSync, Sync::W), State::BwSync);
    assert_eq!(read(State::BwSync, Sync::U), State::BwSync);
    assert_eq!(read(State::BwSync, Sync::B), State::BSync);
}

#[test]
fn every_state_is_reached_and_a_race_is_final() {
    let mut reached = BTreeSet::from([State::Init]);
    loop {
        let before = reached.len();
        let transitions = (0..TRANSITIONS).filter_map(|at| Some((transition(at)?.0, TABLE[at])));
        let steps: Vec<_> = transitions.filter(|(state, _)| reached.contains(state)).collect();
        reached.extend(steps.iter().filter_map(|(_, next)| State::from_id(*next as usize)));
        if reached.len() == before {
            break;
        }
    }
    assert_eq!(reached.len(), State::COUNT);
    let rows = TRANSITIONS / State::COUNT;
    assert!(TABLE[State::Race.id() * rows..].iter().all(|next| *next == State::Race as u8));
}

#[test]
fn only_init_and_race_remember_nothing() {
    for state in State::ALL {
        assert_eq!(memory(*state).is_none(), matches!(state, State::Init | State::Race), "{state}");
    }
}

#[test]
fn index_and_transition_are_inverse() {
    for at in 0..TRANSITIONS {
        let (state, action, sync, relation) = transition(at).expect("a transition");
        let formula = state.id() * 48 + action.id() * 12 + sync.id() * 4 + relation.id();
        assert_eq!((index(state, action, sync, relation), formula), (at, at));
    }
    assert_eq!(transition(TRANSITIONS), None);
}

#[test]
fn packing_loses_nothing() {
    let bytes: Vec<u8> = pack_table().iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(bytes, TABLE);
}

#[test]
fn csv_has_a_line_a_transition() {
    let mut text = String::new();
    export::csv(&mut text).expect("a String takes all");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 1 + TRANSITIONS);
    assert_eq!(lines[0], "state,action,sync,relation,next");
    assert_eq!(lines[1], "INIT,R,U,S,READ");
    assert!(lines.contains(&"WSYNC_ATOM,GA,U,W,WSYNC_ATOM_M"));
    assert_eq!(lines[TRANSITIONS], "RACE,GA,B,G,RACE");
}

#[test]
fn dot_lists_the_symbols_of_an_edge_once() {
    let mut text = String::new();
    export::dot(&mut text).expect("a String takes all");
    assert!(text.starts_with("digraph automaton {"));
    assert!(text.contains("READ -> WREAD [label=\"R{U}{W}\"];"), "{text}");
    assert!(text.contains("READ -> BREAD [label=\"R{UW}{B}\"];"), "{text}");
    assert!(text.contains("INIT -> WRITE [label=\"W{UWB}{SWBG}\"];"), "{text}");
    assert!(!text.contains("-> RACE"), "{text}");
}

#[test]
fn grids_are_read_and_printed() {
    for text in ["1", "2,1/1", "1,1/2,2", "6"] {
        assert_eq!(alloc::format!("{}", grid(text)), text);
    }
    for (text, error) in [
        ("", GridError::Size),
        ("0", GridError::Size),
        ("2,,1", GridError::Size),
        ("-1", GridError::Size),
        ("2;1", GridError::Size),
        ("99999999999999999999", GridError::Size),
        ("4,3", GridError::TooMany),
        ("18446744073709551615", GridError::TooMany),
    ] {
        assert_eq!(text.parse::<Grid>(), Err(error), "{text}");
    }
}
