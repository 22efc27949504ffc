//! The 20 conformance tests and 32 mutants of MC Mutants (Sec. 3 and Table 2), generated from three kinds of cycles. A
//! conformance test has the whole cycle; each of its mutants lacks one property that makes the cycle forbidden.

use super::cycle::{AccessKind, Cycle, Event, TestBody, ValueNumbering};
use super::specification::Specification;
use super::{Action, Condition, Kind, Memory, Mutator, Test, ThreadPlacement};
use AccessKind::{Read, Write};

/// The cycles of four events, up to an exchange of the threads, by the kind of each event. Two events that communicate
/// are never both reads.
pub(super) const FOUR: [(&str, [AccessKind; 4]); 6] = [
    ("mp", [Write, Write, Read, Read]),
    ("lb", [Read, Write, Read, Write]),
    ("s", [Write, Write, Read, Write]),
    ("r", [Write, Write, Write, Read]),
    ("sb", [Write, Read, Write, Read]),
    ("2+2w", [Write, Write, Write, Write]),
];

/// Returns all tests: each conformance test is followed by its mutants.
pub(super) fn tests() -> Vec<Test> {
    let reversing = [
        ("rr", [Read, Read]),
        ("rw", [Read, Write]),
        ("wr", [Write, Read]),
        ("ww", [Write, Write]),
    ];
    let reversing = reversing.into_iter().flat_map(|(name, kinds)| {
        [reversing_po_loc(name, kinds, false), reversing_po_loc(name, kinds, true)].concat()
    });
    let weakening = FOUR.into_iter().flat_map(|(name, kinds)| weakening_po_loc(name, kinds));
    let synchronizing = FOUR.into_iter().flat_map(|(name, kinds)| weakening_sw(name, kinds));
    reversing.chain(weakening).chain(synchronizing).collect()
}

/// Generates the tests of mutator 1: two accesses of one thread to the location that another thread writes; the mutant
/// performs them in the opposite order. With `updates`, as many events as possible are read-modify-writes whose other
/// half does not come between two events of the cycle: the first access of a thread that only writes, and the last
/// access of a thread that only reads.
fn reversing_po_loc(name: &str, kinds: [AccessKind; 2], updates: bool) -> Vec<Test> {
    let body = |program: [usize; 3]| {
        let update = |index: usize| {
            updates
                && match kinds {
                    _ if index == 2 => true,
                    [Write, Write] => index == program[0],
                    [Read, Read] => index == program[1],
                    _ => false,
                }
        };
        let event_kinds = [kinds[0], kinds[1], Write];
        // A thread that only writes comes first.
        let writer_thread = usize::from(kinds != [Read, Read]);
        let event = |index: usize| Event {
            does: event_kinds[index],
            thread: if index == 2 { writer_thread } else { 1 - writer_thread },
            location: 0,
            update: update(index),
        };
        let cycle =
            Cycle { events: (0..3).map(event).collect(), numbering: ValueNumbering::InOrder };
        cycle.test_body(&program, [false; 2])
    };
    let name = if updates { format!("{name}-rmw") } else { name.to_owned() };
    let mutant = format!("{name}-reversed");
    vec![
        conformance(&name, Mutator::ReversingPoLoc, body([0, 1, 2])),
        mutant_of(&name, mutant, Mutator::ReversingPoLoc, body([1, 0, 2])),
    ]
}

/// Generates the tests of mutator 2: four accesses to one location; the mutant moves two of them to another location.
/// With one location the model forbids more than the cycle, and the condition matches all of it.
fn weakening_po_loc(name: &str, kinds: [AccessKind; 4]) -> Vec<Test> {
    let mutant = four(kinds, [false; 4], ValueNumbering::ByLocationDistinct, [false; 2]);
    let conformance_name = format!("{name}-one-location");
    let mut test = conformance(
        &conformance_name,
        Mutator::WeakeningPoLoc,
        TestBody { threads: mutant.threads.clone(), condition: Condition::All(Vec::new()) },
    );
    for action in test.threads.iter_mut().flatten() {
        if let Action::Read { location, .. } | Action::Write { location, .. } = action {
            *location = 0;
        }
    }
    test.condition = forbidden_condition(&test);
    let name = format!("{name}-two-locations");
    vec![test, mutant_of(&conformance_name, name, Mutator::WeakeningPoLoc, mutant)]
}

/// Returns a test of a cycle of four events, two per thread: the outer two access one location, the inner two another
/// one.
pub(super) fn four(
    kinds: [AccessKind; 4],
    update: [bool; 4],
    numbering: ValueNumbering,
    fenced: [bool; 2],
) -> TestBody {
    // The first write is to the first location.
    let outer = u8::from(kinds[0] == Read);
    let event = |index: usize| Event {
        does: kinds[index],
        thread: index / 2,
        location: if matches!(index, 1 | 2) { 1 - outer } else { outer },
        update: update[index],
    };
    Cycle { events: (0..4).map(event).collect(), numbering }.test_body(&[0, 1, 2, 3], fenced)
}

/// Returns whether fences between the events of each thread synchronize: the second thread reads what the first one
/// writes.
pub(super) fn synchronizes(kinds: [AccessKind; 4]) -> bool {
    kinds[1] == Write && kinds[2] == Read
}

/// Generates the tests of mutator 3: four accesses to two locations, with a fence between the accesses of each thread;
/// mutants lack one fence or both. Fences synchronize if a write after one is read before the other. If the cycle has
/// no such read, the two inner events are read-modify-writes.
fn weakening_sw(name: &str, kinds: [AccessKind; 4]) -> Vec<Test> {
    let synchronizes = synchronizes(kinds);
    let update = [false, !synchronizes, !synchronizes, false];
    let body = |fenced: [bool; 2]| four(kinds, update, ValueNumbering::ByLocation, fenced);
    let name = if synchronizes { name.to_owned() } else { format!("{name}-rmw") };
    let conformance_name = format!("{name}-fences");
    let mutant = |what: &str, fenced: [bool; 2]| {
        mutant_of(&conformance_name, format!("{name}-{what}"), Mutator::WeakeningSw, body(fenced))
    };
    vec![
        conformance(&conformance_name, Mutator::WeakeningSw, body([true; 2])),
        mutant("no-fence", [false; 2]),
        mutant("fence-0", [true, false]),
        mutant("fence-1", [false, true]),
    ]
}

fn conformance(name: &str, mutator: Mutator, body: TestBody) -> Test {
    test(name.to_owned(), Kind::Conformance, mutator, body)
}

fn mutant_of(conformance_name: &str, name: String, mutator: Mutator, body: TestBody) -> Test {
    test(name, Kind::Mutant { of: conformance_name.to_owned() }, mutator, body)
}

fn test(name: String, kind: Kind, mutator: Mutator, body: TestBody) -> Test {
    let TestBody { threads, condition } = body;
    Test {
        name,
        kind,
        mutator: Some(mutator),
        threads_in: ThreadPlacement::Workgroups,
        memory: Memory { workgroup: false, atomic: true },
        threads,
        condition,
    }
}

/// Returns the condition that matches every outcome that the model forbids.
fn forbidden_condition(test: &Test) -> Condition {
    let allowed = Specification::Today.allowed(test).into_iter().map(|outcome| {
        let registers = outcome.registers.into_iter().enumerate();
        let registers = registers.map(|(index, value)| Condition::Register(index as u8, value));
        let memory = outcome.memory.into_iter().enumerate();
        let memory = memory.map(|(index, value)| Condition::Memory(index as u8, value));
        Condition::All(registers.chain(memory).collect())
    });
    Condition::Not(Box::new(Condition::Any(allowed.collect())))
}
