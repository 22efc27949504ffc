//! Tests stepped invocations: their requests, their notes, and where they wait for each other.

use super::super::Code;
use super::super::lower::lower;
use super::super::machine::{
    Answer, Group, Machine, Notes, Place, Request, UndoMemory, UnexpectedAnswer,
};
use super::super::observer::{MemoryId, NoObserver, Space};
use super::super::run::{ExecutionCount, InvocationStatus, Run};
use super::{Kernel, options};
use crate::ir::access::Action;
use std::collections::HashSet;

const STEPS: u64 = 100_000;

fn code(kernel: &Kernel) -> Code {
    lower(&kernel.program, 0).unwrap()
}

/// Steps one invocation over plain memory until it waits for others, ends, or does not terminate.
fn go(
    machine: &Machine,
    group: &mut Group,
    memory: &mut UndoMemory,
    notes: &mut Notes,
    local: u32,
) -> Request {
    loop {
        let request = group.step(machine, notes, local);
        let Some(answer) = memory.answer(&request) else { return request };
        group.answer(machine, notes, local, &answer).unwrap();
    }
}

/// Runs all invocations of one workgroup, each until it waits, and returns `out`.
fn out(text: &str, subgroup_size: u32, words: u32) -> (Vec<u32>, Run) {
    let kernel = Kernel::new(text).zeros("out", words);
    let code = code(&kernel);
    let machine = Machine::new(&code, &kernel.resources, [1; 3], subgroup_size, STEPS).unwrap();
    let mut memory = UndoMemory::new(&machine, &kernel.resources);
    let (mut group, mut notes) = (machine.start(0), machine.notes());
    while !group.is_done() {
        for local in group.live_invocations().collect::<Vec<_>>() {
            go(&machine, &mut group, &mut memory, &mut notes, local);
        }
        let any = group.release(&machine, &mut notes, &mut NoObserver);
        assert!(any || group.is_done(), "no invocation can continue");
    }
    let memory_id = MemoryId(kernel.index("out") as u32);
    let place = Place { memory: memory_id, space: Space::Storage, workgroup: 0 };
    (memory.words(place).unwrap().to_vec(), notes.finish())
}

#[test]
fn each_visible_operation_is_asked_for() {
    let kernel = Kernel::new(
        "@group(0) @binding(0) var<storage, read_write> out: array<vec2u>;
        @group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
        @group(0) @binding(2) var<storage> input: array<u32>;
        var<workgroup> tile: array<u32, 4>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32) {
            var own = array(1u, 2u, 3u);
            tile[l] = own[l] + input[l];
            workgroupBarrier();
            out[1] = vec2u(tile[1u - l], atomicAdd(&count, 5u));
        }",
    );
    let kernel = kernel.zeros("out", 4).words("count", &[7]).words("input", &[10, 20]);
    let code = code(&kernel);
    let machine = Machine::new(&code, &kernel.resources, [1; 3], 32, STEPS).unwrap();
    let (mut group, mut notes) = (machine.start(0), machine.notes());
    let place =
        |name, space| Place { memory: MemoryId(kernel.index(name) as u32), space, workgroup: 0 };
    // Accesses to function memory, and to memory that nothing may write, are not requested.
    let Request::Write(access, values) = group.step(&machine, &mut notes, 1) else { panic!() };
    assert_eq!((access.place, values), (place("tile", Space::Workgroup), vec![22]));
    assert_eq!((access.pieces[0].offset, access.action), (4, Action::Write));
    assert_eq!(
        group.answer(&machine, &mut notes, 1, &Answer::Read(vec![0])),
        Err(UnexpectedAnswer)
    );
    assert_eq!(group.answer(&machine, &mut notes, 0, &Answer::Done), Err(UnexpectedAnswer));
    group.answer(&machine, &mut notes, 1, &Answer::Done).unwrap();
    assert!(matches!(group.step(&machine, &mut notes, 1), Request::Barrier { .. }));
    assert!(!group.can_run(1) && group.can_run(0));
    assert!(!group.release(&machine, &mut notes, &mut NoObserver), "one is missing");
    assert!(matches!(group.step(&machine, &mut notes, 0), Request::Write(..)));
    group.answer(&machine, &mut notes, 0, &Answer::Done).unwrap();
    assert!(matches!(group.step(&machine, &mut notes, 0), Request::Barrier { .. }));
    assert!(group.release(&machine, &mut notes, &mut NoObserver));
    // The driver determines the value that is read.
    let Request::Read(access) = group.step(&machine, &mut notes, 0) else { panic!() };
    assert_eq!(access.pieces[0].offset, 4);
    group.answer(&machine, &mut notes, 0, &Answer::Read(vec![99])).unwrap();
    let Request::Update(access, update) = group.step(&machine, &mut notes, 0) else { panic!() };
    assert_eq!((access.place, update.apply(7)), (place("count", Space::Storage), 12));
    group.answer(&machine, &mut notes, 0, &Answer::Updated(41)).unwrap();
    let Request::Write(access, values) = group.step(&machine, &mut notes, 0) else { panic!() };
    let offsets: Vec<u32> = access.pieces.iter().map(|piece| piece.offset).collect();
    assert_eq!((offsets, values), (vec![8, 12], vec![99, 41]));
    group.answer(&machine, &mut notes, 0, &Answer::Done).unwrap();
    assert_eq!(group.step(&machine, &mut notes, 0), Request::End);
    assert!(matches!(group.invocation_status(&machine, 0), InvocationStatus::Returned(_)));
    assert_eq!(group.live_invocations().collect::<Vec<_>>(), [1]);
}

#[test]
fn state_is_a_value_apart_from_memory() {
    let kernel = Kernel::new(
        "@group(0) @binding(0) var<storage, read_write> out: atomic<u32>;
        @compute @workgroup_size(1) fn main() {
            loop { if (atomicLoad(&out) == 9u) { break; } }
            atomicStore(&out, 1u);
        }",
    );
    let kernel = kernel.zeros("out", 1);
    let code = code(&kernel);
    let machine = Machine::new(&code, &kernel.resources, [1; 3], 32, STEPS).unwrap();
    let (mut group, mut notes) = (machine.start(0), machine.notes());
    let mut seen = HashSet::new();
    let request = group.step(&machine, &mut notes, 0);
    let snapshot = group.clone();
    assert!(seen.insert(group.clone()));
    group.answer(&machine, &mut notes, 0, &Answer::Read(vec![0])).unwrap();
    assert_eq!(group.step(&machine, &mut notes, 0), request);
    // One iteration later it has read a 0, which it had not before; another iteration changes nothing.
    seen.insert(group.clone());
    group.answer(&machine, &mut notes, 0, &Answer::Read(vec![0])).unwrap();
    group.step(&machine, &mut notes, 0);
    assert!(seen.contains(&group), "a loop returns to the same state");
    let waiting = group.invocation(0).unwrap();
    group.answer(&machine, &mut notes, 0, &Answer::Read(vec![9])).unwrap();
    assert!(matches!(group.step(&machine, &mut notes, 0), Request::Write(..)));
    group.answer(&machine, &mut notes, 0, &Answer::Done).unwrap();
    assert_eq!(group.step(&machine, &mut notes, 0), Request::End);
    assert!(group.is_done());
    group.put_back(waiting);
    assert!(seen.contains(&group));
    group = snapshot;
    assert_eq!(group.step(&machine, &mut notes, 0), request);
}

#[test]
fn memory_rolls_back_and_a_mark_copies_nothing() {
    for words in [2, 1 << 16] {
        let kernel = Kernel::new(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            var<workgroup> tile: array<u32, 2>;
            @compute @workgroup_size(1) fn main() { tile[1] = 3u; out[0] = tile[1]; out[1] = 4u; }",
        );
        let kernel = kernel.zeros("out", words);
        let code = code(&kernel);
        let machine = Machine::new(&code, &kernel.resources, [1; 3], 32, STEPS).unwrap();
        let mut memory = UndoMemory::new(&machine, &kernel.resources);
        let (mut group, mut notes) = (machine.start(0), machine.notes());
        let mark = memory.mark();
        assert_eq!(memory.copied(), 0);
        assert_eq!(go(&machine, &mut group, &mut memory, &mut notes, 0), Request::End);
        let memory_id = MemoryId(kernel.index("out") as u32);
        let place = Place { memory: memory_id, space: Space::Storage, workgroup: 0 };
        assert_eq!(memory.words(place).unwrap()[..2], [3, 4]);
        memory.roll_back(mark);
        assert_eq!(memory.words(place).unwrap()[..2], [0, 0]);
        assert_eq!(memory.copied(), 6, "three words written and restored");
        assert_eq!(kernel.result("out")[..2], [0, 0], "the launch's own memory is not touched");
    }
}

/// As in whole subgroups: in a branch, in loops with different numbers of iterations, and after both.
#[test]
fn subgroup_operations_are_done_for_all_that_take_part() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        fn sum(value: u32) -> u32 { return subgroupAdd(value); }
        @compute @workgroup_size(24) fn main(
            @builtin(local_invocation_index) l: u32,
            @builtin(subgroup_invocation_id) lane: u32,
        ) {
            var total = 0u;
            if (l % 3u == 0u) { total += sum(l); } else { total += 1000u * sum(1u); }
            for (var i = 0u; i < lane % 3u + 1u; i++) {
                for (var j = 0u; j < (lane + i) % 3u; j++) {
                    total += 7u * subgroupShuffle(l + j, 0u) + subgroupExclusiveAdd(1u);
                }
            }
            out[l] = total + 100000u * countOneBits(subgroupBallot(l < 20u).x);
        }";
    for subgroup_size in [1, 4, 8, 16, 32, 64] {
        let kernel = Kernel::new(text).zeros("out", 24);
        let run = kernel.run(&super::Options { subgroup_size, ..options() });
        assert_eq!(run.divergences, []);
        let (stepped, notes) = out(text, subgroup_size, 24);
        assert_eq!(stepped, kernel.result("out"), "subgroups of {subgroup_size}");
        let counts =
            |run: &Run| run.executed.iter().map(|e: &ExecutionCount| e.count).collect::<Vec<_>>();
        assert_eq!(counts(&notes), counts(&run));
    }
}

#[test]
fn bad_indices_and_missed_barriers_are_noted() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            var own = array(1u, 2u, 3u);
            let value = own[l];
            if (l == 2u) { return; }
            workgroupBarrier();
            out[l + 1u] = value;
        }";
    let (words, run) = out(text, 32, 4);
    // The fourth index is out of bounds of the invocation's own array and of the buffer: both are clamped.
    assert_eq!(words, [0, 1, 2, 3]);
    let found: Vec<_> = run
        .out_of_bounds
        .iter()
        .map(|o| (o.memory.is_some(), o.index, o.invocation.local))
        .collect();
    assert_eq!(found, [(true, 4, 3), (false, 3, 3)]);
    let [divergence] = &run.divergences[..] else { panic!("{:?}", run.divergences) };
    assert_eq!(divergence.arrived, [0, 1, 3]);
    assert!(matches!(divergence.missing[..], [(2, InvocationStatus::Returned(Some(_)))]));
}

#[test]
fn non_termination_is_reported() {
    let end = |body: &str| {
        let kernel = Kernel::new(&format!(
            "@group(0) @binding(0) var<storage, read_write> out: atomic<u32>;
            @compute @workgroup_size(1) fn main() {{ {body} }}"
        ));
        let kernel = kernel.zeros("out", 1);
        let code = code(&kernel);
        let machine = Machine::new(&code, &kernel.resources, [1; 3], 32, STEPS).unwrap();
        let mut memory = UndoMemory::new(&machine, &kernel.resources);
        let (mut group, mut notes) = (machine.start(0), machine.notes());
        let request = go(&machine, &mut group, &mut memory, &mut notes, 0);
        (request, notes.steps())
    };
    let (request, steps) = end("var i = 0u; loop { i++; if (i == 0u) { break; } }");
    assert!(matches!(request, Request::Limit { .. }) && steps == STEPS, "{request:?}");
    let (request, _) = end("var i = 0u; loop { if (i == 1u) { break; } }");
    assert!(matches!(request, Request::Spinning { .. }), "{request:?}");
    let (request, _) = end("while (atomicLoad(&out) == 0u) {}");
    assert!(matches!(request, Request::Spinning { .. }), "{request:?}");
}
