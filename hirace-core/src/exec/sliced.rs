//! Dispatches that are decided without their data: by their [address slice](crate::vm::slice), on the engine of the embedded
//! executor, under the native monitor.
//!
//! A slice shows what the kernel does on any device: which invocation accesses which granule between which barriers, which
//! indices are out of bounds, and which sites run. Therefore the kernel itself may run unmodified. Memory whose addresses depend
//! on data is left to the monitor in the kernel.
//!
//! A slice runs within a budget of steps, and it respects the limits of the device: no invocation may take more steps than the
//! device allows loop iterations. A dispatch that exceeds this, or whose slice does not terminate, has to be watched.

use super::classes::{ClassError, SliceResult, SliceRunner};
use super::embedded::{fit, shape, warnings, workgroups};
use super::visits::visits;
use super::{DispatchContext, DispatchOutcome, Watch, watch_plan_with_proofs};
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::observe::fsm::MonitorGaps;
use crate::observe::{FittedLayout, Layout, Shape};
use crate::program::Program;
use crate::prove::Proofs;
use crate::vm::lower::lower_for_single_steps;
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use crate::vm::run::{ExecutionCount, Options, Run};
use crate::vm::schedule::{Limits, Schedule};
use crate::vm::slice::{KnownFacts as Needless, Slice, Slices};
use crate::watch::{self, NotWatched, Scope, WatchPlan};
use naga::{GlobalVariable, Handle};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The number of instructions that all subgroups of a slice together may run, about a second.
const BUDGET: u64 = 1 << 26;

/// A skipped loop may take at most one of this many parts of the steps of an invocation.
const PART_OF_STEPS: u64 = 8;

/// The number of lanes with which a slice runs. This only affects speed, because a slice exchanges nothing between the
/// invocations of a subgroup.
const LANES: u32 = 64;

/// The decisions of a slice about a dispatch.
#[derive(Clone, Debug)]
pub struct SliceDecision {
    /// The results, except for the undecided memories.
    pub dispatched: DispatchOutcome,
    /// The shared memories whose races are not decided.
    pub undecided: BTreeSet<MemoryId>,
    /// Whether the slice shows exactly what the kernel does. If not, all that is known is that nothing races in the decided
    /// memories.
    pub exact: bool,
    /// The number of classes of workgroups, by what they do to their own memory, if only one workgroup of each class was run.
    pub classes: Option<usize>,
    /// The number of words of memory that are not watched because they are proven to be race-free.
    pub proven: u64,
    /// What to watch where slices decide nothing.
    pub plan: WatchPlan,
}

impl SliceDecision {
    /// Returns whether everything that a check reports about the kernel is decided, so that the kernel need not be watched.
    pub fn is_whole(&self) -> bool {
        self.exact && self.undecided.is_empty()
    }
}

/// Returns the slices of an entry point, if it has any, for dispatches that leave these buffers
/// [unchanged](DispatchContext::unwritten_buffers).
pub fn of_entry(
    program: &Program,
    entry: usize,
    left_alone: &BTreeSet<MemoryId>,
) -> Option<Slices> {
    let _span = tracing::debug_span!("slice").entered();
    Slices::of(lower_for_single_steps(program, entry).ok()?, left_alone)
}

/// Returns the decisions of slices about the dispatch with this index, if they terminate within their budget and all invocations
/// reach the same barriers. Also returns the memories on whose contents the decisions depend. An invocation may run at most
/// `steps` instructions.
pub fn decide(
    program: &Program,
    slices: &Slices,
    launch: &Launch,
    number: usize,
    watch: &Watch,
    steps: u64,
    stop: Option<&AtomicBool>,
) -> (Option<SliceDecision>, BTreeSet<MemoryId>) {
    let _span = tracing::debug_span!("decide").entered();
    let Some(dispatch) = launch.dispatches.get(number) else { return Default::default() };
    let resources = contents(launch, number);
    let known = DispatchContext { program, dispatch, resources: &resources, launch };
    let (plan, proofs) = watch_plan_with_proofs(&known, watch, Scope::MayRace);
    let needless = needless(program, &plan, &proofs, steps);
    let slice = slices.slice(&needless);
    let options = Options {
        workgroups: dispatch.workgroups,
        subgroup_size: LANES,
        schedule: Schedule::default(),
        limits: Limits { steps, ..launch.limits },
        parallel: true,
        stop,
    };
    let mut reads: BTreeSet<MemoryId> = slice.reads.union(slices.reads()).copied().collect();
    if watch.shortcuts.proofs {
        reads.extend(known.constants().map(id_of));
    }
    let deciding = SliceDecider { known, slices, needless, slice, options };
    (deciding.sliced(plan, watch), reads)
}

/// Returns what no slice has to show of a dispatch: what is proven.
fn needless(program: &Program, plan: &WatchPlan, proofs: &Proofs, steps: u64) -> Needless {
    let accesses = plan.sites().filter(|(site, watched)| {
        matches!(watched, Err(reason) if !reason.may_miss_races()) && proofs.is_in_bounds(*site)
    });
    let sites = (0..program.sites.list.len() as u32).map(SiteId);
    Needless {
        accesses: accesses.map(|(site, _)| site).collect(),
        max_iterations: sites
            .filter_map(|site| Some((site, proofs.max_iterations(site)?)))
            .collect(),
        max_skipped_steps: steps / PART_OF_STEPS,
        is_uniform: proofs.is_uniform(),
    }
}

/// A dispatch and the slices that decide it.
struct SliceDecider<'a> {
    known: DispatchContext<'a>,
    slices: &'a Slices,
    needless: Needless,
    slice: Slice,
    options: Options<'a>,
}

impl SliceDecider<'_> {
    fn sliced(self, plan: WatchPlan, watch: &Watch) -> Option<SliceDecision> {
        let Self { known, ref slice, .. } = self;
        let DispatchContext { program, dispatch, .. } = known;
        let shape = shape(program, dispatch, LANES);
        let (FittedLayout { layout, mut unwatched }, proven) = fit(&plan, &known, shape, watch);
        let layout = layout.without(&slice.undecided);
        // What has no room here may have room where the kernel runs.
        let mut undecided = slice.undecided.clone();
        let ids = program.module.global_variables.iter().map(|(global, _)| global);
        for global in ids {
            let name = watch::variable_name(&program.module, global);
            let mut unwatched = unwatched.iter().filter(|memory| memory.name == name);
            if unwatched.any(|memory| matches!(memory.reason, NotWatched::NoShadow(_))) {
                undecided.insert(id_of(global));
            }
        }
        unwatched.retain(|memory| !matches!(memory.reason, NotWatched::NoShadow(_)));
        let SliceResult { racy, dropped, checked, run, sites, classes } =
            self.run_slice(&layout, shape, watch.shortcuts.classes)?;
        let given_up = MonitorGaps { racy_words: dropped, ..MonitorGaps::default() };
        let mut dispatched = DispatchOutcome {
            racy,
            checked,
            unwatched,
            warnings: warnings(given_up),
            run,
            ..DispatchOutcome::default()
        };
        if !slice.exact {
            if dropped > 0 {
                return None;
            }
            let DispatchOutcome { racy, run, .. } = &dispatched;
            undecided.extend(racy.keys().map(|granule| granule.memory));
            undecided.extend(run.out_of_bounds.iter().filter_map(|out| out.memory));
            undecided.extend(run.wanted_lengths.iter().map(|(memory, _)| *memory));
        }
        dispatched.watched = layout.without(&undecided).granules(workgroups(dispatch));
        let (exact, proven_words) = (slice.exact, proven.words);
        let mut sliced =
            SliceDecision { dispatched, undecided, exact, classes, proven: proven_words, plan };
        if sliced.is_whole() {
            self.count(&mut sliced.dispatched.run, &sites)?;
        }
        Some(sliced)
    }

    /// Returns what the slice shows about all workgroups, whether they ran or not.
    fn run_slice(&self, layout: &Layout, shape: Shape, by_classes: bool) -> Option<SliceResult> {
        let Self { known, slices, needless, slice, options } = self;
        match slice.steps_without_accesses() {
            Some(steps) if steps <= options.limits.steps => return Some(SliceResult::default()),
            _ => {}
        }
        let resources = known.resources;
        let running = SliceRunner { resources, options, layout, shape, budget: BUDGET };
        let parts = (by_classes && shape.workgroups > 1)
            .then(|| slices.parts(needless, options.workgroups))
            .flatten();
        match parts.map(|parts| running.parts(&parts)) {
            Some(Ok(shown)) => Some(shown),
            Some(Err(ClassError::Undecided)) => None,
            Some(Err(ClassError::Unclassified)) | None => running.run_whole(slice),
        }
    }

    /// Records in `run` which accesses ran that are not `shown`.
    fn count(&self, run: &mut Run, shown: &BTreeSet<SiteId>) -> Option<()> {
        let sites = self.slices.accesses().filter(|site| !shown.contains(site)).collect();
        let visits = visits(self.slices, &sites, self.known.resources, &self.options, BUDGET)?;
        run.executed.resize(self.known.program.sites.list.len(), ExecutionCount::default());
        for site in sites {
            let index = site.0 as usize;
            run.executed[index] = visits[index];
        }
        Some(())
    }
}

/// Returns the resources at the start of the dispatch with this index, as far as a slice reads them: no dispatch writes these.
pub(super) fn contents(launch: &Launch, number: usize) -> Cow<'_, Resources> {
    let written = (0..=number).any(|number| launch.written_before(number).next().is_some());
    if !written {
        return Cow::Borrowed(&launch.resources);
    }
    let resources = launch.resources.clone();
    (0..=number).for_each(|number| launch.write_before(number, &resources));
    Cow::Owned(resources)
}

/// Returns the engine's id of a variable.
pub fn id_of(global: Handle<GlobalVariable>) -> MemoryId {
    MemoryId(global.index() as u32)
}
