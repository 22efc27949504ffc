//! Random small kernels: all reductions preserve the findings, and under `sc` the final memories are those of the
//! kernel's interleavings.

use crate::differential::sample;
use crate::script::Random;
use hirace_core::front::wgsl;
use hirace_core::ir::access::Action;
use hirace_core::ir::sites::{Site, SiteKind};
use hirace_core::launch::Dispatch;
use hirace_core::program::Program as Source;
use hirace_core::vm::interleave::Interleaving;
use hirace_core::vm::lower::lower;
use hirace_core::vm::memory::{Buffer, Resource, Resources};
use hirace_core::vm::observer::NoObserver;
use hirace_core::vm::order::Order;
use hirace_core::vm::run;
use hirace_core::vm::schedule::{Limits, Schedule};
use hirace_mc::explore::{Execution, FindingKind, Options, Outcome, Reductions, explore};
use hirace_mc::kernel::{Bounds, Kernel, Postcondition, State};
use hirace_mc::model::Model;
use hirace_mc::program::{Location, Operation, Program, Scope, Step, Update, Value};
use naga::{GlobalVariable, Handle};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// The maximum number of executions to compare.
const MAX_EXECUTIONS: u64 = 2_000;

type Memory = Vec<(Location, Value)>;
type Found = BTreeSet<(FindingKind, Vec<u32>)>;

/// Returns a random kernel and the number of its workgroups.
pub fn random(numbers: &mut Random) -> (String, u32) {
    let (size, workgroups) = match numbers.below(4) {
        0 => (2, 1),
        1 => (1, 2),
        2 => (3, 1),
        _ => (1, 3),
    };
    let mut body = String::new();
    let mut reads = 0;
    let distinguishes_invocations = numbers.below(3) > 0;
    for _ in 0..2 + numbers.below(3) {
        let who = if size > 1 { "l" } else { "g.x" };
        let one = statement(numbers, &mut reads);
        match numbers.below(6) {
            0 | 1 if distinguishes_invocations && !one.contains("let") => {
                let other = statement(numbers, &mut 9);
                let _ = writeln!(body, "if {who} == 0u {{ {one} }} else {{ {other} }}");
            }
            2 if reads > 0 && !one.contains("let") => {
                let _ = writeln!(body, "if r{} == 1u {{ {one} }}", numbers.below(reads));
            }
            3 => {
                let barrier = ["workgroupBarrier();", "storageBarrier();"];
                let _ = writeln!(body, "{} {one}", barrier[numbers.below(2) as usize]);
            }
            _ => {
                let _ = writeln!(body, "{one}");
            }
        }
    }
    let ids = match distinguishes_invocations {
        true => "@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3u",
        false => "",
    };
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> p: array<u32, 2>;
var<workgroup> w: array<atomic<u32>, 2>;
@compute @workgroup_size({size}) fn main({ids}) {{
{body}}}
"
    );
    (text, workgroups)
}

/// Returns a random statement. While there are fewer than four reads, the statement may read into a new variable.
fn statement(numbers: &mut Random, reads: &mut u64) -> String {
    let at = format!(
        "&{}[{}]",
        ["a", "a", "w"][numbers.below(3) as usize],
        numbers.below(2).min(numbers.below(3))
    );
    let value = match *reads {
        1..9 if numbers.below(2) == 0 => format!("r{}", numbers.below(*reads)),
        _ => format!("{}u", 1 + numbers.below(3)),
    };
    let update = ["Add", "Add", "Max", "Or", "Xor", "And", "Min", "Exchange"];
    let update = update[numbers.below(8) as usize];
    let into = format!("let r{reads} =");
    let can_read = *reads < 4;
    let kind = numbers.below(10);
    *reads += u64::from(can_read && matches!(kind, 0..=3));
    match kind {
        0 if can_read => format!("{into} atomic{update}({at}, {value});"),
        1 | 2 if can_read => format!("{into} atomicLoad({at});"),
        3 if can_read => format!("{into} p[{}];", numbers.below(2)),
        4 => format!("atomicStore({at}, {value});"),
        5 => format!("p[{}] = {value};", numbers.below(2)),
        6 => format!("atomicCompareExchangeWeak({at}, 0u, {value});"),
        _ => format!("atomic{update}({at}, {value});"),
    }
}

/// Compiles a kernel, calls `look` with it under a model and with postconditions, and returns the result of `look`.
pub fn with_kernel<T>(
    text: &str,
    workgroups: u32,
    model: Model,
    ensured: Vec<Postcondition>,
    look: impl FnOnce(&Kernel<'_>) -> T,
) -> T {
    let parsed = wgsl::parse("it.wgsl", text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let program = Source::new(&parsed, &BTreeMap::new()).expect("a program");
    let resources = bound(&program);
    let code = lower(&program, 0).expect("code");
    let dispatch = Dispatch { entry: 0, workgroups: [workgroups, 1, 1] };
    let kernel = Kernel::new(&program, &code, &resources, &dispatch, 32, Bounds::default(), model);
    look(&kernel.unwrap_or_else(|error| panic!("{error}: {text}")).with_postconditions(ensured))
}

/// Returns the bound resources, which define the initial memory.
pub fn bound(program: &Source) -> Resources {
    let bytes: Vec<u8> = [0u32, 1].into_iter().flat_map(u32::to_le_bytes).collect();
    let globals = program.module.global_variables.iter();
    let by_global =
        globals.map(|(_, global)| global.binding.map(|_| Resource::Buffer(Buffer::new(&bytes))));
    Resources { by_global: by_global.collect() }
}

/// Returns whether a kernel reads the variable that contains a location. A variable that is not read may hold any value.
fn is_read(text: &str, name: &str) -> bool {
    let variable = name.split('[').next().unwrap_or(name);
    let accesses = text.matches(&format!("(&{variable}[")).count();
    let stores = text.matches(&format!("atomicStore(&{variable}[")).count();
    accesses > stores || text.contains(&format!("= {variable}["))
}

/// Returns the part of memory that the kernel reads.
fn read_memory(text: &str, kernel: &Kernel<'_>, memory: &[(Location, Value)]) -> Memory {
    memory.iter().copied().filter(|&(location, _)| is_read(text, &kernel.name(location))).collect()
}

/// Returns the final memories (of locations that are read), the findings and the number of executions; `None` if there
/// are too many.
fn verdict(
    text: &str,
    kernel: &Kernel<'_>,
    model: Model,
    reductions: Reductions,
) -> Option<(BTreeSet<Memory>, Found, u64)> {
    let options =
        Options { reductions, limit_executions: Some(MAX_EXECUTIONS), ..Options::new(model) };
    let memories = Mutex::new(BTreeSet::new());
    let visit = |execution: &Execution<State>| {
        memories.lock().expect("no visitor panics").insert(read_memory(
            text,
            kernel,
            &execution.memory,
        ));
        ControlFlow::Continue(())
    };
    let explored = explore(kernel, &options, Some(&visit));
    if explored.outcome != Outcome::Complete {
        return None;
    }
    let found = explored.findings.into_iter().map(|mut finding| {
        finding.sites.sort_unstable();
        (finding.kind, finding.sites)
    });
    let memories = memories.into_inner().expect("no visitor panics");
    Some((memories, found.collect(), explored.executions + explored.blocked))
}

/// Checks each reduction alone and all of them together, under each model.
#[test]
fn reductions_preserve_the_findings_of_kernels() {
    let ones = [
        Reductions { awaiting: true, ..Reductions::NONE },
        Reductions { symmetry: true, ..Reductions::NONE },
        Reductions { values: true, ..Reductions::NONE },
        Reductions { updates: true, ..Reductions::NONE },
        Reductions::ALL,
    ];
    let (mut with_some, mut without) = ([0; 5], 0);
    for seed in 0..sample(3_000, 60) {
        let (text, workgroups) = random(&mut Random(seed));
        for model in [Model::Wgsl, Model::Sc, Model::ScopedRc11] {
            with_kernel(&text, workgroups, model, Vec::new(), |kernel| {
                let Some(all) = verdict(&text, kernel, model, Reductions::NONE) else { return };
                without += all.2;
                for (reductions, count) in ones.into_iter().zip(&mut with_some) {
                    let some =
                        verdict(&text, kernel, model, reductions).expect("no more than without");
                    assert_eq!(
                        (&some.0, &some.1),
                        (&all.0, &all.1),
                        "{seed} {model:?} {reductions:?}, {workgroups} workgroups of\n{text}"
                    );
                    *count += some.2;
                }
            });
        }
    }
    assert!(without > 300, "{without}");
    let [_, symmetry, values, updates, all] = with_some;
    assert!(symmetry < without && values < without && updates < without, "{with_some:?} {without}");
    assert!(all < symmetry.min(values).min(updates), "{with_some:?} {without}");
}

/// Returns the number of executions with and without an equivalent interleaving. Checks that a run of the engine with
/// the choices of an interleaving leaves the same memory.
fn replay_executions(text: &str, workgroups: u32, model: Model) -> (u64, u64) {
    let parsed = wgsl::parse("it.wgsl", text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let program = Source::new(&parsed, &BTreeMap::new()).expect("a program");
    let code = lower(&program, 0).expect("code");
    let dispatch = Dispatch { entry: 0, workgroups: [workgroups, 1, 1] };
    let resources = bound(&program);
    let bounds = Bounds::default();
    let explored = Kernel::new(&program, &code, &resources, &dispatch, 32, bounds, model);
    let explored = explored.expect("a kernel");
    let read: HashSet<_> = program.sites.list.iter().filter_map(read_at).collect();
    let counts = Mutex::new((0, 0));
    let visit = |execution: &Execution<State>| {
        let mut counts = counts.lock().expect("no visitor panics");
        let Ok(choices) = explored.interleaving(execution) else {
            counts.1 += 1;
            return ControlFlow::Continue(());
        };
        counts.0 += 1;
        let left = bound(&program);
        let options = run::Options {
            workgroups: dispatch.workgroups,
            subgroup_size: 32,
            schedule: Schedule::default(),
            limits: Limits::default(),
            parallel: false,
            stop: None,
        };
        let order = Order::from(Interleaving::choices(choices));
        order.run(&code, &left, &options, &NoObserver).expect("a run");
        let left = Kernel::new(&program, &code, &left, &dispatch, 32, bounds, model);
        let left = left.expect("a kernel");
        for &(location, value) in &execution.memory {
            // Workgroup memory does not outlive the dispatch, and memory that is never read may hold any value.
            let is_left = left.variable(location).is_some_and(|variable| {
                program.module.global_variables[variable].binding.is_some()
                    && read.contains(&variable)
            });
            if is_left {
                assert_eq!(left.initial(location), value, "{order} of\n{text}");
            }
        }
        ControlFlow::Continue(())
    };
    let options = Options { limit_executions: Some(50), ..Options::new(model) };
    explore(&explored, &options, Some(&visit));
    counts.into_inner().expect("no visitor panics")
}

/// Returns the variable that is read at a site.
fn read_at(site: &Site) -> Option<Handle<GlobalVariable>> {
    match &site.kind {
        SiteKind::Access(access) if access.action != Action::Write => Some(access.global),
        _ => None,
    }
}

#[test]
fn executions_are_reproduced_by_interleavings() {
    let (mut under_sc, mut under_wgsl) = ((0, 0), (0, 0));
    for seed in 0..sample(1_000, 60) {
        let (text, workgroups) = random(&mut Random(seed));
        let add = |all: &mut (u64, u64), (with, without)| *all = (all.0 + with, all.1 + without);
        add(&mut under_sc, replay_executions(&text, workgroups, Model::Sc));
        add(&mut under_wgsl, replay_executions(&text, workgroups, Model::Wgsl));
    }
    assert!(under_sc.0 > 300 && under_wgsl.0 > 300, "{under_sc:?} {under_wgsl:?}");
    assert_eq!(under_sc.1, 0);
    // Relaxed atomics allow more executions than interleavings.
    assert!(under_wgsl.1 > 10, "{under_wgsl:?}");
}

#[test]
fn a_vector_is_accessed_in_one_step_of_an_interleaving() {
    let text = "
@group(0) @binding(0) var<storage, read_write> data: vec2<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32) {
    if l == 0u { data = vec2(3u, 4u); }
    storageBarrier();
    let all = data;
    atomicAdd(&sum, all.x * all.y);
    storageBarrier();
    if l == 1u { data = vec2(atomicLoad(&sum), 9u); }
}";
    let (with, without) = replay_executions(text, 1, Model::Sc);
    assert!(with > 0 && without == 0, "{with} {without}");
}

/// The states of all invocations, and the contents of memory.
type MachineState = (Vec<(State, Operation)>, BTreeMap<Location, Value>);

/// Returns the final memories of the interleavings in which all invocations end.
fn final_memories(kernel: &Kernel<'_>) -> BTreeSet<Memory> {
    let count = kernel.invocations().len();
    let first = |invocation: usize| {
        let mut state = kernel.start(invocation);
        let Step { operation, .. } = kernel.step(invocation, &mut state, None);
        (state, operation)
    };
    let mut left: Vec<MachineState> = vec![((0..count).map(first).collect(), BTreeMap::new())];
    let mut seen: HashSet<MachineState> = left.iter().cloned().collect();
    let mut ends = BTreeSet::new();
    while let Some(whole) = left.pop() {
        if whole.0.iter().all(|(_, operation)| *operation == Operation::End) {
            ends.insert(whole.1.into_iter().collect());
            continue;
        }
        for invocation in 0..count {
            left.extend(after(kernel, &whole, invocation).filter(|next| seen.insert(next.clone())));
        }
    }
    ends
}

/// Returns the state after a step of one invocation or, at a barrier, of its workgroup; `None` if no step is possible.
fn after(kernel: &Kernel<'_>, whole: &MachineState, invocation: usize) -> Option<MachineState> {
    let (mut all, mut memory) = whole.clone();
    let mut answer = None;
    let mut moves = vec![invocation];
    match &whole.0[invocation].1 {
        Operation::Read(access) => {
            let initial = || kernel.initial(access.location);
            answer = Some(*memory.entry(access.location).or_insert_with(initial));
        }
        Operation::Write(access, value) => {
            memory.insert(access.location, *value);
        }
        Operation::Update(access, update) => {
            let initial = || kernel.initial(access.location);
            let at = memory.entry(access.location).or_insert_with(initial);
            answer = Some(*at);
            *at = updated(*update, *at);
        }
        Operation::Fence(_) | Operation::AssertionFailure => {}
        Operation::Barrier { barrier, .. } => {
            let here = kernel.invocations()[invocation];
            let own = |other: &usize| here.share(kernel.invocations()[*other], Scope::Workgroup);
            moves = (0..all.len()).filter(own).collect();
            let waits = |other: &usize| matches!(&all[*other].1, Operation::Barrier { barrier: b, .. } if b == barrier);
            if !moves.iter().all(waits) {
                return None;
            }
        }
        Operation::ToDevice { .. } | Operation::Spins(_) | Operation::Limit | Operation::End => {
            return None;
        }
    }
    for one in moves {
        let (state, operation) = &mut all[one];
        *operation = kernel.step(one, state, answer).operation;
    }
    Some((all, memory))
}

fn updated(update: Update, found: Value) -> Value {
    match update {
        Update::Add(value, _) => Value::from((found as u32).wrapping_add(value as u32)),
        Update::Min(value) => found.min(value),
        Update::Max(value) => found.max(value),
        Update::And(value) => found & value,
        Update::Or(value) => found | value,
        Update::Xor(value) => found ^ value,
        Update::Exchange(value) => value,
        Update::CompareExchange { expected, with, .. } if found == expected => with,
        Update::CompareExchange { .. } => found,
        Update::Custom(_) => panic!("numbers are unsigned"),
    }
}

#[test]
fn final_memories_match_interleavings() {
    let (mut compared, mut several) = (0, 0);
    for seed in 0..sample(3_000, 60) {
        let (text, workgroups) = random(&mut Random(seed));
        with_kernel(&text, workgroups, Model::Sc, Vec::new(), |kernel| {
            let Some((memories, found, _)) = verdict(&text, kernel, Model::Sc, Reductions::ALL)
            else {
                return;
            };
            // Interleavings in which some invocations wait forever have no final memory.
            if found.iter().any(|(kind, _)| *kind == FindingKind::BarrierDivergence) {
                return;
            }
            let all = final_memories(kernel);
            let expected: BTreeSet<Memory> =
                all.iter().map(|memory| read_memory(&text, kernel, memory)).collect();
            assert_eq!(memories, expected, "{seed}, {workgroups} workgroups of\n{text}");
            compared += 1;
            several += u32::from(expected.len() > 1);
        });
    }
    assert!(compared > 30 && several > 5, "{compared} {several}");
}
