//! Tests single invocations without their workgroup: the dependencies of their operations, and when they
//! spin.

use super::super::lower::lower;
use super::super::machine::{
    Answer, CodeAnalysis, Group, Machine, Request, StepResult, SteppedInvocation, UndoMemory,
};
use super::super::observer::NoObserver;
use super::Kernel;
use crate::vm::code::Code;

const STEPS: u64 = 100_000;

/// One invocation of a kernel over `flags`, an array of atomics, and `data`, an array of plain words.
struct One {
    kernel: Kernel,
    code: Code,
}

impl One {
    fn new(body: &str) -> Self {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>, 8>;
            @group(0) @binding(1) var<storage, read_write> data: array<u32, 8>;
            @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let kernel = Kernel::new(&text).zeros("flags", 8).zeros("data", 8);
        let code = lower(&kernel.program, 0).unwrap();
        Self { kernel, code }
    }

    /// Returns the events of the invocation, one line each, if its reads get these answers; the last answer
    /// is then repeated.
    fn comes(&self, answers: &[u32], most: usize) -> Vec<String> {
        let machine = Machine::new(&self.code, &self.kernel.resources, [1; 3], 32, STEPS).unwrap();
        let (followed, mut notes) = (CodeAnalysis::new(&machine, 3, &[]), machine.notes());
        let mut alone = SteppedInvocation::start(&machine, 0, 0);
        let mut answers = answers.iter().copied();
        let mut next = || answers.next().unwrap_or(0);
        let mut all = Vec::new();
        while all.len() < most {
            let comes = alone.step(&machine, &followed, &mut notes);
            let StepResult::Request(request, depends) = comes else {
                all.push(format!("{comes:?}"));
                break;
            };
            let depends: Vec<Vec<u32>> =
                depends.iter().map(|reads| reads.iter(alone.reads()).collect()).collect();
            let (name, answer) = match &request {
                Request::Read(access) => {
                    ("read", Answer::Read(access.pieces.iter().map(|_| next()).collect()))
                }
                Request::Write(..) => ("write", Answer::Done),
                Request::Update(..) => ("update", Answer::Updated(next().into())),
                Request::Limit { .. } => {
                    all.push("limit".to_owned());
                    break;
                }
                _ => {
                    all.push(format!("end {depends:?}"));
                    break;
                }
            };
            all.push(format!("{name} {depends:?}"));
            alone.answer(&machine, &mut notes, &answer).unwrap();
        }
        all
    }
}

#[test]
fn what_is_written_depends_on_what_it_is_made_of() {
    let one = One::new(
        "let a = atomicLoad(&flags[0]); let b = data[1];
        data[2] = b - b; data[a] = 7u; data[3] = 7u;
        var own = array(1u, 2u, 3u); own[b] = 5u; data[4] = own[b]; data[5] = a;",
    );
    let expected = [
        "read [[]]",
        "read [[]]",
        "write [[1]]",
        "write [[0]]",
        "write [[]]",
        "write [[1]]",
        "write [[0]]",
        "end [[]]",
    ];
    assert_eq!(one.comes(&[1, 1], 20), expected);
}

#[test]
fn writes_after_a_branch_depend_on_its_condition() {
    let one = One::new(
        "if atomicLoad(&flags[0]) == 1u { data[1] = 1u; }
        data[2] = 1u;
        switch data[3] { case 4u: { data[4] = 1u; } default: {} }",
    );
    let expected =
        ["read [[]]", "write [[0]]", "write [[0]]", "read [[0]]", "write [[0, 1]]", "end [[0, 1]]"];
    assert_eq!(one.comes(&[1, 4], 20), expected);
    // A private variable depends on it too.
    let one = One::new("var x = 0u; if atomicLoad(&flags[0]) == 1u { x = 1u; } data[2] = x;");
    assert_eq!(one.comes(&[1], 20), ["read [[]]", "write [[0]]", "end [[0]]"]);
}

/// Values that an iteration leaves in variables that the next one assigns are not a change.
#[test]
fn a_wait_spins_after_one_iteration_whatever_its_condition_is_kept_in() {
    let taken = "atomicCompareExchangeWeak(&flags[0], 0u, 1u).exchanged";
    for wait in [
        format!("loop {{ var stays = !{taken}; if !stays {{ break; }} }}"),
        format!(
            "loop {{ var stays: bool; if {taken} {{ stays = false; }} else {{ stays = true; }} if !stays {{ break; }} }}"
        ),
        format!(
            "var stays = true; loop {{ if {taken} {{ stays = false; }} else {{ stays = true; }} if !stays {{ break; }} }}"
        ),
    ] {
        let one = One::new(&format!("{wait} data[0] = 1u;"));
        assert_eq!(one.comes(&[1], 20), ["update [[]]", "Spinning(0..1)"], "{wait}");
        assert_eq!(one.comes(&[0], 20), ["update [[]]", "write [[0]]", "end [[0]]"], "{wait}");
    }
    // A value that the next iteration reads is a change.
    let counts =
        "var turns = 0u; loop { turns += 1u; if atomicLoad(&flags[0]) + turns > 3u { break; } }";
    assert_eq!(One::new(counts).comes(&[0], 20).len(), 5);
}

#[test]
fn a_wait_spins_after_one_iteration_and_ends_when_it_may() {
    let one = One::new("while atomicLoad(&flags[0]) == 0u {} data[0] = 1u;");
    assert_eq!(one.comes(&[0], 20), ["read [[]]", "Spinning(0..1)"]);
    assert_eq!(one.comes(&[1], 20), ["read [[]]", "write [[0]]", "end [[0]]"]);
    // An invocation that fails to take a lock leaves the lock unchanged.
    let one = One::new("while atomicExchange(&flags[0], 1u) == 1u {} data[0] = 1u;");
    assert_eq!(one.comes(&[1], 20), ["update [[]]", "Spinning(0..1)"]);
    let one = One::new(
        "loop { if atomicCompareExchangeWeak(&flags[0], 0u, 1u).exchanged { break; } } data[0] = 1u;",
    );
    assert_eq!(one.comes(&[1], 20), ["update [[]]", "Spinning(0..1)"]);
}

#[test]
fn a_loop_that_changes_something_goes_on_to_the_limit() {
    let one = One::new("var i = 0u; while atomicLoad(&flags[0]) == 0u { i += 1u; } data[0] = i;");
    let comes = one.comes(&[0; 20], 20);
    assert_eq!((comes.len(), comes.last().map(String::as_str)), (5, Some("limit")), "{comes:?}");
    // A loop that touches nothing shared may continue.
    let one = One::new("var x = 0u; for (var i = 0u; i < 100u; i++) { x += i; } data[0] = x;");
    assert_eq!(one.comes(&[], 20), ["write [[]]", "end [[]]"]);
}

#[test]
fn stepped_invocation_matches_the_group_execution() {
    let one = One::new(
        "var sum = 0u;
        for (var i = 0u; i < 8u; i++) { sum += data[i] * i; if sum > 40u { continue; } data[7u - i] = sum; }
        atomicAdd(&flags[1], sum); atomicStore(&flags[2], data[0] + 1u);",
    );
    let machine = Machine::new(&one.code, &one.kernel.resources, [1; 3], 32, STEPS).unwrap();
    let (followed, mut notes) = (CodeAnalysis::new(&machine, 100, &[]), machine.notes());
    let mut alone = SteppedInvocation::start(&machine, 0, 0);
    let (mut group, mut of_group) = (machine.start(0), machine.notes());
    let mut memory = UndoMemory::new(&machine, &one.kernel.resources);
    let mut steps = 0;
    while let StepResult::Request(request, _) = alone.step(&machine, &followed, &mut notes) {
        assert_eq!(request, Group::step(&mut group, &machine, &mut of_group, 0));
        let Some(answer) = memory.answer(&request) else { break };
        alone.answer(&machine, &mut notes, &answer).unwrap();
        group.answer(&machine, &mut of_group, 0, &answer).unwrap();
        steps += 1;
    }
    assert!(group.is_done() && steps > 15, "{steps} steps");
    let _ = group.release(&machine, &mut of_group, &mut NoObserver);
}
