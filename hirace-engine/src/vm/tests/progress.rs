//! Tests waiting: locks, flags, and runs that do not terminate.

use super::{Kernel, expect, options, out};
use crate::vm::run::{InvocationStatus, Options};
use crate::vm::schedule::{Limits, Schedule};

const LOCK: &str = "
    @group(0) @binding(0) var<storage, read_write> lock: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> total: u32;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        loop {
            let got = atomicCompareExchangeWeak(&lock, 0u, 1u);
            if (got.exchanged) { break; }
        }
        total += id.x;
        atomicStore(&lock, 0u);
    }";

#[test]
fn a_spin_lock_is_passed_on() {
    for (subgroup_size, seed, groups) in [(32, 0, 1), (64, 0, 3), (1, 0, 2), (16, 5, 4)] {
        let kernel = Kernel::new(LOCK).zeros("lock", 1).zeros("total", 1);
        let run = kernel.run(&Options {
            workgroups: [groups, 1, 1],
            subgroup_size,
            schedule: Schedule::seeded(seed),
            limits: Limits { steps: 50_000_000, ..Limits::default() },
            ..options()
        });
        assert_eq!(run.no_progress, None, "subgroups of {subgroup_size}, seed {seed}");
        let n = 64 * groups;
        assert_eq!(kernel.result("total"), [n * (n - 1) / 2], "seed {seed}");
    }
}

#[test]
fn lanes_let_go_by_a_loop_meet_again_at_the_barrier() {
    let globals = "var<workgroup> flag: atomic<u32>; var<workgroup> sum: atomic<u32>;";
    let body = "
        if (l == 0u) {
            while (atomicLoad(&flag) == 0u) {}
        } else if (l == 40u) {
            atomicStore(&flag, 1u);
        } else if (l == 1u) {
            atomicStore(&flag, atomicLoad(&flag) | 2u);
        }
        atomicAdd(&sum, 1u);
        workgroupBarrier();
        out[l] = atomicLoad(&sum);";
    assert_eq!(out(globals, body), expect(|_| 64));
}

#[test]
fn workgroups_can_wait_for_later_ones() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>, 5>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3u) {
            if (group.x < 4u) {
                while (atomicLoad(&flags[group.x + 1u]) == 0u) {}
            }
            atomicStore(&flags[group.x], group.x + 1u);
        }";
    for (parallel, seed) in [(false, 0), (true, 0), (false, 9)] {
        let kernel = Kernel::new(text).zeros("flags", 5);
        let limits = Limits { steps: 50_000_000, resident: 2, ..Limits::default() };
        let schedule = Schedule::seeded(seed);
        let options = Options { workgroups: [5, 1, 1], parallel, limits, schedule, ..options() };
        let run = kernel.run(&options);
        assert_eq!(run.no_progress, None);
        assert_eq!(kernel.result("flags"), [1, 2, 3, 4, 5]);
    }
    // If no later workgroup may be resident, the wait cannot end.
    let limits =
        Limits { steps: 2_000_000, resident: 2, resident_is_hard: true, ..Limits::default() };
    let kernel = Kernel::new(text).zeros("flags", 5);
    let run = kernel.run(&Options { workgroups: [5, 1, 1], limits, ..options() });
    assert_eq!(run.no_progress.unwrap().unfinished, 5);
}

#[test]
fn a_loop_without_end_is_reported_with_who_waits() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            if (l == 33u) {
                while (out[0] == 0u) { }
            }
            workgroupBarrier();
        }";
    let kernel = Kernel::new(text).zeros("out", 1);
    for seed in [0, 1] {
        let limits = Limits { steps: 100_000, ..Limits::default() };
        let run = kernel.run(&Options { limits, schedule: Schedule::seeded(seed), ..options() });
        let stuck = run.no_progress.unwrap();
        assert_eq!(stuck.stuck.0.local, 33);
        assert!(kernel.snippet(stuck.stuck.1).starts_with("while"), "{stuck:?}");
        assert_eq!(stuck.unfinished, 64);
        assert!(stuck.steps > 0);
        assert!(matches!(stuck.waiting[0].1, InvocationStatus::AtBarrier(_)), "{stuck:?}");
        assert_eq!(run.divergences, []);
    }
}

/// Eight subgroups per workgroup, each of which counts for a long time.
const LONG: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
        var sum = 0u;
        for (var i = 0u; i < 100000u; i++) { sum += i; }
        out[id.x] = sum;
    }";

#[test]
fn a_run_is_left_after_as_many_steps_as_all_together_may_take() {
    let mut ends = Vec::new();
    for (parallel, schedule) in [
        (false, Schedule::default()),
        (true, Schedule::default()),
        (false, Schedule::seeded(3)),
        (false, Schedule::favoring()),
    ] {
        let kernel = Kernel::new(LONG).zeros("out", 2048);
        let limits = Limits { steps: u64::MAX, total: 1_000_000, ..Limits::default() };
        let workgroups = [8, 1, 1];
        let run = kernel.run(&Options { workgroups, limits, parallel, schedule, ..options() });
        assert!(
            run.reached_total_limit
                && !run.is_complete()
                && !run.stopped
                && run.no_progress.is_none()
        );
        assert!((1_000_000..2_000_000).contains(&run.steps), "{}", run.steps);
        ends.push(run.steps);
    }
    assert_eq!(ends[0], ends[1], "it does not depend on how fast workers are");
}

#[test]
fn one_that_is_favored_shows_a_loop_without_end_soon_and_the_others_go_on() {
    let text = LONG.replace("100000u", "4000000000u");
    let steps = |schedule| {
        let kernel = Kernel::new(&text).zeros("out", 2048);
        let limits = Limits { steps: 1_000_000, ..Limits::default() };
        let run = kernel.run(&Options { workgroups: [8, 1, 1], limits, schedule, ..options() });
        assert!(run.no_progress.is_some());
        run.steps
    };
    let (plain, favoring) = (steps(Schedule::default()), steps(Schedule::favoring()));
    assert!(favoring * 2 < plain && favoring > 1_000_000, "{favoring}, {plain}");
    // A workgroup that waits for another still makes progress.
    let kernel = Kernel::new(LOCK).zeros("lock", 1).zeros("total", 1);
    let options = Options { workgroups: [3, 1, 1], schedule: Schedule::favoring(), ..options() };
    assert_eq!(kernel.run(&options).no_progress, None);
    assert_eq!(kernel.result("total"), [192 * 191 / 2]);
}

#[test]
fn a_run_can_be_stopped() {
    use std::sync::atomic::AtomicBool;
    let text = "@compute @workgroup_size(1) fn main() { loop { if (false) { break; } } }";
    let kernel = Kernel::new(text);
    let stop = AtomicBool::new(true);
    for seed in [0, 1] {
        let schedule = Schedule::seeded(seed);
        let run = kernel.run(&Options { stop: Some(&stop), schedule, ..options() });
        assert!(run.stopped);
        assert_eq!(run.no_progress, None);
    }
}

/// Which invocation wrote last depends only on the schedule.
#[test]
fn a_seed_gives_the_same_run_again() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> order: array<u32>;
        @group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
        @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {
            for (var i = 0u; i < 3u; i++) { order[atomicAdd(&next, 1u)] = id.x; }
        }";
    let run = |seed| {
        let kernel = Kernel::new(text).zeros("order", 16 * 4 * 3).zeros("next", 1);
        kernel.run(&Options {
            workgroups: [4, 1, 1],
            subgroup_size: 4,
            schedule: Schedule::seeded(seed),
            ..options()
        });
        kernel.result("order")
    };
    let all: std::collections::BTreeSet<_> = (0..20).map(run).collect();
    assert!(all.len() > 15, "{} different orders of 20", all.len());
    assert!((0..20).all(|seed| all.contains(&run(seed)) && run(seed) == run(seed)));
}

#[test]
fn a_poll_that_nobody_can_end_is_known_at_once() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>, 8>;
        @compute @workgroup_size(64) fn main(@builtin(workgroup_id) group: vec3u) {
            while (atomicLoad(&flags[group.x]) == 0u) {
                for (var i = 0u; i < 3u; i++) { atomicMax(&flags[7], i); }
            }
            atomicStore(&flags[group.x + 1u], 1u);
        }";
    for seed in [0, 4] {
        let kernel = Kernel::new(text).words("flags", &[1, 0, 0, 1, 0, 0, 0, 0]);
        let limits = Limits { steps: u64::MAX, ..Limits::default() };
        let schedule = Schedule::seeded(seed);
        let run = kernel.run(&Options { workgroups: [6, 1, 1], limits, schedule, ..options() });
        assert_eq!(run.no_progress, None, "each releases the next one");

        let kernel = Kernel::new(text).words("flags", &[1, 0, 0, 0, 0, 0, 0, 0]);
        let text = text.replace("group.x + 1u", "group.x + 2u");
        let kernel = Kernel { program: Kernel::new(&text).program, ..kernel };
        let run = kernel.run(&Options { workgroups: [6, 1, 1], limits, schedule, ..options() });
        let stuck = run.no_progress.unwrap();
        // Workgroup 0 releases 2, which releases 4; 1, 3 and 5 wait forever.
        assert_eq!(stuck.unfinished, 3 * 64);
        assert_eq!(stuck.stuck.0.workgroup % 2, 1);
        assert!(kernel.snippet(stuck.stuck.1).starts_with("while"));
        assert!(run.steps < 10_000_000);
    }
}

#[test]
fn lanes_let_go_by_a_loop_meet_again_at_a_subgroup_operation() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> flag: atomic<u32>;
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) l: u32) {
            if (l == 0u) {
                while (atomicLoad(&flag) == 0u) {}
            } else if (l == 20u) {
                atomicStore(&flag, 1u);
            }
            out[l] = subgroupAdd(1u);
        }";
    for seed in [0, 1, 2] {
        let kernel = Kernel::new(text).zeros("out", 32);
        let run = kernel.run(&Options { schedule: Schedule::seeded(seed), ..options() });
        assert_eq!(run.no_progress, None);
        assert_eq!(kernel.result("out"), [32; 32]);
    }
}

#[test]
fn lanes_behind_at_a_subgroup_operation_catch_up_before_the_next_one() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) l: u32) {
            // Long enough for waiting lanes to be split off.
            for (var i = 0u; i < 1500u * l; i++) { out[l] += i; }
            if (l % 2u == 1u) { out[l] = subgroupAdd(1u); }
            for (var i = 0u; i < l % 3u; i++) { out[8u + l] = subgroupAdd(1u); }
            switch (l) {
                case 0u, 1u: { out[16u + l] = subgroupAdd(1u); }
                case 2u: { out[16u + l] = subgroupAdd(10u); }
                default: { out[16u + l] = subgroupAdd(100u); }
            }
            out[24u + l] = subgroupAdd(1u);
        }";
    for seed in [0, 1, 2] {
        let kernel = Kernel::new(text).zeros("out", 32);
        kernel.run(&Options { schedule: Schedule::seeded(seed), subgroup_size: 8, ..options() });
        let result = kernel.result("out");
        let odd: Vec<u32> = result[..8].iter().skip(1).step_by(2).copied().collect();
        assert_eq!(odd, [4; 4]);
        // Five lanes have one iteration, and two of these have a second.
        assert_eq!(result[8..16], [0, 5, 2, 0, 5, 2, 0, 5]);
        assert_eq!(result[16..24], [2, 2, 10, 500, 500, 500, 500, 500]);
        assert_eq!(result[24..], [8; 8]);
    }
}

#[test]
fn a_loop_that_stores_what_stands_there_is_known_to_change_nothing() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            for (var i = 0u; i < 64u; i += out[64]) { out[l] += i; }
        }";
    let proven = |step: u32| {
        let kernel = Kernel::new(text).words("out", &[[0; 64].as_slice(), &[step]].concat());
        let limits = Limits { steps: 1_000_000, ..Limits::default() };
        let run = kernel.run(&Options { limits, ..options() });
        run.no_progress.map(|found| found.proven)
    };
    assert_eq!((proven(0), proven(1)), (Some(true), None));
}

#[test]
fn a_loop_that_changes_what_decides_its_exit_runs_into_the_limit() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            var i = 0u;
            while (out[0] == 0u || i == 7u) { i += 1u; }
            out[1] = i;
        }";
    let kernel = Kernel::new(text).zeros("out", 2);
    for parallel in [false, true] {
        let limits = Limits { steps: 100_000, ..Limits::default() };
        let workgroups = [3, 1, 1];
        let run = kernel.run(&Options { limits, parallel, workgroups, ..options() });
        let stuck = run.no_progress.unwrap();
        assert!(stuck.steps > 100_000);
        assert_eq!((stuck.stuck.0.workgroup, stuck.unfinished), (0, 3 * 64));
    }
}

#[test]
fn a_subgroup_passes_its_barrier_while_another_waits_for_it() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> flag: atomic<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            if (l < 32u) {
                var polls = 0u;
                while (atomicLoad(&flag) == 0u) { polls += 1u; }
                out[l] = 1u;
            } else {
                out[l] = l;
                subgroupBarrier();
                out[l] = subgroupAdd(1u);
                atomicStore(&flag, 1u);
            }
        }";
    for seed in [0, 1] {
        let kernel = Kernel::new(text).zeros("out", 64);
        let run = kernel.run(&Options { schedule: Schedule::seeded(seed), ..options() });
        assert_eq!((run.no_progress, run.divergences), (None, Vec::new()));
        assert_eq!(kernel.result("out"), expect(|l| if l < 32 { 1 } else { 32 }));
    }
}

#[test]
fn a_subgroup_operation_right_after_a_barrier_is_not_taken_for_it() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) l: u32) {
            var rounds = 0u;
            if (l < 4u) { while (rounds < 10000u) { rounds += 1u; } }
            var sum = 0u;
            for (var i = 0u; i < 3u; i++) {
                subgroupBarrier();
                sum += subgroupAdd(1u);
            }
            out[l] = sum + rounds;
        }";
    for seed in [0, 5] {
        let kernel = Kernel::new(text).zeros("out", 32);
        let run = kernel.run(&Options { schedule: Schedule::seeded(seed), ..options() });
        assert_eq!((run.no_progress, run.divergences), (None, Vec::new()));
        let want: Vec<u32> = (0..32).map(|l| if l < 4 { 10096 } else { 96 }).collect();
        assert_eq!(kernel.result("out"), want);
    }
}
