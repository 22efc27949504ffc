//! The monitor pass: instruments a module so that it detects its own data races.
//!
//! Next to each access of watched memory the instrumented module calls a function that moves the shadow words of the touched
//! granules through the automaton of `fsm-spec`, and logs those that become racy. An access and its update are not one atomic
//! step: unsynchronized accesses reach the automaton in some order, and every order of a racing pair ends in a race.
//!
//! - [`crate::watch`] decides which accesses are watched, [`crate::shadow::plan`] where their shadows are;
//! - `runtime` provides these functions, written in WGSL, `words` those that access shadow words, and `unchanged_states` computes
//!   which words an access leaves unchanged;
//! - `instrument` rewrites each function of the program;
//! - `redundant_checks` finds the checks that other checks of the same invocation make redundant;
//! - `address` computes which granules an access touches, and clamps its indices;
//! - `trail` records which barriers an invocation reaches;
//! - `entry` gives an invocation its ids, and records that it ended.
//!
//! The behavior of the program is unchanged except for two things. An index past the end of watched memory is clamped, where
//! implementations differ. Each barrier also orders the memory that contains the shadow, since an update before the barrier must
//! be visible after it. This does not change how the barrier counts: clocks advance by the barriers of the program.
//! (`subgroupBarrier()` cannot be strengthened in this way. That updates before it are visible after it relies on the coherence
//! of atomics.)
//!
//! Where not all invocations of a workgroup reach the same barriers, their clocks diverge, and the results of that workgroup
//! cannot be trusted. Trails ([`crate::shadow::trail`]) show where that happens.
//!
//! The pass omits work only if reports stay the same: writes of shadow words that no later transition can notice, and checks that
//! another check makes redundant. A racy word contains the site at which it became racy instead of the last access, so no racy
//! word is lost when the log is full.
//!
//! Software devices execute all code of a kernel, even if its branch is not taken. With `Options::detects_only`,
//! their modules contain next to an access only the code that decides whether it races. An index out of bounds or a loop that
//! exceeds its limit only sets a flag, and then the launch is run again with a complete module.

mod address;
mod entry;
mod instrument;
mod redundant_checks;
mod runtime;
#[cfg(test)]
mod tests;
mod trail;
mod unchanged_states;
mod words;

use crate::diagnostic::{Diagnostic, Result};
use crate::pass::rewrite;
use crate::pass::runtime::Runtime;
use crate::program::{DerivedModule, Program};
use crate::shadow::plan::{Plan, Purpose, Table};
use crate::watch::WatchPlan;
use instrument::InstrumentChange;
use redundant_checks::RedundantChecks;
use rustc_hash::FxHashSet;

pub use crate::shadow::plan::Options;

/// An instrumented program.
#[derive(Clone, Debug)]
pub struct MonitoredProgram {
    /// The module, with only the entry points of the watch plan. Its overrides are those that [`crate::shadow::layout`] provides
    /// values for. Variables of the program keep their handles.
    pub derived: DerivedModule,
    /// The locations of the shadows.
    pub plan: Plan,
}

impl MonitoredProgram {
    /// Writes the module as WGSL.
    pub fn wgsl(&self) -> Result<String> {
        self.derived.wgsl()
    }
}

/// Instruments the accesses of `program` that `watch` selects.
pub fn monitor(
    program: &Program,
    watch: &WatchPlan,
    options: &Options,
) -> Result<MonitoredProgram> {
    let _span = tracing::debug_span!("instrument").entered();
    let plan = Plan::new(program, watch, options);
    let derived = program.derive(|original| {
        let mut module = rewrite::without_functions(original);
        let runtime = Runtime::graft(&mut module, &runtime::text(&plan), &plan.prefix)
            .map_err(|error| internal(program, &error))?;
        let with_workgroup_barriers = match plan.trails {
            true => trail::functions_with_workgroup_barriers(program),
            false => FxHashSet::default(),
        };
        let with_barriers = trail::functions_with_barriers(program, |_| true);
        let omits = options.omits_redundant_checks && plan.purpose == Purpose::Detect;
        rewrite::rewrite(program, original, &mut module, watch.entries(), |id| {
            let redundant_checks = match omits {
                true => redundant_checks::find_redundant_checks(
                    program,
                    watch,
                    &with_barriers,
                    id,
                    id.get(original),
                ),
                false => RedundantChecks::default(),
            };
            let with_barriers = &with_workgroup_barriers;
            InstrumentChange::new(program, original, watch, &plan, &runtime, with_barriers, id)
                .omitting(redundant_checks)
        });
        let last = ["record_reached", "record_deferred", "record_trail", "release_slot"];
        rewrite::end_with(&mut module, &runtime, &last);
        Ok(module)
    })?;
    Ok(MonitoredProgram { derived, plan })
}

/// Returns the automaton's step as in instrumented modules: a WGSL function `hirace_transition` of a state, an action, a
/// synchronization and a relation, all by the numbers of `fsm-spec`. For [`Table::Computed`], states have other numbers, except
/// the initial one and that of a race.
pub fn automaton(table: Table) -> String {
    runtime::automaton(table)
}

fn internal(program: &Program, error: &str) -> Box<Diagnostic> {
    let name = program.source.name();
    let bug =
        Diagnostic::new(format!("the monitor pass failed on `{name}`: its runtime does not parse"));
    Box::new(bug.note(error).help("this is a bug in hirace; please report it with the file"))
}
