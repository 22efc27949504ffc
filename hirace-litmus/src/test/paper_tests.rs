//! Compares the 52 tests of MC Mutants with the versions of its authors.
//!
//! The authors' classifiers of some conformance tests leave out outcomes that the model forbids; ours include them. For
//! mutants, the two conditions may differ only in outcomes that the model forbids, which no conforming device shows.

use super::{Action, Class, Condition, Kind, Mutator, Outcome, Space, Specification, Test, all};
use std::collections::BTreeSet;

/// A test in the authors' notation: S stores, L loads, X exchanges, R0 adds 0, F is a fence.
struct PaperTest {
    name: &'static str,
    threads: &'static str,
    /// Whether `y` is the same location as `x`.
    aliased: bool,
    /// The condition on registers and locations.
    weak: fn(&[u32], &[u32]) -> bool,
}

const fn one(
    name: &'static str,
    threads: &'static str,
    weak: fn(&[u32], &[u32]) -> bool,
) -> PaperTest {
    PaperTest { name, threads, aliased: true, weak }
}

const fn two(
    name: &'static str,
    threads: &'static str,
    weak: fn(&[u32], &[u32]) -> bool,
) -> PaperTest {
    PaperTest { name, threads, aliased: false, weak }
}

const REVERSING: [PaperTest; 16] = [
    one("rr", "S(x,1) || r0=L(x); r1=L(y)", |r, _| r == [1, 0]),
    one("rr-reversed", "S(x,1) || r1=L(x); r0=L(y)", |r, _| r == [1, 0]),
    one("rr-rmw", "X(x,1) || r0=L(x); r1=R0(y)", |r, _| r == [1, 0]),
    one("rr-rmw-reversed", "X(x,1) || r1=L(x); r0=R0(y)", |r, _| r == [1, 0]),
    one("rw", "r0=L(x); S(y,1) || S(x,2)", |r, m| r == [2] && m == [2]),
    one("rw-reversed", "S(x,1); r0=L(y) || S(x,2)", |r, _| r != [1]),
    one("rw-rmw", "r0=L(x); S(y,1) || X(x,2)", |r, m| r == [2] && m == [2]),
    one("rw-rmw-reversed", "S(x,1); r0=L(y) || X(x,2)", |r, _| r != [1]),
    one("wr", "S(x,1); r0=L(y) || S(x,2)", |r, m| r == [2] && m == [1]),
    one("wr-reversed", "r0=L(x); S(y,1) || S(x,2)", |r, m| {
        (r[0], m[0]) != (0, 2) && (r[0], m[0]) != (2, 1)
    }),
    one("wr-rmw", "S(x,1); r0=L(y) || X(x,2)", |r, m| r == [2] && m == [1]),
    one("wr-rmw-reversed", "r0=L(x); S(y,1) || X(x,2)", |r, m| {
        (r[0], m[0]) != (0, 2) && (r[0], m[0]) != (2, 1)
    }),
    one("ww", "S(x,1); S(y,2) || S(x,3) || r0=L(x); r1=L(y)", |r, m| r == [2, 3] && m == [1]),
    one("ww-reversed", "S(x,2); S(y,1) || S(x,3) || r0=L(x); r1=L(y)", |r, m| {
        r == [2, 3] && m == [1]
    }),
    one("ww-rmw", "X(x,1); S(y,2) || X(x,3) || r0=L(x); r1=R0(y)", |r, m| r == [2, 3] && m == [1]),
    one("ww-rmw-reversed", "X(x,2); S(y,1) || X(x,3) || r0=L(x); r1=R0(y)", |r, m| {
        r == [2, 3] && m == [1]
    }),
];

const MP: &str = "S(x,1); S(y,2) || r0=L(y); r1=L(x)";
const LB: &str = "r0=L(y); S(x,1) || r1=L(x); S(y,2)";
const S: &str = "S(x,2); S(y,1) || r0=L(y); S(x,3)";
const R: &str = "S(x,1); S(y,2) || S(y,3); r0=L(x)";
const SB: &str = "S(x,1); r0=L(y) || S(y,2); r1=L(x)";
const W: &str = "S(x,2); S(y,1) || S(y,3); S(x,4)";

const WEAKENING: [PaperTest; 12] = [
    one("mp-one-location", MP, |r, _| [[1, 0], [2, 0], [2, 1]].contains(&[r[0], r[1]])),
    two("mp-two-locations", MP, |r, _| r == [2, 0]),
    one("lb-one-location", LB, |r, _| {
        [[2, 1], [1, 0], [0, 2], [1, 1], [1, 2], [2, 2]].contains(&[r[0], r[1]])
    }),
    two("lb-two-locations", LB, |r, _| r == [2, 1]),
    one("s-one-location", S, |r, m| r == [1] && m[0] == 2),
    two("s-two-locations", S, |r, m| r == [1] && m[0] == 2),
    one("r-one-location", R, |r, _| r == [0]),
    two("r-two-locations", R, |r, m| r == [0] && m[1] == 3),
    one("sb-one-location", SB, |r, _| ![[1, 2], [1, 1], [2, 2]].contains(&[r[0], r[1]])),
    two("sb-two-locations", SB, |r, _| r == [0, 0]),
    one("2+2w-one-location", W, |_, m| m != [4] && m != [1]),
    two("2+2w-two-locations", W, |_, m| m == [2, 3]),
];

const MP_F: &str = "S(x,1); F; S(y,1) || r0=L(y); F; r1=L(x)";
const LB_F: &str = "r0=L(y); F; S(x,1) || r1=L(x); F; S(y,1)";
const S_F: &str = "S(x,2); F; S(y,1) || r0=L(y); F; S(x,1)";
const R_F: &str = "S(x,1); F; X(y,1) || X(y,2); F; r0=L(x)";
const SB_F: &str = "S(x,1); F; r0=R0(y) || X(y,1); F; r1=L(x)";
const W_F: &str = "S(x,2); F; X(y,1) || X(y,2); F; S(x,1)";

/// The conformance tests. Each has three mutants, which lack the fence of one thread or of both.
const FENCED: [PaperTest; 6] = [
    two("mp", MP_F, |r, _| r == [1, 0]),
    two("lb", LB_F, |r, _| r == [1, 1]),
    two("s", S_F, |r, m| r == [1] && m[0] == 2),
    two("r-rmw", R_F, |r, m| r == [0] && m[1] == 2),
    two("sb-rmw", SB_F, |r, _| r == [0, 0]),
    two("2+2w-rmw", W_F, |_, m| m == [2, 2]),
];

/// The fences that a test of [`FENCED`] has, by the suffix of its name.
const FENCES: [(&str, [bool; 2]); 4] = [
    ("fences", [true, true]),
    ("no-fence", [false, false]),
    ("fence-0", [true, false]),
    ("fence-1", [false, true]),
];

fn threads(written: &PaperTest, fences: [bool; 2]) -> Vec<Vec<Action>> {
    let threads = written.threads.split("||").enumerate().map(|(thread, text)| {
        let kept = |action: &&str| *action != "F" || fences[thread];
        text.split(';')
            .map(str::trim)
            .filter(kept)
            .map(|one| action(one, written.aliased))
            .collect()
    });
    threads.collect()
}

fn action(text: &str, aliased: bool) -> Action {
    let location = u8::from(text.contains('y') && !aliased);
    let number = |text: &str| text.parse().expect("a number");
    match text.split(['(', ',', ')', '=']).collect::<Vec<_>>()[..] {
        ["F"] => Action::Fence,
        ["S", _, value, ""] => Action::Write { location, value: number(value), update: false },
        ["X", _, value, ""] => Action::Write { location, value: number(value), update: true },
        [register, what, _, ""] => {
            Action::Read { location, register: number(&register[1..]), update: what == "R0" }
        }
        _ => panic!("no action: {text}"),
    }
}

fn named(name: &str) -> Test {
    all().into_iter().find(|test| test.name == name).unwrap_or_else(|| panic!("no test {name}"))
}

fn outcomes(test: &Test, holds: impl Fn(&Outcome) -> bool) -> BTreeSet<Outcome> {
    let space = Space::of(test);
    let outcomes = (0..space.counters()).filter_map(|counter| space.outcome(counter));
    outcomes.filter(holds).collect()
}

fn forbidden(test: &Test, by: Specification) -> BTreeSet<Outcome> {
    let allowed = by.allowed(test);
    outcomes(test, |outcome| !allowed.contains(outcome))
}

fn hold(test: &Test, written: &PaperTest, fences: [bool; 2]) {
    assert_eq!(test.threads, threads(written, fences), "{}", test.name);
    let ours = outcomes(test, |outcome| test.condition.holds(outcome));
    let theirs = outcomes(test, |outcome| (written.weak)(&outcome.registers, &outcome.memory));
    assert!(!ours.is_empty() && !theirs.is_empty(), "{}", test.name);
    let by = Specification::Wgsl2022;
    match test.kind {
        Kind::Conformance => {
            let forbidden = forbidden(test, by);
            assert!(ours.is_subset(&forbidden), "{}", test.name);
            assert!(theirs.is_subset(&forbidden), "{}", test.name);
            assert!(theirs.is_subset(&ours), "{}", test.name);
        }
        Kind::Mutant { .. } => {
            let allowed = by.allowed(test);
            assert_eq!(&ours & &allowed, &theirs & &allowed, "{}", test.name);
        }
        Kind::Observation => panic!("{} is an observation", test.name),
    }
}

#[test]
fn all_are_as_their_authors_write_them() {
    let mut names = BTreeSet::new();
    for written in REVERSING.iter().chain(&WEAKENING) {
        hold(&named(written.name), written, [true; 2]);
        names.insert(written.name.to_owned());
    }
    for written in &FENCED {
        for (end, fences) in FENCES {
            let name = format!("{}-{end}", written.name);
            hold(&named(&name), written, fences);
            names.insert(name);
        }
    }
    let made: BTreeSet<String> =
        all().into_iter().filter(|test| test.mutator.is_some()).map(|test| test.name).collect();
    assert_eq!(names, made);
    assert_eq!(names.len(), 52);
}

#[test]
fn each_mutator_has_as_many_tests_as_the_paper_says() {
    let count = |mutator, mutants: bool| {
        let is_one = |test: &Test| {
            test.mutator == Some(mutator) && mutants == matches!(test.kind, Kind::Mutant { .. })
        };
        all().into_iter().filter(is_one).count()
    };
    let counts = [Mutator::ReversingPoLoc, Mutator::WeakeningPoLoc, Mutator::WeakeningSw]
        .map(|mutator| (count(mutator, false), count(mutator, true)));
    assert_eq!(counts, [(8, 8), (6, 6), (6, 18)]);
}

/// An interleaving kills the mutants that reverse the program order of one location, so the device need not reorder
/// accesses. Weak outcomes kill the other mutants.
#[test]
fn mutants_look_for_what_the_paper_says() {
    for test in all() {
        let (Kind::Mutant { of }, Some(mutator)) = (&test.kind, test.mutator) else { continue };
        assert_eq!(named(of).kind, Kind::Conformance, "{}", test.name);
        let space = Space::of(&test);
        let classes = Specification::Today.classify(&test).into_iter().enumerate();
        let sought: BTreeSet<Class> = classes
            .filter_map(|(counter, class)| {
                test.condition.holds(&space.outcome(counter)?).then_some(class)
            })
            .filter(|class| *class != Class::Forbidden)
            .collect();
        let expected = match mutator {
            Mutator::ReversingPoLoc => Class::Interleaved,
            Mutator::WeakeningPoLoc | Mutator::WeakeningSw => Class::Weak,
        };
        assert_eq!(sought, BTreeSet::from([expected]), "{}", test.name);
    }
}

/// The conditions of conformance tests with one location match all forbidden outcomes.
#[test]
fn conformance_tests_look_for_all_that_is_forbidden_where_the_cycle_has_one_location() {
    for test in all().iter().filter(|test| test.mutator == Some(Mutator::WeakeningPoLoc)) {
        if test.kind == Kind::Conformance {
            let ours = outcomes(test, |outcome| test.condition.holds(outcome));
            assert_eq!(ours, forbidden(test, Specification::Today), "{}", test.name);
            assert!(matches!(test.condition, Condition::Not(_)));
        }
    }
}
