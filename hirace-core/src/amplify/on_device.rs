//! Amplifies a launch on a device, which does not let the order of workgroups be chosen: runs it unchanged, many times,
//! and with one workgroup or another first. The results are compared with those of the first run.

use super::families::draw_targets;
use super::outputs::{Comparison, OutputDifference, Outputs};
use super::progress::Progress;
use super::results::{
    AmplifiedDispatch, Finding, FindingFacts, Judgement, SkipReason, StrategyRuns,
};
use super::settings::Settings;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::unwatched::{FirstWorkgroup, OrderingTechnique, UnwatchedOutcome};
use crate::exec::{Executor, Watch};
use crate::facts::{DispatchOrder, Warning};
use crate::launch::Launch;
use crate::program::Program;
use crate::report::words;
use crate::vm::order::Order;
use crate::vm::schedule::Schedule;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// The names and descriptions of the strategies for devices.
pub static STRATEGIES: &[(&str, &str)] = &[
    (PLAIN, "on a device: the launch unchanged, many times"),
    (
        TARGET_FIRST,
        "on a device: one workgroup starts before all others, which wait until it has ended",
    ),
    (REMAPPED, "on a device: one workgroup starts before all others, which do not wait"),
    (
        IN_PLACE,
        "on a device: all others wait, for a limited time, for one workgroup wherever it starts",
    ),
];

const PLAIN: &str = "plain";
const TARGET_FIRST: &str = "target-first";
const REMAPPED: &str = "remapped";
const IN_PLACE: &str = "in-place";

/// The strategies with a target workgroup, with the means by which it becomes the first.
const TARGETED: [(&str, OrderingTechnique); 3] = [
    (TARGET_FIRST, OrderingTechnique::WaitForTarget),
    (REMAPPED, OrderingTechnique::Remapped),
    (IN_PLACE, OrderingTechnique::AwaitedInPlace),
];

/// A launch to amplify on a device.
pub(super) struct DeviceAmplification<'a> {
    pub program: &'a Program,
    pub launch: &'a Launch,
    pub executor: &'a dyn Executor,
    pub settings: &'a Settings,
    pub outputs: &'a Outputs,
    pub progress: &'a Progress,
    pub judgement: Judgement,
    pub stop: Option<&'a AtomicBool>,
}

impl DeviceAmplification<'_> {
    /// Runs the launch under all selected strategies.
    pub fn explore(&self) -> Result<Vec<AmplifiedDispatch>> {
        if let Some(reason) = self.fallback_reason()? {
            return Ok(self.dispatches(|_| {
                let skipped = Some(SkipReason::Refused { reason: reason.clone() });
                (vec![StrategyRuns { skipped, ..StrategyRuns::new(PLAIN) }], Vec::new())
            }));
        }
        let Some(reference) = self.run(None)? else { return Ok(Vec::new()) };
        if let Some(failure) = reference.failure {
            return Err(failure);
        }
        let Self { program, launch, outputs, .. } = *self;
        let comparison = Comparison::new(program, launch, outputs, reference.resources);
        if comparison.differs_in_serial_order()? {
            // The test fails in the first run, and reports that itself.
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for (number, dispatch) in launch.dispatches.iter().enumerate() {
            let mut of_it = DispatchRuns { number, ..DispatchRuns::new(self, &comparison) };
            let workgroups =
                dispatch.workgroups.iter().fold(1u32, |product, &n| product.saturating_mul(n));
            of_it.strategies(workgroups)?;
            all.push((of_it.tried, of_it.findings));
        }
        let mut all = all.into_iter();
        Ok(self.dispatches(|_| all.next().unwrap_or_default()))
    }

    /// Returns the reason if the launch cannot be amplified on the device, because it falls back to the embedded
    /// executor.
    fn fallback_reason(&self) -> Result<Option<String>> {
        let watch = Watch { ignore: vec!["*".to_owned()], ..Watch::default() };
        let outcome = self.executor.run(self.program, self.launch, &watch, self.stop)?;
        if let Some(failure) = outcome.failure {
            return Err(failure);
        }
        let warnings = outcome.dispatches.iter().flat_map(|dispatched| &dispatched.warnings);
        let mut fallen = warnings.filter(|warning| matches!(warning, Warning::RanEmbedded { .. }));
        Ok(fallen.next().map(|warning| words::warning(&self.program.source, warning)))
    }

    fn run(&self, first: Option<FirstWorkgroup>) -> Result<Option<UnwatchedOutcome>> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Ok(None);
        }
        self.executor.run_unwatched(self.program, self.launch, first, self.stop)
    }

    fn dispatches(
        &self,
        mut of: impl FnMut(usize) -> (Vec<StrategyRuns>, Vec<Finding>),
    ) -> Vec<AmplifiedDispatch> {
        let dispatches = self.launch.dispatches.iter().enumerate();
        let one = |(number, dispatch): (usize, &crate::launch::Dispatch)| {
            let (tried, findings) = of(number);
            let entry = &self.program.module.entry_points[dispatch.entry];
            let (kernel, workgroups) = (entry.name.clone(), dispatch.workgroups);
            AmplifiedDispatch { kernel, workgroups, strategies: tried, findings }
        };
        dispatches.map(one).collect()
    }
}

/// The runs of one dispatch.
struct DispatchRuns<'a> {
    on: &'a DeviceAmplification<'a>,
    comparison: &'a Comparison<'a>,
    number: usize,
    known: BTreeSet<String>,
    tried: Vec<StrategyRuns>,
    findings: Vec<Finding>,
}

impl<'a> DispatchRuns<'a> {
    fn new(on: &'a DeviceAmplification<'a>, comparison: &'a Comparison<'a>) -> Self {
        let (number, known, tried, findings) = Default::default();
        Self { on, comparison, number, known, tried, findings }
    }

    fn strategies(&mut self, workgroups: u32) -> Result<()> {
        let Settings { runs, seed, replay, .. } = self.on.settings;
        if let Some(replay) = replay {
            let target = match &replay.order {
                Order::Schedule(schedule) => schedule.target(),
                Order::Interleaving(_) => None,
            };
            let target = target.and_then(|target| u32::try_from(target).ok());
            if replay.dispatch != self.number {
                return Ok(());
            }
            let Some(target) = target else {
                let error = Diagnostic::new(format!("a device cannot run in the order {replay}"));
                return Err(Box::new(
                    error.help("give target-first:W, or run on the embedded executor"),
                ));
            };
            return self.runs(
                "replay",
                OrderingTechnique::WaitForTarget,
                (0..*runs).map(|_| Some(target)),
            );
        }
        let asks = |name: &str| self.on.settings.asks_for_name(name);
        // A run is one of the whole launch, so this is done for the first dispatch only.
        if asks(PLAIN) && self.number == 0 {
            self.runs(PLAIN, OrderingTechnique::WaitForTarget, (0..*runs).map(|_| None))?;
        }
        for (name, means) in TARGETED {
            if !asks(name) {
                continue;
            }
            if workgroups <= 1 {
                let skipped = Some(SkipReason::OneWorkgroup);
                self.tried.push(StrategyRuns { skipped, ..StrategyRuns::new(name) });
                continue;
            }
            let targets = draw_targets(workgroups, *runs, *seed);
            self.runs(
                name,
                means,
                (0..*runs as usize).map(|run| Some(targets[run % targets.len()])),
            )?;
        }
        Ok(())
    }

    /// Runs the launch once for each of `targets`, with that workgroup first if there is one.
    fn runs(
        &mut self,
        name: &str,
        means: OrderingTechnique,
        targets: impl Iterator<Item = Option<u32>>,
    ) -> Result<()> {
        let mut tried = StrategyRuns::new(name);
        for target in targets {
            let first = target
                .map(|target| FirstWorkgroup { means, ..FirstWorkgroup::new(self.number, target) });
            let Some(ran) = self.on.run(first)? else { break };
            tried.runs += 1;
            let StrategyRuns { runs, found, .. } = tried;
            self.on.progress.report(|| format!("{name}, {runs} runs, {found} with findings"));
            if ran.failure.is_some() {
                // The run took too long or the device was lost; which one is not known.
                tried.cut_off += 1;
                break;
            }
            tried.absent += u64::from(ran.waits.absent > 0);
            let all = self.comparison.differs(&ran.resources)?;
            if !all.is_empty() {
                tried.found += 1;
                tried.first.get_or_insert(tried.runs);
            }
            for differs in all {
                self.note(differs, target);
            }
        }
        self.tried.push(tried);
        Ok(())
    }

    /// Records a difference in a run with this target first, unless the variable is known to differ.
    fn note(&mut self, differs: OutputDifference, target: Option<u32>) {
        if !self.known.insert(differs.difference.variable.clone()) {
            return;
        }
        let schedule = match target {
            None => PLAIN.to_owned(),
            Some(target) => {
                let order = Order::from(Schedule::target_first(target));
                DispatchOrder { dispatch: self.number, order }.to_string()
            }
        };
        let what = FindingFacts::OutputsDiffer(differs.difference);
        let (found_by, reordered) = (None, None);
        let test = self.on.judgement;
        self.findings.push(Finding { what, schedule, found_by, reordered, test });
    }
}
