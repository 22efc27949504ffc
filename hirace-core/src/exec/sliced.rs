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

use super::embedded::{fitted, shape, warnings, workgroups};
use super::{Dispatched, Known, Watch};
use crate::launch::Launch;
use crate::observe::Fitted;
use crate::observe::fsm::Fsm;
use crate::program::Program;
use crate::vm;
use crate::vm::lower::lower_apart;
use crate::vm::memory::Resources;
use crate::vm::observer::{MemoryId, Observer};
use crate::vm::run::Options;
use crate::vm::schedule::{Limits, Schedule};
use crate::vm::slice::{Slice, slice};
use crate::watch::{self, NotWatched, Scope};
use naga::{GlobalVariable, Handle};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Instructions that all subgroups of a slice together may run: a second or so.
const BUDGET: u64 = 1 << 26;

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
    /// Words of memory of which nothing is watched, since it was proved to take part in no race.
    pub proven: u64,
}

impl Sliced {
    /// Whether all that a check says of the kernel is decided, so that nobody need watch it.
    pub fn is_whole(&self) -> bool {
        self.exact && self.undecided.is_empty()
    }
}

/// The slice of an entry point, if it has one.
pub fn of_entry(program: &Program, entry: usize) -> Option<Slice> {
    let _span = tracing::debug_span!("slice").entered();
    slice(&lower_apart(program, entry).ok()?)
}

/// What `slice` decides of the dispatch with this number; nothing, if it does not come to an end within its budget, or not
/// all invocations come to the same barriers. An invocation may run `steps` instructions at most.
pub fn decide(
    program: &Program,
    slice: &Slice,
    launch: &Launch,
    number: usize,
    watch: &Watch,
    steps: u64,
    stop: Option<&AtomicBool>,
) -> Option<Sliced> {
    let _span = tracing::debug_span!("decide").entered();
    let dispatch = launch.dispatches.get(number)?;
    let resources = contents(launch, number);
    let shape = shape(program, dispatch, LANES);
    let known = Known { program, dispatch, resources: &resources, launch };
    let (Fitted { layout, mut unwatched }, proven) = fitted(&known, shape, watch, Scope::MayRace);
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
    let fsm = Unhurried { fsm: Fsm::new(layout.clone(), shape), spent: AtomicBool::new(false) };
    let options = Options {
        workgroups: dispatch.workgroups,
        subgroup_size: LANES,
        schedule: Schedule::default(),
        limits: Limits { steps, ..launch.limits },
        parallel: true,
        stop,
    };
    let run = vm::run::run(&slice.code, &resources, &options, &fsm).ok()?;
    if !run.ended() || !run.divergences.is_empty() || fsm.spent.load(Relaxed) {
        return None;
    }
    let fsm = fsm.fsm;
    let mut dispatched = Dispatched {
        racy: fsm.racy(),
        checked: fsm.checked() + proven.accesses(&run),
        unwatched,
        warnings: warnings(fsm.given_up()),
        run,
        ..Dispatched::default()
    };
    if !slice.exact {
        if fsm.given_up().racy_words > 0 {
            return None;
        }
        let Dispatched { racy, run, .. } = &dispatched;
        undecided.extend(racy.keys().map(|granule| granule.memory));
        undecided.extend(run.out_of_bounds.iter().filter_map(|out| out.memory));
        undecided.extend(run.wanted.iter().map(|(memory, _)| *memory));
    }
    dispatched.watched = layout.without(&undecided).granules(workgroups(dispatch));
    Some(Sliced { dispatched, undecided, exact: slice.exact, proven: proven.words })
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

/// The monitor of a slice. Values flow nowhere in one, so workgroups may run in any order; and who has run its budget has
/// seen enough.
struct Unhurried {
    fsm: Fsm,
    spent: AtomicBool,
}

impl Observer for Unhurried {
    type Watcher<'o> = <Fsm as Observer>::Watcher<'o>;

    fn watch(&self, workgroup: u32) -> Self::Watcher<'_> {
        Observer::watch(&self.fsm, workgroup)
    }

    fn has_enough(&self, steps: u64) -> bool {
        if steps > BUDGET {
            self.spent.store(true, Relaxed);
        }
        self.spent.load(Relaxed)
    }
}
