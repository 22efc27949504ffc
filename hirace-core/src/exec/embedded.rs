//! The executor that is always there: the engine of [`crate::vm`], watched by the native monitor.
//!
//! A launch is run on copies of its buffers, so that every run starts from the same contents. Dispatch
//! is ordered after dispatch, so each has a monitor of its own and only memory is carried on.

use super::{AS_ASKED, About, Dispatched, EMBEDDED, Executor, Outcome, Watch};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::layout::granule_shift;
use crate::launch::build::is_used;
use crate::launch::{Dispatch, Launch, grid};
use crate::observe::fsm::Fsm;
use crate::observe::oracle::Oracle;
use crate::observe::trace::Trace;
use crate::observe::tracer::Tracer;
use crate::observe::{Granule, Layout, MemoryLayout, Racy, Shape};
use crate::program::Program;
use crate::shadow::plan::Unwatched as LeftOut;
use crate::vm::lower::lower;
use crate::vm::memory::Resources;
use crate::vm::observer::{MemoryId, Observer, Space, Unwatched};
use crate::vm::run::{Options, Run};
use crate::vm::{self, Code};
use naga::{AddressSpace, GlobalVariable, Handle, ImageClass, StorageAccess, TypeInner};
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::debug_span;
use tracing::field::Empty;

/// Accesses that a trace keeps.
const TRACE_LIMIT: usize = 1 << 18;

/// Bytes of shadow for a granule.
const SHADOW_BYTES: u64 = 8;

/// The embedded executor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Embedded;

impl Executor for Embedded {
    fn device(&self) -> About {
        About { name: EMBEDDED.to_owned(), ..About::default() }
    }

    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let mut replay = Replay::new(program, launch, stop)?;
        let mut outcome = Outcome::default();
        for dispatch in &launch.dispatches {
            let watched = Watched::new(program, &replay.resources, dispatch, watch);
            let dispatched = detect(&mut replay, dispatch, &watched, watch)?;
            let (ended, stopped) = (dispatched.run.ended(), dispatched.run.stopped);
            outcome.dispatches.push(dispatched);
            if !ended {
                let asked = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
                let timeout = launch.limits.timeout.filter(|_| stopped && !asked);
                outcome.failure = timeout.map(|timeout| Box::new(took_too_long(timeout)));
                break;
            }
        }
        outcome.resources = replay.resources;
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
        let mut replay = Replay::new(program, launch, stop)?;
        let Some((traced, before)) =
            launch.dispatches.get(..=dispatch).and_then(|dispatches| dispatches.split_last())
        else {
            return Ok(Trace::default());
        };
        for dispatch in before {
            replay.run(dispatch, false, &Unwatched)?;
        }
        let watched = Watched::new(program, &replay.resources, traced, &Watch::default());
        let tracer = Tracer::new(watched.layout, granules, TRACE_LIMIT);
        replay.run(traced, false, &tracer)?;
        Ok(tracer.into_trace())
    }
}

/// That the time of a dispatch was up.
pub(super) fn took_too_long(timeout: Duration) -> Diagnostic {
    let error = Diagnostic::new(format!("a dispatch was not done after {}", seconds(timeout)));
    error.of_device().help("give it more time with --timeout, or a smaller grid")
}

/// `1 second`, `0.5 seconds`.
fn seconds(duration: Duration) -> String {
    let plural = if duration == Duration::from_secs(1) { "" } else { "s" };
    format!("{} second{plural}", duration.as_secs_f64())
}

/// One run of a launch, on copies of its buffers.
struct Replay<'a> {
    launch: &'a Launch,
    codes: BTreeMap<usize, Code>,
    resources: Resources,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Replay<'a> {
    fn new(program: &Program, launch: &'a Launch, stop: Option<&'a AtomicBool>) -> Result<Self> {
        let mut codes = BTreeMap::new();
        for dispatch in &launch.dispatches {
            if let Entry::Vacant(entry) = codes.entry(dispatch.entry) {
                entry.insert(lower(program, dispatch.entry)?);
            }
        }
        Ok(Self { launch, codes, resources: launch.resources.clone(), stop })
    }

    /// Runs one dispatch. In parallel only if the observer says when that would not be repeatable.
    fn run<O: Observer>(
        &mut self,
        dispatch: &Dispatch,
        parallel: bool,
        observer: &O,
    ) -> Result<Run> {
        let options = Options {
            workgroups: dispatch.workgroups,
            subgroup_size: self.launch.subgroup_size,
            schedule: self.launch.schedule,
            limits: self.launch.limits,
            parallel,
            stop: self.stop,
        };
        let Some(code) = self.codes.get(&dispatch.entry) else { return Ok(Run::default()) };
        let span = debug_span!(
            "dispatch",
            executor = EMBEDDED,
            grid = grid::show(dispatch.workgroups),
            strategy = Empty,
            steps = Empty
        );
        let _entered = span.enter();
        let run = vm::run::run(code, &self.resources, &options, observer)?;
        span.record("strategy", strategy(&options, &run)).record("steps", run.steps);
        Ok(run)
    }
}

/// In which order workgroups ran.
fn strategy(options: &Options<'_>, run: &Run) -> String {
    match run.serial {
        true => options.schedule.to_string(),
        false => "parallel".to_owned(),
    }
}

/// Runs one dispatch under the monitor, and under the oracle if that is asked for.
fn detect(
    replay: &mut Replay<'_>,
    dispatch: &Dispatch,
    watched: &Watched,
    watch: &Watch,
) -> Result<Dispatched> {
    let shape = watched.shape(dispatch, replay.launch.subgroup_size);
    let serial = !replay.launch.schedule.is_plain() || shape.workgroups <= 1;
    let fsm = match serial {
        true => Fsm::serial(watched.layout.clone(), shape),
        false => Fsm::new(watched.layout.clone(), shape),
    };
    let (run, fsm, oracle) = match watch.oracle {
        false => (replay.run(dispatch, true, &fsm)?, fsm, None),
        true => {
            let both = (fsm, Oracle::new(watched.layout.clone()));
            let run = replay.run(dispatch, true, &both)?;
            (run, both.0, Some(both.1.racy()))
        }
    };
    let racy = fsm.racy();
    let mut warnings = fsm.warnings();
    if let Some(oracle) = &oracle {
        warnings.extend(disagreement(&racy, oracle));
    }
    Ok(Dispatched {
        racy,
        oracle,
        run,
        watched: watched.granules,
        checked: fsm.checked(),
        shadow: None,
        unwatched: watched.unwatched.clone(),
        warnings,
    })
}

/// What the monitor and the oracle see differently, in words.
fn disagreement(monitor: &Racy, oracle: &Racy) -> Option<String> {
    let alone = |a: &Racy, b: &Racy| a.keys().filter(|granule| !b.contains_key(granule)).count();
    let (false_alarms, missed) = (alone(monitor, oracle), alone(oracle, monitor));
    (false_alarms + missed > 0).then(|| {
        format!(
            "the monitor and the oracle disagree, which is a bug of hirace: {false_alarms} words raced for the monitor alone, {missed} for the oracle alone"
        )
    })
}

/// What of a dispatch is watched.
struct Watched {
    layout: Layout,
    /// Words, texels, and what else a shadow word follows.
    granules: u64,
    unwatched: Vec<LeftOut>,
    workgroup_size: u32,
}

impl Watched {
    fn new(program: &Program, resources: &Resources, dispatch: &Dispatch, watch: &Watch) -> Self {
        let module = &program.module;
        let size = module.entry_points.get(dispatch.entry).map_or([1; 3], |e| e.workgroup_size);
        let mut watched = Self {
            layout: Layout::default(),
            granules: 0,
            unwatched: Vec::new(),
            workgroup_size: size.iter().fold(1, |product: u32, &n| product.saturating_mul(n)),
        };
        let mut room = watch.shadow_bytes.unwrap_or(u64::MAX);
        for (handle, variable) in module.global_variables.iter() {
            let used = is_used(program, std::slice::from_ref(dispatch), handle);
            let memory = match used {
                true => memory_layout(program, resources, handle),
                false => None,
            };
            let name = variable.name.as_deref().unwrap_or_default();
            watched.layout.memories.push(memory.filter(|memory| {
                let mut leave_out = |reason: String| {
                    watched.unwatched.push(LeftOut { name: name.to_owned(), reason });
                    false
                };
                if !watch.watches(name) {
                    return leave_out(AS_ASKED.to_owned());
                }
                let granules = u64::from(memory.bytes >> memory.granule_shift);
                let shadow = granules * SHADOW_BYTES;
                if shadow > room {
                    return leave_out(format!(
                        "takes {} MiB of shadow memory more than is allowed",
                        (shadow - room).div_ceil(1 << 20)
                    ));
                }
                room -= shadow;
                watched.granules += match memory.space {
                    Space::Workgroup => granules * workgroups(dispatch),
                    Space::Storage | Space::Texture => granules,
                };
                true
            }));
        }
        watched
    }

    fn shape(&self, dispatch: &Dispatch, subgroup_size: u32) -> Shape {
        Shape {
            workgroups: u32::try_from(workgroups(dispatch)).unwrap_or(u32::MAX),
            workgroup_size: self.workgroup_size,
            subgroup_size,
        }
    }
}

fn workgroups(dispatch: &Dispatch) -> u64 {
    dispatch.workgroups.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
}

/// The memory of a variable that invocations share and some may write. Memory that is only read
/// cannot race.
fn memory_layout(
    program: &Program,
    resources: &Resources,
    handle: Handle<GlobalVariable>,
) -> Option<MemoryLayout> {
    let module = &program.module;
    let variable = &module.global_variables[handle];
    let memory = MemoryId(handle.index() as u32);
    let inner = &module.types[variable.ty].inner;
    let (space, bytes) = match variable.space {
        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
            (Space::Storage, resources.buffer(memory)?.len())
        }
        AddressSpace::WorkGroup => (Space::Workgroup, inner.try_size(module.to_ctx())?),
        AddressSpace::Handle => match inner {
            TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }
                if access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC) =>
            {
                // A texel has four words of contents and counts as one of address.
                (Space::Texture, resources.texture(memory)?.texels.len() / 4)
            }
            _ => return None,
        },
        _ => return None,
    };
    let granule_shift = match space {
        Space::Texture => 2,
        Space::Storage | Space::Workgroup => granule_shift(module, variable.ty),
    };
    Some(MemoryLayout { space, granule_shift, bytes })
}
