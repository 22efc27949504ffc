//! A real device finds what the embedded executor finds: racy words there, here, and by the oracle's
//! full histories are the same.
//!
//! - `agree` compares, on written and random kernels;
//! - `contents` compares what launches leave in buffers and textures of every format;
//! - `decided` looks at what slices decide;
//! - `divergence` is about barriers that not all invocations reach;
//! - `leads` holds what is known of races there to what is known here;
//! - `library` checks there as a user of the library does;
//! - `mutants` holds those that share a program to what is said of each alone;
//! - `patterns` compares on the labelled corpus;
//! - `pipelines` counts what is compiled;
//! - `refusals` holds what a device cannot do to our words, and to the place in the source;
//! - `schedules` runs launches in many orders there;
//! - `shadow` tries the ways to get by with little shadow memory;
//! - `sizes` tries large launches;
//! - `slowdown` compares times with those of the bare kernels, for the page that `scripts/device.sh` writes;
//! - `target_first` has one workgroup go first;
//! - `timing` makes launches ready to be timed;
//! - `typed` runs kernels in Rust by the pipelines that the macro makes.
//!
//! Which device: the first that is not the processor, else the first; `HIRACE_DEVICE` names another.
//! Without any, these trials show as ignored, with the reason. They are in the ci tier.

mod agree;
mod contents;
mod decided;
mod divergence;
mod leads;
mod library;
mod mutants;
mod patterns;
mod pipelines;
mod refusals;
mod schedules;
mod shadow;
mod sizes;
mod slowdown;
mod target_first;
mod timing;
mod typed;

use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::Executor;
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::wgpu::about::choose;
use hirace::raw::front::wgsl;
use hirace::raw::launch::Launch;
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::launch::spec::{self, Binding, DispatchSpec, LaunchSpec};
use hirace::raw::program::Program;
use hirace_gpu::wgpu::DeviceType;
use hirace_gpu::{Adapter, adapters};
use hirace_testing::Facility;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A test, and whether it runs only by name.
struct Case {
    name: String,
    full: bool,
    test: Box<dyn FnOnce() -> Result<(), Failed> + Send>,
}

impl Case {
    fn new(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), full: false, test: Box::new(test) }
    }

    /// Makes a test that takes too long for any tier: `--ignored device::full`.
    fn full(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) -> Self {
        Self { full: true, ..Self::new(format!("full_{}", name.into()), test) }
    }
}

/// Returns the need of a trial for a device.
pub fn need() -> Need {
    Need::new(Facility::Gpu, || device().as_ref().err().cloned())
}

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let cases = [
        agree::cases(),
        contents::cases(),
        decided::cases(),
        divergence::cases(),
        leads::cases(),
        library::cases(),
        mutants::cases(),
        patterns::cases(),
        pipelines::cases(),
        refusals::cases(),
        schedules::cases(),
        shadow::cases(),
        sizes::cases(),
        slowdown::cases(),
        target_first::cases(),
        timing::cases(),
        typed::cases(),
    ];
    let trial = |Case { name, full, test }: Case| {
        let trial = Trial::ci(format!("device::{name}"), test).needs(need());
        if full { trial.only_by_name() } else { trial }
    };
    cases.into_iter().flatten().map(trial).collect()
}

/// The driver's device that is tested, or why there is none.
pub fn adapter() -> &'static Result<Adapter, String> {
    static ADAPTER: OnceLock<Result<Adapter, String>> = OnceLock::new();
    ADAPTER.get_or_init(|| {
        if let Ok(name) = std::env::var("HIRACE_DEVICE") {
            return choose(&name).map_err(in_words);
        }
        let mut all = adapters();
        all.sort_by_key(|adapter| adapter.about().kind() == DeviceType::Cpu);
        all.into_iter().next().ok_or_else(|| "there is no Vulkan driver here".to_owned())
    })
}

/// That device, open.
fn device() -> &'static Result<Device, String> {
    static DEVICE: OnceLock<Result<Device, String>> = OnceLock::new();
    DEVICE.get_or_init(|| Device::of(adapter().as_ref()?).map_err(in_words))
}

/// A trial of another module that needs the device.
pub fn on_device(
    name: &str,
    test: impl FnOnce(&Device) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::ci(name, move || test(device().as_ref()?)).needs(need())
}

/// What runs too long runs alone: devices of one driver may share what they run on.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The device, as `--device` takes it.
pub fn name_of_device() -> String {
    device().as_ref().map(|device| device.device().name).unwrap_or_default()
}

fn in_words(error: Box<Diagnostic>) -> String {
    format!("{error} {:?} {:?}", error.notes, error.help)
}

/// The launch that flags describe.
fn given(flags: &str) -> Result<LaunchSpec, Failed> {
    let mut spec = LaunchSpec::default();
    let mut flags = flags.split_whitespace();
    while let (Some(flag), Some(value)) = (flags.next(), flags.next()) {
        match flag {
            "--workgroups" => spec.workgroups = Some(spec::parse_grid(value).map_err(in_words)?),
            "--buffer" => spec.bindings.push(Binding::parse(value).map_err(in_words)?),
            "--dispatch" => spec.dispatches.push(DispatchSpec::parse(value).map_err(in_words)?),
            "--entry" => spec.dispatches = vec![DispatchSpec::parse(value).map_err(in_words)?],
            "--timeout" => spec.timeout = Some(spec::parse_seconds(value).map_err(in_words)?),
            "--step-limit" => spec.step_limit = Some(value.parse()?),
            // The device has one.
            "--subgroup-size" => {}
            _ => return Err(format!("this test does not know {flag}").into()),
        }
    }
    Ok(spec)
}

/// The program in `text`, and the first launch of it that `flags` describe, for the device that is tested.
fn launched(name: &str, text: &str, flags: &str) -> Result<(Program, Launch), Failed> {
    let parsed = wgsl::parse(name, text).map_err(in_words)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(in_words)?;
    let mut spec = given(flags)?;
    spec.subgroup_size = device().as_ref()?.subgroup_size();
    let candidates = candidates(&program, &spec, 0).map_err(in_words)?;
    let launch = build::launch(&program, &spec, &candidates[0], &Grown::new()).map_err(in_words)?;
    Ok((program, launch))
}
