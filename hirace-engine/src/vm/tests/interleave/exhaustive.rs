//! Tests the enumeration of all interleavings: it finds each exactly once, and every bug.

use super::Small;
use super::bugs::BUGS;
use crate::vm::interleave::{Choices, Exhaustive, Interleaving};
use std::collections::{BTreeMap, BTreeSet};

/// A search with a greater bound is not run here.
const FITS: u128 = 40_000;

/// Returns all runs of a search in order: the choices of each, and its final words.
pub fn all(small: &Small, steps: &[u64]) -> Vec<(Choices, Vec<u32>)> {
    let mut search = Exhaustive::new(steps.to_vec());
    let bound = search.bound();
    let mut stepper = small.stepper();
    let mut runs = Vec::new();
    while search.advance() {
        let (stepped, words) = small.run(&mut stepper, &mut search);
        assert!(!stepped.cut_short, "{}", stepped.choices);
        runs.push((stepped.choices, words));
        assert!(runs.len() as u128 <= bound, "{bound} were said");
    }
    let different: BTreeSet<String> = runs.iter().map(|(choices, _)| choices.to_string()).collect();
    assert_eq!(different.len(), runs.len(), "each has a text of its own");
    runs
}

#[test]
fn every_bug_that_fits_is_found_and_each_run_can_be_had_by_its_text() {
    let mut searched = 0;
    for bug in BUGS {
        if Exhaustive::new(bug.steps.to_vec()).bound() > FITS {
            continue;
        }
        searched += 1;
        let small = bug.small();
        let runs = all(&small, bug.steps);
        assert!(runs.iter().any(|(_, words)| (bug.shows)(words)), "{}", bug.name);
        assert!(runs.iter().any(|(_, words)| !(bug.shows)(words)), "{}", bug.name);
        let mut stepper = small.stepper();
        for (choices, words) in runs.iter().step_by(runs.len() / 50 + 1) {
            let text = Interleaving::choices(choices.clone()).to_string();
            let replay: Interleaving = text.parse().unwrap();
            assert_eq!(small.run(&mut stepper, &mut *replay.chooser()).1, *words, "{text}");
        }
        assert_eq!(all(&small, bug.steps), runs, "the order is always the same");
    }
    assert!(searched >= 18, "{searched}");
}

/// If units neither wait nor branch, the number of interleavings equals the bound.
#[test]
fn units_that_always_do_all_their_steps_meet_the_bound() {
    for (units, steps) in [
        (&["m[0] = 1u;", "m[1] = 2u;"][..], &[1, 1][..]),
        (&["m[0] = m[0] + 1u;", "m[0] = m[0] + 1u;"], &[2, 2]),
        (
            &["m[0] = 1u; m[1] = 1u; m[2] = 1u;", "m[0] = 2u; m[1] = 2u;", "m[2] = m[1];"],
            &[3, 2, 2],
        ),
    ] {
        let small = Small::new(units, 1, &[0; 3]);
        assert_eq!(all(&small, steps).len() as u128, Exhaustive::new(steps.to_vec()).bound());
    }
}

/// Invocations of one workgroup at a barrier: steps before it never mix with steps after it.
#[test]
fn a_barrier_parts_what_can_be_interleaved() {
    let text = "var<workgroup> tile: array<u32, 2>;
        fn all(u: u32) { tile[u] = u + 1u; workgroupBarrier(); m[u] = tile[1u - u]; }";
    let small = Small::of_text(text, 2, 2, &[0; 2]);
    let runs = all(&small, &[3, 3]);
    // Two orders of the writes, times six interleavings of two units with two steps.
    assert_eq!(runs.len(), 12);
    assert!(runs.iter().all(|(_, words)| *words == [2, 1]));
}

#[test]
fn units_that_need_more_steps_are_held_back_and_the_run_says_so() {
    let small = Small::new(&["m[0] = 1u; m[0] = 2u; m[0] = 3u;", "m[1] = 1u;"], 1, &[0; 2]);
    let mut search = Exhaustive::new(vec![2, 1]);
    let mut stepper = small.stepper();
    let mut lasts = BTreeMap::<u32, u32>::new();
    let mut runs = 0;
    while search.advance() {
        let (stepped, words) = small.run(&mut stepper, &mut search);
        assert!(stepped.cut_short && stepped.steps == [2, 1] && stepped.run.no_progress.is_none());
        *lasts.entry(words[0]).or_default() += 1;
        runs += 1;
    }
    assert_eq!((runs, search.bound()), (3, 3));
    assert_eq!(lasts, BTreeMap::from([(2, 3)]));
}
