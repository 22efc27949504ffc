//! Barriers that not all invocations reached on a device. It says in which workgroups; another run of the launch, on
//! the embedded executor, shows at which barriers and who did not come.

use crate::exec::embedded::Embedded;
use crate::exec::{Dispatched, Executor, Outcome, Watch};
use crate::facts::Warning;
use crate::facts::warning::BarriersUnjudged;
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::schedule::Limits;
use std::sync::atomic::AtomicBool;

/// Steps that this run may take, over all subgroups: some seconds.
const STEPS: u64 = 1 << 27;

/// Puts into `outcome` what the embedded executor shows of the dispatches in which workgroups diverged, or lost some of
/// their invocations, as drivers let them at barriers that not all reach. Where it shows none, since the device computed
/// other values or the launch is too long, what the device says stands alone.
pub fn explain(
    program: &Program,
    launch: &Launch,
    watch: &Watch,
    outcome: &mut Outcome,
    stop: Option<&AtomicBool>,
) {
    let lost = |warning: &Warning| {
        matches!(warning, Warning::BarriersNotJudged { why: BarriersUnjudged::NotAllEnded, .. })
    };
    let is_in_doubt = |dispatched: &Dispatched| {
        !dispatched.diverged.is_empty() || dispatched.warnings.iter().any(lost)
    };
    if !outcome.dispatches.iter().any(is_in_doubt) {
        return;
    }
    let _span = tracing::info_span!("explain divergence", phase = 2).entered();
    let limits = Limits { total: launch.limits.total.min(STEPS), ..launch.limits };
    let launch = Launch { limits, ..launch.clone() };
    let watch = Watch { oracle: false, ..watch.clone() };
    // What the engine does not run it does not explain, and that is no error of the launch.
    let Ok(here) = Embedded.run(program, &launch, &watch, stop) else { return };
    for (there, here) in outcome.dispatches.iter_mut().zip(here.dispatches) {
        if !is_in_doubt(there) {
            continue;
        }
        // Of workgroups that diverged there, races are known from here alone.
        for (granule, site) in here.racy {
            there.racy.entry(granule).or_insert(site);
        }
        if !here.run.divergences.is_empty() {
            there.run.divergences = here.run.divergences;
            there.diverged.clear();
            if there.warnings.iter().any(lost) {
                let unwatched =
                    |of: &Warning| matches!(of, Warning::NotWatchedAfterDivergence { .. });
                there.warnings.retain(|warning| !lost(warning) && !unwatched(warning));
                there.warnings.extend(here.warnings.into_iter().filter(unwatched));
            }
        }
    }
}
