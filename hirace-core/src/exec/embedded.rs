//! The executor that is always available: the engine of [`crate::vm`], observed by the native monitor.
//!
//! A launch runs on copies of its buffers, so that every run starts from the same contents. Dispatches are ordered one after
//! another, so each has a monitor of its own and only memory is carried over.

mod timing;

use super::proven::{ProvenMemory, bytes};
use super::timing::Stopwatch;
use super::unwatched::{FirstWorkgroup, UnwatchedOutcome};
use super::{
    DeviceInfo, DispatchContext, DispatchOutcome, EMBEDDED, Executor, LaunchCounts, Outcome,
    Shortcuts, Watch, watch_plan,
};
use crate::deadline::{self, Deadline};
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::Warning;
use crate::launch::{Dispatch, Launch, grid};
use crate::observe::counting::CountObserver;
use crate::observe::fsm::{DivergedWorkgroups, Fsm, MonitorGaps};
use crate::observe::oracle::Oracle;
use crate::observe::trace::Trace;
use crate::observe::tracer::Tracer;
use crate::observe::{FittedLayout, Granule, Layout, RacyGranules, Shape};
use crate::points::{Counts, Points};
use crate::program::Program;
use crate::vm::ReadFollower;
use crate::vm::lower::{lower, lower_counting};
use crate::vm::memory::Resources;
use crate::vm::observer::{NoObserver, Observer};
use crate::vm::run::{Options, OutOfBounds, Run};
use crate::vm::schedule::Limits;
use crate::vm::{self, Code};
use crate::watch::{self, Scope, WatchPlan};
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tracing::debug_span;
use tracing::field::Empty;

/// The maximum number of accesses in a trace.
const TRACE_LIMIT: usize = 1 << 18;

/// The embedded executor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Embedded;

impl Executor for Embedded {
    fn device(&self) -> DeviceInfo {
        DeviceInfo { name: EMBEDDED.to_owned(), ..DeviceInfo::default() }
    }

    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let deadline = Deadline::new(stop, launch.limits.timeout);
        let replay = Replay::new(program, launch, stop)?;
        detect_all((program, launch), watch, (stop, deadline), replay)
    }

    fn trace(
        &self,
        program: &Program,
        launch: &Launch,
        dispatch: usize,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<Trace> {
        let deadline = Deadline::new(stop, launch.limits.timeout);
        let mut replay = Replay::new(program, launch, stop)?;
        let Some((traced, before)) =
            launch.dispatches.get(..=dispatch).and_then(|dispatches| dispatches.split_last())
        else {
            return Ok(Trace::default());
        };
        for numbered in before.iter().enumerate() {
            replay.run(numbered, false, &NoObserver, deadline)?;
        }
        let resources = &replay.resources;
        let known = DispatchContext { program, dispatch: traced, resources, launch };
        let shape = shape(program, traced, launch.subgroup_size);
        let (FittedLayout { layout, .. }, _) =
            run_fitted(&known, shape, &watch_all(), Scope::Writable);
        let tracer =
            Tracer::new(layout, granules, TRACE_LIMIT).with_quiet_limit(launch.limits.quiet);
        replay.run((before.len(), traced), false, &tracer, deadline)?;
        Ok(tracer.into_trace())
    }

    fn count(
        &self,
        program: &Program,
        points: &Points,
        launch: &Launch,
        _hits: bool,
        stop: Option<&AtomicBool>,
    ) -> Result<LaunchCounts> {
        let mut replay = Replay::counting(program, points, launch, stop)?;
        let counts = Counts::none(points, true);
        let mut counted = LaunchCounts { counts, dispatches: BTreeMap::new(), ended: true };
        for (number, dispatch) in launch.dispatches.iter().enumerate() {
            let deadline = Deadline::new(stop, launch.limits.timeout);
            let entry = &program.module.entry_points[dispatch.entry];
            let counting = CountObserver::new(points, entry.workgroup_size.iter().product());
            let run = replay.run((number, dispatch), false, &counting, deadline)?;
            counted.counts.add(&counting.counts());
            *counted.dispatches.entry(dispatch.entry).or_default() += 1;
            if !run.is_complete() {
                counted.ended = false;
                break;
            }
        }
        Ok(counted)
    }

    fn run_unwatched(
        &self,
        program: &Program,
        launch: &Launch,
        first: Option<FirstWorkgroup>,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<UnwatchedOutcome>> {
        if first.is_some() {
            let message = "the embedded executor cannot run a chosen workgroup first";
            return Err(Box::new(Diagnostic::new(message)));
        }
        let mut replay = Replay::new(program, launch, stop)?;
        for numbered in launch.dispatches.iter().enumerate() {
            let deadline = Deadline::new(stop, launch.limits.timeout);
            let run = replay.run(numbered, true, &NoObserver, deadline)?;
            if !run.is_complete() {
                return match deadline.is_stopped() {
                    true => Ok(None),
                    false => Ok(Some(UnwatchedOutcome {
                        failure: Some(not_ended()),
                        ..UnwatchedOutcome::default()
                    })),
                };
            }
        }
        Ok(Some(UnwatchedOutcome { resources: replay.resources, ..UnwatchedOutcome::default() }))
    }

    fn stopwatch<'a>(
        &'a self,
        program: &'a Program,
        launch: &'a Launch,
        watch: Option<&'a Watch>,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Box<dyn Stopwatch + 'a>>> {
        let ready = timing::EmbeddedStopwatch::new(program, launch, watch, stop)?;
        Ok(ready.map(|ready| Box::new(ready) as _))
    }
}

/// The maximum number of steps of a launch in which values of reads out of bounds are followed, unless the launch took more by itself.
const MAX_FOLLOWED_STEPS: u64 = 50_000_000;

impl Embedded {
    /// Runs `launch` with accesses out of bounds dropped instead of clamped, and finds the racy granules.
    pub fn run_dropping(
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome> {
        let replay = Replay::new(program, launch, stop)?;
        let deadline = Deadline::new(stop, launch.limits.timeout);
        let replay = Replay { drops: true, ..replay };
        detect_all((program, launch), watch, (stop, deadline), replay)
    }

    /// Runs `launch` again and marks the reads out of bounds of `outcome` whose values are not used. A dispatch that does not
    /// behave as in `outcome`, or takes too many steps, has no such reads.
    pub fn find_unused_reads(
        program: &Program,
        launch: &Launch,
        outcome: &mut Outcome,
        stop: Option<&AtomicBool>,
    ) -> Result<()> {
        let steps: u64 = outcome.dispatches.iter().map(|dispatched| dispatched.run.steps).sum();
        let mut launch = launch.clone();
        launch.limits.total = launch.limits.total.min(MAX_FOLLOWED_STEPS.max(steps));
        let replay = Replay::new(program, &launch, stop)?;
        for (number, dispatch) in launch.dispatches.iter().enumerate() {
            let Some(dispatched) = outcome.dispatches.get_mut(number) else { break };
            // The values of single invocations in an order of their own are not followed.
            let Some(code) = replay.codes.get(&dispatch.entry) else { break };
            if launch.order(number).is_some() {
                break;
            }
            let follower = ReadFollower::new(code);
            let deadline = Deadline::new(stop, launch.limits.timeout);
            let options = replay.options(dispatch, false, deadline);
            launch.write_before(number, &replay.resources);
            let run = vm::driver::run_following(code, &replay.resources, &options, &follower)?;
            if !run.is_complete() {
                break;
            }
            for found in &mut dispatched.run.out_of_bounds {
                let is_same = |other: &&OutOfBounds| {
                    (other.site, other.memory, other.count)
                        == (found.site, found.memory, found.count)
                };
                let is_seen = run.out_of_bounds.iter().any(|other| is_same(&other));
                found.is_used = !is_seen || !follower.is_unused(found);
            }
        }
        Ok(())
    }
}

/// Runs all dispatches of a launch under the monitor. `deadline` is that of the first dispatch.
fn detect_all(
    (program, launch): (&Program, &Launch),
    watch: &Watch,
    (stop, mut deadline): (Option<&AtomicBool>, Deadline<'_>),
    mut replay: Replay<'_>,
) -> Result<Outcome> {
    let timeout = launch.limits.timeout;
    let mut outcome = Outcome::default();
    for (number, dispatch) in launch.dispatches.iter().enumerate() {
        // The time of the first dispatch includes all preparation.
        if number > 0 {
            deadline = Deadline::new(stop, timeout);
        }
        let resources = &replay.resources;
        let known = DispatchContext { program, dispatch, resources, launch };
        let shape = shape(program, dispatch, launch.subgroup_size);
        let (fitted, proven) = run_fitted(&known, shape, watch, Scope::Writable);
        let numbered = (number, dispatch);
        let mut dispatched = detect(&mut replay, numbered, fitted, shape, watch.oracle, deadline)?;
        dispatched.watched += proven.words;
        dispatched.checked += proven.accesses(&dispatched.run);
        let (ended, stopped) = (dispatched.run.is_complete(), dispatched.run.stopped);
        outcome.dispatches.push(dispatched);
        if ended && launch.kept.contains(&number) {
            outcome.kept.insert(number, replay.resources.clone());
        }
        if !ended {
            let timeout = timeout.filter(|_| stopped && !deadline.is_stopped());
            outcome.failure = timeout.map(|timeout| Box::new(launch_timeout_error(timeout)));
            break;
        }
    }
    outcome.resources = replay.resources;
    Ok(outcome)
}

/// Returns the error that an unwatched launch did not terminate.
fn not_ended() -> Box<Diagnostic> {
    Box::new(Diagnostic::new("the launch does not terminate").of_device())
}

/// Returns the error that a dispatch reached the timeout.
pub(super) fn launch_timeout_error(timeout: Duration) -> Diagnostic {
    let error = deadline::timeout_error("a dispatch", timeout);
    error.help("increase the limit with --timeout, or use a smaller grid")
}

/// One run of a launch, on copies of its buffers.
struct Replay<'a> {
    launch: &'a Launch,
    codes: BTreeMap<usize, Code>,
    resources: Resources,
    stop: Option<&'a AtomicBool>,
    /// Whether accesses out of bounds are dropped instead of clamped. Orders of single invocations always clamp.
    drops: bool,
}

impl<'a> Replay<'a> {
    fn new(program: &Program, launch: &'a Launch, stop: Option<&'a AtomicBool>) -> Result<Self> {
        Self::of(launch, stop, |entry| lower(program, entry))
    }

    /// Prepares a run whose code counts executions.
    fn counting(
        program: &Program,
        points: &Points,
        launch: &'a Launch,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Self> {
        Self::of(launch, stop, |entry| lower_counting(program, entry, points))
    }

    fn of(
        launch: &'a Launch,
        stop: Option<&'a AtomicBool>,
        lower: impl Fn(usize) -> Result<Code>,
    ) -> Result<Self> {
        let mut codes = BTreeMap::new();
        for dispatch in &launch.dispatches {
            if let Entry::Vacant(entry) = codes.entry(dispatch.entry) {
                entry.insert(lower(dispatch.entry)?);
            }
        }
        Ok(Self { launch, codes, resources: launch.resources.clone(), stop, drops: false })
    }

    /// Returns the options of a dispatch.
    fn options(&self, dispatch: &Dispatch, parallel: bool, deadline: Deadline<'_>) -> Options<'a> {
        Options {
            workgroups: dispatch.workgroups,
            subgroup_size: self.launch.subgroup_size,
            schedule: self.launch.schedule,
            limits: Limits { timeout: deadline.remaining(), ..self.launch.limits },
            parallel,
            stop: self.stop,
        }
    }

    /// Runs the dispatch with this index. `parallel` is only set if the observer detects when a parallel run is not repeatable.
    fn run<O: Observer>(
        &mut self,
        (number, dispatch): (usize, &Dispatch),
        parallel: bool,
        observer: &O,
        deadline: Deadline<'_>,
    ) -> Result<Run> {
        let options = self.options(dispatch, parallel, deadline);
        let Some(code) = self.codes.get(&dispatch.entry) else { return Ok(Run::default()) };
        self.launch.write_before(number, &self.resources);
        let span = debug_span!(
            "dispatch",
            executor = EMBEDDED,
            grid = grid::show(dispatch.workgroups),
            strategy = Empty,
            steps = Empty
        );
        let _entered = span.enter();
        let run = match self.launch.order(number) {
            Some(order) => {
                span.record("strategy", order.to_string());
                order.run(code, &self.resources, &options, observer)?.run
            }
            None => {
                let run = match self.drops {
                    true => vm::driver::run_dropping(code, &self.resources, &options, observer)?,
                    false => vm::driver::run(code, &self.resources, &options, observer)?,
                };
                span.record("strategy", strategy(&options, &run));
                run
            }
        };
        span.record("steps", run.steps);
        Ok(run)
    }
}

/// Returns the name of the order in which workgroups ran.
fn strategy(options: &Options<'_>, run: &Run) -> String {
    match run.serial {
        true => options.schedule.to_string(),
        false => "parallel".to_owned(),
    }
}

/// Runs one dispatch under the monitor, and under the oracle if that is enabled.
fn detect(
    replay: &mut Replay<'_>,
    numbered: (usize, &Dispatch),
    FittedLayout { layout, unwatched }: FittedLayout,
    shape: Shape,
    oracle: bool,
    deadline: Deadline<'_>,
) -> Result<DispatchOutcome> {
    let (number, dispatch) = numbered;
    let fsm = monitor(replay.launch, number, layout.clone(), shape);
    // The monitor detects values that flow between workgroups only in watched memory.
    let is_repeatable = unwatched.is_empty();
    let (run, fsm, oracle) = match oracle {
        false => (replay.run(numbered, is_repeatable, &fsm, deadline)?, fsm, None),
        true => {
            let both = (fsm, Oracle::new(layout.clone()));
            let run = replay.run(numbered, is_repeatable, &both, deadline)?;
            (run, both.0, Some(both.1.racy()))
        }
    };
    let racy = fsm.racy();
    let mut warnings = warnings(fsm.gaps());
    if let Some(oracle) = &oracle {
        warnings.extend(disagreement(&racy, oracle));
    }
    Ok(DispatchOutcome {
        racy,
        oracle,
        run,
        diverged: Vec::new(),
        watched: layout.granules(workgroups(dispatch)),
        checked: fsm.checked(),
        shadow: None,
        unwatched,
        warnings,
    })
}

/// Returns the monitor of the dispatch with this index.
fn monitor(launch: &Launch, number: usize, layout: Layout, shape: Shape) -> Fsm {
    let has_order = !launch.schedule.is_plain() || launch.order(number).is_some();
    match has_order || shape.workgroups <= 1 {
        true => Fsm::serial(layout, shape),
        false => Fsm::new(layout, shape),
    }
}

/// Returns the parts that the monitor gave up, as warnings.
pub(super) fn warnings(MonitorGaps { diverged, racy_words }: MonitorGaps) -> Vec<Warning> {
    let diverged = diverged.map(|DivergedWorkgroups { first, others }| {
        Warning::NotWatchedAfterDivergence { first, others }
    });
    let dropped = (racy_words > 0).then_some(Warning::RacyWordsDropped(racy_words));
    diverged.into_iter().chain(dropped).collect()
}

/// Returns a warning if the monitor and the oracle disagree.
fn disagreement(monitor: &RacyGranules, oracle: &RacyGranules) -> Option<Warning> {
    let alone = |a: &RacyGranules, b: &RacyGranules| {
        a.keys().filter(|granule| !b.contains_key(granule)).count()
    };
    let (monitor_alone, oracle_alone) = (alone(monitor, oracle), alone(oracle, monitor));
    (monitor_alone + oracle_alone > 0)
        .then_some(Warning::OracleDisagrees { monitor_alone, oracle_alone })
}

/// Returns the watched parts of a dispatch for whose shadow there is room, and the parts that are proven to need no watching.
pub(crate) fn run_fitted(
    known: &DispatchContext<'_>,
    shape: Shape,
    watch: &Watch,
    scope: Scope,
) -> (FittedLayout, ProvenMemory) {
    fit(&watch_plan(known, watch, scope), known, shape, watch)
}

/// Returns the parts of this plan for whose shadow there is room, and the parts that are proven to need no watching.
pub(super) fn fit(
    plan: &WatchPlan,
    known: &DispatchContext<'_>,
    shape: Shape,
    watch: &Watch,
) -> (FittedLayout, ProvenMemory) {
    let DispatchContext { program, resources, .. } = *known;
    let length = |memory: &watch::SharedVariable| bytes(&program.module, resources, memory.global);
    let proven = ProvenMemory::from_plan(plan, known);
    let room = watch.shadow_bytes.unwrap_or(u64::MAX);
    (Layout::fit_plan(plan, shape, length, room), proven)
}

/// Returns a watch of everything, including race-free accesses.
pub(crate) fn watch_all() -> Watch {
    Watch { shortcuts: Shortcuts::NONE, ..Watch::default() }
}

pub(crate) fn shape(program: &Program, dispatch: &Dispatch, subgroup_size: u32) -> Shape {
    let size = program.module.entry_points.get(dispatch.entry).map_or([1; 3], |e| e.workgroup_size);
    Shape {
        workgroups: u32::try_from(workgroups(dispatch)).unwrap_or(u32::MAX),
        workgroup_size: size.iter().fold(1, |product: u32, &n| product.saturating_mul(n)),
        subgroup_size,
    }
}

pub(super) fn workgroups(dispatch: &Dispatch) -> u64 {
    dispatch.workgroups.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
}
