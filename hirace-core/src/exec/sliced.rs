//! Dispatches that are decided without their data: by their [address slice](crate::vm::slice), on the engine of the embedded
//! executor, under the native monitor.
//!
//! What a slice shows is what the kernel does, on any device: who touches which granule between which barriers, which
//! indices are out of bounds, which sites run. So the kernel itself may run as it is. Memory whose addresses are data is
//! left to whoever watches the kernel.
//!
//! A slice runs within a budget of steps, and what it needs of the device's limits is asked here too: no invocation may
//! take more steps than loops may have turns there. A dispatch that has more, or whose slice does not come to its end, has
//! to be watched.

use super::classes::{Not, Running, Shown};
use super::embedded::{fit, shape, warnings, workgroups};
use super::visits::visits;
use super::{Dispatched, Known, Watch, watch_plan_with_proofs};
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::observe::fsm::GivenUp;
use crate::observe::{Fitted, Layout, Shape};
use crate::program::Program;
use crate::prove::Proofs;
use crate::vm::lower::lower_apart;
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use crate::vm::run::{Executed, Options, Run};
use crate::vm::schedule::{Limits, Schedule};
use crate::vm::slice::{Known as Needless, Slice, Slices};
use crate::watch::{self, NotWatched, Scope, WatchPlan};
use naga::{GlobalVariable, Handle};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Instructions that all subgroups of a slice together may run: a second or so.
const BUDGET: u64 = 1 << 26;

/// What part of the steps of an invocation one loop may take that is passed over.
const PART_OF_STEPS: u64 = 8;

/// Lanes that a slice is run with: it passes nothing between the invocations of a subgroup, so this is for speed alone.
const LANES: u32 = 64;

/// What a slice decides of a dispatch.
#[derive(Clone, Debug)]
pub struct Sliced {
    /// What came of it, but for the memories that are undecided.
    pub dispatched: Dispatched,
    /// Memories that are shared, and of which it is not decided what races in them.
    pub undecided: BTreeSet<MemoryId>,
    /// Whether the slice shows what the kernel does, and no more. If not, all that is known is that nothing races in the
    /// memories that are decided.
    pub exact: bool,
    /// How many classes of workgroups there are, by what they do to memory of their own, if one of each was run in the stead
    /// of all.
    pub classes: Option<usize>,
    /// Words of memory of which nothing is watched, since it was proved to take part in no race.
    pub proven: u64,
    /// What is to be watched where slices decide nothing.
    pub plan: WatchPlan,
}

impl Sliced {
    /// Whether all that a check says of the kernel is decided, so that nobody need watch it.
    pub fn is_whole(&self) -> bool {
        self.exact && self.undecided.is_empty()
    }
}

/// The slices of an entry point, if it has any, for dispatches that have these buffers [left alone](Known::left_alone).
pub fn of_entry(
    program: &Program,
    entry: usize,
    left_alone: &BTreeSet<MemoryId>,
) -> Option<Slices> {
    let _span = tracing::debug_span!("slice").entered();
    Slices::of(lower_apart(program, entry).ok()?, left_alone)
}

/// What slices decide of the dispatch with this number, if they come to an end within their budget and all invocations
/// come to the same barriers; and the memories whose contents that hangs on. An invocation may run `steps` instructions at
/// most.
pub fn decide(
    program: &Program,
    slices: &Slices,
    launch: &Launch,
    number: usize,
    watch: &Watch,
    steps: u64,
    stop: Option<&AtomicBool>,
) -> (Option<Sliced>, BTreeSet<MemoryId>) {
    let _span = tracing::debug_span!("decide").entered();
    let Some(dispatch) = launch.dispatches.get(number) else { return Default::default() };
    let resources = contents(launch, number);
    let known = Known { program, dispatch, resources: &resources, launch };
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
    let deciding = Deciding { known, slices, needless, slice, options };
    (deciding.sliced(plan, watch), reads)
}

/// What no slice has to show of a dispatch: what was proved.
fn needless(program: &Program, plan: &WatchPlan, proofs: &Proofs, steps: u64) -> Needless {
    let accesses = plan.sites().filter(|(site, watched)| {
        matches!(watched, Err(reason) if !reason.may_miss_races()) && proofs.is_within(*site)
    });
    let sites = (0..program.sites.list.len() as u32).map(SiteId);
    Needless {
        accesses: accesses.map(|(site, _)| site).collect(),
        turns: sites.filter_map(|site| Some((site, proofs.turns(site)?))).collect(),
        most_steps: steps / PART_OF_STEPS,
        is_uniform: proofs.is_uniform(),
    }
}

/// A dispatch, and the slices that decide it.
struct Deciding<'a> {
    known: Known<'a>,
    slices: &'a Slices,
    needless: Needless,
    slice: Slice,
    options: Options<'a>,
}

impl Deciding<'_> {
    fn sliced(self, plan: WatchPlan, watch: &Watch) -> Option<Sliced> {
        let Self { known, ref slice, .. } = self;
        let Known { program, dispatch, .. } = known;
        let shape = shape(program, dispatch, LANES);
        let (Fitted { layout, mut unwatched }, proven) = fit(&plan, &known, shape, watch);
        let layout = layout.without(&slice.undecided);
        // What has no room here may have some where the kernel runs.
        let mut undecided = slice.undecided.clone();
        let ids = program.module.global_variables.iter().map(|(global, _)| global);
        for global in ids {
            let name = watch::name(&program.module, global);
            let mut unwatched = unwatched.iter().filter(|memory| memory.name == name);
            if unwatched.any(|memory| matches!(memory.reason, NotWatched::NoShadow(_))) {
                undecided.insert(id_of(global));
            }
        }
        unwatched.retain(|memory| !matches!(memory.reason, NotWatched::NoShadow(_)));
        let Shown { racy, dropped, checked, run, sites, classes } =
            self.shown(&layout, shape, watch.shortcuts.classes)?;
        let given_up = GivenUp { racy_words: dropped, ..GivenUp::default() };
        let mut dispatched = Dispatched {
            racy,
            checked,
            unwatched,
            warnings: warnings(given_up),
            run,
            ..Dispatched::default()
        };
        if !slice.exact {
            if dropped > 0 {
                return None;
            }
            let Dispatched { racy, run, .. } = &dispatched;
            undecided.extend(racy.keys().map(|granule| granule.memory));
            undecided.extend(run.out_of_bounds.iter().filter_map(|out| out.memory));
            undecided.extend(run.wanted.iter().map(|(memory, _)| *memory));
        }
        dispatched.watched = layout.without(&undecided).granules(workgroups(dispatch));
        let (exact, proven_words) = (slice.exact, proven.words);
        let mut sliced =
            Sliced { dispatched, undecided, exact, classes, proven: proven_words, plan };
        if sliced.is_whole() {
            self.count(&mut sliced.dispatched.run, &sites)?;
        }
        Some(sliced)
    }

    /// What the slice shows: of all workgroups, run or not.
    fn shown(&self, layout: &Layout, shape: Shape, by_classes: bool) -> Option<Shown> {
        let Self { known, slices, needless, slice, options } = self;
        match slice.only_takes() {
            Some(steps) if steps <= options.limits.steps => return Some(Shown::default()),
            _ => {}
        }
        let resources = known.resources;
        let running = Running { resources, options, layout, shape, budget: BUDGET };
        let parts = (by_classes && shape.workgroups > 1)
            .then(|| slices.parts(needless, options.workgroups))
            .flatten();
        match parts.map(|parts| running.parts(&parts)) {
            Some(Ok(shown)) => Some(shown),
            Some(Err(Not::Decided)) => None,
            Some(Err(Not::Sorted)) | None => running.whole(slice),
        }
    }

    /// Says in `run` which accesses ran that are not `shown`.
    fn count(&self, run: &mut Run, shown: &BTreeSet<SiteId>) -> Option<()> {
        let sites = self.slices.accesses().filter(|site| !shown.contains(site)).collect();
        let visits = visits(self.slices, &sites, self.known.resources, &self.options, BUDGET)?;
        run.executed.resize(self.known.program.sites.list.len(), Executed::default());
        for site in sites {
            let index = site.0 as usize;
            run.executed[index] = visits[index];
        }
        Some(())
    }
}

/// What is bound when the dispatch with this number begins, as far as a slice looks at it: no dispatch writes that.
pub(super) fn contents(launch: &Launch, number: usize) -> Cow<'_, Resources> {
    let written = (0..=number).any(|number| launch.written_before(number).next().is_some());
    if !written {
        return Cow::Borrowed(&launch.resources);
    }
    let resources = launch.resources.clone();
    (0..=number).for_each(|number| launch.write_before(number, &resources));
    Cow::Owned(resources)
}

/// What the engine calls a variable.
pub fn id_of(global: Handle<GlobalVariable>) -> MemoryId {
    MemoryId(global.index() as u32)
}
