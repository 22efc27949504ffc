//! The executor of real devices, through wgpu.
//!
//! A launch's buffers and textures are copied to the device once; each dispatch is instrumented by the
//! monitor pass, run, and its racy granules are read from the shadow's buffer.
//!
//! - [`adapters`] lists devices and finds the one that is meant, `opened` is one in use;
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
mod opened;
mod paint;
mod texels;

pub use wgpu::{Features, Limits};

use super::embedded::Embedded;
use super::{About, Executor, Outcome, Watch};
use crate::diagnostic::Result;
use crate::launch::Launch;
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::program::Program;
use adapters::Adapter;
use dispatch::{Case, Ran};
use memory::Memory;
use needs::Needs;
use opened::Opened;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a dispatch may take, if nobody says.
const PATIENCE: Duration = Duration::from_secs(120);

/// A device that launches run on.
#[derive(Debug)]
pub struct Device {
    adapter: Adapter,
    features: Features,
    limits: Limits,
    /// What `--device` was given, or could have been.
    choice: String,
    opened: Mutex<Arc<Opened>>,
}

impl Device {
    /// Opens the device that `choice` means: its number, or a part of its name.
    pub fn open(choice: &str) -> Result<Self> {
        let device = Self::of(&adapters::choose(choice)?)?;
        Ok(Self { choice: choice.to_owned(), ..device })
    }

    /// Opens a device, with all that it has.
    pub fn of(adapter: &Adapter) -> Result<Self> {
        Self::with(adapter, Features::all(), adapter.limits())
    }

    /// Opens a device as if it had no more than these features and limits: what would be said on a lesser
    /// one.
    pub fn with(adapter: &Adapter, features: Features, limits: Limits) -> Result<Self> {
        let opened = Opened::new(adapter, features, limits.clone())?;
        Ok(Self {
            adapter: adapter.clone(),
            features,
            limits,
            choice: adapter.about().name,
            opened: Mutex::new(Arc::new(opened)),
        })
    }

    /// Gives it up, as drivers do with a device that fails. It is opened anew for the next launch.
    pub fn destroy(&self) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).device.destroy();
    }

    /// The device, anew if it was lost.
    fn opened(&self) -> Result<Arc<Opened>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if !opened.is_alive() {
            *opened = Arc::new(Opened::new(&self.adapter, self.features, self.limits.clone())?);
        }
        Ok(Arc::clone(&opened))
    }

    /// Whether it was lost since the last launch began.
    fn was_lost(&self) -> bool {
        !self.opened.lock().unwrap_or_else(PoisonError::into_inner).is_alive()
    }

    /// How long the dispatches of `launch` take, under the monitor or bare.
    pub fn time(&self, program: &Program, launch: &Launch, bare: bool) -> Result<Duration> {
        let opened = self.opened()?;
        let _held = opened.hold();
        let memory = upload(&opened, program, launch)?;
        let mut watch = Watch::default();
        if bare {
            watch.ignore.push("*".to_owned());
        }
        let mut all = Duration::ZERO;
        for dispatch in &launch.dispatches {
            let case = Case { device: &opened, program, launch, dispatch, watch: &watch };
            all += case.time(&memory, bare)?;
        }
        Ok(all)
    }
}

impl Executor for Device {
    fn device(&self) -> About {
        self.adapter.about()
    }

    fn flags(&self) -> Vec<String> {
        vec!["--device".to_owned(), self.choice.clone()]
    }

    fn subgroup_size(&self) -> Option<u32> {
        Some(self.adapter.subgroup_sizes()[1])
    }

    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let opened = self.opened()?;
        let _held = opened.hold();
        let memory = upload(&opened, program, launch)?;
        let mut outcome = Outcome::default();
        for dispatch in &launch.dispatches {
            let case = Case { device: &opened, program, launch, dispatch, watch };
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
        match memory.download(&opened, program, launch) {
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
        if self.was_lost() {
            // What was found before that is explained all the same, if it shows here too.
            return Embedded.trace(program, launch, dispatch, granules, stop);
        }
        let opened = self.opened()?;
        let _held = opened.hold();
        let memory = upload(&opened, program, launch)?;
        let names = granules.iter().filter_map(|granule| {
            let mut variables = program.module.global_variables.iter();
            let found = variables.find(|(handle, _)| handle.index() as u32 == granule.memory.0);
            found?.1.name.clone()
        });
        let watch = Watch { only: names.collect(), ..Watch::default() };
        for (index, traced) in launch.dispatches.iter().enumerate().take(dispatch + 1) {
            let case = Case { device: &opened, program, launch, dispatch: traced, watch: &watch };
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

/// What `launch` binds, on the device.
fn upload(device: &Opened, program: &Program, launch: &Launch) -> Result<Memory> {
    Needs { device, program }.check_resources(launch)?;
    Memory::upload(device, program, launch)
}

impl Device {
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
                self.adapter.turns().unwrap_or(u32::MAX),
                self.adapter.about().name
            ));
        }
        Ok(outcome)
    }
}
