//! Tests of modules in which one workgroup runs first, on the embedded machine, whose orders are the reference for the pass.
//!
//! Tickets are drawn in the order in which workgroups start. In the serial order that is the machine's own schedule
//! `target-first`, so both leave the same contents after every kernel, including racy ones.

mod running;

use crate::random::engine::LoadedKernel;
use crate::random::generate;
#[cfg(feature = "glsl")]
use hirace::raw::front;
use hirace::raw::pass::target_first::{OrderingTechnique, WaitCounts};
#[cfg(feature = "glsl")]
use hirace::raw::program::Program;
use hirace::raw::vm::schedule::Schedule;
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
#[cfg(feature = "glsl")]
use naga::ResourceBinding;
use running::{First, LaunchOptions, all, program, run_first, same, words_of, zeros};
#[cfg(feature = "glsl")]
use {running::in_words, std::collections::BTreeMap};

/// More polls than any target here needs to finish.
const ENOUGH: u32 = 1 << 16;

type Test = fn() -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("random_kernels_leave_what_the_machine_s_own_schedule_leaves", random),
    ("the_target_starts_first_and_each_id_is_taken_once", ids),
    #[cfg(feature = "glsl")]
    ("ids_of_glsl_are_taken_too", ids_of_glsl),
    ("who_waits_begins_when_the_target_is_done", waits),
    ("a_target_that_is_not_resident_is_waited_for_in_vain_in_place_alone", occupancy),
    ("the_wait_runs_out_for_a_target_that_takes_long", slow),
    ("all_ways_out_of_an_entry_point_are_an_end", ends),
    ("a_target_past_the_last_changes_nothing", past_the_last),
];

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&str, Test)| Trial::test(format!("target_first::{name}"), test);
    TESTS.iter().map(trial).collect()
}

/// The contents after many random kernels depend on the order of workgroups, and some must differ.
fn random() -> Result<(), Failed> {
    let mut differ = 0;
    for seed in seeds(150, 3_000) {
        let kernel = generate::kernel(seed);
        let loaded = LoadedKernel::new(&kernel)?;
        let program = &loaded.program;
        let grid = kernel.grid;
        let way = |schedule| LaunchOptions {
            subgroup_size: grid.subgroup_size,
            ..LaunchOptions::new([grid.workgroups, 1, 1], schedule)
        };
        let in_order = loaded.resources_of(program);
        way(Schedule::default()).run(program, 0, &in_order)?;
        for target in 0..grid.workgroups {
            let expected = loaded.resources_of(program);
            way(Schedule::target_first(target)).run(program, 0, &expected)?;
            differ += u32::from(all(&expected) != all(&in_order));
            for means in [OrderingTechnique::Remapped, OrderingTechnique::WaitForTarget] {
                let resources = loaded.resources_of(program);
                let first = First { target, means, polls: ENOUGH };
                let waits = run_first(program, 0, &resources, way(Schedule::default()), first)?;
                let what = format!("kernel {seed}, {first:?}\n{}", loaded.wgsl);
                same(&what, &all(&resources), &all(&expected))?;
                same(&what, &waits, &WaitCounts::default())?;
            }
        }
    }
    same("some kernels show the order", &(differ > 0), &true)?;
    Ok(())
}

/// A kernel in which each workgroup records when it started, and each invocation records its ids.
const IDS: &str = "
    @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> started: array<u32>;
    @group(0) @binding(2) var<storage, read_write> visits: array<atomic<u32>>;
    struct Ids { @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32> }
    @compute @workgroup_size(2, 1, 3)
    fn main(
        ids: Ids,
        @builtin(num_workgroups) count: vec3<u32>,
        @builtin(global_invocation_id) global: vec3<u32>,
        @builtin(local_invocation_index) lane: u32,
    ) {
        let linear = ids.group.x + count.x * (ids.group.y + count.y * ids.group.z);
        if lane == 0u { started[atomicAdd(&next, 1u)] = linear; }
        if all(global == ids.group * vec3(2u, 1u, 3u) + ids.local) {
            let size = count * vec3(2u, 1u, 3u);
            atomicAdd(&visits[global.x + size.x * (global.y + size.y * global.z)], 1u);
        }
    }";

fn ids() -> Result<(), Failed> {
    let program = program(IDS)?;
    let workgroups = [3, 2, 2];
    let schedules = [
        Schedule::default(),
        Schedule::seeded(1),
        Schedule::seeded(2),
        Schedule::occupancy(1),
        Schedule::occupancy(5),
    ];
    for schedule in schedules {
        for means in [OrderingTechnique::Remapped, OrderingTechnique::WaitForTarget] {
            for target in 0..12 {
                let resources = zeros(&program, 12 * 6);
                let first = First { target, means, polls: ENOUGH };
                let way = LaunchOptions::new(workgroups, schedule);
                run_first(&program, 0, &resources, way, first)?;
                let what = format!("{first:?} {schedule}");
                let mut started = words_of(&resources, 1);
                started.truncate(12);
                // Without a wait, other workgroups may overtake the first one before it records its start.
                if means.waits()
                    || schedule != Schedule::seeded(1) && schedule != Schedule::seeded(2)
                {
                    same(&what, &started[0], &target)?;
                }
                if schedule.is_plain() {
                    let mut others: Vec<u32> = (0..12).filter(|id| *id != target).collect();
                    others.insert(0, target);
                    same(&what, &started, &others)?;
                }
                started.sort_unstable();
                same(&what, &started, &(0..12).collect())?;
                same(&what, &words_of(&resources, 2), &vec![1; 72])?;
            }
        }
    }
    Ok(())
}

/// GLSL has its ids in variables.
#[cfg(feature = "glsl")]
fn ids_of_glsl() -> Result<(), Failed> {
    let text = "#version 450
        layout(local_size_x = 4) in;
        layout(set = 0, binding = 0) buffer Next { uint next; };
        layout(set = 0, binding = 1) buffer Started { uint started[]; };
        uint group() { return gl_WorkGroupID.x; }
        void main() {
            if (gl_LocalInvocationIndex == 0u) { started[atomicAdd(next, 1u)] = group(); }
            if (gl_GlobalInvocationID.x / 4u != group()) { started[7] = 1u; }
        }";
    let parsed = front::parse_bytes("ids.comp", text.as_bytes(), &|_| None).map_err(in_words)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(in_words)?;
    let globals = program.module.global_variables.iter();
    let started = globals
        .into_iter()
        .position(|(_, global)| global.binding == Some(ResourceBinding { group: 0, binding: 1 }));
    for means in [OrderingTechnique::Remapped, OrderingTechnique::WaitForTarget] {
        let resources = zeros(&program, 8);
        let first = First { target: 2, means, polls: ENOUGH };
        let way = LaunchOptions::new([5, 1, 1], Schedule::default());
        run_first(&program, 0, &resources, way, first)?;
        let started = words_of(&resources, started.ok_or("the variable does not exist")?);
        same(&format!("{first:?}"), &started, &vec![2, 0, 1, 3, 4, 0, 0, 0])?;
    }
    Ok(())
}

/// A kernel in which each workgroup takes a while, and then records how many had started.
const WHILE: &str = "
    @group(0) @binding(0) var<storage, read_write> begun: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> at_end: array<u32>;
    @compute @workgroup_size(4)
    fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
        if lane == 0u { atomicAdd(&begun, 1u); }
        for (var i = 0u; i < 10u * (lane + 1u); i++) { at_end[16u] = i; }
        if lane == 3u { at_end[group.x] = atomicLoad(&begun); }
    }";

fn waits() -> Result<(), Failed> {
    let program = program(WHILE)?;
    let mut overtaken = 0;
    for seed in 1..20 {
        for target in [0, 3, 7] {
            for means in OrderingTechnique::ALL {
                let resources = zeros(&program, 17);
                let first = First { target, means, polls: ENOUGH };
                let way = LaunchOptions::new([8, 1, 1], Schedule::seeded(seed));
                let waits = run_first(&program, 0, &resources, way, first)?;
                let alone = words_of(&resources, 1)[target as usize] <= 1;
                match means.waits() {
                    true => {
                        let what = format!("{first:?}, seed {seed}");
                        same(&what, &(alone, waits), &(true, WaitCounts::default()))?;
                    }
                    false => overtaken += u32::from(!alone),
                }
            }
        }
    }
    same("workgroups overtake the target if none waits", &(overtaken > 0), &true)?;
    Ok(())
}

fn occupancy() -> Result<(), Failed> {
    let program = program(WHILE)?;
    for (resident, target) in [(1, 0), (1, 1), (1, 7), (3, 2), (3, 7), (8, 7)] {
        let waits = |means| {
            let first = First { target, means, polls: ENOUGH };
            let way = LaunchOptions::new([8, 1, 1], Schedule::occupancy(resident));
            run_first(&program, 0, &zeros(&program, 17), way, first)
        };
        let what = format!("{resident} resident, {target} first");
        same(&what, &waits(OrderingTechnique::WaitForTarget)?, &WaitCounts::default())?;
        let in_place = waits(OrderingTechnique::AwaitedInPlace)?;
        if target < resident {
            same(&what, &in_place, &WaitCounts::default())?;
        } else if resident == 1 {
            // Only the target runs after the workgroups before it.
            same(&what, &in_place, &WaitCounts { timed_out: target, absent: target })?;
        } else {
            let is_said = in_place.absent >= resident && in_place.timed_out >= in_place.absent;
            same(&format!("{what}: {in_place:?}"), &is_said, &true)?;
        }
    }
    Ok(())
}

fn slow() -> Result<(), Failed> {
    let program = program(WHILE)?;
    for means in [OrderingTechnique::WaitForTarget, OrderingTechnique::AwaitedInPlace] {
        let first = First { target: 0, means, polls: 0 };
        let way = LaunchOptions::new([8, 1, 1], Schedule::seeded(3));
        let resources = zeros(&program, 17);
        let waits = run_first(&program, 0, &resources, way, first)?;
        same("the others do not wait", &(waits.timed_out > 0), &true)?;
        if means.remaps() {
            same("the target has started", &waits.absent, &0)?;
        }
    }
    Ok(())
}

fn ends() -> Result<(), Failed> {
    let text = include_str!("../../hirace-program/src/pass/target_first/tests/entries.wgsl");
    let program = program(text)?;
    for (index, entry) in program.module.entry_points.iter().enumerate() {
        for seed in 0..4 {
            let way = LaunchOptions::new([4, 1, 1], Schedule::seeded(seed));
            let plain = zeros(&program, 512);
            way.run(&program, index, &plain)?;
            for (target, means) in
                (0..4).flat_map(|target| OrderingTechnique::ALL.map(|means| (target, means)))
            {
                // In place, the waits of workgroups before the target may have to run out.
                let polls = if means.remaps() { ENOUGH } else { 50 };
                let resources = zeros(&program, 512);
                let first = First { target, means, polls };
                let waits = run_first(&program, index, &resources, way, first)?;
                let what = format!("{}, {first:?}, seed {seed}", entry.name);
                same(&what, &all(&resources), &all(&plain))?;
                if means.remaps() {
                    same(&what, &waits, &WaitCounts::default())?;
                }
            }
        }
    }
    Ok(())
}

fn past_the_last() -> Result<(), Failed> {
    let program = program(IDS)?;
    let way = LaunchOptions::new([3, 1, 1], Schedule::default());
    for means in OrderingTechnique::ALL {
        for target in [3, u32::MAX] {
            let resources = zeros(&program, 24);
            let first = First { target, means, polls: ENOUGH };
            let waits = run_first(&program, 0, &resources, way, first)?;
            same("no workgroup waits", &waits, &WaitCounts::default())?;
            same("in order", &words_of(&resources, 1)[..3], &[0, 1, 2][..])?;
        }
    }
    Ok(())
}
