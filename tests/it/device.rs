//! A real device finds what the embedded executor finds: racy words there, here, and by the oracle's
//! full histories are the same.
//!
//! Which device: the first that is not the processor, else the first; `HIRACE_DEVICE` names another.
//! Without any, these trials show as ignored, with the reason; with `HIRACE_REQUIRE_GPU=1` they fail.

use crate::random::engine::Loaded;
use crate::random::kernel::Kernel;
use crate::random::shrink::shrink;
use crate::random::{generate, print};
use crate::support::{hirace, root, run, scratch};
use crate::{annotations, rules};
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::wgpu::adapters::adapters;
use hirace::raw::exec::{Executor, Watch};
use hirace::raw::front::wgsl;
use hirace::raw::ir::sites::SiteId;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::infer::rungs;
use hirace::raw::launch::spec::{self, Binding, DispatchSpec, LaunchSpec};
use hirace::raw::launch::{Dispatch, Launch};
use hirace::raw::observe::history::{PlacePair, place_pair};
use hirace::raw::observe::trace::all_site_pairs;
use hirace::raw::observe::{Granule, Racy};
use hirace::raw::program::Program;
use hirace::raw::vm::run::Run;
use hirace::raw::vm::schedule::{Limits, Schedule};
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// How many random kernels a run without further ado compares.
const SAMPLE: u64 = 300;
/// How many of these are a trial.
const PART: u64 = 50;
/// How many the full run compares.
const FULL: u64 = 2_000;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let why_not = match (device(), std::env::var_os("HIRACE_REQUIRE_GPU").is_some()) {
        (Err(reason), false) => Some(reason.clone()),
        _ => None,
    };
    let trial = |name: String, test: Box<dyn FnOnce() -> Result<(), Failed> + Send>| {
        let shown = match &why_not {
            Some(reason) => format!("device::{name} ({reason})"),
            None => format!("device::{name}"),
        };
        Trial::test(shown, test).with_ignored_flag(why_not.is_some())
    };
    let mut trials = Vec::new();
    for path in kernels() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let same = path.clone();
        trials.push(trial(format!("agrees_on_{name}"), Box::new(move || written(&same))));
        if path.starts_with(root().join("kernels/rules")) {
            let report = move || rules::check(&path, &["--device", &name_of_device()]);
            trials.push(trial(format!("reports_what_is_in_{name}"), Box::new(report)));
        }
    }
    for first in (0..SAMPLE).step_by(PART as usize) {
        let name = format!("agrees_on_random_kernels_from_{first}");
        trials.push(trial(name, Box::new(move || random(first..first + PART))));
    }
    let refuses = Box::new(refuses_what_it_cannot_do);
    trials.push(trial("refuses_what_it_cannot_do_in_words".into(), refuses));
    let endless = Box::new(ends_what_takes_too_many_turns);
    trials.push(trial("ends_what_takes_too_many_turns".into(), endless));
    let full = trial("full_run_agrees_on_random_kernels".into(), Box::new(|| random(0..FULL)));
    trials.push(full.with_ignored_flag(true));
    trials
}

/// The device that is tested, or why there is none.
fn device() -> &'static Result<Device, String> {
    static DEVICE: OnceLock<Result<Device, String>> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let told = |error: Box<Diagnostic>| format!("{error}");
        if let Ok(name) = std::env::var("HIRACE_DEVICE") {
            return Device::open(&name).map_err(told);
        }
        let mut all = adapters();
        all.sort_by_key(|adapter| adapter.kind() == "CPU");
        let first = all.first().ok_or("there is no Vulkan driver here")?;
        Device::of(first).map_err(told)
    })
}

/// The device, as `--device` takes it.
fn name_of_device() -> String {
    let line = device().as_ref().map(|device| device.device()).unwrap_or_default();
    line.split(',').next().unwrap_or_default().to_owned()
}

/// The written kernels whose findings a device can tell: not those that are wrong in that some
/// invocations miss a barrier, of which a device makes what it likes, nor those that hang on timing.
fn kernels() -> Vec<PathBuf> {
    let folders = ["kernels/rules", "kernels/examples"].map(|folder| root().join(folder));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .filter(|path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let notes = annotations::all(&text);
            !notes.iter().any(|note| note.text == "divergence") && !hangs_on_data(path)
        })
        .collect();
    paths.sort();
    paths
}

/// Whether a kernel does one thing or another by a value that races, so that it may be clean on one
/// run and not on the next.
fn hangs_on_data(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "flag_does_not_publish.racy.wgsl")
}

fn told(error: Box<Diagnostic>) -> String {
    format!("{error} {:?} {:?}", error.notes, error.help)
}

fn written(path: &Path) -> Result<(), Failed> {
    let device = device().as_ref()?;
    let text = std::fs::read_to_string(path)?;
    let parsed = wgsl::parse(&path.display().to_string(), &text).map_err(told)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(told)?;
    let flags = text.lines().next().and_then(|line| line.strip_prefix("// check: "));
    let mut spec = given(flags.unwrap_or("--workgroups 2"))?;
    spec.subgroup_size = device.subgroup_size();
    let rungs = rungs(&program, &spec, 0).map_err(told)?;
    let launch = build::launch(&program, &spec, &rungs[0], &Grown::new()).map_err(told)?;
    Ok(agree(device, &program, &launch)?)
}

/// The launch that flags describe.
fn given(flags: &str) -> Result<LaunchSpec, Failed> {
    let mut spec = LaunchSpec::default();
    let mut flags = flags.split_whitespace();
    while let (Some(flag), Some(value)) = (flags.next(), flags.next()) {
        match flag {
            "--workgroups" => spec.workgroups = Some(spec::parse_grid(value).map_err(told)?),
            "--buffer" => spec.bindings.push(Binding::parse(value).map_err(told)?),
            "--dispatch" => spec.dispatches.push(DispatchSpec::parse(value).map_err(told)?),
            "--entry" => spec.dispatches = vec![DispatchSpec::parse(value).map_err(told)?],
            _ => return Err(format!("this test does not know {flag}").into()),
        }
    }
    Ok(spec)
}

/// Runs a launch on the device and here, under the oracle.
fn agree(device: &Device, program: &Program, launch: &Launch) -> Result<(), String> {
    let watch = Watch { oracle: true, ..Watch::default() };
    let here = Embedded.run(program, launch, &watch, None).map_err(told)?;
    let there = device.run(program, launch, &Watch::default(), None).map_err(told)?;
    if here.dispatches.len() != there.dispatches.len() {
        return Err("not all dispatches ran".into());
    }
    for (index, (here, there)) in here.dispatches.iter().zip(&there.dispatches).enumerate() {
        let oracle = here.oracle.as_ref().ok_or("no oracle ran")?;
        let granules = |racy: &Racy| racy.keys().copied().collect::<BTreeSet<Granule>>();
        let racy = granules(&here.racy);
        same("racy words of the embedded executor and the oracle", &racy, &granules(oracle))?;
        same("racy words of the device and the embedded executor", &granules(&there.racy), &racy)?;
        if here.run.no_progress.is_none() && !there.warnings.is_empty() {
            return Err(format!("{:?}", there.warnings));
        }
        same("sites that ran", &by_two(program, &there.run), &by_two(program, &here.run))?;
        let outside = |run: &Run| -> BTreeSet<_> {
            run.out_of_bounds.iter().map(|found| (found.site, found.length)).collect()
        };
        same("sites out of bounds", &outside(&there.run), &outside(&here.run))?;
        let racy: Vec<Granule> = racy.into_iter().collect();
        let [there, here] = [device as &dyn Executor, &Embedded]
            .map(|executor| pairs(executor, program, launch, index, &racy));
        same("pairs of sites", &there?, &here?)?;
    }
    Ok(())
}

/// The accesses that ran in two invocations.
fn by_two(program: &Program, run: &Run) -> BTreeSet<SiteId> {
    let ran = |site: &SiteId| run.executed.get(site.0 as usize).is_some_and(|site| site.by_two);
    program.sites.accesses().map(|(site, _, _)| site).filter(ran).collect()
}

/// Phase 2 of a dispatch: which places race on which granule.
fn pairs(
    executor: &dyn Executor,
    program: &Program,
    launch: &Launch,
    dispatch: usize,
    racy: &[Granule],
) -> Result<BTreeSet<(Granule, PlacePair)>, String> {
    let trace = executor.trace(program, launch, dispatch, racy, None).map_err(told)?;
    if trace.dropped > 0 {
        return Err(format!("{} accesses were not logged", trace.dropped));
    }
    let pairs = all_site_pairs(&trace).into_iter();
    Ok(pairs
        .map(|pair| (pair.later.granule, place_pair(pair.earlier.place(), pair.later.place())))
        .collect())
}

/// `there` is what the device says.
fn same<T: Ord + Debug>(what: &str, there: &BTreeSet<T>, here: &BTreeSet<T>) -> Result<(), String> {
    let [more, less] =
        [(there, here), (here, there)].map(|(a, b)| a.difference(b).take(8).collect::<Vec<_>>());
    match more.is_empty() && less.is_empty() {
        true => Ok(()),
        false => Err(format!("{what} differ: only the first {more:?}, only the second {less:?}")),
    }
}

/// What a device cannot do is said in our words, with exit status 3; what no device is, with 2.
fn refuses_what_it_cannot_do() -> Result<(), Failed> {
    let file = scratch("device").join("refused.wgsl");
    // The first is too much for naga's SPIR-V writer.
    let nested = "
        struct Inner { m: mat4x2<f32> } struct Outer { inner: Inner }
        @group(0) @binding(0) var<uniform> u: Outer;
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() { out[0] = u.inner.m[0].x; }";
    let plain = "
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() { out[0] = 1.0; }";
    let device = name_of_device();
    let huge = "out=zeros:50000000";
    for (text, flags, status, says) in [
        (nested, vec!["--device", &device], 3, "device"),
        (plain, vec!["--device", &device, "--buffer", huge], 3, "can bind"),
        (plain, vec!["--device", "no such device"], 2, "there is no device `no such device`"),
        (plain, vec!["--device", "99"], 2, "there is no device `99`"),
    ] {
        std::fs::write(&file, text)?;
        let mut arguments = vec!["check".to_owned(), file.display().to_string()];
        arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
        let ended = run(&mut hirace(&arguments), Duration::from_secs(120));
        let raw = ["panicked", "MapRangeError", "Caused by", "RUST_BACKTRACE"];
        if ended.status != Some(status)
            || !ended.stderr.contains(says)
            || raw.iter().any(|word| ended.stderr.contains(word))
        {
            return Err(format!("{flags:?}: {ended:#?}").into());
        }
    }
    Ok(())
}

/// A loop that runs past the step limit ends on the device too, with a finding, and the rest of the
/// dispatch is done.
fn ends_what_takes_too_many_turns() -> Result<(), Failed> {
    let device = device().as_ref()?;
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) lane: u32) {
            var i = 0u;
            while lane == 3u || i < 10u { i++; }
            out[lane] = i;
        }";
    let parsed = wgsl::parse("endless.wgsl", text).map_err(told)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(told)?;
    let spec = LaunchSpec {
        workgroups: Some([1; 3]),
        step_limit: Some(1000),
        bindings: vec![Binding::parse("out=zeros:8").map_err(told)?],
        ..LaunchSpec::default()
    };
    let rungs = rungs(&program, &spec, 0).map_err(told)?;
    let launch = build::launch(&program, &spec, &rungs[0], &Grown::new()).map_err(told)?;
    let outcome = device.run(&program, &launch, &Watch::default(), None).map_err(told)?;
    let found = outcome.dispatches[0].run.no_progress.as_ref().ok_or("nothing was found")?;
    if (found.stuck.0.local, found.unfinished, found.steps) != (3, 1, 1000) {
        return Err(format!("{found:?}").into());
    }
    Ok(())
}

fn random(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    let device = device().as_ref()?;
    let differs = |kernel: &Kernel| random_agrees(device, kernel).err();
    for seed in seeds {
        let mut kernel = generate::kernel(seed);
        // What a device has is not for the kernel to choose.
        kernel.grid.subgroup_size = device.subgroup_size().unwrap_or(1);
        if kernel.hangs_on_data() {
            continue;
        }
        let Some(error) = differs(&kernel) else { continue };
        let smallest = shrink(kernel, |kernel| differs(kernel).is_some());
        let error = differs(&smallest).unwrap_or(error);
        let text = print::print(&smallest).wgsl;
        let file = scratch("device").join(format!("{seed}.wgsl"));
        std::fs::write(&file, format!("// {smallest:?}\n{text}"))?;
        return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
    }
    Ok(())
}

fn random_agrees(device: &Device, kernel: &Kernel) -> Result<(), String> {
    let loaded = Loaded::new(kernel)?;
    let launch = Launch {
        dispatches: vec![Dispatch { entry: 0, workgroups: [kernel.grid.workgroups, 1, 1] }],
        resources: loaded.resources_of(&loaded.program),
        guessed_contents: Vec::new(),
        guessed_lengths: Vec::new(),
        inferred: Vec::new(),
        replay: Some(Vec::new()),
        subgroup_size: kernel.grid.subgroup_size,
        schedule: Schedule::default(),
        limits: Limits::default(),
    };
    agree(device, &loaded.program, &launch)
}
