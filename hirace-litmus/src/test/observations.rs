//! The tests in addition to those of MC Mutants: those of the WebGPU conformance tests, and further common litmus
//! tests.
//!
//! | name suffix | threads | memory |
//! | --- | --- | --- |
//! | none | each in its own workgroup | storage |
//! | `-intra-storage` | in one workgroup | storage |
//! | `-intra-workgroup` | in one workgroup | workgroup memory |
//!
//! The specification decides whether one of them is a conformance test: it is if some version forbids its condition.

use super::cycle::{AccessKind, TestBody, ValueNumbering};
use super::generate::{self, FOUR};
use super::{Action, Condition, Kind, Memory, Specification, Test, ThreadPlacement};
use Condition::{All, Register};

/// The placement of threads and locations.
#[derive(Clone, Copy)]
struct Place {
    suffix: &'static str,
    threads_in: ThreadPlacement,
    workgroup: bool,
}

const INTER: Place =
    Place { suffix: "", threads_in: ThreadPlacement::Workgroups, workgroup: false };

const INTRA: [Place; 2] = [
    Place { suffix: "-intra-storage", threads_in: ThreadPlacement::OneWorkgroup, workgroup: false },
    Place {
        suffix: "-intra-workgroup",
        threads_in: ThreadPlacement::OneWorkgroup,
        workgroup: true,
    },
];

const ALL_PLACES: [Place; 3] = [INTER, INTRA[0], INTRA[1]];

/// Returns all tests of this module.
pub(super) fn tests() -> Vec<Test> {
    let four = FOUR.into_iter().flat_map(|(name, does)| four(name, does));
    four.chain(coherence()).chain(atomicity()).chain(barriers()).chain(many()).collect()
}

/// Returns the tests of a cycle of four events: with read-modify-writes and fences in combinations that the 52 tests
/// lack, and within a workgroup.
fn four(name: &str, does: [AccessKind; 4]) -> Vec<Test> {
    let synchronizes = generate::synchronizes(does);
    let of = |update, fenced: bool| {
        generate::four(does, update, ValueNumbering::ByLocation, [fenced; 2])
    };
    let inner = [false, true, true, false];
    let mut tests = vec![
        atomic(format!("{name}-all-rmw-no-fence"), INTER, of([true; 4], false)),
        atomic(format!("{name}-all-rmw-fences"), INTER, of([true; 4], true)),
    ];
    if synchronizes {
        tests.push(atomic(format!("{name}-rmw-no-fence"), INTER, of(inner, false)));
        tests.push(atomic(format!("{name}-rmw-fences"), INTER, of(inner, true)));
    } else {
        tests.push(atomic(format!("{name}-fences"), INTER, of([false; 4], true)));
    }
    let (name, update) = match synchronizes {
        true => (name.to_owned(), [false; 4]),
        false => (format!("{name}-rmw"), inner),
    };
    for place in INTRA {
        for (what, fenced) in [("no-fence", false), ("fences", true)] {
            let name = format!("{name}-{what}{}", place.suffix);
            tests.push(atomic(name, place, of(update, fenced)));
        }
    }
    tests
}

/// Returns tests of accesses to one location, within a workgroup and by one thread.
fn coherence() -> Vec<Test> {
    let two = generate::tests()
        .into_iter()
        .filter(|test| ["rr", "rw", "wr", "ww"].contains(&test.name.as_str()));
    let mut tests = Vec::new();
    for test in two {
        for place in INTRA {
            let made =
                TestBody { threads: test.threads.clone(), condition: test.condition.clone() };
            tests.push(atomic(format!("{}{}", test.name, place.suffix), place, made));
        }
    }
    for place in ALL_PLACES {
        let threads = vec![vec![read(0, 0), write(0, 1)]];
        let made = TestBody { threads, condition: Register(0, 1) };
        tests.push(atomic(format!("rw-one-thread{}", place.suffix), place, made));
    }
    tests
}

/// Returns tests that nothing comes between the read and the write of an update.
fn atomicity() -> Vec<Test> {
    let add = |register| Action::Add { location: 0, value: 1, register };
    let mut tests = Vec::new();
    for place in ALL_PLACES {
        let store = TestBody {
            threads: vec![vec![add(0)], vec![write(0, 2)]],
            condition: All(vec![Register(0, 0), Condition::Memory(0, 1)]),
        };
        let adds = TestBody {
            threads: vec![vec![add(0)], vec![add(1)]],
            condition: All(vec![Register(0, 0), Register(1, 0)]),
        };
        tests.push(atomic(format!("add-store{}", place.suffix), place, store));
        tests.push(atomic(format!("add-add{}", place.suffix), place, adds));
    }
    tests
}

/// Returns tests of plain accesses by two threads on either side of a barrier.
fn barriers() -> Vec<Test> {
    let mut tests = Vec::new();
    for place in INTRA {
        let cases = [
            ("store-load", write(0, 1), read(0, 0), Register(0, 0)),
            ("load-store", read(0, 0), write(0, 1), Register(0, 1)),
            ("store-store", write(0, 1), write(0, 2), Condition::Memory(0, 1)),
        ];
        for (what, before, behind, condition) in cases {
            let threads = vec![vec![before, Action::Barrier], vec![Action::Barrier, behind]];
            let name = format!("barrier-{what}{}", place.suffix);
            tests.push(test(name, place, false, TestBody { threads, condition }));
        }
    }
    tests
}

/// Returns the tests with three and four threads.
fn many() -> Vec<Test> {
    let holds = |values: &[u32]| {
        let registers = values.iter().enumerate();
        All(registers.map(|(at, value)| Register(at as u8, *value)).collect())
    };
    let cases = [
        (
            "wrc",
            vec![vec![write(0, 1)], vec![read(0, 0), write(1, 1)], vec![read(1, 1), read(0, 2)]],
            holds(&[1, 1, 0]),
        ),
        (
            "isa2",
            vec![
                vec![write(0, 1), write(1, 1)],
                vec![read(1, 0), write(2, 1)],
                vec![read(2, 1), read(0, 2)],
            ],
            holds(&[1, 1, 0]),
        ),
        (
            "iriw",
            vec![
                vec![write(0, 1)],
                vec![write(1, 1)],
                vec![read(0, 0), read(1, 1)],
                vec![read(1, 2), read(0, 3)],
            ],
            holds(&[1, 0, 1, 0]),
        ),
    ];
    let mut tests = Vec::new();
    for (name, threads, condition) in cases {
        for place in ALL_PLACES {
            let made = TestBody { threads: threads.clone(), condition: condition.clone() };
            tests.push(atomic(format!("{name}-no-fence{}", place.suffix), place, made));
        }
        let fenced = threads.into_iter().map(|actions| {
            let fence = (actions.len() > 1).then_some(Action::Fence);
            let (first, rest) = actions.split_at(1);
            first.iter().copied().chain(fence).chain(rest.iter().copied()).collect()
        });
        let made = TestBody { threads: fenced.collect(), condition };
        tests.push(atomic(format!("{name}-fences"), INTER, made));
    }
    tests
}

fn read(location: u8, register: u8) -> Action {
    Action::Read { location, register, update: false }
}

fn write(location: u8, value: u8) -> Action {
    Action::Write { location, value, update: false }
}

fn atomic(name: String, place: Place, made: TestBody) -> Test {
    test(name, place, true, made)
}

fn test(name: String, place: Place, atomic: bool, made: TestBody) -> Test {
    let TestBody { threads, condition } = made;
    let mut test = Test {
        name,
        kind: Kind::Observation,
        mutator: None,
        threads_in: place.threads_in,
        memory: Memory { workgroup: place.workgroup, atomic },
        threads,
        condition,
    };
    if Specification::NAMED.iter().any(|(_, version)| version.forbids(&test)) {
        test.kind = Kind::Conformance;
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn named(by: Specification, kind: &Kind) -> BTreeSet<String> {
        let is_one = |test: &Test| test.kind_by(by) == *kind;
        crate::test::all().into_iter().filter(is_one).map(|test| test.name).collect()
    }

    #[test]
    fn names_are_unique_and_lower_case_with_hyphens() {
        let all = crate::test::all();
        let names: BTreeSet<&str> = all.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
        let is_plain = |of: char| of.is_ascii_lowercase() || of.is_ascii_digit() || of == '+';
        for name in names {
            let parts = name.split('-');
            assert!(
                parts.into_iter().all(|part| !part.is_empty() && part.chars().all(is_plain)),
                "{name}"
            );
        }
    }

    /// No two tests are the same.
    #[test]
    fn what_is_tested_is_tested_once() {
        let all = crate::test::all();
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                let what = |test: &Test| {
                    (test.threads.clone(), test.memory, test.threads_in, test.condition.clone())
                };
                assert_ne!(what(one), what(other), "{} and {}", one.name, other.name);
            }
        }
    }

    /// The versions differ only in fences between workgroups.
    #[test]
    fn what_fences_forbid_between_workgroups_is_conformance_by_the_version_of_2022_alone() {
        let today = named(Specification::Today, &Kind::Conformance);
        let before = named(Specification::Wgsl2022, &Kind::Conformance);
        assert!(today.is_subset(&before));
        let lost: Vec<&str> = before.difference(&today).map(String::as_str).collect();
        let expected = [
            "2+2w-all-rmw-fences",
            "2+2w-rmw-fences",
            "isa2-fences",
            "lb-all-rmw-fences",
            "lb-fences",
            "lb-rmw-fences",
            "mp-all-rmw-fences",
            "mp-fences",
            "mp-rmw-fences",
            "r-all-rmw-fences",
            "r-rmw-fences",
            "s-all-rmw-fences",
            "s-fences",
            "s-rmw-fences",
            "sb-all-rmw-fences",
            "sb-rmw-fences",
            "wrc-fences",
        ];
        assert_eq!(lost, expected);
        let intra = FOUR.iter().flat_map(|(name, does)| {
            let rmw = if generate::synchronizes(*does) { "" } else { "-rmw" };
            INTRA.map(|place| format!("{name}{rmw}-fences{}", place.suffix))
        });
        for name in intra {
            assert!(today.contains(&name), "{name}");
        }
        assert!(named(Specification::Today, &Kind::Observation).contains("iriw-fences"));
    }

    /// Coherence (19), memory models (12), atomicity (3) and barriers (6), as many as the WebGPU conformance tests
    /// have.
    #[test]
    fn observations_include_the_conformance_tests_of_webgpu() {
        let today = named(Specification::Today, &Kind::Conformance);
        let coherence = ["rr", "ww", "wr", "rw"].iter().flat_map(|name| {
            ["", "-rmw", "-intra-storage", "-intra-workgroup"]
                .map(|suffix| format!("{name}{suffix}"))
        });
        let suffixes = ALL_PLACES.map(|place| place.suffix);
        let one = suffixes.map(|suffix| format!("rw-one-thread{suffix}"));
        let weak = ["mp", "s", "lb", "r-rmw", "sb-rmw", "2+2w-rmw"]
            .iter()
            .flat_map(|name| INTRA.map(|place| format!("{name}-fences{}", place.suffix)));
        let atomicity = suffixes.map(|suffix| format!("add-store{suffix}"));
        let barriers = ["store-load", "load-store", "store-store"]
            .iter()
            .flat_map(|name| INTRA.map(|place| format!("barrier-{name}{}", place.suffix)));
        let all: Vec<String> =
            coherence.chain(one).chain(weak).chain(atomicity).chain(barriers).collect();
        assert_eq!(all.len(), 40);
        for name in all {
            assert!(today.contains(&name), "{name}");
        }
    }
}
