//! Tests of the coherence reduction.

use crate::classics::{RELAXED, load, store};
use crate::differential::{explored, key, sample};
use crate::script::{Do, Flavor, Line, Random, Script, State, random};
use hirace_mc::explore::{Execution, FindingKind, Options, Outcome, Reductions, explore};
use hirace_mc::model::Model;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

fn options(model: Model) -> Options<'static> {
    let mut options = Options::new(model);
    options.reductions = Reductions { coherence: true, ..Reductions::NONE };
    options
}

/// Returns the reads-from relations with the final memory, and the number of executions.
fn seen(script: &Script, options: &Options<'_>) -> Option<(BTreeSet<String>, u64)> {
    let seen = Mutex::new(BTreeSet::new());
    let visit = |execution: &Execution<State>| {
        let class = format!("{:?} {:?}", key(execution).0, execution.memory);
        seen.lock().expect("no visitor panics").insert(class);
        ControlFlow::Continue(())
    };
    let explored = explore(script, options, Some(&visit));
    let count = explored.executions + explored.blocked;
    (explored.outcome == Outcome::Complete)
        .then(|| (seen.into_inner().expect("no visitor panics"), count))
}

#[test]
fn every_read_takes_all_that_it_takes_in_some_order() {
    for (model, flavor) in [
        (Model::ScopedRc11, Flavor::Ordered),
        (Model::Sc, Flavor::Ordered),
        (Model::Wgsl, Flavor::Relaxed),
        (Model::ScopedRc11, Flavor::Relaxed),
    ] {
        let (mut all, mut some, mut compared) = (0, 0, 0);
        for seed in 0..sample(20_000, 300) {
            let script = random(&mut Random(seed), flavor);
            let mut without = options(model);
            without.reductions = Reductions::NONE;
            without.limit_executions = Some(5_000);
            let Some((expected, count)) = seen(&script, &without) else { continue };
            let (classes, fewer) = seen(&script, &options(model)).expect("no more than without");
            assert_eq!(classes, expected, "{seed} {model:?}: {script:?}");
            let unseen = explore(&script, &options(model), None);
            let left = unseen.executions + unseen.blocked;
            assert!(left <= fewer && fewer <= count, "{seed} {model:?}: {script:?}");
            (all, some, compared) = (all + count, some + left, compared + 1);
        }
        assert!(compared > 100 && some < all, "{model:?}: {compared} programs, {some} of {all}");
    }
}

#[test]
fn observed_orders_are_explored() {
    let writers = |count| (1..=count).map(|value| vec![store(0, value, RELAXED)]).collect();
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        let alone = explore(&Script::new(writers(8)), &options(model), None);
        assert_eq!(alone.executions, 1, "{model:?}: the order is not observed");
        let mut code: Vec<_> = writers(8);
        code.push(vec![load(0, 0, RELAXED)]);
        let once = explore(&Script::new(code), &options(model), None);
        assert_eq!(once.executions, 9, "{model:?}: the read takes each write, in one order");
        let same = Script::new(vec![vec![store(0, 1, RELAXED)]; 4]);
        assert_eq!(explored(&same, &options(model)).0.len(), 1, "{model:?}: the end is the same");
        let different = explored(&Script::new(writers(4)), &options(model)).0.len();
        assert_eq!(different, 24, "{model:?}: the end is another");
    }
}

#[test]
fn awaited_values_may_be_overwritten() {
    // The invocation waits for a value other than 0, which may be the last one in coherence order.
    let wait = Line { when: Some((0, 0)), what: Do::Await(0) };
    let at_once = |value| vec![store(0, value, RELAXED)];
    let late = |value| vec![load(1, 1, RELAXED), store(0, value, RELAXED)];
    let writers = [[at_once(0), at_once(1)], [late(0), late(1)], [at_once(0), late(1)]];
    for (writers, place) in writers.iter().flat_map(|writers| (0..3).map(move |at| (writers, at))) {
        let mut code = writers.to_vec();
        code.insert(place, vec![load(0, 0, RELAXED), wait]);
        for (model, awaiting) in [Model::ScopedRc11, Model::Sc, Model::Wgsl]
            .into_iter()
            .flat_map(|model| [(model, true), (model, false)])
        {
            let mut options = options(model);
            options.reductions.awaiting = awaiting;
            let explored = explore(&Script::new(code.clone()), &options, None);
            let kinds: Vec<_> = explored.findings.iter().map(|finding| finding.kind).collect();
            assert_eq!(kinds, [FindingKind::NoTermination], "{place} {model:?} {awaiting}");
        }
    }
}
