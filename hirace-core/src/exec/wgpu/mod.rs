//! The executor of real devices, through wgpu.
//!
//! A launch's buffers and textures are copied to the device once; each dispatch is instrumented by the
//! monitor pass, run, and its racy granules are read from the shadow's buffer.
//!
//! - [`adapters`] lists devices and finds the one that is meant;
//! - `needs` refuses what the device cannot do, where the source asks for it;
//! - `memory` puts what a launch binds on the device, `texels` converts what textures hold, and `paint` fills
//!   those that nothing can be copied to;
//! - `dispatch` runs one instrumented dispatch;
//! - `noted` reads what a dispatch has noted beside races, and the log of phase 2;
//! - `failure` puts wgpu's errors into words.
//!
//! What a device does not tell: barriers that not all invocations reach. Where that cannot be ruled
//! out from the text, the report says that it was not looked for.

pub mod adapters;
mod dispatch;
mod failure;
mod memory;
mod needs;
mod noted;
mod paint;
mod texels;

pub use wgpu::{Features, Limits};

use super::embedded::{Embedded, took_too_long};
use super::{About, Executor, Outcome, Watch};
use crate::diagnostic::{Diagnostic, Result};
use crate::launch::Launch;
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::program::Program;
use adapters::Adapter;
use dispatch::{Case, Ran};
use failure::could_not_run;
use memory::Memory;
use needs::Needs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wgpu::{DeviceDescriptor, DownlevelFlags, PollError, PollType};

/// How long a dispatch may take, if nobody says.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a running dispatch is looked after.
const GLANCE: Duration = Duration::from_millis(50);

/// A device that launches run on.
#[derive(Debug)]
pub struct Device {
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    capabilities: naga::valid::Capabilities,
    about: About,
    /// What `--device` was given, or could have been.
    choice: String,
    subgroup_sizes: [u32; 2],
    /// The most turns of loops that an invocation can take there, if there is such a limit.
    turns: Option<u32>,
    /// Why it is of no more use, once it is.
    lost: Arc<Mutex<Option<Lost>>>,
    /// Held by whoever uses it: waiting on one queue from several threads is what wgpu panics at.
    busy: Mutex<()>,
}

/// How a device came to be of no more use.
#[derive(Clone, Debug)]
enum Lost {
    /// Its driver gave up, and says why.
    ByDriver(String),
    /// A dispatch that was not waited for still runs there.
    Busy,
}

/// The features that compute shaders may need; what of these the device has is asked for.
fn wanted() -> Features {
    Features::SHADER_F16
        | Features::SHADER_F64
        | Features::SHADER_I16
        | Features::SHADER_INT64
        | Features::SHADER_INT64_ATOMIC_MIN_MAX
        | Features::SHADER_INT64_ATOMIC_ALL_OPS
        | Features::SHADER_FLOAT32_ATOMIC
        | Features::SUBGROUP
        | Features::SUBGROUP_BARRIER
        | Features::TEXTURE_ATOMIC
        | Features::TEXTURE_INT64_ATOMIC
        | Features::TEXTURE_FORMAT_16BIT_NORM
        | Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
        | Features::BGRA8UNORM_STORAGE
        | Features::FLOAT32_FILTERABLE
        | Features::IMMEDIATES
}

impl Device {
    /// Opens the device that `choice` means: its number, or a part of its name.
    pub fn open(choice: &str) -> Result<Self> {
        Ok(Self { choice: choice.to_owned(), ..Self::of(&adapters::choose(choice)?)? })
    }

    /// Opens a device, with all that it has.
    pub fn of(adapter: &Adapter) -> Result<Self> {
        Self::with(adapter, Features::all(), adapter.limits())
    }

    /// Opens a device as if it had no more than these features and limits: what would be said on a lesser
    /// one.
    pub fn with(adapter: &Adapter, features: Features, limits: Limits) -> Result<Self> {
        let downlevel = adapter.inner.get_downlevel_capabilities().flags;
        check_computes(downlevel, adapter)?;
        let features = adapter.inner.features() & wanted() & features;
        let descriptor = DeviceDescriptor {
            label: Some("hirace"),
            required_features: features,
            required_limits: limits,
            ..DeviceDescriptor::default()
        };
        let opened = crate::front::guard::run(|| {
            pollster::block_on(adapter.inner.request_device(&descriptor))
                .map_err(|error| error.to_string())
        });
        let (device, queue) = opened.and_then(|opened| opened).map_err(|reason| {
            let failed = could_not_run(format!("{} cannot be used", adapter.about()));
            Box::new(failed.note(format!("its driver said: {reason}")))
        })?;
        let lost = Arc::new(Mutex::new(None));
        let told = Arc::clone(&lost);
        device.set_device_lost_callback(move |_, reason| {
            let mut lost = told.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert(Lost::ByDriver(reason));
        });
        // What no scope catches is seen by its consequences: wgpu's own answer would be a panic.
        device.on_uncaptured_error(Arc::new(|_| {}));
        let about = adapter.about();
        Ok(Self {
            adapter: adapter.inner.clone(),
            capabilities: wgpu_naga_bridge::features_to_naga_capabilities(features, downlevel),
            device,
            queue,
            choice: about.name.clone(),
            about,
            subgroup_sizes: adapter.subgroup_sizes(),
            turns: adapter.turns(),
            lost,
            busy: Mutex::default(),
        })
    }

    /// Gives it up, as drivers do with a device that fails: nothing runs there from now on.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// How long the dispatches of `launch` take, under the monitor or bare.
    pub fn time(&self, program: &Program, launch: &Launch, bare: bool) -> Result<Duration> {
        let _held = self.hold();
        self.check_lost()?;
        let memory = self.upload(program, launch)?;
        let mut watch = Watch::default();
        if bare {
            watch.ignore.push("*".to_owned());
        }
        let mut all = Duration::ZERO;
        for dispatch in &launch.dispatches {
            let case = Case { device: self, program, launch, dispatch, watch: &watch };
            all += case.time(&memory, bare)?;
        }
        Ok(all)
    }

    /// Waits for what was submitted. `false`: `stop` was set meanwhile.
    fn wait(&self, stop: Option<&AtomicBool>, patience: Duration) -> Result<bool> {
        let started = Instant::now();
        loop {
            let glance = PollType::Wait { submission_index: None, timeout: Some(GLANCE) };
            let polled = failure::guarded(&self.device, "wait", || self.device.poll(glance));
            self.check_lost()?;
            match polled? {
                Ok(_) => return Ok(true),
                Err(PollError::Timeout) if stop.is_some_and(|s| s.load(Ordering::Relaxed)) => {
                    self.abandon();
                    return Ok(false);
                }
                Err(PollError::Timeout) if started.elapsed() < patience => {}
                Err(PollError::Timeout) => {
                    self.abandon();
                    return Err(Box::new(took_too_long(patience)));
                }
                Err(error) => {
                    let failed = could_not_run("the device could not be waited for");
                    return Err(Box::new(failed.note(error.to_string())));
                }
            }
        }
    }

    /// Leaves the device to a dispatch that cannot be stopped. To close it would be to wait for that.
    fn abandon(&self) {
        std::mem::forget((self.device.clone(), self.queue.clone()));
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert(Lost::Busy);
    }

    /// Holds the device for one launch.
    fn hold(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says so if the device was lost when it was to `purpose`: wgpu tells when it is asked next.
    fn check_alive(&self, purpose: &str) -> Result<()> {
        let asked = failure::guarded(&self.device, purpose, || {
            let _ = self.device.poll(PollType::Poll);
        });
        self.check_lost()?;
        asked
    }

    fn check_lost(&self) -> Result<()> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        match &*lost {
            None => Ok(()),
            Some(lost) => Err(Box::new(lost.told())),
        }
    }
}

impl Lost {
    fn told(&self) -> Diagnostic {
        match self {
            Self::Busy => {
                could_not_run("the device is still busy with a dispatch that took too long")
                    .help("give it more time with --timeout, or a smaller grid")
            }
            Self::ByDriver(reason) => {
                let error = could_not_run("the device was lost").help(
                    "drivers end what runs too long or reads where nothing is: give a smaller grid, or check without --device",
                );
                match reason.is_empty() {
                    true => error,
                    false => error.note(format!("its driver said: {reason}")),
                }
            }
        }
    }
}

/// Refuses a device that runs no compute shaders.
fn check_computes(flags: DownlevelFlags, adapter: &Adapter) -> Result<()> {
    if flags.contains(DownlevelFlags::COMPUTE_SHADERS) {
        return Ok(());
    }
    let error = could_not_run(format!("{} runs no compute shaders", adapter.about()));
    Err(Box::new(error.help("`hirace devices` shows others, if there are any")))
}

impl Executor for Device {
    fn device(&self) -> About {
        self.about.clone()
    }

    fn flags(&self) -> Vec<String> {
        vec!["--device".to_owned(), self.choice.clone()]
    }

    fn subgroup_size(&self) -> Option<u32> {
        Some(self.subgroup_sizes[1])
    }

    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let _held = self.hold();
        self.check_alive("start")?;
        let memory = self.upload(program, launch)?;
        let mut outcome = Outcome::default();
        for dispatch in &launch.dispatches {
            let case = Case { device: self, program, launch, dispatch, watch };
            let dispatched = match case.run(&memory, stop) {
                Ok(Ran::ToTheEnd(dispatched)) => dispatched,
                Ok(Ran::CutOff) => return self.run_embedded(program, launch, watch, stop),
                Err(error) if error.of_device && !outcome.dispatches.is_empty() => {
                    outcome.failure = Some(error);
                    return Ok(outcome);
                }
                Err(error) => return Err(error),
            };
            let ended = dispatched.run.ended();
            outcome.dispatches.push(dispatched);
            if !ended {
                return Ok(outcome);
            }
        }
        match memory.download(self, program, launch) {
            Ok(resources) => outcome.resources = resources,
            Err(error) => outcome.failure = Some(error),
        }
        Ok(outcome)
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
        let _held = self.hold();
        if self.check_lost().is_err() {
            // What was found before is explained all the same, if it shows here too.
            return Embedded.trace(program, launch, dispatch, granules, stop);
        }
        let memory = self.upload(program, launch)?;
        let names = granules.iter().filter_map(|granule| {
            let mut variables = program.module.global_variables.iter();
            let found = variables.find(|(handle, _)| handle.index() as u32 == granule.memory.0);
            found?.1.name.clone()
        });
        let watch = Watch { only: names.collect(), ..Watch::default() };
        for (index, traced) in launch.dispatches.iter().enumerate().take(dispatch + 1) {
            let case = Case { device: self, program, launch, dispatch: traced, watch: &watch };
            let granules = if index == dispatch { granules } else { &[] };
            match case.record(&memory, granules, stop)? {
                Ran::ToTheEnd(trace) if index == dispatch => return Ok(trace),
                Ran::ToTheEnd(_) => {}
                Ran::CutOff => return Embedded.trace(program, launch, dispatch, granules, stop),
            }
        }
        Ok(Trace::default())
    }
}

impl Device {
    /// What `launch` binds, on the device.
    fn upload(&self, program: &Program, launch: &Launch) -> Result<Memory> {
        Needs { device: self, program }.check_resources(launch)?;
        Memory::upload(self, program, launch)
    }

    /// Runs on the embedded executor what the device would end before its time.
    fn run_embedded(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let mut outcome = Embedded.run(program, launch, watch, stop)?;
        if let Some(first) = outcome.dispatches.first_mut() {
            first.warnings.push(format!(
                "a launch ran on the embedded executor: its loops take more than {} turns, past which {} ends them by itself",
                self.turns.unwrap_or(u32::MAX),
                self.about.name
            ));
        }
        Ok(outcome)
    }
}
