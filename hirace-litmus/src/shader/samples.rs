//! Sample tests of all kinds, for tests of the shaders.

use crate::test::{Action, Condition, Kind, Memory, Test, ThreadPlacement};

const ATOMIC: Memory = Memory { workgroup: false, atomic: true };

fn test(
    name: &str,
    threads_in: ThreadPlacement,
    memory: Memory,
    threads: Vec<Vec<Action>>,
) -> Test {
    Test {
        name: name.to_owned(),
        kind: Kind::Observation,
        mutator: None,
        threads_in,
        memory,
        threads,
        condition: Condition::All(Vec::new()),
    }
}

fn read(location: u8, register: u8) -> Action {
    Action::Read { location, register, update: false }
}

fn write(location: u8, value: u8) -> Action {
    Action::Write { location, value, update: false }
}

/// Returns the message-passing test: two writes, and two reads in the opposite order.
pub fn message_passing() -> Test {
    let threads = vec![vec![write(0, 1), write(1, 1)], vec![read(1, 0), read(0, 1)]];
    test("message-passing", ThreadPlacement::Workgroups, ATOMIC, threads)
}

/// Returns a test in which each thread adds to the single location and therefore reads a different value.
pub fn tickets(threads: u8) -> Test {
    let thread = |register| vec![Action::Add { location: 0, value: 1, register }];
    let name = format!("tickets-{threads}");
    test(&name, ThreadPlacement::Workgroups, ATOMIC, (0..threads).map(thread).collect())
}

/// Returns one test of each kind.
pub fn all() -> Vec<Test> {
    let passed = |barrier| {
        vec![
            vec![write(0, 1), barrier, write(1, 1)],
            vec![read(1, 0), barrier, Action::Read { location: 0, register: 1, update: true }],
        ]
    };
    let waits = vec![vec![write(0, 1), Action::Barrier], vec![Action::Barrier, read(0, 0)]];
    let update = |location| Action::Write { location, value: 2, update: true };
    let mut tests = vec![
        message_passing(),
        tickets(3),
        tickets(4),
        test("fences", ThreadPlacement::Workgroups, ATOMIC, passed(Action::Fence)),
        test(
            "no-registers",
            ThreadPlacement::Workgroups,
            ATOMIC,
            vec![vec![write(0, 1)], vec![update(0)]],
        ),
        test(
            "three-locations",
            ThreadPlacement::Workgroups,
            ATOMIC,
            vec![
                vec![write(0, 1), write(1, 1)],
                vec![read(1, 0), write(2, 1)],
                vec![read(2, 1), read(0, 2)],
            ],
        ),
    ];
    for workgroup in [false, true] {
        let of = |atomic| Memory { workgroup, atomic };
        tests.extend([
            test("fences", ThreadPlacement::OneWorkgroup, of(true), passed(Action::Fence)),
            test("waits", ThreadPlacement::OneWorkgroup, of(true), waits.clone()),
            test("waits", ThreadPlacement::OneWorkgroup, of(false), waits.clone()),
        ]);
    }
    tests
}
