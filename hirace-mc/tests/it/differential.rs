//! Differential tests with random small programs: the explored executions are those that the axioms allow, each once.
//!
//! The ci tier compares more programs, and the full tier compares all of them, which takes about ten minutes on two
//! cores.

use crate::brute::{self, Found, Key};
use crate::script::{Flavor, Random, Script, random};
use hirace_mc::explore::{
    Execution, Exploration, FindingKind, Options, Outcome, Reductions, explore,
};
use hirace_mc::model::Model;
use hirace_testing::{Tier, options};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// The maximum number of candidates to enumerate.
const MAX_CANDIDATES: u64 = 4_000;

pub fn key<S>(execution: &Execution<S>) -> Key {
    let reads = execution
        .events
        .iter()
        .map(|events| events.iter().filter_map(|event| event.read).collect());
    let coherence = execution.coherence.iter().filter(|(_, writes)| !writes.is_empty());
    (reads.collect(), coherence.map(|(location, writes)| (location.0, writes.clone())).collect())
}

/// Returns all executions in the order of their visits, and the result of the exploration.
pub fn explored(
    script: &Script,
    options: &Options<'_>,
) -> (Vec<Key>, Exploration<crate::script::State>) {
    let seen = Mutex::new(Vec::new());
    let visit = |execution: &Execution<_>| {
        seen.lock().expect("no visitor panics").push(key(execution));
        ControlFlow::Continue(())
    };
    let explored = explore(script, options, Some(&visit));
    (seen.into_inner().expect("no visitor panics"), explored)
}

fn sites<S>(explored: &Exploration<S>, kind: FindingKind) -> Vec<Vec<u32>> {
    let of = explored.findings.iter().filter(|finding| finding.kind == kind);
    let mut sites: Vec<Vec<u32>> = of.map(|finding| finding.sites.clone()).collect();
    sites.iter_mut().for_each(|sites| sites.sort_unstable());
    sites.sort_unstable();
    sites
}

fn compare(script: &Script, model: Model, expected: &Found, abandoned: &mut u64) {
    let mut options = Options::new(model);
    options.reductions = Reductions::NONE;
    let (mut keys, explored) = explored(script, &options);
    assert_eq!(explored.outcome, Outcome::Complete, "{script:?}");
    assert_eq!(explored.executions + explored.blocked, keys.len() as u64);
    *abandoned += explored.abandoned;
    keys.sort();
    let count = keys.len();
    keys.dedup();
    assert_eq!(count, keys.len(), "an execution was explored twice: {script:?}");
    let missing: Vec<_> = expected.executions.iter().filter(|key| !keys.contains(key)).collect();
    let extra: Vec<_> = keys.iter().filter(|key| !expected.executions.contains(*key)).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "missing {missing:?}\nextra {extra:?}\n{script:?}"
    );
    let pairs = |set: &std::collections::BTreeSet<[u32; 2]>| {
        set.iter().map(|pair| pair.to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(sites(&explored, FindingKind::DataRace), pairs(&expected.data_races), "{script:?}");
    assert_eq!(
        sites(&explored, FindingKind::HeterogeneousRace),
        pairs(&expected.heterogeneous_races),
        "{script:?}"
    );
    let failures: Vec<Vec<u32>> = expected.failures.iter().map(|&site| vec![site]).collect();
    assert_eq!(sites(&explored, FindingKind::Assertion), failures, "{script:?}");
}

/// Checks that the exploration of a program agrees with the enumeration of all candidates.
pub fn check_agreement(script: &Script, model: Model) {
    let expected = brute::enumerate(script, model, MAX_CANDIDATES).expect("few candidates");
    assert!(expected.executions.len() > 1, "the program has choices");
    compare(script, model, &expected, &mut 0);
}

fn compare_random_programs(model: Model, flavor: Flavor, programs: u64) {
    let (mut seed, mut compared, mut executions, mut abandoned) = (0, 0, 0, 0);
    while compared < programs {
        seed += 1;
        let script = random(&mut Random(seed), flavor);
        let Some(expected) = brute::enumerate(&script, model, MAX_CANDIDATES) else { continue };
        executions += expected.executions.len();
        compare(&script, model, &expected, &mut abandoned);
        compared += 1;
    }
    assert!(executions as u64 > programs, "programs have choices");
    println!("{model:?}: {programs} programs, {executions} executions, {abandoned} abandoned");
}

/// Returns how many of `all` programs this tier compares: `few` in the quick tier.
pub fn sample(all: u64, few: u64) -> u64 {
    match options().tier {
        Tier::Quick => few,
        Tier::Ci => (all / 40).max(few),
        Tier::Full => all,
    }
}

#[test]
fn exploration_of_scoped_rc11_agrees_with_its_axioms() {
    compare_random_programs(Model::ScopedRc11, Flavor::Ordered, sample(5_000, 50));
}

#[test]
fn exploration_of_sc_agrees_with_its_axioms() {
    compare_random_programs(Model::Sc, Flavor::Ordered, sample(5_000, 50));
}

#[test]
fn exploration_of_wgsl_agrees_with_its_axioms() {
    compare_random_programs(Model::Wgsl, Flavor::Relaxed, sample(5_000, 50));
}

#[test]
fn several_threads_find_the_same_as_one() {
    let mut executions = 0;
    for seed in 0..sample(1_000, 40) {
        let (model, flavor) = match seed % 3 {
            0 => (Model::ScopedRc11, Flavor::Ordered),
            1 => (Model::Sc, Flavor::Ordered),
            _ => (Model::Wgsl, Flavor::Relaxed),
        };
        let script = random(&mut Random(seed), flavor);
        let mut options = Options::new(model);
        options.reductions = Reductions::NONE;
        let (mut one, alone) = explored(&script, &options);
        options.threads = 3;
        let (mut several, together) = explored(&script, &options);
        one.sort();
        several.sort();
        assert_eq!(one, several, "{script:?}");
        assert_eq!(alone.abandoned, together.abandoned, "{script:?}");
        for kind in [FindingKind::DataRace, FindingKind::HeterogeneousRace, FindingKind::Assertion]
        {
            assert_eq!(sites(&alone, kind), sites(&together, kind), "{script:?}");
        }
        executions += one.len();
    }
    assert!(executions > 100, "programs have choices");
}
