//! Tests that a real device finds what the embedded executor finds: the racy words of the device, of the embedded executor and
//! of the oracle's full histories are the same.
//!
//! - `agree` compares findings, on written and random kernels;
//! - `contents` compares the contents of buffers and textures of every format after launches;
//! - `decided` tests dispatches that slices decide;
//! - `divergence` tests barriers that not all invocations reach;
//! - `leads` compares the reported consequences of races;
//! - `library` runs checks as a user of the library does;
//! - `mutants` compares mutants that share a program with mutants judged separately;
//! - `patterns` compares on the labeled corpus;
//! - `pipelines` counts compiled pipelines;
//! - `refusals` tests the messages for what a device cannot do, and their source locations;
//! - `schedules` runs launches in many orders;
//! - `shadow` tests the fallbacks for little shadow memory;
//! - `sizes` tests large launches;
//! - `slowdown` compares times with those of the bare kernels, for the page that `scripts/device.sh` writes;
//! - `target_first` runs one workgroup first;
//! - `timing` prepares launches for timing;
//! - `typed` runs kernels in Rust by the pipelines that the macro makes.
//!
//! The device is the first that is not a processor, otherwise the first; `HIRACE_DEVICE` selects another. Without a device,
//! these trials show as ignored, with the reason. They are in the ci tier.

mod agree;
mod consequences;
mod contents;
mod divergence;
mod library;
mod mutants;
mod patterns;
mod pipelines;
mod schedules;
mod shadow;
mod sizes;
mod slice_decisions;
mod slowdown;
mod target_first;
mod timing;
mod typed;
mod unsupported;

use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::Executor;
use hirace::raw::exec::wgpu::Device;
use hirace::raw::exec::wgpu::device_info::choose;
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

/// A test, whether it runs only by name, and of how many such cases the ci tier draws one.
struct Case {
    name: String,
    full: bool,
    drawn_from: u64,
    test: Box<dyn FnOnce() -> Result<(), Failed> + Send>,
}

impl Case {
    fn new(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), full: false, drawn_from: 1, test: Box::new(test) }
    }

    /// Makes the ci tier draw one of `many` such cases in each run.
    fn drawn_from(self, many: u64) -> Self {
        Self { drawn_from: many, ..self }
    }

    /// Returns a test that takes too long for any tier: `--ignored device::full`.
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

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let cases = [
        agree::cases(),
        contents::cases(),
        slice_decisions::cases(),
        divergence::cases(),
        consequences::cases(),
        library::cases(),
        mutants::cases(),
        patterns::cases(),
        pipelines::cases(),
        unsupported::cases(),
        schedules::cases(),
        shadow::cases(),
        sizes::cases(),
        slowdown::cases(),
        target_first::cases(),
        timing::cases(),
        typed::cases(),
    ];
    let trial = |Case { name, full, drawn_from, test }: Case| {
        let trial = Trial::ci(format!("device::{name}"), test).needs(need()).drawn(drawn_from);
        if full { trial.only_by_name() } else { trial }
    };
    cases.into_iter().flatten().map(trial).collect()
}

/// Returns the adapter that is tested, or the reason why there is none.
pub fn adapter() -> &'static Result<Adapter, String> {
    static ADAPTER: OnceLock<Result<Adapter, String>> = OnceLock::new();
    ADAPTER.get_or_init(|| {
        if let Ok(name) = std::env::var("HIRACE_DEVICE") {
            return choose(&name).map_err(error_text);
        }
        let mut all = adapters();
        all.sort_by_key(|adapter| adapter.about().kind() == DeviceType::Cpu);
        all.into_iter().next().ok_or_else(|| "no Vulkan driver was found".to_owned())
    })
}

/// Returns the opened device of that adapter.
fn device() -> &'static Result<Device, String> {
    static DEVICE: OnceLock<Result<Device, String>> = OnceLock::new();
    DEVICE.get_or_init(|| Device::open_adapter(adapter().as_ref()?).map_err(error_text))
}

/// Returns a trial of another module that needs the device.
pub fn on_device(
    name: &str,
    test: impl FnOnce(&Device) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::ci(name, move || test(device().as_ref()?)).needs(need())
}

/// Locks the device for a long test, which must run alone: devices of one driver may share their hardware.
pub fn lock_for_long_test() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the device in the form that `--device` takes.
pub fn device_name() -> String {
    device().as_ref().map(|device| device.device().name).unwrap_or_default()
}

fn error_text(error: Box<Diagnostic>) -> String {
    format!("{error} {:?} {:?}", error.notes, error.help)
}

/// Returns the launch that flags describe.
fn given(flags: &str) -> Result<LaunchSpec, Failed> {
    let mut spec = LaunchSpec::default();
    let mut flags = flags.split_whitespace();
    while let (Some(flag), Some(value)) = (flags.next(), flags.next()) {
        match flag {
            "--workgroups" => spec.workgroups = Some(spec::parse_grid(value).map_err(error_text)?),
            "--buffer" => spec.bindings.push(Binding::parse(value).map_err(error_text)?),
            "--dispatch" => spec.dispatches.push(DispatchSpec::parse(value).map_err(error_text)?),
            "--entry" => spec.dispatches = vec![DispatchSpec::parse(value).map_err(error_text)?],
            "--timeout" => spec.timeout = Some(spec::parse_seconds(value).map_err(error_text)?),
            "--max-steps" => spec.step_limit = Some(value.parse()?),
            // The subgroup size is that of the device.
            "--subgroup-size" => {}
            _ => return Err(format!("flags of tests do not include {flag}").into()),
        }
    }
    Ok(spec)
}

/// Returns the program in `text`, and the first launch of it that `flags` describe, for the tested device.
fn launched(name: &str, text: &str, flags: &str) -> Result<(Program, Launch), Failed> {
    let parsed = wgsl::parse(name, text).map_err(error_text)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(error_text)?;
    let mut spec = given(flags)?;
    spec.subgroup_size = device().as_ref()?.subgroup_size();
    let candidates = candidates(&program, &spec, 0).map_err(error_text)?;
    let launch =
        build::launch(&program, &spec, &candidates[0], &Grown::new()).map_err(error_text)?;
    Ok((program, launch))
}
