//! Tests of known numbers of executions.

use crate::classics::{
    ACQUIRE, RELAXED, RELEASE, cas_lock, load, load_buffering, store, store_buffering, ticket_lock,
};
use crate::script::{Do, Script, State};
use hirace_mc::explore::{
    Execution, Exploration, FindingKind, Options, Outcome, Reductions, explore,
};
use hirace_mc::model::Model;
use hirace_mc::program::Scope;
use std::ops::ControlFlow;
use std::sync::Mutex;

fn all(script: &Script, model: Model) -> Exploration<State> {
    let mut options = Options::new(model);
    options.reductions = Reductions::NONE;
    explore(script, &options, None)
}

fn awaiting(script: &Script) -> Exploration<State> {
    let mut options = Options::new(Model::ScopedRc11);
    options.reductions = Reductions { awaiting: true, ..Reductions::NONE };
    explore(script, &options, None)
}

fn kinds(explored: &Exploration<State>) -> Vec<FindingKind> {
    let mut kinds: Vec<_> = explored.findings.iter().map(|finding| finding.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn load_buffering_has_one_execution_less_without_thin_air() {
    for n in 2..=10 {
        let counted = [Model::ScopedRc11, Model::Sc, Model::Wgsl]
            .map(|m| all(&load_buffering(n), m).executions);
        assert_eq!(counted, [(1 << n) - 1, (1 << n) - 1, 1 << n], "LB-{n}");
    }
}

#[test]
fn store_buffering_has_one_execution_less_with_interleaving() {
    for n in 2..=10 {
        let counted = [Model::ScopedRc11, Model::Sc, Model::Wgsl]
            .map(|m| all(&store_buffering(n), m).executions);
        assert_eq!(counted, [1 << n, (1 << n) - 1, 1 << n], "SB-{n}");
    }
}

#[test]
fn threads_count_what_one_does() {
    let mut options = Options::new(Model::ScopedRc11);
    options.threads = 3;
    let explored = explore(&load_buffering(9), &options, None);
    assert_eq!((explored.executions, explored.outcome), (511, Outcome::Complete));
    let explored = explore(&cas_lock(4, ACQUIRE, RELAXED), &options, None);
    assert_eq!(kinds(&explored), [FindingKind::DataRace]);
}

#[test]
fn a_lock_is_taken_in_every_order_and_keeps_others_out() {
    for (n, orders) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        for lock in [cas_lock, ticket_lock] {
            let explored = awaiting(&lock(n, ACQUIRE, RELEASE));
            assert_eq!(
                (explored.executions, explored.blocked, explored.findings.len()),
                (orders, 0, 0),
                "{n}"
            );
            assert_eq!(explored.outcome, Outcome::Complete);
        }
    }
}

#[test]
fn a_lock_that_does_not_order_races() {
    for lock in [cas_lock, ticket_lock] {
        for (acquire, release) in [(RELAXED, RELEASE), (ACQUIRE, RELAXED)] {
            assert_eq!(kinds(&awaiting(&lock(2, acquire, release))), [FindingKind::DataRace]);
        }
    }
}

#[test]
fn a_limit_of_executions_stops() {
    let mut options = Options::new(Model::ScopedRc11);
    options.limit_executions = Some(100);
    let explored = explore(&load_buffering(10), &options, None);
    assert_eq!((explored.executions, explored.outcome), (100, Outcome::Stopped));
}

#[test]
fn unused_values_are_not_explored() {
    // Under `sc`, all reads cannot take the oldest write; each read in turn takes another one.
    for (model, store_buffers) in [(Model::ScopedRc11, 1), (Model::Sc, 22), (Model::Wgsl, 1)] {
        let programs = [load_buffering(22), store_buffering(22)];
        let explored = programs
            .map(|script| explore(&Script { forgets: true, ..script }, &Options::new(model), None));
        assert_eq!(explored.map(|explored| explored.executions), [1, store_buffers], "{model:?}");
    }
}

/// Only one execution has all reads take the oldest write, and it is explored first.
#[test]
fn store_buffering_is_explored_first() {
    for model in [Model::ScopedRc11, Model::Wgsl] {
        let first = Mutex::new(None);
        let visit = |execution: &Execution<State>| {
            let reads = execution.events.iter().flatten().filter_map(|event| event.read);
            let is_old = reads.into_iter().all(|(value, _)| value == 0);
            first.lock().expect("no visitor panics").get_or_insert(is_old);
            ControlFlow::Break(())
        };
        let mut options = Options::new(model);
        options.reductions = Reductions::NONE;
        explore(&store_buffering(25), &options, Some(&visit));
        assert_eq!(first.into_inner().expect("no visitor panics"), Some(true), "{model:?}");
    }
}

/// Sixteen invocations that repeatedly write their own location, wait, and read their neighbor's.
#[test]
fn programs_ordered_by_barriers_have_one_execution() {
    let n = 16;
    let barrier = |number| Do::Barrier(Scope::Workgroup, number, 3).into();
    let turn = |i: u64, turn: u32| {
        [
            store(i, turn.into(), None),
            barrier(2 * turn),
            load(0, (i + 1) % n, None),
            barrier(2 * turn + 1),
        ]
    };
    let code = (0..n).map(|i| (0..40).flat_map(|number| turn(i, number)).collect()).collect();
    let explored = explore(&Script::new(code).together(), &Options::new(Model::Wgsl), None);
    let counts = (explored.executions, explored.abandoned, explored.findings.len());
    assert_eq!((counts, explored.outcome), ((1, 0, 0), Outcome::Complete));
}
