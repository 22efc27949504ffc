//! Litmus shapes with known verdicts: barriers, waits, and the behaviors that each model allows.

use crate::classics::{ACQUIRE, RELAXED, RELEASE, add, cas_lock, load, store, ticket_lock};
use crate::script::{Address, Do, Line, Mode, Operand, Script, State};
use hirace_mc::explore::{
    Execution, Exploration, FindingKind, Options, Outcome, Reductions, explore,
};
use hirace_mc::model::Model;
use hirace_mc::program::{MemoryOrder, Scope};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

const GROUP: Mode = Some((MemoryOrder::Relaxed, Scope::Workgroup));

fn run(script: &Script, model: Model) -> Exploration<State> {
    explore(script, &Options::new(model), None)
}

fn kinds(explored: &Exploration<State>) -> Vec<FindingKind> {
    let mut kinds: Vec<_> = explored.findings.iter().map(|finding| finding.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Returns the final values of the first registers, for all executions.
fn ends(script: &Script, model: Model) -> BTreeSet<Vec<[u64; 2]>> {
    let ends = Mutex::new(BTreeSet::new());
    let visit = |execution: &Execution<State>| {
        let registers =
            execution.states.iter().map(|state| [state.registers[0], state.registers[1]]);
        ends.lock().expect("no visitor panics").insert(registers.collect());
        ControlFlow::Continue(())
    };
    explore(script, &Options::new(model), Some(&visit));
    ends.into_inner().expect("no visitor panics")
}

fn barrier(number: u32, classes: u32) -> Line {
    Do::Barrier(Scope::Workgroup, number, classes).into()
}

fn copy(location: u64, register: usize) -> Line {
    Do::Store(Address::Of(location), Operand::Register(register), RELAXED).into()
}

#[test]
fn a_barrier_orders_the_memory_that_it_names() {
    // Location 0 is in class 0, and location 1 in class 1.
    let program = |location, classes| {
        Script::new(vec![
            vec![store(location, 1, None), barrier(0, classes)],
            vec![barrier(0, classes), load(0, location, None)],
        ])
        .together()
    };
    for (location, classes, races) in
        [(0, 1, false), (0, 2, true), (1, 2, false), (1, 1, true), (1, 3, false)]
    {
        let explored = run(&program(location, classes), Model::Wgsl);
        let expected: &[FindingKind] = if races { &[FindingKind::DataRace] } else { &[] };
        assert_eq!(kinds(&explored), expected, "location {location}, classes {classes}");
    }
    assert_eq!(
        run(&program(0, 1), Model::Wgsl).executions,
        1,
        "ordered writes are not tried in another order"
    );
    assert_eq!(kinds(&run(&program(0, 1), Model::ScopedRc11)), []);
    assert_eq!(kinds(&run(&program(0, 2), Model::ScopedRc11)), [FindingKind::DataRace]);
    assert_eq!(kinds(&run(&program(0, 0), Model::ScopedRc11)), [FindingKind::DataRace]);
}

#[test]
fn a_barrier_of_a_workgroup_orders_no_other() {
    let apart = Script::new(vec![
        vec![store(0, 1, None), barrier(0, 1)],
        vec![barrier(0, 1), load(0, 0, None)],
    ]);
    assert_eq!(kinds(&run(&apart, Model::Wgsl)), [FindingKind::DataRace]);
}

#[test]
fn a_barrier_that_not_all_reach_diverges() {
    let taken = Line { when: Some((0, 1)), what: Do::Barrier(Scope::Workgroup, 0, 1) };
    let program =
        Script::new(vec![vec![load(0, 0, GROUP), taken], vec![store(0, 1, GROUP), barrier(0, 1)]])
            .together();
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        let explored = run(&program, model);
        assert_eq!((explored.executions, explored.blocked), (1, 1), "{model:?}");
        assert_eq!(kinds(&explored), [FindingKind::BarrierDivergence], "{model:?}");
        let parted = &explored.findings[0];
        assert_eq!(
            parted.events.iter().map(|e| e.invocation).collect::<Vec<_>>(),
            [1, 0],
            "the waiting invocation comes first"
        );
    }
    let other = Script::new(vec![vec![barrier(0, 1)], vec![barrier(1, 1)]]).together();
    assert_eq!(kinds(&run(&other, Model::Wgsl)), [FindingKind::BarrierDivergence]);
}

#[test]
fn barriers_alone_are_one_execution() {
    let program = Script::new(vec![vec![barrier(0, 3), barrier(1, 3)]; 16]).together();
    let explored = run(&program, Model::ScopedRc11);
    assert_eq!(
        (explored.executions, explored.abandoned, explored.outcome),
        (1, 0, Outcome::Complete)
    );
}

#[test]
fn waiting_for_an_unwritten_value_does_not_terminate() {
    let wait = Line { when: Some((0, 0)), what: Do::Await(0) };
    let never = Script::new(vec![vec![load(0, 0, RELAXED), wait], vec![store(1, 1, RELAXED)]]);
    let once = Script::new(vec![vec![load(0, 0, RELAXED), wait], vec![store(0, 1, RELAXED)]]);
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        for awaiting in [true, false] {
            let mut options = Options::new(model);
            options.reductions = Reductions { awaiting, ..Reductions::NONE };
            let explored = explore(&never, &options, None);
            assert_eq!((explored.executions, explored.blocked), (0, 1), "{model:?}");
            assert_eq!(kinds(&explored), [FindingKind::NoTermination], "{model:?}");
            let explored = explore(&once, &options, None);
            assert_eq!(
                (explored.executions, explored.blocked),
                (1, u64::from(!awaiting)),
                "{model:?}"
            );
            assert_eq!(kinds(&explored), [], "the written value is read eventually: {model:?}");
        }
    }
}

#[test]
fn a_wait_that_some_value_ends_may_last_for_ever_with_a_later_one() {
    let wait = Line { when: Some((0, 0)), what: Do::Await(0) };
    let reset = Line { when: Some((0, 0)), ..add(1, 0, 1, RELAXED) };
    let program = Script::new(vec![
        vec![load(0, 0, RELAXED), wait],
        vec![load(0, 0, ACQUIRE), copy(0, 0), load(1, 0, RELAXED)],
        vec![load(0, 0, RELAXED), reset],
    ]);
    for awaiting in [true, false] {
        let mut options = Options::new(Model::ScopedRc11);
        options.reductions = Reductions { awaiting, ..Reductions::NONE };
        assert_eq!(kinds(&explore(&program, &options, None)), [FindingKind::NoTermination]);
    }
}

#[test]
fn postponed_updates_make_writes_available() {
    // A postponed update reads from another update, and its write is available to reads that were postponed later.
    let program = Script::new(vec![
        vec![store(0, 2, RELAXED), add(0, 0, 1, RELAXED)],
        vec![load(0, 0, RELAXED)],
        vec![add(0, 0, 1, RELAXED), load(1, 0, RELAXED)],
    ]);
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        crate::differential::check_agreement(&Script { bits: 3, ..program.clone() }, model);
    }
}

#[test]
fn two_locks_taken_crosswise_deadlock() {
    let take = |lock| {
        let line: Line = Do::Compare(0, Address::Of(lock), 0, Operand::Number(1), ACQUIRE).into();
        [line, Line { when: Some((0, 1)), what: Do::Await(0) }]
    };
    let one = |first, second| {
        let release = [store(second, 0, RELEASE), store(first, 0, RELEASE)];
        [take(first), take(second), release].concat()
    };
    let crosswise = Script::new(vec![one(0, 1), one(1, 0)]);
    let explored = run(&crosswise, Model::ScopedRc11);
    assert_eq!(kinds(&explored), [FindingKind::NoTermination]);
    assert_eq!((explored.executions, explored.blocked), (2, 1));
    let same = Script::new(vec![one(0, 1), one(0, 1)]);
    assert_eq!(kinds(&run(&same, Model::ScopedRc11)), []);
}

#[test]
fn loads_may_be_buffered_in_wgsl_but_nothing_comes_out_of_thin_air() {
    let free = Script::new(vec![
        vec![load(0, 0, RELAXED), store(1, 1, RELAXED)],
        vec![load(0, 1, RELAXED), store(0, 1, RELAXED)],
    ]);
    let ones = vec![[1, 0], [1, 0]];
    assert!(ends(&free, Model::Wgsl).contains(&ones));
    assert!(!ends(&free, Model::ScopedRc11).contains(&ones));
    let thread = |from, to| vec![load(0, from, RELAXED), copy(to, 0)];
    let bound = Script::new(vec![thread(0, 1), thread(1, 0)]);
    assert_eq!(ends(&bound, Model::Wgsl), BTreeSet::from([vec![[0, 0], [0, 0]]]));
    // A value that is forwarded from the invocation's own store does not depend on the load before it.
    let forwarded = Script::new(vec![
        vec![load(0, 0, RELAXED), store(0, 1, RELAXED), load(1, 0, RELAXED), copy(1, 1)],
        vec![load(0, 1, RELAXED), Line { when: Some((0, 1)), ..store(0, 2, RELAXED) }],
    ]);
    assert!(ends(&forwarded, Model::Wgsl).contains(&vec![[2, 1], [1, 0]]));
}

#[test]
fn a_message_is_passed_by_release_and_acquire() {
    let pass = |release, acquire, data| {
        Script::new(vec![
            vec![store(0, 1, data), store(1, 1, release)],
            vec![load(0, 1, acquire), Line { when: Some((0, 1)), ..load(1, 0, data) }],
        ])
    };
    assert_eq!(kinds(&run(&pass(RELEASE, ACQUIRE, None), Model::ScopedRc11)), []);
    assert_eq!(
        kinds(&run(&pass(RELAXED, ACQUIRE, None), Model::ScopedRc11)),
        [FindingKind::DataRace]
    );
    let near = |order| Some((order, Scope::Workgroup));
    let scoped = pass(near(MemoryOrder::Release), near(MemoryOrder::Acquire), None);
    assert_eq!(
        kinds(&run(&scoped, Model::ScopedRc11)),
        [FindingKind::DataRace, FindingKind::HeterogeneousRace],
        "a workgroup's scope does not reach the other"
    );
    assert_eq!(kinds(&run(&scoped.together(), Model::ScopedRc11)), []);
    assert!(
        ends(&pass(RELEASE, ACQUIRE, RELAXED), Model::ScopedRc11).contains(&vec![[0, 0], [1, 1]])
    );
    assert!(
        !ends(&pass(RELEASE, ACQUIRE, RELAXED), Model::ScopedRc11).contains(&vec![[0, 0], [1, 0]])
    );
    assert!(ends(&pass(RELAXED, RELAXED, RELAXED), Model::Wgsl).contains(&vec![[0, 0], [1, 0]]));
}

#[test]
fn wgsl_has_no_acquire() {
    let explored = run(&Script::new(vec![vec![load(0, 0, ACQUIRE)]]), Model::Wgsl);
    assert_eq!(explored.outcome, Outcome::Inexpressible { invocation: 0, site: 0 });
    assert_eq!(explored.executions, 0);
}

#[test]
fn racing_plain_reads_may_see_writes_out_of_order_in_wgsl() {
    let program = Script::new(vec![
        vec![store(0, 1, None), store(0, 2, None)],
        vec![load(0, 0, None), load(1, 0, None)],
    ]);
    let backwards = vec![[0, 0], [2, 1]];
    assert!(ends(&program, Model::Wgsl).contains(&backwards));
    assert!(!ends(&program, Model::Sc).contains(&backwards));
    assert_eq!(kinds(&run(&program, Model::Wgsl)), [FindingKind::DataRace]);
}

#[test]
fn a_claim_that_does_not_hold_comes_with_an_execution() {
    let claim = Line { when: Some((0, 2)), what: Do::Fails };
    let program = Script::new(vec![
        vec![add(0, 0, 1, RELAXED)],
        vec![add(0, 0, 1, RELAXED)],
        vec![load(0, 0, RELAXED), claim],
    ]);
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        let explored = run(&program, model);
        assert_eq!(kinds(&explored), [FindingKind::Assertion], "{model:?}");
        let finding = &explored.findings[0];
        let read = finding.execution.events[2][0].read.map(|(value, _)| value);
        assert_eq!((finding.sites.as_slice(), read), (&[201][..], Some(2)));
        assert_eq!(finding.execution.memory.iter().map(|m| m.1).collect::<Vec<_>>(), [2]);
    }
}

#[test]
fn alike_invocations_take_a_lock_in_one_order() {
    for lock in [cas_lock, ticket_lock] {
        let explored = run(&lock(8, ACQUIRE, RELEASE), Model::ScopedRc11);
        assert_eq!((explored.executions, explored.blocked, explored.findings.len()), (1, 0, 0));
    }
}

#[test]
fn the_first_finding_stops_if_asked() {
    let mut options = Options::new(Model::ScopedRc11);
    options.first_finding = true;
    let explored = explore(&cas_lock(6, RELAXED, RELAXED), &options, None);
    assert_eq!((explored.findings.len(), explored.outcome), (1, Outcome::Stopped));
}

#[test]
fn the_first_finding_does_not_depend_on_the_number_of_threads() {
    for model in [Model::ScopedRc11, Model::Wgsl, Model::Sc] {
        for program in [cas_lock(4, RELAXED, RELAXED), ticket_lock(3, RELAXED, RELAXED)] {
            let found = |threads| {
                let options = Options { first_finding: true, threads, ..Options::new(model) };
                let explored = explore(&program, &options, None);
                let counts = (explored.executions, explored.blocked, explored.abandoned);
                let findings = explored.findings.into_iter();
                let findings = findings.map(|f| (f.kind, f.events, f.sites, f.execution.order));
                (counts, explored.outcome, findings.collect::<Vec<_>>())
            };
            let first = found(1);
            for threads in [2, 3, 8, 8, 8] {
                assert_eq!(found(threads), first, "{model:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn one_fence_is_in_one_order_with_what_barriers_of_other_memory_order() {
    // The barrier names only the memory of location 0, so only the fence orders the first store before the others.
    let fence = Do::Fence(MemoryOrder::SequentiallyConsistent, Scope::Device).into();
    let mut script = Script::new(vec![
        vec![store(1, 1, RELAXED), barrier(0, 1)],
        vec![barrier(0, 1), fence, store(1, 2, None)],
        vec![load(0, 1, RELAXED)],
    ]);
    script.bits = 2;
    script.scope_positions[1].workgroup = script.scope_positions[0].workgroup;
    crate::differential::check_agreement(&script, Model::ScopedRc11);
}
