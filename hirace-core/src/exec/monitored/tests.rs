use super::*;
use crate::front::wgsl;
use crate::vm::schedule::{self, Schedule};
use std::collections::BTreeMap;

fn program(text: &str) -> Program {
    let parsed = match wgsl::parse("test.wgsl", text) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error}: {:?}", error.notes),
    };
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

/// A launch of the first entry point over zeros.
fn launch(program: &Program, workgroups: u32, bytes: u32) -> Launch {
    let globals = program.module.global_variables.iter();
    let by_global = globals
        .map(|(_, variable)| variable.binding.map(|_| Resource::Buffer(Buffer::zeros(bytes))));
    Launch {
        dispatches: vec![Dispatch { entry: 0, workgroups: [workgroups, 1, 1] }],
        resources: Resources { by_global: by_global.collect() },
        guessed_contents: Vec::new(),
        guessed_lengths: Vec::new(),
        inferred: Vec::new(),
        replay: Vec::new(),
        subgroup_size: 32,
        schedule: Schedule::default(),
        limits: schedule::Limits { steps: 100_000, ..schedule::Limits::default() },
    }
}

/// The racy granules as `variable[index]`, with `@workgroup` for workgroup memory.
fn names(program: &Program, racy: &Racy) -> Vec<String> {
    let name = |granule: &Granule| {
        let mut globals = program.module.global_variables.iter();
        let (_, variable) = globals.find(|(h, _)| h.index() as u32 == granule.memory.0).unwrap();
        let own = variable.space == naga::AddressSpace::WorkGroup;
        let name = variable.name.as_deref().unwrap();
        let at = if own { format!("@{}", granule.workgroup) } else { String::new() };
        format!("{name}[{}]{at}", granule.index)
    };
    racy.keys().map(name).collect()
}

fn racy(text: &str, workgroups: u32, workgroup_memory: u32) -> Vec<String> {
    let program = program(text);
    let launch = launch(&program, workgroups, 1024);
    let options = Options { workgroup_memory, watch_all: true, ..Options::new(Vec::new()) };
    let detected = run(&program, &launch, &options, Limits::default(), None).unwrap();
    assert_eq!(detected.len(), 1);
    assert_eq!(detected[0].dropped, 0);
    assert_eq!(detected[0].stopped, Stopped::default());
    assert!(detected[0].unwatched.is_empty(), "{:?}", detected[0].unwatched);
    names(&program, &detected[0].racy)
}

const SHIFT: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    var<workgroup> tile: array<u32, 64>;
    @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) g: vec3<u32>
    ) {
        tile[l] = l;
        BARRIER
        out[g.x] = tile[l ^ 33u];
    }";

#[test]
fn a_missing_barrier_races_and_the_barrier_mends_it() {
    for workgroup_memory in [16384, 0] {
        let with = |barrier: &str| racy(&SHIFT.replace("BARRIER", barrier), 2, workgroup_memory);
        let all: Vec<_> =
            (0..2).flat_map(|w| (0..64).map(move |i| format!("tile[{i}]@{w}"))).collect();
        assert_eq!(with(""), all);
        assert_eq!(with("storageBarrier();"), all);
        assert_eq!(with("subgroupBarrier();"), all);
        assert_eq!(with("workgroupBarrier();"), Vec::<String>::new());
    }
}

#[test]
fn no_barrier_orders_two_workgroups() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> c: atomic<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            atomicAdd(&c, 1u);
            if l == 3u { a[5] = 1u; }
            storageBarrier();
            if l == 40u { a[5] += 1u; }
        }";
    assert_eq!(racy(text, 1, 0), Vec::<String>::new());
    assert_eq!(racy(text, 2, 0), ["a[5]"]);
}

#[test]
fn a_subgroup_barrier_orders_a_subgroup() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            a[l] = 1u;
            subgroupBarrier();
            a[l ^ 1u] += 1u;
            subgroupBarrier();
            if l == 0u { a[63] = 1u; }
        }";
    assert_eq!(racy(text, 1, 0), ["a[63]"]);
}

#[test]
fn a_full_log_loses_no_racy_word_that_the_shadow_still_shows() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            for (var i = 0u; i < arrayLength(&a); i++) { a[i] = l; }
        }";
    let program = program(text);
    let launch = launch(&program, 1, 4 * 40);
    let limits = Limits { log_entries: 10, ..Limits::default() };
    let detected = &run(&program, &launch, &Options::new(Vec::new()), limits, None).unwrap()[0];
    assert_eq!(detected.dropped, 0);
    assert_eq!(detected.racy.len(), 40);
    let unknown = detected.racy.values().filter(|site| **site == SiteId::NONE);
    assert_eq!(unknown.count(), 30);
}

#[test]
fn a_clock_that_runs_out_is_told_and_raises_no_false_alarm() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            a[0] = l;
            for (var i = 0u; i < 20u; i++) {
                a[l + 1u + i] = l;
                storageBarrier();
            }
        }";
    let program = program(text);
    let launch = launch(&program, 1, 4 * 100);
    let with = |clock_bits| {
        let limits = Limits { clock_bits, ..Limits::default() };
        run(&program, &launch, &Options::new(Vec::new()), limits, None).unwrap().remove(0)
    };
    for clock_bits in 0..8 {
        let detected = with(clock_bits);
        assert_eq!(names(&program, &detected.racy), ["a[0]"]);
        let stopped = Stopped { dispatch: clock_bits < 5, workgroup: false };
        assert_eq!(detected.stopped, stopped, "{clock_bits}");
    }
}
