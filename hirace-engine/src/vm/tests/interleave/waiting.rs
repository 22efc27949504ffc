//! Tests units that wait for one another or for memory to change.

use super::Small;
use super::exhaustive::all;
use crate::vm::interleave::{Exhaustive, Interleaving};
use crate::vm::observer::NoObserver;
use crate::vm::run::{InvocationStatus, Options};
use crate::vm::schedule::Limits;
use crate::vm::tests::Kernel;
use std::collections::BTreeSet;

/// Creates a kernel of two workgroups over `m` and locks.
fn lock_kernel(units: [&str; 2]) -> Small {
    let [first, second] = units;
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
        @group(0) @binding(1) var<storage, read_write> lock: array<atomic<u32>, 2>;
        fn take(at: u32) {{ while (atomicExchange(&lock[at], 1u) == 1u) {{}} }}
        fn leave(at: u32) {{ atomicStore(&lock[at], 0u); }}
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3u) {{
            if (group.x == 0u) {{ {first} }} else {{ {second} }}
        }}"
    );
    Small::of_kernel(Kernel::new(&text).zeros("m", 2).zeros("lock", 2), 2, 1)
}

/// The maximum number of steps of each unit. A unit needs fewer, unless it is woken forever without effect.
const STEP_LIMITS: [u64; 2] = [16, 16];

#[test]
fn a_lock_is_passed_on_in_every_interleaving() {
    let small = lock_kernel(["take(0u); m[0] = m[0] + 1u; leave(0u);"; 2]);
    let runs = all(&small, &STEP_LIMITS);
    assert!(runs.iter().all(|(_, words)| words[0] == 2), "{runs:?}");
    assert!(runs.len() > 2 && runs.len() < 1_000, "polling units sleep: {}", runs.len());
}

#[test]
fn two_locks_taken_in_two_orders_are_a_deadlock_in_some_interleavings() {
    let small = lock_kernel([
        "take(0u); take(1u); m[0] = 1u; leave(1u); leave(0u);",
        "take(1u); take(0u); m[1] = 1u; leave(0u); leave(1u);",
    ]);
    let mut search = Exhaustive::new(STEP_LIMITS.to_vec());
    let mut stepper = small.stepper();
    let mut outcomes = BTreeSet::new();
    while search.advance() {
        let stepped = stepper.run(&mut search, &NoObserver);
        assert!(!stepped.cut_short);
        if let Some(no_progress) = &stepped.run.no_progress {
            assert!(
                no_progress.proven && no_progress.unfinished == 2 && no_progress.waiting.len() == 1
            );
            assert!(
                small.kernel.snippet(no_progress.stuck.1).starts_with("while"),
                "{no_progress:?}"
            );
            assert_eq!(small.words(&stepper), [0, 0]);
        }
        outcomes.insert(stepped.run.no_progress.is_some());
    }
    assert_eq!(outcomes, BTreeSet::from([false, true]));
}

#[test]
fn a_loop_without_memory_accesses_reaches_its_limit_and_is_not_proven() {
    let small =
        Small::new(&["m[0] = 1u;", "var i = 0u; loop { i++; if (i == 0u) { break; } }"], 1, &[0]);
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let small = Small { options: Options { limits, ..small.options }, ..small };
    let stepped = small.stepper().run(&mut *Interleaving::random(1).chooser(), &NoObserver);
    let no_progress = stepped.run.no_progress.unwrap();
    assert_eq!(
        (no_progress.stuck.0.workgroup, no_progress.steps, no_progress.proven),
        (1, 10_000, false)
    );
    let limits = Limits { total: 1_000, ..Limits::default() };
    let small = Small { options: Options { limits, ..small.options }, ..small };
    let stepped = small.stepper().run(&mut *Interleaving::random(1).chooser(), &NoObserver);
    assert!(!stepped.run.is_complete());
}

#[test]
fn a_barrier_not_reached_by_all_is_a_divergence_and_the_run_continues() {
    let text = "fn all(u: u32) { if (u == 2u) { return; } workgroupBarrier(); m[u] = 1u; }";
    let small = Small::of_text(text, 4, 4, &[0; 4]);
    for seed in 0..10 {
        let (stepped, words) =
            small.run(&mut small.stepper(), &mut *Interleaving::random(seed).chooser());
        assert_eq!(words, [1, 1, 0, 1]);
        let [divergence] = &stepped.run.divergences[..] else { panic!() };
        assert_eq!(divergence.arrived, [0, 1, 3]);
        assert!(matches!(divergence.missing[..], [(2, InvocationStatus::Returned(Some(_)))]));
    }
}

/// As in whole subgroups, a unit that polls does not take part in an operation of the others.
#[test]
fn a_subgroup_operation_does_not_wait_for_a_lane_that_polls() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> m: array<u32>;
        @group(0) @binding(1) var<storage, read_write> flag: atomic<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            if (l == 0u) {
                while (atomicLoad(&flag) == 0u) {}
            } else {
                m[l] = subgroupAdd(l);
                if (l == 1u) { atomicStore(&flag, 1u); }
            }
            workgroupBarrier();
            m[l] += subgroupAdd(10u);
        }";
    for seed in 0..20 {
        let kernel = Kernel::new(text).zeros("m", 4).zeros("flag", 1);
        let mut small = Small::of_kernel(kernel, 4, 4);
        small.options.subgroup_size = 4;
        let mut stepper = small.stepper();
        let (stepped, words) = small.run(&mut stepper, &mut *Interleaving::random(seed).chooser());
        assert_eq!(stepped.run.no_progress, None, "seed {seed}");
        assert_eq!(words, [40, 46, 46, 46], "seed {seed}");
    }
}
