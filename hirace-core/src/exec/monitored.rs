//! Runs an instrumented program on the embedded executor: a host for the output of the monitor pass.
//!
//! This tests the pass without a device: the instrumented module must find the same racy granules as the native monitor. It runs
//! serially, because the shadow words carry values between workgroups. If the clock of narrow shadow words overflows, the launch
//! is discarded and re-run with wide ones, as on a device.

use super::shadow_reader::ShadowReader;
use crate::analysis::uniformity::non_uniform_barriers;
use crate::diagnostic::Result;
use crate::launch::{Dispatch, Launch};
use crate::observe::{RacyGranules, Shape};
use crate::pass::monitor::{MonitoredProgram, monitor};
use crate::program::Program;
use crate::shadow::fields::Width;
use crate::shadow::fit::fit;
use crate::shadow::layout::{Layout, Limits};
use crate::shadow::log::UncheckedMemory;
use crate::shadow::plan::{Options, WatchedMemory};
use crate::shadow::trail::Trails;
use crate::vm::driver;
use crate::vm::lower::lower;
use crate::vm::memory::{Buffer, Resource, Resources};
use crate::vm::observer;
use crate::vm::run::{self, Run};
use crate::watch::{UnwatchedVariable, WatchPlan};
use naga::{GlobalVariable, Module};
use std::sync::atomic::AtomicBool;

/// The number of steps that the instrumented program may take per step of the program.
const STEPS: u64 = 256;

/// The findings of an instrumented dispatch.
#[derive(Debug, Default)]
pub struct MonitoredOutcome {
    /// The racy granules, each with the site at which the race was detected.
    pub racy: RacyGranules,
    /// Whether something went wrong of which no details were recorded, as by modules with [detects_only](Options::detects_only) recording.
    pub unrecorded_error: bool,
    /// The number of racy granules of workgroup memory for which the log had no room.
    pub dropped: u32,
    /// Where a clock overflowed, so that not everything was judged.
    pub stopped: UncheckedMemory,
    /// The trails, unless all barriers are certain to be reached by all invocations.
    pub trails: Option<Trails>,
    /// The width of the shadow words of storage memory and textures.
    pub width: Width,
    /// The memories in which races may be missed.
    pub unwatched: Vec<UnwatchedVariable>,
    /// What the engine observed of the instrumented module.
    pub run: Run,
}

/// Runs `launch` with each of its dispatches instrumented. `watch` selects what is watched.
pub fn run(
    program: &Program,
    launch: &Launch,
    watch: &dyn Fn(&Dispatch) -> WatchPlan,
    options: &Options,
    limits: Limits,
    stop: Option<&AtomicBool>,
) -> Result<Vec<MonitoredOutcome>> {
    let detected = attempt(program, launch, watch, options, limits, stop)?;
    let ran_out = detected.iter().any(|found| found.stopped.dispatch);
    if !ran_out || !limits.wide || options.width == Width::Wide {
        return Ok(detected);
    }
    let options = Options { width: Width::Wide, ..options.clone() };
    attempt(program, launch, watch, &options, limits, stop)
}

fn attempt(
    program: &Program,
    launch: &Launch,
    watch: &dyn Fn(&Dispatch) -> WatchPlan,
    options: &Options,
    limits: Limits,
    stop: Option<&AtomicBool>,
) -> Result<Vec<MonitoredOutcome>> {
    let mut resources = launch.resources.clone();
    let mut detected = Vec::new();
    for (number, dispatch) in launch.dispatches.iter().enumerate() {
        launch.write_before(number, &resources);
        let uniform = non_uniform_barriers(program, dispatch.entry).is_empty();
        let limits = match uniform {
            true => limits,
            false => Limits { sweep: 0, ..limits },
        };
        let options = Options { trails: !uniform, ..options.clone() };
        let watch = watch(dispatch);
        let shape = shape(program, launch, dispatch);
        let bytes = |watched: &WatchedMemory| bytes(watched, &resources);
        let options = fit(options, program, &watch, shape, bytes, limits);
        let monitored = monitor(program, &watch, &options)?;
        let mut host = Host::new(program, launch, dispatch, &monitored, limits, &mut resources)?;
        let mut found = host.run(stop)?;
        found.unwatched.splice(0..0, watch.unwatched());
        host.give_back(&mut resources);
        let ended = found.run.is_complete();
        detected.push(found);
        if !ended {
            break;
        }
    }
    Ok(detected)
}

/// A dispatch that is ready to run.
struct Host<'a> {
    program: &'a Program,
    launch: &'a Launch,
    dispatch: &'a Dispatch,
    monitored: &'a MonitoredProgram,
    layout: Layout,
    instrumented: Program,
    /// The resources, by global variable of the instrumented program.
    resources: Resources,
    /// The index of each of these variables in the original program, if it is a variable of that program.
    origins: Vec<Option<usize>>,
    /// The indices of the shadow buffers among these variables.
    shadow: Vec<Option<usize>>,
}

impl<'a> Host<'a> {
    /// Creates the host, which takes the bound resources out of `resources` until [`Host::give_back`].
    fn new(
        program: &'a Program,
        launch: &'a Launch,
        dispatch: &'a Dispatch,
        monitored: &'a MonitoredProgram,
        limits: Limits,
        resources: &mut Resources,
    ) -> Result<Self> {
        let plan = &monitored.plan;
        let shape = shape(program, launch, dispatch);
        let layout = Layout::new(plan, shape, |watched| bytes(watched, resources), limits);
        let values = layout.overrides.iter().map(|(name, value)| (name.clone(), f64::from(*value)));
        let instrumented = monitored.derived.program(&values.collect())?;
        let mut host = Self {
            program,
            launch,
            dispatch,
            monitored,
            layout,
            instrumented,
            resources: Resources::default(),
            origins: Vec::new(),
            shadow: vec![None; plan.shadow.len()],
        };
        host.bind(resources);
        Ok(host)
    }

    /// Binds every variable of the instrumented program.
    fn bind(&mut self, resources: &mut Resources) {
        let plan = &self.monitored.plan;
        for (handle, variable) in self.instrumented.module.global_variables.iter() {
            let mut origin = None;
            let part = plan.shadow.iter().position(|binding| variable.binding == Some(*binding));
            let resource = if let Some(part) = part {
                self.shadow[part] = Some(handle.index());
                let words = self.layout.buffers.get(part).copied().unwrap_or(0);
                Some(Resource::Buffer(Buffer::zeros(words * 4)))
            } else if variable.binding.is_some() && variable.binding == plan.table_binding {
                let table = fsm_spec::pack_table().map(u32::to_le_bytes);
                Some(Resource::Buffer(Buffer::new(table.as_flattened())))
            } else {
                origin = find(&self.program.module, variable);
                origin.and_then(|index| resources.by_global.get_mut(index)?.take())
            };
            self.resources.by_global.push(resource);
            self.origins.push(origin);
        }
    }

    fn give_back(self, resources: &mut Resources) {
        for (resource, origin) in self.resources.by_global.into_iter().zip(self.origins) {
            if let Some(place) = origin.and_then(|index| resources.by_global.get_mut(index)) {
                *place = resource.or(place.take());
            }
        }
    }

    fn run(&mut self, stop: Option<&AtomicBool>) -> Result<MonitoredOutcome> {
        let code = lower(&self.instrumented, 0)?;
        let mut limits = self.launch.limits;
        limits.steps = limits.steps.saturating_mul(STEPS);
        let options = run::Options {
            workgroups: self.dispatch.workgroups,
            subgroup_size: self.launch.subgroup_size,
            schedule: self.launch.schedule,
            limits,
            parallel: false,
            stop,
        };
        let run = driver::run(&code, &self.resources, &options, &observer::NoObserver)?;
        let words = |index: &Option<usize>| match index.map(|at| &self.resources.by_global[at]) {
            Some(Some(Resource::Buffer(buffer))) => buffer.snapshot(),
            _ => Vec::new(),
        };
        let buffers: Vec<Vec<u32>> = self.shadow.iter().map(words).collect();
        let plan = &self.monitored.plan;
        let reading = ShadowReader { program: self.program, plan, layout: &self.layout };
        let mut found = reading.parse(&buffers);
        let trails = reading.trails(&buffers, shape(self.program, self.launch, self.dispatch));
        if let Some(trails) = trails.as_ref().filter(|trails| !trails.diverged.is_empty()) {
            reading.distrust(&buffers, &trails.diverged, &mut found.racy);
        }
        Ok(MonitoredOutcome {
            racy: found.racy,
            unrecorded_error: found.unrecorded_error,
            trails,
            dropped: found.dropped,
            stopped: found.stopped,
            width: plan.width,
            unwatched: self.layout.unwatched.clone(),
            run,
        })
    }
}

fn shape(program: &Program, launch: &Launch, dispatch: &Dispatch) -> Shape {
    let size = program.module.entry_points.get(dispatch.entry).map_or([1; 3], |e| e.workgroup_size);
    let volume = |size: [u32; 3]| size.iter().fold(1, |n: u32, &m| n.saturating_mul(m));
    Shape {
        workgroups: volume(dispatch.workgroups),
        workgroup_size: volume(size),
        subgroup_size: launch.subgroup_size,
    }
}

/// Returns the length of a watched buffer or texture in bytes.
fn bytes(watched: &WatchedMemory, resources: &Resources) -> u64 {
    match resources.by_global.get(watched.global.index()).and_then(Option::as_ref) {
        Some(Resource::Buffer(buffer)) => u64::from(buffer.len()),
        Some(Resource::Texture(texture)) => {
            texture.size.iter().map(|&size| u64::from(size)).product::<u64>() * 4
        }
        _ => 0,
    }
}

/// Finds the variable of `module` that corresponds to `variable` of an instrumented copy, whose handles differ.
fn find(module: &Module, variable: &GlobalVariable) -> Option<usize> {
    let same = |other: &GlobalVariable| {
        other.space == variable.space
            && other.binding == variable.binding
            && other.name == variable.name
    };
    module.global_variables.iter().find(|(_, other)| same(other)).map(|(handle, _)| handle.index())
}

#[cfg(test)]
mod tests;
