//! Tests that the text of a run reproduces it, and tests shrinking.

use super::bugs::BUGS;
use super::{Small, options};
use crate::vm::interleave::{
    Choices, Chooser, EnabledUnits, Interleaving, Unit, interleavings, shrink,
};
use crate::vm::observer::NoObserver;
use crate::vm::order::Order;
use crate::vm::run::Options;
use crate::vm::schedule::Limits;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[test]
fn the_same_text_is_the_same_run_and_its_choices_are_too() {
    for bug in BUGS {
        let small = bug.small();
        let mut stepper = small.stepper();
        let mut different = BTreeSet::new();
        for seed in 0..40 {
            let orders = [Interleaving::random(seed), Interleaving::pct(seed, 3, bug.most_steps())];
            for order in orders {
                let parsed: Interleaving = order.to_string().parse().unwrap();
                let (first, left) = small.run(&mut stepper, &mut *order.chooser());
                let (second, same) = small.run(&mut stepper, &mut *parsed.chooser());
                assert_eq!((&first.choices, &left), (&second.choices, &same), "{order}");
                let replay = Interleaving::choices(first.choices.clone());
                let (third, same) = small.run(&mut stepper, &mut *replay.chooser());
                assert_eq!((&first.choices, &left), (&third.choices, &same), "{replay}");
                assert_eq!(first.steps, third.steps);
                different.insert(replay.to_string());
            }
        }
        let all = interleavings(bug.steps).min(3) as usize;
        assert!(different.len() >= all, "{}: {different:?}", bug.name);
    }
}

#[test]
fn no_choices_are_the_default_order() {
    let append = "let at = m[0]; m[0] = at + 1u; m[at + 1u] = u;";
    let small = Small::of_text(&format!("fn all(u: u32) {{ {append} }}"), 4, 1, &[0; 5]);
    let mut stepper = small.stepper();
    let default = Interleaving::choices(Choices::default());
    let (stepped, words) = small.run(&mut stepper, &mut *default.chooser());
    assert_eq!(words, [4, 0, 1, 2, 3], "each runs to its end, the lowest first");
    assert!(stepped.choices.is_empty());
    assert_eq!(stepped.steps, [3; 4]);
    // The third enabled unit starts, followed by the others; a choice that exceeds their number means the
    // last one.
    for (text, order) in [("choices:2", [2, 0, 1, 3]), ("choices:99", [3, 0, 1, 2])] {
        let order_of: Interleaving = text.parse().unwrap();
        let (_, words) = small.run(&mut stepper, &mut *order_of.chooser());
        assert_eq!(words[1..], order, "{text}");
    }
}

#[test]
fn the_default_order_is_the_serial_one() {
    for bug in BUGS {
        let small = bug.small();
        let default = Interleaving::choices(Choices::default());
        let (_, words) = small.run(&mut small.stepper(), &mut *default.chooser());
        let run = small.kernel.run(&small.options);
        assert!(run.is_complete());
        assert_eq!(words, small.kernel.result("m"), "{}", bug.name);
    }
}

/// A chooser that returns a unit that cannot do a step.
struct InvalidChooser;

impl Chooser for InvalidChooser {
    fn next(&mut self, _: &EnabledUnits) -> Unit {
        Unit(u32::MAX)
    }
}

#[test]
fn choosing_no_enabled_unit_continues_the_default_order() {
    let small = Small::new(&["m[0] = 1u; m[1] = 1u;", "m[0] = 2u; m[1] = 2u;"], 1, &[0; 2]);
    let (stepped, words) = small.run(&mut small.stepper(), &mut InvalidChooser);
    assert!(stepped.choices.is_empty() && words == [2, 2]);
}

#[test]
fn a_run_in_steps_can_be_stopped() {
    let small = Small::new(&["loop { m[0] = m[0] + 1u; if (m[0] == 0u) { break; } }"], 1, &[0]);
    let stop = AtomicBool::new(true);
    let options = Options { stop: Some(&stop), ..small.options };
    let order: Order = "random:1".parse().unwrap();
    let run = |options: &Options<'_>| {
        order.run(&small.code, &small.kernel.resources, options, &NoObserver).unwrap().run
    };
    assert!(run(&options).stopped);
    let timeout = Some(Duration::from_millis(10));
    let limits = Limits { timeout, steps: u64::MAX, ..small.options.limits };
    assert!(run(&Options { limits, ..small.options }).stopped);
    let limits = Limits { total: 10_000, steps: u64::MAX, ..small.options.limits };
    assert!(run(&Options { limits, ..small.options }).reached_total_limit);
}

#[test]
fn random_steps_come_in_all_orders() {
    let small = Small::new(&["m[0] = 1u; m[1] = 1u;", "m[0] = 2u; m[1] = 2u;"], 1, &[0; 2]);
    let mut stepper = small.stepper();
    let mut seen = HashSet::new();
    for seed in 0..100 {
        let order = Interleaving::random(seed);
        seen.insert(small.run(&mut stepper, &mut *order.chooser()).0.choices);
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

/// Starts from a random run that shows the deepest bug.
#[test]
fn a_run_that_fails_is_shrunk_to_one_that_hardly_leaves_the_default_order() {
    let bug = BUGS.iter().find(|bug| bug.name.starts_with("two updates")).unwrap();
    let small = bug.small();
    let mut stepper = small.stepper();
    let mut choices_of = |order: Interleaving| {
        let (stepped, words) = small.run(&mut stepper, &mut *order.chooser());
        (bug.shows)(&words).then_some(stepped.choices)
    };
    let failing: Vec<Choices> =
        (0..200).filter_map(|seed| choices_of(Interleaving::random(seed))).collect();
    let longest = failing.iter().max_by_key(|choices| choices.departures()).unwrap();
    let mut fails =
        |choices: &Choices| choices_of(Interleaving::choices(choices.clone())).is_some();
    assert!(fails(longest) && longest.departures() > 3, "{longest}");
    let shrunk = shrink(longest, 1_000, &mut fails);
    assert!(shrunk.done && fails(&shrunk.choices));
    assert!(shrunk.choices.len() < longest.len(), "{} of {longest}", shrunk.choices);
    // After the first read of one unit, and after the second read of the other.
    assert_eq!(shrunk.choices.departures(), 2, "{}", shrunk.choices);
    assert_eq!(shrink(longest, 1_000, &mut fails), shrunk);
}

#[test]
fn an_order_leaves_memory_as_its_run_did() {
    for (text, expected) in
        [("serial", 2), ("choices:0", 2), ("choices:0,1", 1), ("occupancy:1", 2)]
    {
        let small = Small::new(&["m[0] = m[0] + 1u;", "m[0] = m[0] + 1u;"], 1, &[0]);
        let order: Order = text.parse().unwrap();
        let resources = &small.kernel.resources;
        let done = order.run(&small.code, resources, &small.options, &NoObserver).unwrap();
        assert_eq!(small.kernel.result("m"), [expected], "{text}");
        assert!(done.run.is_complete() && done.run.serial);
        let choices = done.choices.map(|choices| format!("choices:{choices}"));
        assert_eq!(choices.is_some(), text.starts_with("choices"));
        assert!(choices.is_none_or(|choices| choices == text));
    }
}

/// The results that a run collects equal those of whole subgroups in the same order.
#[test]
fn what_the_run_finds_by_itself_is_found_in_steps_too() {
    let text = "fn all(u: u32) { m[u] = m[u + 1u]; if (u > 1u) { m[0] = u; } }";
    let small = Small::of_text(text, 4, 1, &[5; 4]);
    let plain = small.kernel.run(&Options { workgroups: [4, 1, 1], subgroup_size: 1, ..options() });
    let stepped = small.stepper().run(&mut *Interleaving::random(3).chooser(), &NoObserver).run;
    assert_eq!(stepped.executed, plain.executed);
    let indices = |run: &crate::vm::run::Run| {
        run.out_of_bounds.iter().map(|found| (found.site, found.index)).collect::<Vec<_>>()
    };
    assert_eq!((indices(&stepped), indices(&plain).len()), (indices(&plain), 1));
}

#[test]
fn more_invocations_than_can_be_stepped_are_refused() {
    let small = Small::of_text("fn all(u: u32) { m[u] = u; }", 256, 256, &[0; 4]);
    let options = Options { workgroups: [65_535, 65_535, 1], ..small.options };
    let order: Order = "random:1".parse().unwrap();
    let error = order.run(&small.code, &small.kernel.resources, &options, &NoObserver).unwrap_err();
    assert!(error.to_string().contains("too many"), "{error}");
}
