//! A launch on a device that is ready to be timed.

use super::dispatch::{self, RunStatus};
use super::failure::{could_not_run, failed_to};
use super::memory::UploadedResources;
use super::needs::Needs;
use super::prepared;
use super::unwatched;
use super::{Device, upload};
use crate::diagnostic::Result;
use crate::exec::Watch;
use crate::exec::timing::{RunDuration, Stopwatch, WatchSize};
use crate::launch::Launch;
use crate::program::{DerivedModule, Program};
use crate::shadow::fields::Width;
use crate::shadow::plan::Purpose;
use hirace_gpu::wgpu::{Buffer, ComputePipeline};
use hirace_gpu::{Error, Job, OpenDevice, TIME_LIMIT, WaitLimit};
use naga::GlobalVariable;
use std::sync::atomic::AtomicBool;

/// A launch that is compiled and has run once, because drivers defer work until the first run.
pub struct DeviceStopwatch<'a> {
    device: &'a Device,
    program: &'a Program,
    launch: &'a Launch,
    /// The prepared dispatches.
    runs: Vec<TimedDispatch>,
    watched: WatchSize,
    stop: Option<&'a AtomicBool>,
}

/// The prepared dispatches, and what they watch.
type TimedDispatches = (Vec<TimedDispatch>, WatchSize);

/// A prepared dispatch.
enum TimedDispatch {
    /// The kernel without checks.
    Bare(Box<unwatched::CompiledDispatch>),
    /// The kernel with checks.
    Watched(prepared::PreparedDispatch),
}

impl<'a> DeviceStopwatch<'a> {
    /// Prepares the launch. Returns `None` if `stop` was set before it was ready.
    pub fn new(
        device: &'a Device,
        program: &'a Program,
        launch: &'a Launch,
        watch: Option<&Watch>,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Self>> {
        let (runs, watched) = (Vec::new(), WatchSize::default());
        let mut ready = Self { device, program, launch, runs, watched, stop };
        let made = device.hold(|opened| {
            let Some(watch) = watch else { return ready.bare(opened) };
            let (mut width, mut late) = (Width::Narrow, true);
            loop {
                // If something goes wrong, the run with details is timed, and not the one before, which only detects it.
                match ready.checked(opened, watch, (width, late))? {
                    RunStatus::ClockOverflow => width = Width::Wide,
                    RunStatus::UnrecordedError => late = false,
                    ran => return Ok(ran),
                }
            }
        })?;
        match made {
            RunStatus::Completed(None) => return Ok(None),
            RunStatus::Completed(Some(made)) => (ready.runs, ready.watched) = made,
            RunStatus::LoopsTerminated
            | RunStatus::ClockOverflow
            | RunStatus::UnrecordedError
            | RunStatus::Diverged => {
                return Err(Box::new(could_not_run(
                    "the launch must run on the embedded executor",
                )));
            }
        }
        Ok(ready.time()?.map(|_| ready))
    }

    /// Prepares all dispatches unmodified.
    fn bare(&self, opened: &OpenDevice) -> Result<RunStatus<Option<TimedDispatches>>> {
        let (unwatched, mut runs) = (Watch::default(), Vec::new());
        for number in 0..self.launch.dispatches.len() {
            let dispatch = self.dispatch(opened, number, &unwatched, (Width::Narrow, true));
            Needs { device: opened, program: self.program }.check_dispatch(dispatch.dispatch)?;
            runs.push(TimedDispatch::Bare(Box::new(dispatch.compile_plain()?)));
        }
        Ok(RunStatus::Completed(Some((runs, WatchSize::default()))))
    }

    /// Prepares all dispatches as they run when they are checked, with shadow words of at least this width. They are run once,
    /// one after another, to see whether a check would end in this way.
    fn checked(
        &self,
        opened: &OpenDevice,
        watch: &Watch,
        how: (Width, bool),
    ) -> Result<RunStatus<Option<TimedDispatches>>> {
        let memory = upload(opened, self.program, self.launch)?;
        let (mut runs, mut watched) = (Vec::new(), WatchSize::default());
        for number in 0..self.launch.dispatches.len() {
            memory.write_before(opened, self.launch, number)?;
            let dispatch = self.dispatch(opened, number, watch, how);
            match dispatch.run(number, &memory, self.stop)? {
                RunStatus::Completed(dispatched) if dispatched.run.stopped => {
                    return Ok(RunStatus::Completed(None));
                }
                RunStatus::Completed(_) => {}
                RunStatus::LoopsTerminated => return Ok(RunStatus::LoopsTerminated),
                RunStatus::ClockOverflow => return Ok(RunStatus::ClockOverflow),
                RunStatus::UnrecordedError => return Ok(RunStatus::UnrecordedError),
                RunStatus::Diverged => return Ok(RunStatus::Diverged),
            }
            let (run, watched_here) = self.decided(number, &dispatch)?;
            watched.add(watched_here);
            runs.push(run);
        }
        Ok(RunStatus::Completed(Some((runs, watched))))
    }

    /// Returns what [`dispatch::DeviceDispatch::run`] runs on the device for this dispatch, and what that watches. Nothing else in
    /// this module decides that.
    fn decided(
        &self,
        number: usize,
        dispatch: &dispatch::DeviceDispatch<'_>,
    ) -> Result<(TimedDispatch, WatchSize)> {
        let sliced = dispatch.sliced(number, self.stop);
        let sliced = (*sliced).as_ref();
        if let Some(sliced) = sliced.filter(|sliced| sliced.is_whole()) {
            return Ok((
                TimedDispatch::Bare(Box::new(dispatch.decided(sliced)?)),
                WatchSize::default(),
            ));
        }
        let ready = dispatch.ready(Purpose::Detect, sliced, None)?;
        let made = &ready.made;
        let sites = made.watched.sites().filter(|(_, watched)| watched.is_ok());
        let workgroups = u32::try_from(dispatch.workgroups()).unwrap_or(u32::MAX);
        let watched = WatchSize {
            sites: sites.map(|(site, _)| site).collect(),
            words: made.layout.granules,
            shadow_bytes: made.layout.shadow_bytes(&made.monitored.plan, workgroups),
        };
        Ok((TimedDispatch::Watched(ready), watched))
    }

    fn dispatch<'d>(
        &'d self,
        opened: &'d OpenDevice,
        number: usize,
        watch: &'d Watch,
        (width, late): (Width, bool),
    ) -> dispatch::DeviceDispatch<'d> {
        let dispatch = &self.launch.dispatches[number];
        let run = self.device.on(opened, self.program, self.launch, dispatch, watch);
        dispatch::DeviceDispatch { width, detects_only: late, ..run }
    }

    /// Runs the launch once. Returns `None` if it was stopped before it was done.
    fn run(&self, opened: &OpenDevice) -> Result<Option<RunDuration>> {
        let memory = upload(opened, self.program, self.launch)?;
        let unwatched = Watch::default();
        let mut all = RunDuration::default();
        for (number, run) in self.runs.iter().enumerate() {
            memory.write_before(opened, self.launch, number)?;
            // What is watched is already decided.
            let dispatch = self.dispatch(opened, number, &unwatched, (Width::Narrow, true));
            match dispatch.time_run(run, &memory, self.stop)? {
                Some(took) => all.add(took),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }
}

impl Stopwatch for DeviceStopwatch<'_> {
    fn watched(&self) -> &WatchSize {
        &self.watched
    }

    fn time(&mut self) -> Result<Option<RunDuration>> {
        self.device.hold(|opened| self.run(opened))
    }
}

impl TimedDispatch {
    fn pipeline(&self) -> (&ComputePipeline, &DerivedModule) {
        match self {
            Self::Bare(ready) => (&ready.pipeline, &ready.derived),
            Self::Watched(ready) => (&ready.made.pipeline, &ready.made.monitored.derived),
        }
    }

    /// Returns the buffer that is bound to a variable that is not the program's own.
    fn own(&self, variable: &GlobalVariable) -> Option<&Buffer> {
        match self {
            Self::Bare(_) => None,
            Self::Watched(ready) => ready.of_monitor(variable),
        }
    }

    /// Returns the buffers that are cleared before each run.
    fn shadow(&self) -> &[Buffer] {
        match self {
            Self::Bare(_) => &[],
            Self::Watched(ready) => &ready.shadow,
        }
    }
}

impl dispatch::DeviceDispatch<'_> {
    /// Returns the duration of the dispatch on `memory`, or `None` if `stop` was set before it was done.
    fn time_run(
        &self,
        run: &TimedDispatch,
        memory: &UploadedResources,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<RunDuration>> {
        let purpose = || failed_to(format!("run `{}`", self.name()));
        let (pipeline, derived) = run.pipeline();
        let own = |variable: &GlobalVariable| run.own(variable);
        let (bindings, immediates) =
            self.bind(pipeline, derived, &own, memory).map_err(purpose())?;
        let clearing = run.shadow().iter().fold(Job::new(), Job::clear);
        let kernel =
            Job::new().dispatch_with(pipeline, &bindings, immediates, self.dispatch.workgroups);
        let limit = self.launch.limits.timeout.unwrap_or(TIME_LIMIT);
        match self.device.time(&[clearing, kernel], WaitLimit { limit, stop }) {
            Ok([clearing, kernel]) => Ok(Some(RunDuration { kernel, clearing })),
            Err(Error::Stopped) => Ok(None),
            Err(error) => Err(purpose()(error)),
        }
    }
}
