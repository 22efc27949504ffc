//! Tests of random kernels in which some barriers are not reached by all invocations: the instrumented kernel reports the same
//! divergent workgroups as the engine.

use super::engine::LoadedKernel;
use super::generate::{self, Random};
use super::kernel::{Grid, Kernel};
use super::{instrumented, print};
use hirace::facts::Warning;
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::{DispatchContext, DispatchOutcome, Executor, Watch, monitored, watch_plan};
use hirace::raw::front::wgsl;
use hirace::raw::launch::{Dispatch, Launch};
use hirace::raw::program::Program;
use hirace::raw::vm::memory::Resources;
use hirace::raw::vm::schedule::{Limits, Schedule};
use hirace::raw::watch::Scope;
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::time::Duration;

/// The number of kernels that the quick tier compares, and the full one.
const SAMPLE: [u64; 2] = [80, 1_600];
/// The number of kernels that the run by name compares.
const FULL: u64 = 10_000;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("random::divergence_agrees", || agree(seeds(SAMPLE[0], SAMPLE[1]))),
        Trial::test("random::full_divergence_agrees", || agree(0..FULL)).only_by_name(),
    ]
}

/// Returns the kernel with this number and a launch of it, with subgroups of this size if it is given; `None` if its path
/// depends on racy values.
pub fn launched(
    seed: u64,
    subgroup_size: Option<u32>,
) -> Result<Option<(String, Program, Launch)>, String> {
    let mut kernel = generate::kernel(seed);
    if kernel.depends_on_data() {
        return Ok(None);
    }
    kernel.grid.subgroup_size = subgroup_size.unwrap_or(kernel.grid.subgroup_size);
    let text = parted(&print::print(&kernel).wgsl, kernel.grid, seed);
    let explained = |error: Box<Diagnostic>| format!("{error} {:?}\n{text}", error.notes);
    let parsed = wgsl::parse("parted.wgsl", &text).map_err(explained)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(explained)?;
    let launch = launch_of(&kernel, LoadedKernel::new(&kernel)?.resources_of(&program));
    Ok(Some((text, program, launch)))
}

/// Returns the launch of a random kernel's program with these resources.
pub fn launch_of(kernel: &Kernel, resources: Resources) -> Launch {
    Launch {
        dispatches: vec![Dispatch { entry: 0, workgroups: [kernel.grid.workgroups, 1, 1] }],
        resources,
        writes: Vec::new(),
        kept: Default::default(),
        inferred_contents: Vec::new(),
        inferred_lengths: Vec::new(),
        pins: Default::default(),
        assumptions: Vec::new(),
        replay: Some(Vec::new()),
        subgroup_size: kernel.grid.subgroup_size,
        schedule: Schedule::default(),
        order: None,
        // Drivers that compile a shader when it first runs take long for the largest kernels.
        limits: Limits { timeout: Some(Duration::from_secs(3_600)), ..Limits::default() },
    }
}

/// Returns `text` with conditions around some of its barriers, or with an additional barrier if it has none.
fn parted(text: &str, grid: Grid, seed: u64) -> String {
    let mut random = Random::new(seed.wrapping_mul(31).wrapping_add(7));
    let is_barrier = |line: &str| {
        let line = line.trim();
        line == "workgroupBarrier();" || line == "storageBarrier();" || line == "textureBarrier();"
    };
    let last = "    results[global] = seen;";
    let text = match text.lines().any(is_barrier) {
        true => text.to_owned(),
        false => text.replace(last, &format!("    workgroupBarrier();\n{last}")),
    };
    // Trails are not kept where the text shows that all invocations reach a barrier, so each kernel needs a barrier without that
    // property.
    let mut first = true;
    let lines = text.lines().map(|line| {
        if !is_barrier(line) || !(first || random.chance(40)) {
            return line.to_owned();
        }
        first = false;
        around(line.trim(), grid, &mut random)
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n") + "\n"
}

/// Returns a barrier that some, all or none of the invocations reach.
fn around(barrier: &str, grid: Grid, random: &mut Random) -> String {
    let lane = random.below(grid.workgroup_size + 1);
    let group = random.below(grid.workgroups);
    match random.below(8) {
        0 => format!("if lane < {lane}u {{ {barrier} }}"),
        1 => {
            format!("if lane == {lane}u && group == {group}u {{ {barrier} }} else {{ {barrier} }}")
        }
        2 => format!("for (var d = 0u; d < lane % 3u; d++) {{ {barrier} }}"),
        3 => format!("if lane == {lane}u && group == {group}u {{ return; }} {barrier}"),
        4 => format!("if lane + 1u > 0u {{ {barrier} }}"),
        5 => {
            format!("for (var d = 0u; d < select(1u, 2u, global == {lane}u); d++) {{ {barrier} }}")
        }
        6 => format!("switch lane {{ case {lane}u: {{ {barrier} }} default: {{}} }}"),
        _ => format!(
            "for (var d = 0u; d < 2u; d++) {{ if d == lane % 2u {{ {barrier} }} else {{ storageBarrier(); }} }}"
        ),
    }
}

/// Returns the divergent workgroups that the native monitor reports: the first, and their number.
pub fn reported_divergence(dispatched: &DispatchOutcome) -> Option<(u32, u32)> {
    dispatched.warnings.iter().find_map(|warning| match *warning {
        Warning::NotWatchedAfterDivergence { first, others } => Some((first, others + 1)),
        _ => None,
    })
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let mut divergent = 0;
    let mut compared = 0;
    let kernels = seeds.end - seeds.start;
    for seed in seeds {
        let Some((text, program, launch)) = launched(seed, None)? else { continue };
        let compare = || -> Result<Option<(u32, u32)>, Box<Diagnostic>> {
            let here = Embedded.run(&program, &launch, &Watch::default(), None)?;
            Ok(here.dispatches.first().and_then(reported_divergence))
        };
        let explained = |error: Box<Diagnostic>| format!("{error} {:?}\n{text}", error.notes);
        let here = compare().map_err(explained)?;
        let (options, limits) = instrumented::options(seed);
        let watch = Watch::default();
        let plan = |dispatch: &Dispatch| {
            watch_plan(&DispatchContext::new(&program, &launch, dispatch), &watch, Scope::MayRace)
        };
        let found =
            monitored::run(&program, &launch, &plan, &options, limits, None).map_err(explained)?;
        let trails = found.into_iter().next().and_then(|found| found.trails);
        let trails = trails.ok_or_else(|| format!("kernel {seed} has no trails\n{text}"))?;
        if !trails.incomplete.is_empty() {
            return Err(format!("kernel {seed}: {trails:?}\n{text}").into());
        }
        let there = trails.diverged.first().map(|first| (*first, trails.diverged.len() as u32));
        if there != here {
            return Err(format!("kernel {seed}: {here:?}, instrumented {there:?}\n{text}").into());
        }
        compared += 1;
        divergent += u32::from(here.is_some());
    }
    // Tests the test: both kinds of kernels are frequent.
    let enough = u64::from(compared) * 2 > kernels
        && divergent * 3 > compared
        && divergent * 20 < compared * 19;
    if enough { Ok(()) } else { Err(format!("{divergent} of {compared} diverge").into()) }
}
