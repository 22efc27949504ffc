//! Tests barriers, including those that not all invocations reach.

use super::{Kernel, expect, options, out};
use crate::ir::barrier::Barrier;
use crate::vm::run::{InvocationStatus, Options};

#[test]
fn a_reduction_with_barriers() {
    let body = "
        tile[l] = l * l;
        workgroupBarrier();
        for (var stride = 32u; stride > 0u; stride /= 2u) {
            if (l < stride) { tile[l] += tile[l + stride]; }
            workgroupBarrier();
        }
        out[l] = tile[0];";
    let sum = (0..64).map(|l| l * l).sum();
    assert_eq!(out("var<workgroup> tile: array<u32, 64>;", body), expect(|_| sum));
}

#[test]
fn barriers_in_a_helper_with_one_call_site_do_not_diverge() {
    let globals = "
        var<workgroup> tile: array<u32, 64>;
        fn exchange(l: u32, value: u32) -> u32 {
            tile[l] = value;
            workgroupBarrier();
            let other = tile[63u - l];
            workgroupBarrier();
            return other;
        }";
    let body = "
        var x = l;
        for (var i = 0u; i < 3u; i++) { x = exchange(l, x) + 1u; }
        out[l] = x;";
    assert_eq!(out(globals, body), expect(|l| 63 - l + 3));
}

#[test]
fn a_uniform_load_is_two_barriers_and_a_read() {
    let body = "
        if (l == 63u) { chosen = 17u; }
        let c = workgroupUniformLoad(&chosen);
        if (l == 0u) { chosen = 99u; }
        out[l] = c;";
    assert_eq!(out("var<workgroup> chosen: u32;", body), expect(|_| 17));
}

const DIVERGENT: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
    var<workgroup> tile: array<u32, 64>;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
        tile[l] = l;
        BODY
        out[l] = tile[63u - l];
    }";

#[test]
fn a_divergence_names_invocations_that_returned_early() {
    let kernel =
        Kernel::new(&DIVERGENT.replace("BODY", "if (l >= 60u) { return; } workgroupBarrier();"))
            .zeros("out", 64);
    let run = kernel.run(&options());
    let [divergence] = &run.divergences[..] else { panic!("{:?}", run.divergences) };
    assert_eq!(divergence.arrived, (0..60).collect::<Vec<_>>());
    assert_eq!(divergence.missing.len(), 4);
    let (who, InvocationStatus::Returned(Some(site))) = divergence.missing[0] else {
        panic!("{:?}", divergence.missing)
    };
    assert_eq!(who, 60);
    assert!(kernel.snippet(site).starts_with("return"));
    assert!(kernel.snippet(divergence.site).starts_with("workgroupBarrier"));
    assert_eq!(run.no_progress, None);
}

#[test]
fn different_barriers_do_not_meet() {
    let body = "if (l < 16u) { workgroupBarrier(); } else { storageBarrier(); }";
    let kernel = Kernel::new(&DIVERGENT.replace("BODY", body)).zeros("out", 64);
    let run = kernel.run(&options());
    let [first, second] = &run.divergences[..] else { panic!("{:?}", run.divergences) };
    assert_eq!(first.arrived, (0..16).collect::<Vec<_>>());
    assert_eq!(first.missing[0], (16, InvocationStatus::AtBarrier(second.site)));
    assert_eq!(second.arrived, (16..64).collect::<Vec<_>>());
    assert_eq!(kernel.result("out"), expect(|l| 63 - l));
}

#[test]
fn invocations_continue_after_a_divergent_barrier() {
    let body = "if (l % 2u == 0u) { workgroupBarrier(); } storageBarrier();";
    let kernel = Kernel::new(&DIVERGENT.replace("BODY", body)).zeros("out", 64);
    for subgroup_size in [1, 16, 32, 64] {
        let run = kernel.run(&Options { subgroup_size, ..options() });
        let [divergence] = &run.divergences[..] else { panic!("{:?}", run.divergences) };
        assert_eq!(divergence.arrived.len(), 32);
        assert!(kernel.snippet(divergence.site).starts_with("workgroupBarrier"));
        assert_eq!(kernel.result("out"), expect(|l| 63 - l));
    }
}

#[test]
fn a_barrier_in_a_loop_of_different_lengths_is_reported_once() {
    let body = "for (var i = 0u; i < l % 4u; i++) { workgroupBarrier(); }";
    let kernel = Kernel::new(&DIVERGENT.replace("BODY", body)).zeros("out", 64);
    let run = kernel.run(&options());
    let [divergence] = &run.divergences[..] else { panic!("{:?}", run.divergences) };
    assert_eq!((divergence.arrived.len(), divergence.count), (48, 3));
    assert_eq!(kernel.result("out"), expect(|l| 63 - l));
}

#[test]
fn the_observer_is_notified_once_per_barrier() {
    use crate::ir::sites::SiteId;
    use crate::vm::observer::{Accesses, Observer, Watcher};
    use std::sync::Mutex;

    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);
    struct WorkgroupLog<'o>(&'o Log, u32);
    impl Observer for Log {
        type Watcher<'o> = WorkgroupLog<'o>;
        fn watch(&self, workgroup: u32) -> WorkgroupLog<'_> {
            WorkgroupLog(self, workgroup)
        }
    }
    impl WorkgroupLog<'_> {
        fn push(&self, what: String) {
            self.0.0.lock().unwrap().push(format!("{}: {what}", self.1));
        }
    }
    impl Watcher for WorkgroupLog<'_> {
        fn access(&mut self, a: &Accesses<'_>) {
            let first = a.offsets[a.mask.trailing_zeros() as usize];
            let (action, count, extent) = (a.action, a.mask.count_ones(), a.extent[0].bytes);
            self.push(format!("{action:?} x{count} at {first}+{extent} of {}", a.memory.0));
        }
        fn barrier(&mut self, _: SiteId, barrier: Barrier) {
            self.push(format!("{:?}", barrier.in_workgroup));
        }
        fn subgroup_barrier(&mut self, _: SiteId, subgroup: u32, _: Barrier) {
            self.push(format!("subgroup {subgroup}"));
        }
        fn diverged(&mut self) {
            self.push("diverged".to_owned());
        }
    }

    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<vec4u, 8>;
        var<workgroup> tile: array<u32, 8>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            tile[l] = l;
            workgroupBarrier();
            if (l > 5u) { out[l].z = tile[l - 4u]; }
            storageBarrier();
        }";
    let kernel = Kernel::new(text).zeros("out", 32);
    let log = Log::default();
    kernel.observed(&Options { subgroup_size: 4, workgroups: [2, 1, 1], ..options() }, &log);
    let one = |group: u32| {
        [
            "Write x4 at 0+4 of 1",
            "Write x4 at 16+4 of 1",
            "Barrier(WORK_GROUP)",
            "Read x2 at 8+4 of 1",
            "Write x2 at 96+16 of 0",
            "Barrier(STORAGE)",
        ]
        .map(|line| format!("{group}: {line}"))
    };
    assert_eq!(log.0.into_inner().unwrap(), [one(0), one(1)].concat());
}

#[test]
fn a_subgroup_barrier_that_some_lanes_skip_diverges() {
    let body = "if (l % 32u < 30u) { subgroupBarrier(); }";
    let kernel = Kernel::new(&DIVERGENT.replace("BODY", body)).zeros("out", 64);
    let run = kernel.run(&options());
    let [divergence] = &run.divergences[..] else { panic!("{:?}", run.divergences) };
    assert_eq!((divergence.arrived.len(), divergence.count), (30, 2));
    let who: Vec<u32> = divergence.missing.iter().map(|(local, _)| *local).collect();
    assert_eq!(who, [30, 31]);
}
