//! Explains barriers that not all invocations reached on a device. The device reports only the workgroups. A re-run of the launch
//! on the embedded executor shows the barriers and the missing invocations.

use crate::exec::embedded::Embedded;
use crate::exec::{DispatchOutcome, Executor, Outcome, Watch};
use crate::facts::Warning;
use crate::facts::warning::UncheckedBarriersReason;
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::schedule::Limits;
use std::sync::atomic::AtomicBool;

/// The maximum number of steps of this run over all subgroups, which takes some seconds.
const STEPS: u64 = 1 << 27;

/// Adds to `outcome` what the embedded executor shows about the dispatches in which workgroups diverged, or lost some of their
/// invocations, as drivers allow at barriers that not all invocations reach. If it shows nothing, because the device computed
/// other values or the launch is too long, the device's report remains.
pub fn explain(
    program: &Program,
    launch: &Launch,
    watch: &Watch,
    outcome: &mut Outcome,
    stop: Option<&AtomicBool>,
) {
    let lost = |warning: &Warning| {
        matches!(
            warning,
            Warning::BarriersNotChecked { why: UncheckedBarriersReason::NotAllEnded, .. }
        )
    };
    let is_in_doubt = |dispatched: &DispatchOutcome| {
        !dispatched.diverged.is_empty() || dispatched.warnings.iter().any(lost)
    };
    if !outcome.dispatches.iter().any(is_in_doubt) {
        return;
    }
    let _span = tracing::info_span!("explain divergence", phase = 2).entered();
    let limits = Limits { total: launch.limits.total.min(STEPS), ..launch.limits };
    let launch = Launch { limits, ..launch.clone() };
    let watch = Watch { oracle: false, ..watch.clone() };
    // If the engine cannot run the launch, it explains nothing, and that is not an error of the launch.
    let Ok(here) = Embedded.run(program, &launch, &watch, stop) else { return };
    for (there, here) in outcome.dispatches.iter_mut().zip(here.dispatches) {
        if !is_in_doubt(there) {
            continue;
        }
        // For workgroups that diverged on the device, races are known from this run only.
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
