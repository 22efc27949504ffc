//! Executors, which run the launches of a program and report what they observed.
//!
//! **Architecture invariant:** [`watch_plan`] applies static proofs for all executors, so they cannot differ in what they omit.
//! [`Watch::shortcuts`] can disable each shortcut. Runs that explain a race, and the schedules of `hirace amplify`, watch
//! everything.

mod classes;
pub mod embedded;
mod known;
pub mod monitored;
mod proven;
mod shadow_reader;
mod shortcuts;
pub mod sliced;
pub mod timing;
pub mod unwatched;
mod visits;
#[cfg(feature = "gpu")]
pub mod wgpu;

use crate::diagnostic::{Diagnostic, Result};
pub use crate::facts::DeviceInfo;
use crate::facts::{Flag, Shadow, Warning};
use crate::launch::Launch;
use crate::observe::trace::Trace;
use crate::observe::{Granule, RacyGranules};
use crate::points::{Counts, Points};
use crate::program::Program;
use crate::prove::{Proofs, prove};
use crate::vm::memory::Resources;
use crate::vm::run::{Invocation, Run};
use crate::watch::{self, NotWatched, Scope, UnwatchedVariable, WatchOptions, WatchPlan};
pub use known::DispatchContext;
pub use shortcuts::Shortcuts;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use timing::Stopwatch;
use unwatched::{FirstWorkgroup, UnwatchedOutcome};

/// Runs launches: first to detect races ([`Executor::run`]), then to explain them ([`Executor::trace`]).
pub trait Executor {
    /// Returns a description of the device on which launches run, for reports.
    fn device(&self) -> DeviceInfo;

    /// Returns the flags that select this executor, for commands that re-run a launch.
    fn flags(&self) -> Vec<Flag> {
        Vec::new()
    }

    /// Returns the number of lanes of a subgroup, if the launch cannot choose it.
    fn subgroup_size(&self) -> Option<u32> {
        None
    }

    /// Announces that there will be many launches of this program, which combines many programs. The executor keeps what it
    /// prepares for one launch for the next ones, and returns an error for a launch that cannot be judged on its device.
    fn keep(&self, _program: &Arc<Program>) {}

    /// Runs `launch` and finds the racy granules.
    ///
    /// # Errors
    /// If nothing of the launch ran.
    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome>;

    /// Runs `launch` again and logs every access to `granules` in the dispatch with this index.
    fn trace(
        &self,
        program: &Program,
        launch: &Launch,
        dispatch: usize,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<Trace>;

    /// Runs `launch` without watching memory and counts executions at `points`, which are the points of `program`. With `hits`,
    /// any count above 1 may be reported as 1.
    fn count(
        &self,
        program: &Program,
        points: &Points,
        launch: &Launch,
        hits: bool,
        stop: Option<&AtomicBool>,
    ) -> Result<LaunchCounts>;

    /// Runs `launch` unmodified and unwatched. With `first`, one workgroup of a dispatch runs first. Returns `None` if `stop` was
    /// set before the launch was done.
    ///
    /// Loop iterations are not limited, so this must not be used for a launch whose [`Executor::run`] reported
    /// [`Warning::RanEmbedded`].
    ///
    /// # Errors
    /// If nothing of the launch ran, or if `first` is given and the executor orders workgroups itself, as the embedded executor
    /// does by the launch's schedule.
    fn run_unwatched(
        &self,
        _program: &Program,
        _launch: &Launch,
        _first: Option<FirstWorkgroup>,
        _stop: Option<&AtomicBool>,
    ) -> Result<Option<UnwatchedOutcome>> {
        let name = self.device().name;
        Err(Box::new(Diagnostic::new(format!("{name} cannot run a chosen workgroup first"))))
    }

    /// Prepares `launch` to be timed, under this watch or unwatched. Returns `None` if `stop` was set before it was ready.
    /// Setting `stop` later also stops the timed runs.
    fn stopwatch<'a>(
        &'a self,
        _program: &'a Program,
        _launch: &'a Launch,
        _watch: Option<&'a Watch>,
        _stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Box<dyn Stopwatch + 'a>>> {
        let name = self.device().name;
        Err(Box::new(Diagnostic::new(format!("{name} cannot time launches"))))
    }

    /// Discards everything that was prepared for earlier launches, so that the next one takes as long as a first one.
    fn forget(&self) {}
}

/// The name of the executor that is always available.
pub const EMBEDDED: &str = "embedded";

/// Opens the executor that `--device` selects: [`EMBEDDED`], or the device with this number or this part of its name. Opening a
/// device is slow.
pub fn open(device: &str) -> Result<Box<dyn Executor + Send + Sync>> {
    match device {
        EMBEDDED => Ok(Box::new(embedded::Embedded)),
        device => open_device(device),
    }
}

#[cfg(feature = "gpu")]
fn open_device(device: &str) -> Result<Box<dyn Executor + Send + Sync>> {
    Ok(Box::new(wgpu::Device::open(device)?))
}

#[cfg(not(feature = "gpu"))]
fn open_device(device: &str) -> Result<Box<dyn Executor + Send + Sync>> {
    let error = Diagnostic::new(format!("there is no device `{device}`")).of_device();
    Err(Box::new(error.help("this hirace was built without the feature `gpu`")))
}

/// Selects what is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// The names of the variables to watch. If empty: all. `*` matches any text.
    pub only: Vec<String>,
    /// The names of the variables not to watch. `*` matches any text.
    pub ignore: Vec<String>,
    /// The relations between invocations whose races are reported. If empty: all.
    pub relations: Vec<Relation>,
    /// The maximum size of the shadow memory in bytes. Variables that do not fit are not watched, and a warning says so.
    pub shadow_bytes: Option<u64>,
    /// Whether the exact oracle also runs, and its result is compared.
    pub oracle: bool,
    /// The ways in which unnecessary checks are skipped.
    pub shortcuts: Shortcuts,
}

impl Watch {
    /// Returns whether the variable `name` is watched.
    pub fn watches(&self, name: &str) -> bool {
        let among = |patterns: &[String]| patterns.iter().any(|p| matches_pattern(p, name));
        (self.only.is_empty() || among(&self.only)) && !among(&self.ignore)
    }

    /// Returns whether races of some variables, or between some invocations, are not reported.
    pub fn is_restricted(&self) -> bool {
        !(self.only.is_empty() && self.ignore.is_empty() && self.relations.is_empty())
    }
}

/// Returns what to watch of a dispatch. All executors use this.
pub fn watch_plan(known: &DispatchContext<'_>, watch: &Watch, scope: Scope) -> WatchPlan {
    let plan = asked_plan(known, watch, scope);
    if plan.watched().next().is_none() {
        return plan;
    }
    without_proved(plan, known, watch, scope).0
}

/// Returns the same plan as [`watch_plan`], and the proofs for it if proofs are enabled.
pub fn watch_plan_with_proofs(
    known: &DispatchContext<'_>,
    watch: &Watch,
    scope: Scope,
) -> (WatchPlan, Proofs) {
    without_proved(asked_plan(known, watch, scope), known, watch, scope)
}

fn asked_plan(known: &DispatchContext<'_>, watch: &Watch, scope: Scope) -> WatchPlan {
    let DispatchContext { program, dispatch, .. } = *known;
    let globals = program.module.global_variables.iter().map(|(global, _)| global);
    let leave_out =
        globals.filter(|global| !watch.watches(&watch::variable_name(&program.module, *global)));
    let request = WatchOptions { scope, leave_out: leave_out.collect() };
    WatchPlan::new(program, &[dispatch.entry], &request)
}

/// Removes the proven accesses from a plan, if proofs are enabled. Returns the rest, and the proofs.
fn without_proved(
    plan: WatchPlan,
    known: &DispatchContext<'_>,
    watch: &Watch,
    scope: Scope,
) -> (WatchPlan, Proofs) {
    if !watch.shortcuts.proofs {
        return (plan, Proofs::default());
    }
    let DispatchContext { program, dispatch, .. } = *known;
    let proofs = prove(program, dispatch.entry, known);
    let plan = plan.excluding(|site| {
        // The native monitor detects that values flow between workgroups by atomic operations. Plain accesses that conflict with
        // none do not let values flow.
        let access = program.sites.access(site)?;
        let shows_flow = scope == Scope::Writable && access.action.is_atomic();
        proofs.get(site).filter(|_| !shows_flow).map(NotWatched::Proven)
    });
    (plan, proofs)
}

/// The distance between two invocations that may race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Relation {
    /// In the same subgroup.
    Subgroup,
    /// In the same workgroup, but in different subgroups.
    Workgroup,
    /// In different workgroups.
    Dispatch,
}

impl Relation {
    /// Parses the name of a relation in a configuration.
    #[doc(hidden)]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "subgroup" => Some(Self::Subgroup),
            "workgroup" => Some(Self::Workgroup),
            "dispatch" => Some(Self::Dispatch),
            _ => None,
        }
    }

    /// Returns the relation of two invocations, with subgroups of this size.
    #[doc(hidden)]
    pub fn between(a: Invocation, b: Invocation, subgroup_size: u32) -> Self {
        let subgroup = |invocation: Invocation| invocation.local / subgroup_size.max(1);
        match (a.workgroup == b.workgroup, subgroup(a) == subgroup(b)) {
            (false, _) => Self::Dispatch,
            (true, false) => Self::Workgroup,
            (true, true) => Self::Subgroup,
        }
    }
}

/// Returns whether `text` matches `pattern`, in which `*` matches any text.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| matches_pattern(rest, &text[at..]))
        }),
    }
}

/// The outcome of a launch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The results of the dispatches that ran.
    pub dispatches: Vec<DispatchOutcome>,
    /// The memory after the last dispatch.
    pub resources: Resources,
    /// The memory after each dispatch that the launch keeps.
    pub kept: BTreeMap<usize, Resources>,
    /// Why the remaining dispatches did not run: the device failed, or the timeout was reached.
    pub failure: Option<Box<Diagnostic>>,
}

/// The counts of a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchCounts {
    /// The sum over all dispatches that ran.
    pub counts: Counts,
    /// The number of dispatches of each entry point that ran.
    pub dispatches: BTreeMap<usize, u64>,
    /// Whether all dispatches ran to completion.
    pub ended: bool,
}

/// The result of one dispatch.
#[derive(Clone, Debug, Default)]
pub struct DispatchOutcome {
    /// The racy granules.
    pub racy: RacyGranules,
    /// The racy granules that the oracle found, if it ran.
    pub oracle: Option<RacyGranules>,
    /// What the engine itself found.
    pub run: Run,
    /// The workgroups in which not all invocations reached the same barriers, in order, if nothing more is known.
    pub diverged: Vec<u32>,
    /// The number of storage words, workgroup words and texels that were watched, or proven to need no watching.
    pub watched: u64,
    /// The number of checked accesses.
    pub checked: u64,
    /// The layout of the shadow memory, if it depends on the device.
    pub shadow: Option<Shadow>,
    /// The shared and written memory that was not watched.
    pub unwatched: Vec<UnwatchedVariable>,
    /// What could not be judged.
    pub warnings: Vec<Warning>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text) in
            [("a", "a"), ("*", ""), ("a*", "abc"), ("*c", "abc"), ("a*c*", "abcd")]
        {
            assert!(matches_pattern(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("", "a"), ("a*d", "abc"), ("*b", "abc")] {
            assert!(!matches_pattern(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_ignored_is_not_watched_even_if_named() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let watch =
            Watch { only: names(&["out*"]), ignore: names(&["*_debug"]), ..Watch::default() };
        assert!(watch.watches("output"));
        assert!(!watch.watches("input"));
        assert!(!watch.watches("out_debug"));
        assert!(Watch::default().watches("anything"));
    }

    #[test]
    fn relations_go_by_workgroup_then_subgroup() {
        let at = |workgroup, local| Invocation { workgroup, local };
        assert_eq!(Relation::between(at(0, 0), at(1, 0), 32), Relation::Dispatch);
        assert_eq!(Relation::between(at(0, 0), at(0, 32), 32), Relation::Workgroup);
        assert_eq!(Relation::between(at(0, 0), at(0, 31), 32), Relation::Subgroup);
    }
}
