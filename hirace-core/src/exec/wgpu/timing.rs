//! A launch on a device that is ready to be timed.

use super::bare;
use super::dispatch::{self, Ran};
use super::failure::{could_not_run, failed_to};
use super::memory::Uploaded;
use super::needs::Needs;
use super::prepared;
use super::{Device, upload};
use crate::diagnostic::Result;
use crate::exec::Watch;
use crate::exec::timing::{Stopwatch, Took, Watched};
use crate::launch::Launch;
use crate::program::{Derived, Program};
use crate::shadow::fields::Width;
use crate::shadow::plan::Purpose;
use hirace_gpu::wgpu::{Buffer, ComputePipeline};
use hirace_gpu::{Error, Job, Opened, TIME_LIMIT, Until};
use naga::GlobalVariable;
use std::sync::atomic::AtomicBool;

/// A launch that is compiled and has run once, because drivers defer work until the first run.
pub struct OnDevice<'a> {
    device: &'a Device,
    program: &'a Program,
    launch: &'a Launch,
    /// The prepared dispatches.
    runs: Vec<Runs>,
    watched: Watched,
    stop: Option<&'a AtomicBool>,
}

/// The prepared dispatches, and what they watch.
type Made = (Vec<Runs>, Watched);

/// A prepared dispatch.
enum Runs {
    /// The kernel without checks.
    Bare(Box<bare::Ready>),
    /// The kernel with checks.
    Watched(prepared::Ready),
}

impl<'a> OnDevice<'a> {
    /// Prepares the launch. Returns `None` if `stop` was set before it was ready.
    pub fn new(
        device: &'a Device,
        program: &'a Program,
        launch: &'a Launch,
        watch: Option<&Watch>,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Self>> {
        let (runs, watched) = (Vec::new(), Watched::default());
        let mut ready = Self { device, program, launch, runs, watched, stop };
        let made = device.hold(|opened| {
            let Some(watch) = watch else { return ready.bare(opened) };
            let (mut width, mut late) = (Width::Narrow, true);
            loop {
                // If something goes wrong, the run with details is timed, and not the one before, which only detects it.
                match ready.checked(opened, watch, (width, late))? {
                    Ran::OutOfClock => width = Width::Wide,
                    Ran::Amiss => late = false,
                    ran => return Ok(ran),
                }
            }
        })?;
        match made {
            Ran::ToTheEnd(None) => return Ok(None),
            Ran::ToTheEnd(Some(made)) => (ready.runs, ready.watched) = made,
            Ran::CutOff | Ran::OutOfClock | Ran::Amiss | Ran::Diverged => {
                return Err(Box::new(could_not_run(
                    "the launch must run on the embedded executor",
                )));
            }
        }
        Ok(ready.time()?.map(|_| ready))
    }

    /// Prepares all dispatches unmodified.
    fn bare(&self, opened: &Opened) -> Result<Ran<Option<Made>>> {
        let (unwatched, mut runs) = (Watch::default(), Vec::new());
        for number in 0..self.launch.dispatches.len() {
            let dispatch = self.dispatch(opened, number, &unwatched, (Width::Narrow, true));
            Needs { device: opened, program: self.program }.check_dispatch(dispatch.dispatch)?;
            runs.push(Runs::Bare(Box::new(dispatch.plain()?)));
        }
        Ok(Ran::ToTheEnd(Some((runs, Watched::default()))))
    }

    /// Prepares all dispatches as they run when they are checked, with shadow words of at least this width. They are run once,
    /// one after another, to see whether a check would end in this way.
    fn checked(
        &self,
        opened: &Opened,
        watch: &Watch,
        how: (Width, bool),
    ) -> Result<Ran<Option<Made>>> {
        let memory = upload(opened, self.program, self.launch)?;
        let (mut runs, mut watched) = (Vec::new(), Watched::default());
        for number in 0..self.launch.dispatches.len() {
            memory.write_before(opened, self.launch, number)?;
            let dispatch = self.dispatch(opened, number, watch, how);
            match dispatch.run(number, &memory, self.stop)? {
                Ran::ToTheEnd(dispatched) if dispatched.run.stopped => {
                    return Ok(Ran::ToTheEnd(None));
                }
                Ran::ToTheEnd(_) => {}
                Ran::CutOff => return Ok(Ran::CutOff),
                Ran::OutOfClock => return Ok(Ran::OutOfClock),
                Ran::Amiss => return Ok(Ran::Amiss),
                Ran::Diverged => return Ok(Ran::Diverged),
            }
            let (run, watched_here) = self.decided(number, &dispatch)?;
            watched.add(watched_here);
            runs.push(run);
        }
        Ok(Ran::ToTheEnd(Some((runs, watched))))
    }

    /// Returns what [`dispatch::OnDevice::run`] runs on the device for this dispatch, and what that watches. Nothing else in this
    /// module decides that.
    fn decided(&self, number: usize, dispatch: &dispatch::OnDevice<'_>) -> Result<(Runs, Watched)> {
        let sliced = dispatch.sliced(number, self.stop);
        let sliced = (*sliced).as_ref();
        if let Some(sliced) = sliced.filter(|sliced| sliced.is_whole()) {
            return Ok((Runs::Bare(Box::new(dispatch.decided(sliced)?)), Watched::default()));
        }
        let ready = dispatch.ready(Purpose::Detect, sliced, None)?;
        let made = &ready.made;
        let sites = made.watched.sites().filter(|(_, watched)| watched.is_ok());
        let workgroups = u32::try_from(dispatch.workgroups()).unwrap_or(u32::MAX);
        let watched = Watched {
            sites: sites.map(|(site, _)| site).collect(),
            words: made.layout.granules,
            shadow_bytes: made.layout.shadow_bytes(&made.monitored.plan, workgroups),
        };
        Ok((Runs::Watched(ready), watched))
    }

    fn dispatch<'d>(
        &'d self,
        opened: &'d Opened,
        number: usize,
        watch: &'d Watch,
        (width, late): (Width, bool),
    ) -> dispatch::OnDevice<'d> {
        let dispatch = &self.launch.dispatches[number];
        let run = self.device.on(opened, self.program, self.launch, dispatch, watch);
        dispatch::OnDevice { width, late, ..run }
    }

    /// Runs the launch once. Returns `None` if it was stopped before it was done.
    fn run(&self, opened: &Opened) -> Result<Option<Took>> {
        let memory = upload(opened, self.program, self.launch)?;
        let unwatched = Watch::default();
        let mut all = Took::default();
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

impl Stopwatch for OnDevice<'_> {
    fn watched(&self) -> &Watched {
        &self.watched
    }

    fn time(&mut self) -> Result<Option<Took>> {
        self.device.hold(|opened| self.run(opened))
    }
}

impl Runs {
    fn pipeline(&self) -> (&ComputePipeline, &Derived) {
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

impl dispatch::OnDevice<'_> {
    /// Returns the duration of the dispatch on `memory`, or `None` if `stop` was set before it was done.
    fn time_run(
        &self,
        run: &Runs,
        memory: &Uploaded,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<Took>> {
        let purpose = || failed_to(format!("run `{}`", self.name()));
        let (pipeline, derived) = run.pipeline();
        let own = |variable: &GlobalVariable| run.own(variable);
        let (bindings, immediates) =
            self.bind(pipeline, derived, &own, memory).map_err(purpose())?;
        let clearing = run.shadow().iter().fold(Job::new(), Job::clear);
        let kernel =
            Job::new().dispatch_with(pipeline, &bindings, immediates, self.dispatch.workgroups);
        let limit = self.launch.limits.timeout.unwrap_or(TIME_LIMIT);
        match self.device.time(&[clearing, kernel], Until { limit, stop }) {
            Ok([clearing, kernel]) => Ok(Some(Took { kernel, clearing })),
            Err(Error::Stopped) => Ok(None),
            Err(error) => Err(purpose()(error)),
        }
    }
}
