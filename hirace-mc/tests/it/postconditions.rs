//! Random postconditions: with each reduction, the findings agree with the final memories of all executions.

use crate::differential::sample;
use crate::kernels::{bound, random, with_kernel};
use crate::script::Random;
use hirace_core::front::wgsl;
use hirace_core::postcondition;
use hirace_core::program::Program as Source;
use hirace_core::source_map::SourceMap;
use hirace_mc::explore::{Execution, FindingKind, Options, Outcome, Reductions, explore};
use hirace_mc::kernel::{Kernel, Postcondition, State};
use hirace_mc::model::Model;
use hirace_mc::program::Operation;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// The maximum number of executions to compare.
const MAX_EXECUTIONS: u64 = 2_000;

/// Returns a random condition over two elements of `a` and `p`.
fn random_condition(numbers: &mut Random) -> String {
    let mut part = || {
        let (of, at) = (["a", "a", "p"][numbers.below(3) as usize], numbers.below(2));
        let sign = ["==", "!=", "<", "<=", ">", ">="][numbers.below(6) as usize];
        let to = match numbers.below(3) {
            0 => "p[0] + 1".to_owned(),
            _ => numbers.below(4).to_string(),
        };
        format!("{of}[{at}] {sign} {to}")
    };
    let (one, other) = (part(), part());
    let join = ["&&", "||"][numbers.below(2) as usize];
    format!("{one} {join} !({other})")
}

/// Returns whether a condition is reported as violated, and whether some final memory violates it.
fn check_condition(kernel: &Kernel<'_>, model: Model, reductions: Reductions) -> Option<[bool; 2]> {
    let options =
        Options { reductions, limit_executions: Some(MAX_EXECUTIONS), ..Options::new(model) };
    let seen = Mutex::new(false);
    let visit = |execution: &Execution<State>| {
        let ended = (0..).zip(&execution.states).all(|(number, state)| {
            let mut state = state.clone();
            has_ended(kernel, number, &mut state)
        });
        let memory = |location| kernel.final_value(execution, location);
        let is_unmet = kernel.claim(0).is_some_and(|claim| claim.unmet(&memory).is_some());
        *seen.lock().expect("no visitor panics") |= ended && is_unmet;
        ControlFlow::Continue(())
    };
    let explored = explore(kernel, &options, Some(&visit));
    let is_found = |kind| explored.findings.iter().any(|found| found.kind == kind);
    let found = is_found(FindingKind::Assertion);
    let seen = seen.into_inner().expect("no visitor panics");
    (explored.outcome == Outcome::Complete).then_some([found, seen])
}

fn has_ended(kernel: &Kernel<'_>, invocation: usize, state: &mut State) -> bool {
    use hirace_mc::program::Program as _;
    kernel.step(invocation, state, None).operation == Operation::End
}

#[test]
fn reductions_preserve_postcondition_findings() {
    let (mut unmet, mut met) = (0, 0);
    for seed in 0..sample(3_000, 200) {
        let mut numbers = Random(seed);
        let (text, workgroups) = random(&mut numbers);
        let source = SourceMap::new("claim", random_condition(&mut numbers));
        let condition = postcondition::parse(&source).expect("a condition");
        let given = [(source, condition)];
        let parsed = wgsl::parse("it.wgsl", &text).expect("a shader");
        let program = Source::new(&parsed, &BTreeMap::new()).expect("a program");
        let resources = bound(&program);
        for model in [Model::Wgsl, Model::ScopedRc11, Model::Sc] {
            let look = |reductions| {
                let ensured = Postcondition::of(&program, 0, &resources, &given).expect("names");
                with_kernel(&text, workgroups, model, ensured, |kernel| {
                    check_condition(kernel, model, reductions)
                })
            };
            let Some([found, seen]) = look(Reductions::NONE) else { continue };
            assert_eq!(found, seen, "{seed} {model:?}: {text}{}", given[0].0.text());
            let some = [
                Reductions { awaiting: true, ..Reductions::NONE },
                Reductions { symmetry: true, ..Reductions::NONE },
                Reductions { values: true, ..Reductions::NONE },
                Reductions { updates: true, ..Reductions::NONE },
                Reductions::ALL,
            ];
            let all: BTreeSet<bool> =
                some.into_iter().filter_map(|one| Some(look(one)?[0])).collect();
            assert_eq!(all, [seen].into(), "{seed} {model:?}: {text}{}", given[0].0.text());
            unmet += u32::from(seen);
            met += u32::from(!seen);
        }
    }
    assert!(unmet > 20 && met > 20, "{unmet} {met}");
}

/// The code does not read `p`, but the condition does.
#[test]
fn memory_read_only_by_postconditions_is_explored() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 2>;
        @group(0) @binding(1) var<storage, read_write> p: array<u32, 2>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) {
            let found = atomicLoad(&a[id.x]);
            atomicStore(&a[1 - id.x], 1u);
            p[id.x] = found;
        }";
    let parsed = wgsl::parse("it.wgsl", text).expect("a shader");
    let program = Source::new(&parsed, &BTreeMap::new()).expect("a program");
    let resources = bound(&program);
    let unmet = |claim: &str| {
        let source = SourceMap::new("claim", claim);
        let condition = postcondition::parse(&source).expect("a condition");
        let given = [(source, condition)];
        let ensured = Postcondition::of(&program, 0, &resources, &given).expect("names");
        with_kernel(text, 2, Model::Sc, ensured, |kernel| {
            check_condition(kernel, Model::Sc, Reductions::ALL).expect("few executions")[0]
        })
    };
    assert!(unmet("p[0] == 0"), "it may see the other's store");
    assert!(unmet("a[0] == 1 && p[0] == 0"));
    assert!(!unmet("a[0] == 1 && p[1] == 1"), "it is 1 at first, and stays so");
}
