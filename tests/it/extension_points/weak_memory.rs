//! A driver that answers visible operations by a small weak memory model: store buffers.
//!
//! Every invocation keeps its stores in a buffer until they are flushed some time later; it reads its own stores back. Flushed
//! in program order that is TSO (SPARC's, which x86 has); in program order per location only, PSO; at once, sequential
//! consistency. All orders are enumerated, by continuing from a snapshot with one choice after another.
//!
//! The outcomes that each model allows for three classic tests (Owens, Sarkar, Sewell, "A better x86 memory model: x86-TSO",
//! 2009; the SPARC architecture manual, version 8, appendix K, for PSO):
//! - *store buffering*: both loads may return 0 if stores are buffered: 4 outcomes, otherwise 3;
//! - *load buffering*: both loads return 1 only if a store becomes visible before the preceding load is done. No store buffer
//!   does that: 3 outcomes;
//! - *message passing*: the flag is seen without the message only if stores are reordered: 4 outcomes under PSO only, otherwise
//!   3.

use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::front::wgsl;
use hirace::raw::program::Program;
use hirace::raw::vm::lower::lower;
use hirace::raw::vm::machine::{
    Access, Answer, Group, Machine, Notes, Piece, Place, Request, UndoMemory,
};
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::{MemoryId, Space};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("extension_points::a_weak_memory_answers_visible_operations", litmus),
        Trial::test(
            "extension_points::a_snapshot_costs_the_same_however_long_buffers_are",
            snapshots,
        ),
    ]
}

/// The order in which buffered stores are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    SequentialConsistency,
    TotalStoreOrder,
    PartialStoreOrder,
}

/// A test: the code of each of two workgroups of one invocation, which access `at[0]` and `at[1]`.
struct Litmus {
    name: &'static str,
    threads: [&'static str; 2],
    /// The outcomes that a model does not allow.
    forbidden: fn(Model) -> Vec<[u32; 2]>,
}

const TESTS: [Litmus; 3] = [
    Litmus {
        name: "store buffering",
        threads: [
            "atomicStore(&at[0], 1u); seen[0] = atomicLoad(&at[1]);",
            "atomicStore(&at[1], 1u); seen[1] = atomicLoad(&at[0]);",
        ],
        forbidden: |model| match model {
            Model::SequentialConsistency => vec![[0, 0]],
            Model::TotalStoreOrder | Model::PartialStoreOrder => vec![],
        },
    },
    Litmus {
        name: "load buffering",
        threads: [
            "let r = atomicLoad(&at[1]); atomicStore(&at[0], 1u); seen[0] = r;",
            "let r = atomicLoad(&at[0]); atomicStore(&at[1], 1u); seen[1] = r;",
        ],
        forbidden: |_| vec![[1, 1]],
    },
    Litmus {
        name: "message passing",
        threads: [
            "atomicStore(&at[0], 1u); atomicStore(&at[1], 1u);",
            "seen[0] = atomicLoad(&at[1]); seen[1] = atomicLoad(&at[0]);",
        ],
        forbidden: |model| match model {
            Model::SequentialConsistency | Model::TotalStoreOrder => vec![[1, 0]],
            Model::PartialStoreOrder => vec![],
        },
    },
];

fn litmus() -> Result<(), Failed> {
    let all = BTreeSet::from([[0, 0], [0, 1], [1, 0], [1, 1]]);
    let models = [Model::SequentialConsistency, Model::TotalStoreOrder, Model::PartialStoreOrder];
    for test in &TESTS {
        for model in models {
            let mut expected = all.clone();
            expected.retain(|outcome| !(test.forbidden)(model).contains(outcome));
            let (outcomes, _) = explore(test, model, 2)?;
            if outcomes != expected {
                let name = test.name;
                return Err(format!("{name}, {model:?}: {outcomes:?}, not {expected:?}").into());
            }
        }
    }
    Ok(())
}

/// Tests the number of copied words, which does not depend on a clock.
fn snapshots() -> Result<(), Failed> {
    for test in &TESTS {
        let copied =
            |words| explore(test, Model::PartialStoreOrder, words).map(|(_, copied)| copied);
        let (short, long) = (copied(2)?, copied(1 << 20)?);
        assert!(short > 0, "{}: nothing was rolled back", test.name);
        assert_eq!(short, long, "{}", test.name);
    }
    Ok(())
}

/// Returns the outcomes of a test on a buffer of this number of words, and the number of copied words.
fn explore(test: &Litmus, model: Model, words: u32) -> Result<(BTreeSet<[u32; 2]>, u64), Failed> {
    let [first, second] = test.threads;
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> at: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3u) {{
            if (group.x == 0u) {{ {first} }} else {{ {second} }}
        }}"
    );
    let said = |error: Box<Diagnostic>| error.to_string();
    let parsed = wgsl::parse("litmus.wgsl", &text).map_err(said)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(said)?;
    let code = lower(&program, 0).map_err(said)?;
    let buffer = |words| Some(Resource::Buffer(Buffer::zeros(4 * words)));
    let resources = Resources { by_global: vec![buffer(words), buffer(2)] };
    let machine = Machine::new(&code, &resources, [2, 1, 1], 1, 1000).map_err(said)?;
    let mut explorer = Explorer {
        machine: &machine,
        model,
        memory: UndoMemory::new(&machine, &resources),
        notes: machine.notes(),
        outcomes: BTreeSet::new(),
    };
    let threads =
        [0, 1].map(|workgroup| Thread { group: machine.start(workgroup), buffered: Vec::new() });
    explorer.from(&threads)?;
    Ok((explorer.outcomes, explorer.memory.copied()))
}

/// A workgroup of one invocation, and its stores that are not yet visible to the other.
#[derive(Clone)]
struct Thread {
    group: Group,
    buffered: Vec<(Place, Piece, u32)>,
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    /// The invocation does its next visible operation.
    Act,
    /// The store at this index of its buffer becomes visible.
    Flush(usize),
}

struct Explorer<'a> {
    machine: &'a Machine<'a>,
    model: Model,
    memory: UndoMemory,
    notes: Notes,
    outcomes: BTreeSet<[u32; 2]>,
}

impl Explorer<'_> {
    /// Explores all continuations of this state.
    fn from(&mut self, threads: &[Thread; 2]) -> Result<(), Failed> {
        let mut ended = true;
        for thread in 0..2 {
            for choice in self.choices(&threads[thread]) {
                ended = false;
                // A snapshot: two small values, and a mark in memory.
                let mut next = threads.clone();
                let mark = self.memory.mark();
                self.take(&mut next[thread], choice)?;
                self.from(&next)?;
                self.memory.roll_back(mark);
            }
        }
        if ended {
            let place = |memory: u32| Place {
                memory: MemoryId(memory),
                space: Space::Storage,
                workgroup: 0,
            };
            let seen = self.memory.words(place(1)).ok_or("the results are missing")?;
            self.outcomes.insert([seen[0], seen[1]]);
        }
        Ok(())
    }

    fn choices(&self, thread: &Thread) -> Vec<Choice> {
        let act = (!thread.group.is_done()).then_some(Choice::Act);
        let flushes = thread.buffered.iter().enumerate().filter(|(at, store)| match self.model {
            Model::PartialStoreOrder => thread.buffered[..*at]
                .iter()
                .all(|before| (before.0, before.1) != (store.0, store.1)),
            Model::SequentialConsistency | Model::TotalStoreOrder => *at == 0,
        });
        act.into_iter().chain(flushes.map(|(at, _)| Choice::Flush(at))).collect()
    }

    fn take(&mut self, thread: &mut Thread, choice: Choice) -> Result<(), Failed> {
        if let Choice::Flush(at) = choice {
            let (place, piece, value) = thread.buffered.remove(at);
            self.memory.write(place, piece, value.into());
            return Ok(());
        }
        let answer = match thread.group.step(self.machine, &mut self.notes, 0) {
            Request::End => return Ok(()),
            Request::Read(Access { place, pieces, .. }) => {
                let read = |piece: &Piece| {
                    let own = thread.buffered.iter().rev();
                    let mut own = own.filter(|store| (store.0, store.1) == (place, *piece));
                    match own.next() {
                        Some((_, _, value)) => *value,
                        None => self.memory.read(place, *piece) as u32,
                    }
                };
                Answer::Read(pieces.iter().map(read).collect())
            }
            Request::Write(Access { place, pieces, .. }, values) => {
                for (piece, value) in pieces.into_iter().zip(values) {
                    match self.model {
                        Model::SequentialConsistency => {
                            self.memory.write(place, piece, value.into());
                        }
                        _ => thread.buffered.push((place, piece, value)),
                    }
                }
                Answer::Done
            }
            other => return Err(format!("unexpected operation in the tests: {other:?}").into()),
        };
        Ok(thread.group.answer(self.machine, &mut self.notes, 0, &answer)?)
    }
}
