//! Tests of launches in which one workgroup of a dispatch runs first on the device, and of unmodified launches there.

use super::agree::is_deterministic;
use super::contents::same_memory;
use super::unsupported::{LONG, long, wait_until_idle};
use super::{Case, adapter, device, error_text, launched, lock_for_long_test};
use crate::random::divergent::launch_of;
use crate::random::engine::LoadedKernel;
use crate::random::generate;
use crate::support::root;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::unwatched::{
    FirstWorkgroup, OrderingTechnique, UnwatchedOutcome, WaitCounts,
};
use hirace::raw::exec::wgpu::{Device, Features};
use hirace::raw::exec::{Executor, Watch};
use hirace::raw::front::rust;
use hirace::raw::launch::Launch;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::launch::spec::LaunchSpec;
use hirace::raw::program::Program;
use hirace::raw::vm::memory::{Resource, Resources};
use hirace_gpu::wgpu::DeviceType;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The number of random kernels in a default run and in a full run.
const RANDOM: [u64; 2] = [20, 150];

/// Files of kernels in Rust whose inferred launch has no races.
const KERNELS: &[&str] =
    &["saxpy.rs", "transpose.rs", "matrix_product.rs", "histogram.rs", "tree_sum.rs", "heat.rs"];

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("target_first_changes_no_random_kernel_without_races", random),
        Case::new("target_first_changes_no_kernel_in_Rust_without_races", kernels),
        Case::new("target_first_decides_who_comes_first", winner),
        Case::new("target_first_is_one_dispatch_of_many", dispatches),
        Case::new("target_first_waits_in_place_end", in_place),
        Case::new("target_first_leaves_turns_to_the_kernel_s_loops", turns),
        Case::new("target_first_lets_the_others_go_where_the_target_waits_for_them", mutual),
        Case::new("target_first_hangs_are_failures", hangs),
        Case::new("target_first_needs_room", needs_room),
        Case::new("target_first_is_none_of_the_embedded_executor", embedded),
    ]
}

/// Runs a launch without watching it, with the given target first.
fn bare(
    program: &Program,
    launch: &Launch,
    first: Option<FirstWorkgroup>,
) -> Result<UnwatchedOutcome, Failed> {
    let ran = device().as_ref()?.run_unwatched(program, launch, first, None).map_err(error_text)?;
    let ran = ran.ok_or("the launch was stopped")?;
    match ran.failure {
        None => Ok(ran),
        Some(failure) => Err(error_text(failure).into()),
    }
}

/// Returns the words of the variable with this name.
fn left(program: &Program, resources: &Resources, name: &str) -> Vec<u32> {
    let mut variables = program.module.global_variables.iter().zip(&resources.by_global);
    let of = |((_, variable), resource): (_, &Option<Resource>)| {
        let variable: &naga::GlobalVariable = variable;
        match resource {
            Some(Resource::Buffer(buffer)) if variable.name.as_deref() == Some(name) => {
                Some(buffer.snapshot())
            }
            _ => None,
        }
    };
    variables.find_map(of).unwrap_or_default()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, expected: &T) -> Result<(), Failed> {
    if is == expected { Ok(()) } else { Err(format!("{what}: {is:?}, not {expected:?}").into()) }
}

/// Tests that a launch without races leaves the same contents whichever workgroup runs first. Returns `false` if it has races.
fn unchanged(program: &Program, launch: &Launch) -> Result<bool, Failed> {
    let here = Embedded.run(program, launch, &Watch::default(), None).map_err(error_text)?;
    if !is_deterministic(program, launch, &here)? {
        return Ok(false);
    }
    let plain = bare(program, launch, None)?;
    same_memory(program, &here.resources, &plain.resources)?;
    for (index, dispatch) in launch.dispatches.iter().enumerate() {
        for target in 0..dispatch.workgroups.iter().product() {
            for means in OrderingTechnique::ALL {
                // In place, a target may not be resident, and a short wait suffices to see that.
                let polls = if means.remaps() { FirstWorkgroup::POLLS } else { 100 };
                let first = FirstWorkgroup { means, polls, ..FirstWorkgroup::new(index, target) };
                let there = bare(program, launch, Some(first))?;
                same_memory(program, &plain.resources, &there.resources)
                    .map_err(|error| format!("{first:?}: {error}"))?;
                if means.remaps() {
                    same(&format!("{first:?}"), &there.waits, &WaitCounts::default())?;
                }
            }
        }
    }
    Ok(true)
}

fn random() -> Result<(), Failed> {
    let mut tried = 0;
    for seed in seeds(RANDOM[0], RANDOM[1]) {
        let mut kernel = generate::kernel(seed);
        kernel.grid.subgroup_size = device().as_ref()?.subgroup_size().unwrap_or(1);
        if kernel.depends_on_data() {
            continue;
        }
        let loaded = LoadedKernel::new(&kernel)?;
        let launch = launch_of(&kernel, loaded.resources_of(&loaded.program));
        let was_tried = unchanged(&loaded.program, &launch);
        let failed = |error: Failed| format!("kernel {seed}: {error:?}\n{}", loaded.wgsl);
        tried += u32::from(was_tried.map_err(failed)?);
    }
    same("enough kernels are free of races", &(tried >= 2), &true)
}

fn kernels() -> Result<(), Failed> {
    let mut tried = 0;
    for name in KERNELS {
        let text = std::fs::read_to_string(root().join("kernels/src").join(name))?;
        let file = rust::parse_file(name, &text).map_err(error_text)?;
        for parsed in file.items.into_iter().flatten() {
            let program = Program::new(&parsed, &BTreeMap::new()).map_err(error_text)?;
            for entry in &program.module.entry_points {
                let mut spec = super::given(&format!("--entry {} --workgroups 3", entry.name))?;
                spec.subgroup_size = device().as_ref()?.subgroup_size();
                if let Some(launch) = first_launch(&program, &spec) {
                    let was_tried = unchanged(&program, &launch);
                    let failed = |error: Failed| format!("{name}, {}: {error:?}", entry.name);
                    tried += u32::from(was_tried.map_err(failed)?);
                }
            }
        }
    }
    same(&format!("enough of the kernels were tried: {tried}"), &(tried >= 2), &true)
}

fn first_launch(program: &Program, spec: &LaunchSpec) -> Option<Launch> {
    let candidate = candidates(program, spec, 0).ok()?.into_iter().next()?;
    build::launch(program, spec, &candidate, &Grown::new()).ok()
}

/// A kernel in which the first workgroup writes its id.
const WINNER: &str = "
    @group(0) @binding(0) var<storage, read_write> winner: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(8)
    fn main(
        @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(global_invocation_id) global: vec3<u32>,
    ) {
        let own = 1u + group.x + count.x * group.y;
        atomicCompareExchangeWeak(&winner, 0u, own);
        if global.y == 1000u { return; }
        out[global.x + 8u * count.x * global.y] = own;
    }";

fn winner() -> Result<(), Failed> {
    let flags = "--workgroups 16,3 --buffer winner=zeros:1 --buffer out=zeros:384";
    let (program, launch) = launched("winner.wgsl", WINNER, flags)?;
    let plain = left(&program, &bare(&program, &launch, None)?.resources, "out");
    for target in 0..48 {
        let there = bare(&program, &launch, Some(FirstWorkgroup::new(0, target)))?;
        same("no workgroup began early", &there.waits, &WaitCounts::default())?;
        same("the first", &left(&program, &there.resources, "winner"), &vec![1 + target])?;
        same("ids", &left(&program, &there.resources, "out"), &plain)?;
    }
    let past = bare(&program, &launch, Some(FirstWorkgroup::new(0, 48)))?;
    same("ids", &left(&program, &past.resources, "out"), &plain)
}

fn dispatches() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> first: array<u32>;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) group: vec3<u32>) {
            let ticket = atomicAdd(&next, 1u);
            if ticket % 8u == 0u { first[ticket / 8u] = group.x; }
        }";
    let flags = "--dispatch main:8 --dispatch main:8 --dispatch main:8 --buffer next=zeros:1 --buffer first=zeros:3";
    let (program, launch) = launched("dispatches.wgsl", text, flags)?;
    for (dispatch, target) in [(0, 5), (1, 7), (2, 3)] {
        let there = bare(&program, &launch, Some(FirstWorkgroup::new(dispatch, target)))?;
        same("all ran", &left(&program, &there.resources, "next"), &vec![24])?;
        same("who", &left(&program, &there.resources, "first")[dispatch], &target)?;
    }
    Ok(())
}

/// A processor runs few workgroups at a time: the wait for the last of many runs out, and the dispatch terminates.
fn in_place() -> Result<(), Failed> {
    let flags = "--workgroups 4096 --buffer winner=zeros:1 --buffer out=zeros:32768";
    let (program, launch) = launched("winner.wgsl", WINNER, flags)?;
    let first =
        FirstWorkgroup { means: OrderingTechnique::AwaitedInPlace, ..FirstWorkgroup::new(0, 4095) };
    let started = Instant::now();
    let there = bare(&program, &launch, Some(first))?;
    let elapsed = started.elapsed();
    same(&format!("soon: {elapsed:?}"), &(elapsed < Duration::from_secs(20)), &true)?;
    let WaitCounts { timed_out: early, absent } = there.waits;
    same(&format!("{:?}", there.waits), &(absent <= early && early < 4096), &true)?;
    if adapter().as_ref()?.about().kind() == DeviceType::Cpu {
        same(&format!("in vain: {:?}", there.waits), &(absent > 0), &true)?;
    }
    let remapped = bare(&program, &launch, Some(FirstWorkgroup::new(0, 4095)))?;
    same("remapped", &remapped.waits, &WaitCounts::default())
}

/// Drivers that end loops after a number of iterations count those of the waiting workgroups too: enough remain for the kernel.
fn turns() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read> turns: u32;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) group: vec3<u32>) {
            var x = group.x;
            for (var i = 0u; i < turns; i++) { x = x * 1664525u + 1013904223u; }
            out[group.x] = x;
        }";
    let flags = "--workgroups 64 --buffer out=zeros:64 --buffer turns=30000";
    let (program, launch) = launched("turns.wgsl", text, flags)?;
    let plain = left(&program, &bare(&program, &launch, None)?.resources, "out");
    for means in OrderingTechnique::ALL {
        for target in [0, 1, 63] {
            let first = FirstWorkgroup { means, polls: 1 << 20, ..FirstWorkgroup::new(0, target) };
            let there = bare(&program, &launch, Some(first))?;
            same(&format!("{first:?}"), &left(&program, &there.resources, "out"), &plain)?;
        }
    }
    Ok(())
}

/// The target terminates when another workgroup has started, which waits for the target: the wait runs out, and the result shows
/// that.
fn mutual() -> Result<(), Failed> {
    // Some drivers end a loop after a number of iterations, so each iteration takes long: the other workgroup may be late.
    let work = "x = sin(x) + 0.5; ".repeat(64);
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> begun: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> out: f32;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) group: vec3<u32>) {{
            atomicAdd(&begun, 1u);
            var x = out;
            if group.x == 1u {{ while atomicAdd(&begun, 0u) < 2u {{ {work} }} out = x; }}
        }}"
    );
    let flags = "--workgroups 2 --buffer begun=zeros:1 --buffer out=zeros:1";
    let (program, launch) = launched("mutual.wgsl", &text, flags)?;
    let waits = |target| {
        let first = FirstWorkgroup { polls: 1_000, ..FirstWorkgroup::new(0, target) };
        Ok::<_, Failed>(bare(&program, &launch, Some(first))?.waits)
    };
    let seen: Vec<WaitCounts> = (0..5).map(|_| waits(1)).collect::<Result<_, _>>()?;
    let is_seen = seen.contains(&WaitCounts { timed_out: 1, absent: 0 });
    let is_there = seen.iter().all(|waits| waits.absent == 0);
    same(&format!("the target does not terminate: {seen:?}"), &(is_seen && is_there), &true)
}

/// A target that exceeds its time is a failure and not an error, as is such a launch without a target; and the device works for
/// the next launch.
fn hangs() -> Result<(), Failed> {
    let _alone = lock_for_long_test();
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let flags = format!("{} --timeout 0.2", long(&device, 15)?);
    let (program, launch) = launched("long.wgsl", LONG, &flags)?;
    for first in [None, Some(FirstWorkgroup::new(1, 3))] {
        let there = device.run_unwatched(&program, &launch, first, None).map_err(error_text)?;
        wait_until_idle()?;
        let failure = there.and_then(|there| there.failure).ok_or("the launch did not fail")?;
        same(&failure.message, &failure.message.contains("not done after 0.2 seconds"), &true)?;
    }
    let stop = AtomicBool::new(true);
    let stopped = device.run_unwatched(&program, &launch, None, Some(&stop)).map_err(error_text)?;
    same("it was stopped", &stopped.is_none(), &true)?;
    wait_until_idle()?;
    let (program, launch) = launched(
        "winner.wgsl",
        WINNER,
        "--workgroups 2 --buffer winner=zeros:1 --buffer out=zeros:16 --timeout 600",
    )?;
    let next = device.run_unwatched(&program, &launch, None, None).map_err(error_text)?;
    let failure = next.and_then(|next| next.failure);
    failure.map_or(Ok(()), |failure| Err(error_text(failure).into()))
}

/// On a device without a free storage buffer, or without workgroup memory, the launch runs as it is, and cannot run with a
/// target.
fn needs_room() -> Result<(), Failed> {
    let adapter = adapter().as_ref()?;
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> all: array<u32, 4096>;
        @compute @workgroup_size(1) fn main() { all[out[0]] = 1u; out[1] = all[7]; }";
    let (program, launch) = launched("room.wgsl", text, "--workgroups 2 --buffer out=zeros:2")?;
    for (buffers, bytes, refused) in
        [(1, 16_400, "storage buffers"), (8, 16_384, "workgroup memory")]
    {
        let limits = hirace::raw::exec::wgpu::Limits {
            max_storage_buffers_per_shader_stage: buffers,
            max_compute_workgroup_storage_size: bytes,
            ..adapter.limits()
        };
        let device = Device::with(adapter, Features::all(), limits).map_err(error_text)?;
        let run = |first| device.run_unwatched(&program, &launch, first, None).map_err(error_text);
        run(None)?;
        match run(Some(FirstWorkgroup::new(0, 1))) {
            Err(error) if error.contains(refused) => {}
            other => return Err(format!("{refused}: {other:?}").into()),
        }
        let in_place = FirstWorkgroup {
            means: OrderingTechnique::AwaitedInPlace,
            polls: 10,
            ..FirstWorkgroup::new(0, 1)
        };
        same("in place", &run(Some(in_place)).is_ok(), &(buffers > 1))?;
    }
    Ok(())
}

fn embedded() -> Result<(), Failed> {
    let flags = "--workgroups 2 --buffer winner=zeros:1 --buffer out=zeros:16";
    let (program, launch) = launched("winner.wgsl", WINNER, flags)?;
    let said =
        Embedded.run_unwatched(&program, &launch, Some(FirstWorkgroup::new(0, 1)), None).err();
    let said = said.ok_or("it has")?;
    same(&said.message, &said.message.contains("embedded"), &true)?;
    let ran = Embedded.run_unwatched(&program, &launch, None, None).map_err(error_text)?;
    let ran = ran.ok_or("the launch was stopped")?;
    let there = bare(&program, &launch, None)?;
    let words = |ran: &UnwatchedOutcome| left(&program, &ran.resources, "out").len();
    same("memory after a launch as it is", &words(&ran), &words(&there))
}
