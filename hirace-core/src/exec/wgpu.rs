//! The executor on real devices: a client of the device service (`hirace-gpu`).
//!
//! A launch's buffers and textures are copied to the device once. Each dispatch is instrumented by the monitor pass and run, and
//! its racy granules are read from the shadow buffers.
//!
//! - [`device_info`] describes the available devices;
//! - `needs` refuses, at the source location, what the device does not support;
//! - `memory` copies the resources of a launch to the device, and `texels` converts the contents of textures;
//! - `dispatch` is one dispatch on a device; `monitored` runs it, to find races or to record the accesses to racy words:
//!   `watched` decides how it is instrumented, `limits` how large its shadow memory may be, and `remarks` which warnings it gets;
//! - `prepared` is an instrumented dispatch, which is compiled, bound and run, and whose shadow is read; `dispatch_cache` caches the
//!   dispatches of programs that are launched many times;
//! - `sliced_dispatch` runs a dispatch without a monitor if its slice has decided it; `decision_cache` caches these decisions;
//! - `counting` counts executions in a dispatch;
//! - `unwatched` runs a launch without a monitor, optionally with one workgroup first;
//! - `timing` prepares a launch to be timed, watched or unwatched;
//! - `dispatch_records` reads the records of a dispatch, except for races, and the log of phase 2;
//! - `failure` converts the service's errors to diagnostics.
//!
//! About barriers that not all invocations reach, a device reports only the workgroups, and only if the program text does not
//! exclude such barriers: `diverged` uses the embedded executor to find the rest.
//!
//! A device reports everything through the buffer of its shadow memory: racy granules; for each site whether two invocations ran
//! it, indices out of bounds and loops with too many iterations; and where a barrier may diverge, the least and greatest trail of
//! each workgroup. A second module, made by the same pass, records the accesses to racy granules in phase 2. Reports list what a
//! device cannot show as not checked, and the verdict is then not clean.

mod counting;
mod decision_cache;
pub mod device_info;
mod dispatch;
mod dispatch_cache;
mod dispatch_records;
mod diverged;
mod failure;
mod limits;
mod memory;
mod monitored;
mod needs;
mod prepared;
mod remarks;
mod sliced_dispatch;
mod texels;
mod timing;
mod unwatched;
mod watched;

pub use hirace_gpu::wgpu::{Features, Limits};

use super::embedded::Embedded;
use super::timing::Stopwatch;
use super::unwatched::{FirstWorkgroup, UnwatchedOutcome};
use super::{DeviceInfo, Executor, LaunchCounts, Outcome, Watch};
use crate::diagnostic::Result;
use crate::facts::{Flag, Warning};
use crate::launch::{Dispatch, Launch};
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::points::Points;
use crate::program::Program;
use crate::shadow::fields::Width;
use crate::shadow::layout;
use crate::shadow::plan::Table;
use decision_cache::DecisionCache;
use dispatch::{DeviceDispatch, RunStatus};
use dispatch_cache::DispatchCache;
use failure::{could_not_run, not_opened};
use hirace_gpu::{Adapter, OpenDevice, clock_features, compute_features};
use memory::UploadedResources;
use needs::Needs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A device on which launches run.
#[derive(Debug)]
pub struct Device {
    service: hirace_gpu::Device,
    about: DeviceInfo,
    /// The argument of `--device` that selected the device, or its name.
    choice: String,
    /// The limits of the shadow memory, independent of the device.
    shadow: layout::Limits,
    kept: DispatchCache,
    decided: DecisionCache,
}

impl Device {
    /// Opens the device that `choice` selects: its number, or a part of its name.
    pub fn open(choice: &str) -> Result<Self> {
        let device = Self::open_adapter(&device_info::choose(choice)?)?;
        Ok(Self { choice: choice.to_owned(), ..device })
    }

    /// Opens a device with its limits, and with those of its features that compute shaders and timestamps use.
    pub fn open_adapter(adapter: &Adapter) -> Result<Self> {
        Self::with(adapter, Features::all(), adapter.limits())
    }

    /// Opens a device with only these features and limits, to simulate a less capable one.
    pub fn with(adapter: &Adapter, features: Features, limits: Limits) -> Result<Self> {
        let about = device_info::about(adapter.about());
        let all = compute_features() | clock_features();
        let opened = hirace_gpu::Device::open(adapter, all & features, limits);
        let service = opened.map_err(|error| not_opened(error, &about))?;
        let (choice, shadow) = (about.name.clone(), layout::Limits::default());
        Ok(Self {
            service,
            about,
            choice,
            shadow,
            kept: DispatchCache::default(),
            decided: DecisionCache::default(),
        })
    }

    /// Limits the shadow memory. Tests use this to cover all code paths for less memory.
    #[must_use]
    pub fn with_shadow(self, shadow: layout::Limits) -> Self {
        Self { shadow, ..self }
    }

    /// Returns the service that drives the device.
    pub fn service(&self) -> &hirace_gpu::Device {
        &self.service
    }

    /// Returns the number of storage buffers that a program can bind.
    pub fn storage_buffers(&self) -> u32 {
        self.service.limits().max_storage_buffers_per_shader_stage
    }

    /// Destroys the device, as drivers do with a device that fails. It is reopened for the next launch.
    pub fn destroy(&self) {
        self.service.destroy();
    }

    /// Calls `work` with the device, while no other thread uses it.
    fn hold<T>(&self, work: impl FnOnce(&OpenDevice) -> Result<T>) -> Result<T> {
        let held: hirace_gpu::Result<Result<T>> = self.service.hold(|device| Ok(work(device)));
        let done = held.map_err(|error| not_opened(error, &self.about)).and_then(|done| done);
        if done.is_err() {
            self.kept.forget();
        }
        done
    }

    /// Returns the duration of the dispatches of `launch`, under the monitor with the transition table in this location or
    /// unmonitored.
    pub fn time(
        &self,
        program: &Program,
        launch: &Launch,
        table: Option<Table>,
    ) -> Result<Duration> {
        let mut watch = Watch::default();
        if table.is_none() {
            watch.ignore.push("*".to_owned());
        }
        self.hold(|device| {
            let memory = upload(device, program, launch)?;
            let mut all = Duration::ZERO;
            for dispatch in &launch.dispatches {
                let run = self.on(device, program, launch, dispatch, &watch);
                all += run.time(&memory, table)?;
            }
            Ok(all)
        })
    }
}

impl Device {
    /// Returns the duration of the dispatches of `launch` while they count executions.
    pub fn time_counting(&self, program: &Program, launch: &Launch) -> Result<Duration> {
        let points = Points::of(program);
        self.hold(|device| {
            let watch = Watch::default();
            let memory = upload(device, program, launch)?;
            let mut all = Duration::ZERO;
            for dispatch in &launch.dispatches {
                let run = self.on(device, program, launch, dispatch, &watch);
                all += run.time_counting(&memory, &points)?;
            }
            Ok(all)
        })
    }
}

impl Executor for Device {
    fn device(&self) -> DeviceInfo {
        self.about.clone()
    }

    fn flags(&self) -> Vec<Flag> {
        vec![Flag::Device(self.choice.clone())]
    }

    fn subgroup_size(&self) -> Option<u32> {
        Some(self.service.about().subgroup_sizes()[1])
    }

    fn keep(&self, program: &Arc<Program>) {
        self.kept.keep(program);
    }

    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let ran = self.hold(|device| {
            // Combined programs of many mutants go wrong often.
            let (mut width, mut detects_only) = (Width::Narrow, !self.kept.has(program));
            loop {
                // If the results are incomplete, they are discarded and the launch is repeated.
                match self.attempt(device, program, launch, watch, (width, detects_only), stop)? {
                    RunStatus::ClockOverflow => width = Width::Wide,
                    RunStatus::UnrecordedError => detects_only = false,
                    ran => return Ok(ran),
                }
            }
        })?;
        match ran {
            RunStatus::Completed(mut outcome) => {
                diverged::explain(program, launch, watch, &mut outcome, stop);
                Ok(outcome)
            }
            // Steps of a combined program are not steps of its parts.
            _ if self.kept.has(program) => {
                Err(Box::new(could_not_run("the launch must run on the embedded executor")))
            }
            RunStatus::LoopsTerminated
            | RunStatus::ClockOverflow
            | RunStatus::UnrecordedError
            | RunStatus::Diverged => self.run_embedded(program, launch, watch, stop),
        }
    }

    fn trace(
        &self,
        program: &Program,
        launch: &Launch,
        dispatch: usize,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<Trace> {
        if granules.is_empty() {
            return Ok(Trace::default());
        }
        if self.service.is_lost() {
            // Findings from before the device was lost are still explained, if they can be reproduced here.
            return Embedded.trace(program, launch, dispatch, granules, stop);
        }
        match self.hold(|device| self.record(device, program, launch, dispatch, granules, stop))? {
            RunStatus::Completed(trace) => Ok(trace),
            RunStatus::LoopsTerminated
            | RunStatus::ClockOverflow
            | RunStatus::UnrecordedError
            | RunStatus::Diverged => Embedded.trace(program, launch, dispatch, granules, stop),
        }
    }

    fn count(
        &self,
        program: &Program,
        points: &Points,
        launch: &Launch,
        hits: bool,
        stop: Option<&AtomicBool>,
    ) -> Result<LaunchCounts> {
        self.hold(|device| {
            let watch = Watch::default();
            let memory = upload(device, program, launch)?;
            let mut counted = LaunchCounts { ended: true, ..LaunchCounts::default() };
            for (number, dispatch) in launch.dispatches.iter().enumerate() {
                memory.write_before(device, launch, number)?;
                let run = self.on(device, program, launch, dispatch, &watch);
                let Some(counts) = run.count(&memory, points, hits, stop)? else {
                    counted.ended = false;
                    break;
                };
                match counted.dispatches.is_empty() {
                    true => counted.counts = counts,
                    false => counted.counts.add(&counts),
                }
                *counted.dispatches.entry(dispatch.entry).or_default() += 1;
            }
            Ok(counted)
        })
    }

    fn run_unwatched(
        &self,
        program: &Program,
        launch: &Launch,
        first: Option<FirstWorkgroup>,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<UnwatchedOutcome>> {
        self.hold(|device| self.run_bare(device, program, launch, first, stop))
    }

    fn stopwatch<'a>(
        &'a self,
        program: &'a Program,
        launch: &'a Launch,
        watch: Option<&'a Watch>,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Box<dyn Stopwatch + 'a>>> {
        let ready = timing::DeviceStopwatch::new(self, program, launch, watch, stop)?;
        Ok(ready.map(|ready| Box::new(ready) as _))
    }

    fn forget(&self) {
        self.kept.forget();
        self.decided.forget();
        // A device that cannot be held has nothing to forget.
        let _ = self.hold(|device| {
            device.forget_pipelines();
            Ok(())
        });
    }
}

/// Copies the resources of `launch` to the device.
fn upload(device: &OpenDevice, program: &Program, launch: &Launch) -> Result<UploadedResources> {
    Needs { device, program }.check_resources(launch)?;
    UploadedResources::new(device, program, launch)
}

impl Device {
    /// Returns a dispatch on this device with the default settings.
    fn on<'a>(
        &'a self,
        device: &'a OpenDevice,
        program: &'a Program,
        launch: &'a Launch,
        dispatch: &'a Dispatch,
        watch: &'a Watch,
    ) -> DeviceDispatch<'a> {
        DeviceDispatch {
            device,
            program,
            launch,
            dispatch,
            watch,
            width: Width::Narrow,
            detects_only: true,
            shadow: self.shadow,
            kept: &self.kept,
            decision_cache: &self.decided,
        }
    }

    /// Logs the accesses to `granules` in the dispatch with this index.
    fn record(
        &self,
        device: &OpenDevice,
        program: &Program,
        launch: &Launch,
        dispatch: usize,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<RunStatus<Trace>> {
        let memory = upload(device, program, launch)?;
        let names = granules.iter().filter_map(|granule| {
            let mut variables = program.module.global_variables.iter();
            let found = variables.find(|(handle, _)| handle.index() as u32 == granule.memory.0);
            found?.1.name.clone()
        });
        let watch = Watch { only: names.collect(), ..Watch::default() };
        for (index, traced) in launch.dispatches.iter().enumerate().take(dispatch + 1) {
            memory.write_before(device, launch, index)?;
            let run = self.on(device, program, launch, traced, &watch);
            let granules = if index == dispatch { granules } else { &[] };
            match run.record(&memory, granules, stop)? {
                RunStatus::Completed(_) if index < dispatch => {}
                recorded => return Ok(recorded),
            }
        }
        Ok(RunStatus::Completed(Trace::default()))
    }

    /// Runs a launch from its initial resources, with shadow words of at least this width. With `detects_only`, the run may
    /// only detect that an error occurred, without details.
    fn attempt(
        &self,
        device: &OpenDevice,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        (width, detects_only): (Width, bool),
        stop: Option<&AtomicBool>,
    ) -> Result<RunStatus<Outcome>> {
        let memory = upload(device, program, launch)?;
        let mut outcome = Outcome::default();
        for (number, dispatch) in launch.dispatches.iter().enumerate() {
            memory.write_before(device, launch, number)?;
            let run = DeviceDispatch {
                width,
                detects_only,
                ..self.on(device, program, launch, dispatch, watch)
            };
            let dispatched = match run.run(number, &memory, stop) {
                Ok(RunStatus::Completed(dispatched)) => dispatched,
                Ok(RunStatus::LoopsTerminated) => return Ok(RunStatus::LoopsTerminated),
                Ok(RunStatus::ClockOverflow) => return Ok(RunStatus::ClockOverflow),
                Ok(RunStatus::UnrecordedError) => return Ok(RunStatus::UnrecordedError),
                Ok(RunStatus::Diverged) => return Ok(RunStatus::Diverged),
                Err(error) if error.is_of_device() && !outcome.dispatches.is_empty() => {
                    outcome.failure = Some(error);
                    return Ok(RunStatus::Completed(outcome));
                }
                Err(error) => return Err(error),
            };
            let ended = dispatched.run.is_complete();
            outcome.dispatches.push(dispatched);
            if !ended {
                return Ok(RunStatus::Completed(outcome));
            }
            if launch.kept.contains(&number) {
                outcome.kept.insert(number, memory.download(device, program, launch)?);
            }
        }
        match memory.download(device, program, launch) {
            Ok(resources) => outcome.resources = resources,
            Err(error) => outcome.failure = Some(error),
        }
        Ok(RunStatus::Completed(outcome))
    }

    /// Runs the launch on the embedded executor, because the device would terminate its loops too early.
    fn run_embedded(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let mut outcome = Embedded.run(program, launch, watch, stop)?;
        if let Some(first) = outcome.dispatches.first_mut() {
            first.warnings.push(Warning::RanEmbedded {
                max_iterations: limits::max_iterations(self.service.about(), launch),
                device: self.about.name.clone(),
            });
        }
        Ok(outcome)
    }
}
