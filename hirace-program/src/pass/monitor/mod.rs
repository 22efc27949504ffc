//! The monitor pass: makes a module watch itself for data races.
//!
//! Beside each access to watched memory the instrumented module calls a function that moves the shadow
//! words of the granules touched through the automaton of `fsm-spec`, and logs those that turn racy.
//! An access and its update are not one atomic step: unsynchronised accesses reach the automaton in
//! some order, and every order of a racing pair ends in a race.
//!
//! - [`crate::watch`] decides which accesses are watched, [`crate::shadow::plan`] where their shadow lives;
//! - `runtime` brings in those functions, written in WGSL, `words` those of them that touch shadow words,
//!   and `kept` says which words an access leaves as they are;
//! - `instrument` rewrites each function of the program;
//! - `spared` finds the checks that others of the same invocation make needless;
//! - `address` computes which granules an access touches, and clamps its indices;
//! - `trail` notes which barriers an invocation comes to;
//! - `entry` gives an invocation its ids, and notes that it is done.
//!
//! What the program does stays the same, but for this: an index past the end of watched memory is
//! clamped, where implementations differ; and each barrier also orders the memory that the shadow
//! lives in, since an update before the barrier must be seen by those after it. That does not
//! change what the barrier counts as: clocks step by what the program wrote. (`subgroupBarrier()` cannot
//! be strengthened so: that updates before it are seen after it is left to the coherence of atomics.)
//!
//! Where not all invocations of a workgroup come to the same barriers, its clocks part: whoever runs the module must
//! then trust nothing that the workgroup did. Trails ([`crate::shadow::trail`]) show where that is so.

mod address;
mod entry;
mod instrument;
mod kept;
mod runtime;
mod spared;
#[cfg(test)]
mod tests;
mod trail;
mod words;

use crate::diagnostic::{Diagnostic, Result};
use crate::pass::rewrite;
use crate::pass::runtime::Runtime;
use crate::program::{Derived, Program};
use crate::shadow::plan::{Plan, Purpose, Table};
use crate::watch::WatchPlan;
use instrument::Instrument;
use spared::Spared;

pub use crate::shadow::plan::Options;

/// An instrumented program.
#[derive(Clone, Debug)]
pub struct Monitored {
    /// The module, with the entry points of the watch plan only. Its overrides are those that
    /// [`crate::shadow::layout`] gives values for. Variables of the program keep their handles.
    pub derived: Derived,
    /// Where the shadow of what is watched lives.
    pub plan: Plan,
}

impl Monitored {
    /// The module as WGSL.
    pub fn wgsl(&self) -> Result<String> {
        self.derived.wgsl()
    }
}

/// Instruments the accesses of `program` that `watch` watches.
pub fn monitor(program: &Program, watch: &WatchPlan, options: &Options) -> Result<Monitored> {
    let _span = tracing::debug_span!("instrument").entered();
    let plan = Plan::new(program, watch, options);
    let derived = program.derive(|original| {
        let mut module = rewrite::empty(original);
        let runtime = Runtime::graft(&mut module, &runtime::text(&plan), &plan.prefix)
            .map_err(|error| internal(program, &error))?;
        let waiting = trail::waiting(program, plan.trails);
        let spares = options.spares && plan.purpose == Purpose::Detect;
        let barriers = trail::with_barriers(program, |_| true);
        rewrite::rewrite(program, original, &mut module, watch.entries(), |id| {
            let spared = match spares {
                true => spared::spared(program, watch, &barriers, id, id.get(original)),
                false => Spared::default(),
            };
            Instrument::new(program, original, watch, &plan, &runtime, &waiting, id).sparing(spared)
        });
        rewrite::end_with(&mut module, &runtime, &["notes", "late", "ends", "leave"]);
        Ok(module)
    })?;
    Ok(Monitored { derived, plan })
}

/// The automaton's step as instrumented modules have it: a WGSL function `hirace_transition` of a state,
/// an action, how they are synchronised, and how they are related, all by the numbers of `fsm-spec` (but
/// for states, where they are computed: of these only the first and that of a race).
pub fn automaton(table: Table) -> String {
    runtime::automaton(table)
}

fn internal(program: &Program, error: &str) -> Box<Diagnostic> {
    let name = program.source.name();
    let bug =
        Diagnostic::new(format!("the monitor pass failed on `{name}`: its runtime does not parse"));
    Box::new(bug.note(error).help("this is a bug in hirace; please report it with the file"))
}
