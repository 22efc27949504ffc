//! Executors: what runs a launch of a program and says what it saw.

pub mod bare;
mod classes;
pub mod embedded;
mod known;
pub mod monitored;
mod proven;
mod reading;
mod shortcuts;
pub mod sliced;
pub mod timing;
mod visits;
#[cfg(feature = "gpu")]
pub mod wgpu;

use crate::diagnostic::{Diagnostic, Result};
pub use crate::facts::About;
use crate::facts::{Flag, Shadow, Warning};
use crate::launch::Launch;
use crate::observe::trace::Trace;
use crate::observe::{Granule, Racy};
use crate::points::{Counts, Points};
use crate::program::Program;
use crate::prove::{Proofs, prove};
use crate::vm::memory::Resources;
use crate::vm::run::{Invocation, Run};
use crate::watch::{self, NotWatched, Request, Scope, Unwatched, WatchPlan};
use bare::{Bare, First};
pub use known::Known;
pub use shortcuts::Shortcuts;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use timing::Stopwatch;

/// Runs launches. Detect first ([`Executor::run`]), then explain ([`Executor::trace`]).
pub trait Executor {
    /// What launches run on, for reports.
    fn device(&self) -> About;

    /// The flags that choose it, for commands that run a launch again.
    fn flags(&self) -> Vec<Flag> {
        Vec::new()
    }

    /// Lanes of a subgroup, where that is not for the launch to choose.
    fn subgroup_size(&self) -> Option<u32> {
        None
    }

    /// There will be many launches of this program, which stands for many others: what is made of it for one launch is of
    /// use for the next, and a launch that cannot be judged where it runs is an error.
    fn keep(&self, _program: &Arc<Program>) {}

    /// Runs `launch` and finds the racy granules. An error only if nothing of it ran.
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

    /// Runs `launch`, watches no memory, and counts what runs: at `points`, which are those of `program`. With `hits`,
    /// counts may be 1 that are more.
    fn count(
        &self,
        program: &Program,
        points: &Points,
        launch: &Launch,
        hits: bool,
        stop: Option<&AtomicBool>,
    ) -> Result<Counted>;

    /// Runs `launch` as it is, and watches nothing; with `first`, a workgroup of a dispatch goes first. Nothing, if `stop`
    /// was set before it was done; an error only if nothing of it ran. Nobody counts the turns of its loops, so a launch
    /// whose [`Executor::run`] was [`Warning::RanEmbedded`] is not for this. Who orders workgroups in ways of its own, as the
    /// embedded executor does by the launch's schedule, has none go first.
    fn bare(
        &self,
        _program: &Program,
        _launch: &Launch,
        _first: Option<First>,
        _stop: Option<&AtomicBool>,
    ) -> Result<Option<Bare>> {
        let name = self.device().name;
        Err(Box::new(Diagnostic::new(format!("{name} has no workgroup go first on request"))))
    }

    /// `launch`, ready to be timed under this watch, or bare. Nothing, if `stop` was set before it was ready; that also
    /// ends what is timed.
    fn stopwatch<'a>(
        &'a self,
        _program: &'a Program,
        _launch: &'a Launch,
        _watch: Option<&'a Watch>,
        _stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Box<dyn Stopwatch + 'a>>> {
        let name = self.device().name;
        Err(Box::new(Diagnostic::new(format!("{name} does not time what it runs"))))
    }

    /// Keeps nothing of what was made for launches so far: the next one takes as long as a first one does.
    fn forget(&self) {}
}

/// What the executor is called that is always there.
pub const EMBEDDED: &str = "embedded";

/// The executor that `--device` means: [`EMBEDDED`], or the device with this number or this part of its name.
/// To open a device takes a while.
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

/// What is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Names of the variables to watch; empty: all. `*` stands for anything.
    pub only: Vec<String>,
    /// Names of variables not to watch. `*` stands for anything.
    pub ignore: Vec<String>,
    /// Between whom races are reported; empty: anybody.
    pub relations: Vec<Relation>,
    /// Most bytes of shadow memory. What does not fit is not watched, and a warning says so.
    pub shadow_bytes: Option<u64>,
    /// Also run the exact oracle, and compare.
    pub oracle: bool,
    /// How checks are spared that could find nothing.
    pub shortcuts: Shortcuts,
}

impl Watch {
    /// Whether the variable called `name` is watched.
    pub fn watches(&self, name: &str) -> bool {
        let among = |patterns: &[String]| patterns.iter().any(|p| matches_pattern(p, name));
        (self.only.is_empty() || among(&self.only)) && !among(&self.ignore)
    }
}

/// What is to be watched of a dispatch. All executors ask this.
pub fn watch_plan(known: &Known<'_>, watch: &Watch, scope: Scope) -> WatchPlan {
    let plan = asked_plan(known, watch, scope);
    if plan.watched().next().is_none() {
        return plan;
    }
    without_proved(plan, known, watch, scope).0
}

/// The same, and what was proved for it, if proofs are asked for.
pub fn watch_plan_with_proofs(
    known: &Known<'_>,
    watch: &Watch,
    scope: Scope,
) -> (WatchPlan, Proofs) {
    without_proved(asked_plan(known, watch, scope), known, watch, scope)
}

fn asked_plan(known: &Known<'_>, watch: &Watch, scope: Scope) -> WatchPlan {
    let Known { program, dispatch, .. } = *known;
    let globals = program.module.global_variables.iter().map(|(global, _)| global);
    let leave_out = globals.filter(|global| !watch.watches(&watch::name(&program.module, *global)));
    let request = Request { scope, leave_out: leave_out.collect() };
    WatchPlan::new(program, &[dispatch.entry], &request)
}

/// A plan without what is proved, and all that is, if proofs are asked for.
fn without_proved(
    plan: WatchPlan,
    known: &Known<'_>,
    watch: &Watch,
    scope: Scope,
) -> (WatchPlan, Proofs) {
    if !watch.shortcuts.proofs {
        return (plan, Proofs::default());
    }
    let Known { program, dispatch, .. } = *known;
    let proofs = prove(program, dispatch.entry, known);
    let plan = plan.leaving_out(|site| {
        // The native monitor sees by atomic operations that values flow between workgroups. Plain accesses that conflict
        // with none let none flow.
        let access = program.sites.access(site)?;
        let shows_flow = scope == Scope::Writable && access.action.is_atomic();
        proofs.get(site).filter(|_| !shows_flow).map(NotWatched::Proven)
    });
    (plan, proofs)
}

/// How close two invocations are that may race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// In one subgroup.
    Subgroup,
    /// In one workgroup, but not in one subgroup.
    Workgroup,
    /// In different workgroups.
    Dispatch,
}

impl Relation {
    /// The relation called `name` in a configuration.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "subgroup" => Some(Self::Subgroup),
            "workgroup" => Some(Self::Workgroup),
            "dispatch" => Some(Self::Dispatch),
            _ => None,
        }
    }

    /// The relation of two invocations, with subgroups of this size.
    pub fn between(a: Invocation, b: Invocation, subgroup_size: u32) -> Self {
        let subgroup = |invocation: Invocation| invocation.local / subgroup_size.max(1);
        match (a.workgroup == b.workgroup, subgroup(a) == subgroup(b)) {
            (false, _) => Self::Dispatch,
            (true, false) => Self::Workgroup,
            (true, true) => Self::Subgroup,
        }
    }
}

/// Whether `text` is what `pattern` says, in which `*` stands for anything.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| matches_pattern(rest, &text[at..]))
        }),
    }
}

/// What came of a launch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// A result for each dispatch that ran.
    pub dispatches: Vec<Dispatched>,
    /// Memory after the last dispatch.
    pub resources: Resources,
    /// Memory after the dispatches of which the launch has it kept.
    pub kept: BTreeMap<usize, Resources>,
    /// Why the rest did not run: the device failed, or time was up.
    pub failure: Option<Box<Diagnostic>>,
}

/// What was counted of a launch.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// All of its dispatches that ran.
    pub counts: Counts,
    /// How many dispatches of each entry point ran.
    pub dispatches: BTreeMap<usize, u64>,
    /// Whether all of them ran to their ends.
    pub ended: bool,
}

/// What came of one dispatch.
#[derive(Clone, Debug, Default)]
pub struct Dispatched {
    /// The racy granules.
    pub racy: Racy,
    /// Those of the oracle, if it was asked.
    pub oracle: Option<Racy>,
    /// What the engine found by itself.
    pub run: Run,
    /// Workgroups in which not all invocations came to the same barriers, in order, where that is all that is known.
    pub diverged: Vec<u32>,
    /// Storage words, workgroup words and texels under watch, or proved to need none.
    pub watched: u64,
    /// Accesses checked.
    pub checked: u64,
    /// What the shadow was like, where that hangs on the device.
    pub shadow: Option<Shadow>,
    /// What is shared and written, and was not watched.
    pub unwatched: Vec<Unwatched>,
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
