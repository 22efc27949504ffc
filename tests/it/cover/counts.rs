//! Tests that the module with inserted counters, run as any other module, counts what the embedded engine counts.

use super::control;
use crate::extension_points::dispatches;
use crate::random::divergent::launch_of;
use crate::random::engine::LoadedKernel;
use crate::random::{divergent, generate};
use crate::support::{naga_rejects, root};
use hirace::raw::cover::run::coverage;
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::{Executor, LaunchCounts, Watch};
use hirace::raw::front::wgsl;
use hirace::raw::launch::Launch;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::launch::spec::{Binding, LaunchSpec};
use hirace::raw::pass::cover::{Options, cover};
use hirace::raw::points::{Counts, Points};
use hirace::raw::program::Program;
use hirace::raw::vm::memory::{Buffer, Resource};
use hirace::raw::vm::observer::{MemoryId, NoObserver};
use hirace::raw::vm::{driver, lower, run};
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::BTreeMap;

/// The number of random kernels that a default run compares, and that a long run compares.
const SAMPLE: [u64; 2] = [40, 1_000];

/// The number of kernels of each kind that a device counts: drivers take long to compile code with many branches.
#[cfg(feature = "gpu")]
const SAMPLE_ON_DEVICE: u64 = 40;

/// The same control flow in four languages.
const FIXTURES: [&str; 4] = ["control.wgsl", "control.rs", "control.comp", "control.spv"];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for name in FIXTURES {
        let [glsl, spirv] = [cfg!(feature = "glsl"), cfg!(feature = "spirv")];
        if (!glsl && name.ends_with(".comp")) || (!spirv && name.ends_with(".spv")) {
            continue;
        }
        let shown =
            format!("cover::counts::the_pass_counts_as_the_engine_in_{}", name.replace('.', "_"));
        trials.push(Trial::test(shown, move || fixture(name)));
    }
    let shown = "cover::counts::the_pass_counts_as_the_engine_in_random_kernels";
    trials.push(Trial::test(shown, || {
        let (mut compared, mut counted) = (0, 0);
        for seed in seeds(SAMPLE[0], SAMPLE[1]) {
            let loaded = LoadedKernel::new(&generate::kernel(seed))?;
            let kernel = generate::kernel(seed);
            let launch = launch_of(&kernel, loaded.resources_of(&loaded.program));
            counted += agree(&loaded.program, &launch)
                .map_err(|error| format!("kernel {seed}: {error}\n{}", loaded.wgsl))?;
            compared += 1;
        }
        assert_that(compared >= SAMPLE[0] && counted > 4 * compared, counted)
    }));
    trials.push(Trial::test("cover::counts::counters_of_a_device_do_not_wrap", || {
        let (program, launch) = launched(&control::kernel(3, 2), 8)?;
        let points = Points::of(&program);
        let counted = instrumented(&program, &points, &launch, false, 0)?;
        let more = instrumented(&program, &points, &launch, false, u32::MAX)?;
        // Statements that the entry point cannot reach have no counter.
        let moved =
            |(&n, &more): (&u64, &u64)| more == n + u64::from(u32::MAX) || (n == 0 && more == 0);
        let all_moved = counted.lanes.iter().zip(&more.lanes).all(moved);
        let several = counted.lanes.iter().filter(|&&count| count > 1).count();
        assert_that(all_moved && several > 5, several as u64)
    }));
    trials.push(Trial::test("cover::counts::an_end_without_a_return_is_an_end", || {
        let (program, launch) = launched(ENDS_BY_BREAK, 8)?;
        assert_that(agree(&program, &launch)? > 3, 0)
    }));
    let shown = "cover::counts::lines_run_as_often_as_they_say_themselves";
    trials.push(Trial::test(shown, || {
        let mut compared = 0;
        for seed in seeds(SAMPLE[0], SAMPLE[1]) {
            let text = control::kernel(seed, 3);
            compared += says_itself(&text).map_err(|error| format!("{seed}: {error}\n{text}"))?;
        }
        assert_that(compared > 5 * SAMPLE[0], compared)
    }));
    let shown = "cover::counts::barriers_are_visited_as_often_in_random_divergent_kernels";
    trials.push(Trial::test(shown, || {
        let (mut compared, mut diverged) = (0, 0);
        for seed in seeds(SAMPLE[0], SAMPLE[1]) {
            let Some((text, program, launch)) = divergent::launched(seed, None)? else { continue };
            agree(&program, &launch).map_err(|error| format!("kernel {seed}: {error}\n{text}"))?;
            let counted = Embedded.count(&program, &Points::of(&program), &launch, false, None);
            let counted = counted.map_err(in_words)?;
            diverged += u64::from(counted.counts.barriers.iter().any(|b| b.divergent > 0));
            compared += 1;
        }
        assert_that(compared > SAMPLE[0] / 4 && diverged > compared / 4, diverged)
    }));
    #[cfg(feature = "gpu")]
    trials.extend(on_device());
    trials
}

/// Returns the trials that compare the counts of a device with those of the engine, with subgroups of one size.
#[cfg(feature = "gpu")]
fn on_device() -> Vec<Trial> {
    use crate::device::on_device;
    let random =
        on_device("cover::counts::a_device_counts_the_same_in_random_control_flow", |device| {
            let mut counted = 0;
            for seed in 0..SAMPLE_ON_DEVICE {
                let text = control::kernel(seed, 1);
                let (program, launch) = launched(&text, device.subgroup_size().unwrap_or(32))?;
                counted += same_there(device, &program, &launch)
                    .map_err(|error| format!("{seed}: {error}\n{text}"))?;
            }
            assert_that(counted > 5 * SAMPLE_ON_DEVICE, counted)
        });
    let racing = on_device("cover::counts::a_device_counts_the_same_in_random_kernels", |device| {
        let (mut compared, mut counted) = (0, 0);
        for seed in 0..SAMPLE[0] {
            let mut kernel = generate::kernel(seed);
            if kernel.depends_on_data() {
                continue;
            }
            kernel.grid.subgroup_size = device.subgroup_size().unwrap_or(32);
            let loaded = LoadedKernel::new(&kernel)?;
            let launch = launch_of(&kernel, loaded.resources_of(&loaded.program));
            counted += same_there(device, &loaded.program, &launch)
                .map_err(|error| format!("{seed}: {error}\n{}", loaded.wgsl))?;
            compared += 1;
        }
        assert_that(compared > SAMPLE[0] / 4 && counted > compared, counted)
    });
    vec![random, racing]
}

/// Compares the counts of a device and of the engine, and returns the number of counters that are not zero.
#[cfg(feature = "gpu")]
fn same_there(device: &dyn Executor, program: &Program, launch: &Launch) -> Result<u64, String> {
    let points = Points::of(program);
    let count = |executor: &dyn Executor, hits| {
        let counted = executor.count(program, &points, launch, hits, None);
        counted.map(|counted| counted.counts).map_err(in_words)
    };
    let (here, there) = (count(&Embedded, false)?, count(device, false)?);
    let here = match there.subgroups {
        Some(_) => here,
        None => Counts { subgroups: None, ..here },
    };
    // Loop iterations are counted per invocation only.
    let mut of_loops = points.loops.iter().flat_map(|of| (0..3).map(|n| of.counters.plus(n).0));
    let without = |mut counts: Counts, of_loops: &[u32]| {
        let subgroups = counts.subgroups.iter_mut().flatten();
        for (_, count) in (0..).zip(subgroups).filter(|(index, _)| of_loops.contains(index)) {
            *count = 0;
        }
        counts
    };
    let of_loops: Vec<u32> = of_loops.by_ref().collect();
    same(&without(here.clone(), &of_loops), &without(there, &of_loops))?;
    let hit = here.lanes.iter().map(|&count| count.min(1)).collect();
    let expected = Counts { lanes: hit, subgroups: None, barriers: here.barriers.clone() };
    same(&expected, &count(device, true)?)?;
    Ok(here.lanes.iter().filter(|&&count| count > 0).count() as u64)
}

/// A kernel in which some invocations reach the end of the body by a `break`, others after all of its statements.
const ENDS_BY_BREAK: &str = "\
@group(0) @binding(0) var<storage, read_write> own: array<u32, 256>;
@compute @workgroup_size(8)
fn f(@builtin(local_invocation_index) lane: u32) {
    workgroupBarrier();
    switch 0u {
        default: {
            if (lane < 3u) {
                own[lane] = 7u;
                break;
            }
        }
    }
}
";

fn assert_that(holds: bool, seen: u64) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("only {seen}").into()) }
}

fn in_words(error: Box<Diagnostic>) -> String {
    format!("{error} {:?} {:?}", error.notes, error.help)
}

fn fixture(name: &str) -> Result<(), Failed> {
    let folder = root().join("hirace-program/tests/fixtures");
    let program = dispatches::program(name, &std::fs::read(folder.join(name))?)?;
    // The fixture races: which code runs depends on the order, except for a single subgroup.
    let workgroups = Some([1, 1, 1]);
    let spec = LaunchSpec { workgroups, subgroup_size: Some(64), ..LaunchSpec::default() };
    let all = candidates(&program, &spec, 0).map_err(in_words)?;
    let launch = build::launch(&program, &spec, &all[0], &Grown::new()).map_err(in_words)?;
    let counted = agree(&program, &launch)?;
    assert_that(counted > 20, counted)
}

/// Returns the program and the launch of a kernel that counts its lines.
fn launched(text: &str, subgroup_size: u32) -> Result<(Program, Launch), String> {
    let parsed = wgsl::parse("control.wgsl", text).map_err(in_words)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(in_words)?;
    let spec = LaunchSpec {
        workgroups: Some([2, 1, 1]),
        bindings: vec![Binding::parse("own=zeros:256").map_err(in_words)?],
        subgroup_size: Some(subgroup_size),
        ..LaunchSpec::default()
    };
    let all = candidates(&program, &spec, 0).map_err(in_words)?;
    let launch = build::launch(&program, &spec, &all[0], &Grown::new()).map_err(in_words)?;
    Ok((program, launch))
}

/// Compares how often each counting line ran with the value of its counter, and the counts of pass and engine. Returns the
/// number of lines that ran.
fn says_itself(text: &str) -> Result<u64, String> {
    let (program, launch) = launched(text, 8)?;
    agree(&program, &launch)?;
    let ran = Embedded.run(&program, &launch, &Watch::default(), None).map_err(in_words)?;
    let own = program.module.global_variables.iter();
    let own = own.filter(|(_, variable)| variable.name.as_deref() == Some("own"));
    let own = own.map(|(handle, _)| MemoryId(handle.index() as u32)).next().ok_or("no `own`")?;
    let own = ran.resources.buffer(own).ok_or("no `own`")?.snapshot();
    let (coverage, _) = coverage(&Embedded, &program, &launch, false, None).map_err(in_words)?;
    let lines: BTreeMap<u32, u64> =
        coverage.files[0].lines.iter().map(|line| (line.line, line.count)).collect();
    let mut ran = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(index) = control::counted_in(line) else { continue };
        let (says, counted) = (u64::from(own[index]), lines.get(&number).copied());
        if counted != Some(says) {
            return Err(format!("line {number} ran {says} times, but its count is {counted:?}"));
        }
        ran += u64::from(says > 0);
    }
    Ok(ran)
}

/// Compares the counts of the pass and the engine, and returns the number of counters that are not zero.
fn agree(program: &Program, launch: &Launch) -> Result<u64, String> {
    let points = Points::of(program);
    let LaunchCounts { counts, ended, .. } =
        Embedded.count(program, &points, launch, false, None).map_err(in_words)?;
    if !ended {
        return Err("the launch does not terminate".to_owned());
    }
    let by_pass = instrumented(program, &points, launch, false, 0)?;
    same(&Counts { subgroups: None, ..counts.clone() }, &by_pass)?;
    let hits = instrumented(program, &points, launch, true, 0)?;
    let hit = counts.lanes.iter().map(|&count| count.min(1)).collect();
    let expected = Counts { lanes: hit, subgroups: None, barriers: counts.barriers.clone() };
    same(&expected, &hits)?;
    Ok(counts.lanes.iter().filter(|&&count| count > 0).count() as u64)
}

fn same(engine: &Counts, pass: &Counts) -> Result<(), String> {
    match engine == pass {
        true => Ok(()),
        false => Err(format!("the engine counts {engine:?}\nthe pass counts {pass:?}")),
    }
}

/// Runs the instrumented kernel on the embedded engine, with counters whose lower words start at `before`.
fn instrumented(
    program: &Program,
    points: &Points,
    launch: &Launch,
    hits: bool,
    before: u32,
) -> Result<Counts, String> {
    let dispatch = &launch.dispatches[0];
    let options = Options { hits, ..Options::default() };
    let covered = cover(program, points, &[dispatch.entry], options).map_err(in_words)?;
    if let Ok(text) = covered.derived.wgsl()
        && let Some(error) = naga_rejects(&text)
    {
        return Err(format!("{error}\n{text}"));
    }
    let counting = covered.derived.program(&BTreeMap::new()).map_err(in_words)?;
    let mut resources = launch.resources.clone();
    let workgroups = dispatch.workgroups.iter().map(|&n| u64::from(n)).product();
    let words = covered.layout.words(workgroups) as u32;
    let counters = counting.module.global_variables.iter();
    let counters = counters.filter(|(_, variable)| variable.binding == Some(covered.binding));
    let at = counters.map(|(handle, _)| handle.index()).next().ok_or("no counters")?;
    resources.by_global.resize_with(at + 1, || None);
    let low = |word: u32| {
        if word < 2 * covered.layout.counters() && word.is_multiple_of(2) { before } else { 0 }
    };
    let contents: Vec<u8> = (0..words).flat_map(|word| low(word).to_le_bytes()).collect();
    resources.by_global[at] = Some(Resource::Buffer(Buffer::new(&contents)));
    let code = lower::lower(&counting, 0).map_err(in_words)?;
    let options = run::Options {
        workgroups: dispatch.workgroups,
        subgroup_size: launch.subgroup_size,
        schedule: launch.schedule,
        limits: launch.limits,
        parallel: false,
        stop: None,
    };
    driver::run(&code, &resources, &options, &NoObserver).map_err(in_words)?;
    match &resources.by_global[at] {
        Some(Resource::Buffer(buffer)) => Ok(covered.layout.read(&buffer.snapshot())),
        _ => Err("no counters".to_owned()),
    }
}
