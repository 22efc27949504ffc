use super::*;
use crate::environment::{Layout, Parameters, Permutation, Preset};
use crate::run::{Plan, RunResult, run};
use crate::test::{self, Class, Kind, Specification, Test};
use std::collections::BTreeSet;

const STRONG: &str = "strong";
/// So weak that a few dispatches show it.
const WEAK: &str = "relaxed,quiet=0.3,busy=0.3,longest=20";

/// Few workgroups, and all kinds of stress.
fn stress() -> Parameters {
    Parameters {
        testing_workgroups: 5,
        max_workgroups: 7,
        workgroup_size: 40,
        mem_stress_iterations: 20,
        pre_stress_iterations: 3,
        ..Preset::Stress.parameters()
    }
}

fn ran_in(
    spec: &str,
    test: &Test,
    layout: Layout,
    parameters: &Parameters,
    iterations: u32,
) -> RunResult {
    let mut device = SimulatedDevice::new(spec.parse().unwrap());
    let setup = Setup::new(test, layout, parameters, Permutation::DEFAULT, &device.about());
    let plan = Plan { iterations, time: None, seed: 1 };
    let ran = run(&mut device, &setup.unwrap(), &plan, &AtomicBool::new(false), |_| ());
    assert_eq!((ran.failure.as_ref(), ran.iterations), (None, iterations), "{}", test.name);
    ran
}

fn ran(spec: &str, test: &Test, iterations: u32) -> RunResult {
    ran_in(spec, test, Layout::Parallel, &stress(), iterations)
}

/// Returns the classes of the outcomes that occurred.
fn classes(ran: &RunResult, test: &Test, by: Specification) -> BTreeSet<Class> {
    let counted = by.classify(test).into_iter().zip(&ran.counts.outcomes);
    let classes: BTreeSet<Class> =
        counted.filter(|(_, count)| **count > 0).map(|(class, _)| class).collect();
    assert!(!classes.is_empty());
    classes
}

fn named(name: &str) -> Test {
    test::all().into_iter().find(|test| test.name == name).expect(name)
}

#[test]
fn a_strong_device_interleaves_and_is_never_weak() {
    let mut seen = BTreeSet::new();
    for test in test::all() {
        for layout in [Layout::Parallel, Layout::Single] {
            let ran = ran_in(STRONG, &test, layout, &stress(), 4);
            let classes = classes(&ran, &test, Specification::Today);
            assert!(
                classes.is_subset(&BTreeSet::from([Class::Sequential, Class::Interleaved])),
                "{}: {classes:?}",
                test.name
            );
            seen.extend(classes);
        }
    }
    assert!(seen.contains(&Class::Interleaved));
}

fn is_kept(ran: &RunResult, test: &Test) {
    for by in [Specification::Today, Specification::Wgsl2022] {
        let classes = classes(ran, test, by);
        let wrong = [Class::Forbidden, Class::Other].map(|class| classes.contains(&class));
        assert_eq!(wrong, [false; 2], "{} by {}: {classes:?}", test.name, by.name());
    }
}

/// The specification enumerates executions and is independent of this memory.
#[test]
fn what_a_weak_device_without_fault_shows_is_allowed() {
    let mut weak = BTreeSet::new();
    for test in test::all() {
        for layout in [Layout::Parallel, Layout::Single] {
            let ran = ran_in(WEAK, &test, layout, &stress(), 6);
            is_kept(&ran, &test);
            if classes(&ran, &test, Specification::Today).contains(&Class::Weak) {
                weak.insert(test.name.clone());
            }
        }
    }
    assert!(weak.len() > 30, "{weak:?}");
}

#[test]
fn what_it_shows_of_random_tests_is_allowed() {
    let mut source = Random::new(5);
    let (mut weak, mut can_be_weak) = (0, 0);
    for _ in 0..200 {
        let test = test::judge::random(&mut source);
        if stress().suit(&test).is_err() {
            continue;
        }
        let ran = ran(WEAK, &test, 6);
        is_kept(&ran, &test);
        let by = Specification::Today;
        weak += u32::from(classes(&ran, &test, by).contains(&Class::Weak));
        can_be_weak += u32::from(by.classify(&test).contains(&Class::Weak));
    }
    assert!(5 * weak > can_be_weak && weak > 3, "{weak} of {can_be_weak}");
}

/// Weak devices delay loads, stores, and the accesses of both threads.
#[test]
fn a_weak_device_kills_all_mutants_and_a_strong_one_those_that_interleave() {
    let mutants = test::all().into_iter().filter(|test| matches!(test.kind, Kind::Mutant { .. }));
    for test in mutants {
        let killed = |spec| ran(spec, &test, 8).counts.found(&test) > 0;
        let by_order = test.mutator == Some(test::Mutator::ReversingPoLoc);
        assert_eq!((killed(WEAK), killed(STRONG)), (true, by_order), "{}", test.name);
    }
}

/// Returns the conformance tests of the paper that find the fault of a device if it occurs wherever possible.
fn found_by(name: &str) -> BTreeSet<String> {
    let spec = format!("{name},quiet=0.3,busy=0.3,longest=20,strength=1,half=1");
    let fails = |test: &Test| {
        let wrong = [Class::Forbidden, Class::Other];
        let classes = classes(&ran(&spec, test, 40), test, Specification::Wgsl2022);
        wrong.iter().any(|class| classes.contains(class))
    };
    let conformance = test::all()
        .into_iter()
        .filter(|test| test.mutator.is_some() && test.kind == Kind::Conformance);
    conformance.filter(|test| fails(test)).map(|test| test.name).collect()
}

fn names(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(|name| (*name).to_owned()).collect()
}

/// The third thread of `ww` reads twice.
#[test]
fn reads_that_are_stale_are_found_where_a_thread_reads_twice() {
    assert_eq!(found_by("corr"), names(&["mp-one-location", "rr", "ww"]));
}

#[test]
fn barriers_that_leak_are_found_where_fences_order() {
    let fenced = ["2+2w-rmw", "lb", "mp", "r-rmw", "s", "sb-rmw"];
    let fenced = fenced.map(|name| format!("{name}-fences"));
    assert_eq!(found_by("mp-relacq"), BTreeSet::from(fenced));
}

#[test]
fn stores_that_overtake_are_found_where_a_thread_writes_twice() {
    let twice = ["2+2w-one-location", "mp-one-location", "r-one-location", "s-one-location", "ww"];
    assert_eq!(found_by("mp-co"), names(&twice));
}

#[test]
fn a_seed_decides_what_is_left_to_chance() {
    let test = named("mp-two-locations");
    let outcomes = |spec: &str| ran(spec, &test, 3).counts.outcomes;
    let one = outcomes("relaxed,busy=0.5,seed=1");
    assert_eq!(one, outcomes("relaxed,busy=0.5,seed=1"));
    assert_ne!(one, outcomes("relaxed,busy=0.5,seed=2"));
}

/// With one instance, the only other accesses are those of the stress.
#[test]
fn stress_makes_a_single_instance_weak() {
    let test = named("mp-two-locations");
    let stressed = Parameters {
        workgroup_size: 2,
        max_workgroups: 40,
        mem_stress_iterations: 1000,
        stress_target_lines: 16,
        ..stress()
    };
    let calm = Parameters { mem_stress_pct: 0, pre_stress_pct: 0, ..stressed.clone() };
    let found = |parameters: &Parameters| {
        let spec = "relaxed,quiet=0,busy=0.5,half=100";
        ran_in(spec, &test, Layout::Single, parameters, 1500).counts.found(&test)
    };
    let (calm, stressed) = (found(&calm), found(&stressed));
    assert!(stressed > 5 * calm + 5, "{calm} and {stressed}");
}

#[test]
fn a_device_that_is_told_to_stop_does() {
    let test = named("rr");
    let parameters = stress();
    let mut device = SimulatedDevice::new("relaxed".parse().unwrap());
    let about = device.about();
    let setup =
        Setup::new(&test, Layout::Parallel, &parameters, Permutation::DEFAULT, &about).unwrap();
    let mut ready = device.ready(&setup).unwrap();
    let iteration = Iteration::draw(&mut Random::new(1), &setup);
    let stopped = device.iterate(&mut ready, &iteration, &mut [0; 100], &AtomicBool::new(true));
    assert_eq!(stopped, Err(Failure::Stopped));
}
