//! Runs one dispatch of a launch in any order on the embedded executor, and the dispatches after it in the serial
//! order.

use crate::deadline::Deadline;
use crate::diagnostic::Result;
use crate::exec::DispatchContext;
use crate::exec::embedded::{run_fitted, shape, watch_all};
use crate::launch::{Dispatch, Launch};
use crate::observe::fsm::Fsm;
use crate::observe::full_tracer::FullTracer;
use crate::observe::trace::Trace;
use crate::observe::tracer::Tracer;
use crate::observe::{FittedLayout, Granule, RacyGranules, Shape};
use crate::program::Program;
use crate::vm::Code;
use crate::vm::interleave::{Choices, Chooser, Interleaving, SteppedRun, Stepper};
use crate::vm::lower::lower;
use crate::vm::memory::Resources;
use crate::vm::observer::{NoObserver, Observer};
use crate::vm::order::Order;
use crate::vm::run::{Divergence, NoProgress, Options, Run};
use crate::vm::schedule::{Limits, Schedule};
use crate::watch::Scope;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of accesses in a log.
const MAX_LOGGED: usize = 1 << 18;

/// The code of each dispatch of a launch, by entry point.
pub(super) struct DispatchCodes<'a> {
    launch: &'a Launch,
    codes: BTreeMap<usize, Code>,
    stop: Option<&'a AtomicBool>,
}

/// One dispatch, with the memory that the dispatches before it left in the serial order.
pub(super) struct DispatchStage<'a> {
    program: &'a Program,
    codes: &'a DispatchCodes<'a>,
    number: usize,
    dispatch: &'a Dispatch,
    code: &'a Code,
    before: Resources,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub(super) struct StageRun {
    /// Memory after the last dispatch, if all dispatches terminated.
    pub left: Option<Resources>,
    /// Why the dispatch made no progress, if only the order kept it from terminating.
    pub stuck: Option<NoProgress>,
    /// The same for a later dispatch, which runs in the serial order, with its index.
    pub later: Option<(usize, NoProgress)>,
    /// The words that race in the dispatch.
    pub racy: RacyGranules,
    /// The barriers of the dispatch that not all invocations of a workgroup reached.
    pub divergences: Vec<Divergence>,
    /// The choices that replay the order, if each step was chosen.
    pub choices: Option<Choices>,
}

impl<'a> DispatchCodes<'a> {
    pub fn new(
        program: &Program,
        launch: &'a Launch,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Self> {
        let mut codes = BTreeMap::new();
        for dispatch in &launch.dispatches {
            if let Entry::Vacant(entry) = codes.entry(dispatch.entry) {
                entry.insert(lower(program, dispatch.entry)?);
            }
        }
        Ok(Self { launch, codes, stop })
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn options(&self, dispatch: &Dispatch) -> Options<'a> {
        let Launch { subgroup_size, limits, .. } = *self.launch;
        let deadline = Deadline::new(self.stop, limits.timeout);
        Options {
            workgroups: dispatch.workgroups,
            subgroup_size,
            schedule: Schedule::default(),
            limits: Limits { timeout: deadline.remaining(), ..limits },
            parallel: false,
            stop: self.stop,
        }
    }

    /// Runs the dispatches from this index on in the serial order. Returns the first one that does not terminate, if
    /// any, with its index.
    pub fn rest(&self, from: usize, resources: &Resources) -> Result<Option<(usize, Run)>> {
        for (number, dispatch) in self.launch.dispatches.iter().enumerate().skip(from) {
            let run = self.serial((number, dispatch), resources)?;
            if !run.is_complete() {
                return Ok(Some((number, run)));
            }
        }
        Ok(None)
    }

    /// Runs a dispatch in the serial order, after the writes that precede it.
    pub fn serial(
        &self,
        (number, dispatch): (usize, &Dispatch),
        resources: &Resources,
    ) -> Result<Run> {
        self.launch.write_before(number, resources);
        let Some(code) = self.codes.get(&dispatch.entry) else { return Ok(Run::default()) };
        crate::vm::driver::run(code, resources, &self.options(dispatch), &NoObserver)
    }
}

impl<'a> DispatchStage<'a> {
    /// Creates the stage of the dispatch with this index, if there is one.
    pub fn new(
        program: &'a Program,
        codes: &'a DispatchCodes<'a>,
        number: usize,
        before: Resources,
    ) -> Option<Self> {
        let dispatch = codes.launch.dispatches.get(number)?;
        let code = codes.codes.get(&dispatch.entry)?;
        codes.launch.write_before(number, &before);
        Some(Self { program, codes, number, dispatch, code, before })
    }

    pub fn dispatch(&self) -> &'a Dispatch {
        self.dispatch
    }

    pub fn number(&self) -> usize {
        self.number
    }

    pub fn launch(&self) -> &'a Launch {
        self.codes.launch
    }

    pub fn is_stopped(&self) -> bool {
        self.codes.is_stopped()
    }

    fn fitted(&self) -> FittedLayout {
        let (program, dispatch, resources) = (self.program, self.dispatch, &self.before);
        let known = DispatchContext { program, dispatch, resources, launch: self.launch() };
        run_fitted(&known, self.shape(), &watch_all(), Scope::Writable).0
    }

    fn shape(&self) -> Shape {
        shape(self.program, self.dispatch, self.launch().subgroup_size)
    }

    /// Runs the dispatch in this order, under the monitor.
    pub fn run(&self, order: &Order) -> Result<StageRun> {
        let resources = self.before.clone();
        let monitor = self.monitor();
        let options = self.codes.options(self.dispatch);
        let ordered = order.run(self.code, &resources, &options, &monitor)?;
        let mut ran = self.ran(ordered.run, resources, monitor.racy())?;
        ran.choices = ordered.choices;
        Ok(ran)
    }

    fn monitor(&self) -> Fsm {
        Fsm::serial(self.fitted().layout, self.shape())
    }

    fn ran(&self, run: Run, resources: Resources, racy: RacyGranules) -> Result<StageRun> {
        let later = match run.is_complete() {
            true => self.codes.rest(self.number + 1, &resources)?,
            false => None,
        };
        let left = (run.is_complete() && later.is_none()).then_some(resources);
        let later = later.and_then(|(number, run)| Some((number, run.no_progress?)));
        Ok(StageRun {
            left,
            stuck: run.no_progress,
            later,
            racy,
            divergences: run.divergences,
            choices: None,
        })
    }

    /// Returns a stepper that runs the dispatch step by step.
    pub fn stepper<'s>(&'s self, memory: &'s Resources) -> Result<Stepper<'s>> {
        Stepper::new(self.code, memory, &self.codes.options(self.dispatch))
    }

    /// Returns memory before the dispatch.
    pub fn into_before(self) -> Resources {
        self.before
    }

    /// Runs the dispatch once with the steps that `chooser` chooses, under the monitor.
    pub fn step(&self, chooser: &mut dyn Chooser) -> Result<(SteppedRun, StageRun)> {
        let resources = self.before.clone();
        let monitor = self.monitor();
        let memory = resources.clone();
        let stepped = self.stepper(&memory)?.run_once(chooser, &resources, &monitor);
        let mut ran = self.ran(stepped.run.clone(), resources, monitor.racy())?;
        ran.choices = Some(stepped.choices.clone());
        Ok((stepped, ran))
    }

    /// Returns the number of steps of each invocation in the default order; `None` if their total exceeds `most`, or
    /// the dispatch does not terminate.
    pub fn steps(&self, most: u64) -> Option<Vec<u64>> {
        let resources = self.before.clone();
        let mut stepper = self.stepper(&resources).ok()?;
        let chooser = &mut *Interleaving::choices(Choices::default()).chooser();
        let stepped = stepper.run(chooser, &StepLimit(most));
        let total: u64 = stepped.steps.iter().sum();
        (stepped.run.is_complete() && total <= most).then_some(stepped.steps)
    }

    /// Returns the accesses to shared memory in this order, up to the capacity of the log.
    pub fn log(&self, order: &Order) -> Result<Trace> {
        let whole = FullTracer::new(self.fitted().layout, MAX_LOGGED);
        self.observed(order, &whole)?;
        Ok(whole.into_trace())
    }

    /// Returns the accesses to these words in this order, up to the capacity of the log.
    pub fn trace(&self, order: &Order, granules: &[Granule]) -> Result<Trace> {
        let tracer = Tracer::new(self.fitted().layout, granules, MAX_LOGGED);
        self.observed(order, &tracer)?;
        Ok(tracer.into_trace())
    }

    fn observed<O: Observer>(&self, order: &Order, observer: &O) -> Result<()> {
        let resources = self.before.clone();
        order.run(self.code, &resources, &self.codes.options(self.dispatch), observer)?;
        Ok(())
    }
}

/// An observer that watches nothing and ends the run after this number of steps.
struct StepLimit(u64);

impl Observer for StepLimit {
    type Watcher<'o> = <NoObserver as Observer>::Watcher<'o>;

    fn watch(&self, workgroup: u32) -> Self::Watcher<'_> {
        NoObserver.watch(workgroup)
    }

    fn has_enough(&self, steps: u64) -> bool {
        steps > self.0
    }
}
