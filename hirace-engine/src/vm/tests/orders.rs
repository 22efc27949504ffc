//! Tests schedules of whole workgroups: which one runs first, and how many are resident.

use super::{Kernel, Options, options};
use crate::vm::run::{InvocationStatus, Run};
use crate::vm::schedule::{Limits, Schedule};

/// Each workgroup appends its id to `order`, after a loop of `rounds[id]` iterations.
const ORDER: &str = "
    @group(0) @binding(0) var<storage, read_write> order: array<u32>;
    @group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
    @group(0) @binding(2) var<storage, read_write> rounds: array<u32>;
    var<workgroup> tile: array<u32, 8>;
    @compute @workgroup_size(8) fn main(
        @builtin(workgroup_id) group: vec3u,
        @builtin(local_invocation_index) l: u32,
    ) {
        var sum = 0u;
        for (var i = 0u; i < rounds[group.x]; i++) { sum += i; }
        tile[l] = sum;
        workgroupBarrier();
        if (l == 0u) { order[atomicAdd(&next, 1u)] = group.x; }
        workgroupBarrier();
        if (l == 1u && tile[0] == 1u) { order[atomicAdd(&next, 1u)] = 99u; }
    }";

/// The number of iterations after which the serial schedule interrupts a workgroup and starts others.
const LONG: u32 = 300_000;

fn order(schedule: &str, rounds: [u32; 5]) -> Vec<u32> {
    let kernel = Kernel::new(ORDER).zeros("order", 5).zeros("next", 1).words("rounds", &rounds);
    let schedule: Schedule = schedule.parse().unwrap();
    // With small subgroups, many iterations take many instructions.
    let subgroup_sizes = if rounds == [0; 5] { &[1, 4, 8][..] } else { &[8] };
    let mut orders = Vec::new();
    for &subgroup_size in subgroup_sizes {
        let limits = Limits::default();
        let workgroups = [5, 1, 1];
        kernel.buffer("next").restore(&[0]);
        let run = kernel.run(&Options { workgroups, schedule, subgroup_size, limits, ..options() });
        assert!(run.is_complete() && run.serial);
        orders.push(kernel.result("order"));
    }
    assert!(orders.iter().all(|order| *order == orders[0]), "{orders:?}");
    orders.swap_remove(0)
}

#[test]
fn the_target_ends_before_the_others_start_in_their_order() {
    assert_eq!(order("target-first:0", [0; 5]), [0, 1, 2, 3, 4]);
    assert_eq!(order("target-first:3", [0; 5]), [3, 0, 1, 2, 4]);
    assert_eq!(order("target-first:4", [0; 5]), [4, 0, 1, 2, 3]);
    for past in ["target-first:5", "target-first:4294967295", "target-first:18446744073709551615"] {
        assert_eq!(order(past, [0; 5]), [0, 1, 2, 3, 4], "{past}");
    }
    // The duration of the target does not matter. In the serial order, others start when a workgroup runs this long.
    let long = [0, 0, LONG, 0, 0];
    assert_eq!(order("target-first:2", long), [2, 0, 1, 3, 4]);
    assert_eq!(order("serial", long), [0, 1, 3, 4, 2]);
}

#[test]
fn a_target_that_waits_for_another_makes_no_progress() {
    let (run, _) = pairs("target-first:1", 4);
    assert_eq!(run.no_progress, None, "the target does not wait");
    let (run, _) = pairs("target-first:2", 4);
    let found = run.no_progress.unwrap();
    assert_eq!((found.stuck.0.workgroup, found.unfinished, found.proven), (2, 4, true));
}

/// Runs workgroups in pairs: the first of each waits for the second.
fn pairs(schedule: &str, workgroups: u32) -> (Run, Vec<u32>) {
    let text = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>, 6>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3u) {
            if (group.x % 2u == 0u) {
                while (atomicLoad(&flags[group.x + 1u]) == 0u) {}
            }
            atomicStore(&flags[group.x], 1u);
        }";
    let kernel = Kernel::new(text).zeros("flags", 6);
    let schedule = schedule.parse().unwrap();
    let run = kernel.run(&Options { workgroups: [workgroups, 1, 1], schedule, ..options() });
    (run, kernel.result("flags"))
}

#[test]
fn waiting_for_a_workgroup_that_cannot_start_is_reported() {
    let (run, left) = pairs("occupancy:1", 2);
    let found = run.no_progress.unwrap();
    assert_eq!((found.stuck.0.workgroup, found.stuck.0.local), (0, 0));
    assert!(found.proven && found.unfinished == 2, "{found:?}");
    assert_eq!(left, [0; 6]);
    for (schedule, workgroups) in [("occupancy:2", 2), ("occupancy:2", 6), ("occupancy:5", 6)] {
        let (run, left) = pairs(schedule, workgroups);
        assert!(run.is_complete(), "{schedule}: {run:?}");
        assert!(left.iter().take(workgroups as usize).all(|flag| *flag == 1));
    }
    // A size of 0 is treated as 1.
    assert!(pairs("occupancy:0", 2).0.no_progress.is_some());
}

#[test]
fn no_more_are_resident_than_there_is_room_for() {
    // Each workgroup waits until three workgroups have arrived.
    let text = "
        @group(0) @binding(0) var<storage, read_write> came: atomic<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3u) {
            atomicAdd(&came, 1u);
            while (atomicLoad(&came) < 3u) {}
        }";
    for room in 1..5 {
        let kernel = Kernel::new(text).zeros("came", 1);
        let schedule = format!("occupancy:{room}").parse().unwrap();
        let run = kernel.run(&Options { workgroups: [4, 1, 1], schedule, ..options() });
        match run.no_progress {
            Some(found) => {
                assert!(room < 3, "{room}: {found:?}");
                assert_eq!(kernel.result("came"), [room]);
                assert_eq!((found.unfinished, found.waiting.len() as u32), (4, room - 1));
                let polls =
                    |(_, at): &(_, InvocationStatus)| matches!(at, InvocationStatus::Running(_));
                assert!(found.waiting.iter().all(polls));
            }
            None => assert!(room >= 3 && kernel.result("came") == [4], "{room}"),
        }
    }
}

/// A workgroup that runs for a long time does not prevent the other resident workgroups from terminating.
#[test]
fn those_that_are_resident_take_turns() {
    let long = [LONG, 0, 0, 0, 0];
    assert_eq!(order("occupancy:2", long), [1, 2, 3, 4, 0]);
    assert_eq!(order("occupancy:1", long), [0, 1, 2, 3, 4]);
}
