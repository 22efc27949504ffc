//! Runs launches of a kernel and of its mutants, judged as by `hirace mutate`. Each program is built only once.

use super::outputs::{OutputContents, output_contents};
use super::search::draft::Draft;
use super::search::kernel::{Kernel, StepLimits};
use crate::mutate::launches::{certain_rules, written_by};
use crate::mutate::source::{Candidate, Source};
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::source::check_program;
use hirace_core::check::{CheckOutcome, Options, Session};
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::program::Program;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number of schedules of a launch whose outcome may depend on them, during the search.
const FEW: u64 = 4;

/// The minimum step limit of a mutant.
const MIN_STEPS: u64 = 100_000;

/// The time limit of a launch of the source. A slower launch is not proposed as a test.
const LONGEST: Duration = Duration::from_secs(10);

/// The behavior of the source under a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchBehavior {
    /// Whether it can be a test: it ends, and within the time limit.
    pub runs: bool,
    /// The rules of its findings.
    pub rules: BTreeSet<String>,
    /// Buffers that depend on the schedule.
    pub unsteady: Vec<String>,
    /// Outputs that do not depend on the schedule.
    pub outputs: Vec<String>,
    /// Whether no schedule changes anything.
    steady: bool,
    /// The largest number of steps of a dispatch.
    steps: u64,
    /// The memory after the launch under the default schedule.
    memory: Option<FinalMemory>,
}

impl LaunchBehavior {
    /// Returns whether it runs to completion without findings.
    pub fn is_clean(&self) -> bool {
        self.runs && self.rules.is_empty()
    }

    /// Returns the contents of these buffers after the launch.
    pub fn output_contents(&self, names: &[String]) -> Vec<OutputContents> {
        self.memory.as_ref().map(|memory| output_contents(memory, names)).unwrap_or_default()
    }
}

/// A mutant under override values, as a key.
type MutantKey = (String, String);

/// Runs launches on a kernel and on its mutants.
pub struct LaunchRunner<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The step limits of launches that only measure coverage.
    pub coverage_limits: StepLimits,
    /// Set by another thread to stop.
    pub stop: Option<&'a AtomicBool>,
    source: &'a Source,
    /// The number of schedules of launches whose outcome may depend on them.
    schedules: u64,
    attempts: usize,
    judged: BTreeMap<String, Arc<LaunchBehavior>>,
    /// The programs of mutants; `None` if a mutant has no program.
    mutants: BTreeMap<MutantKey, Option<Arc<Program>>>,
}

impl<'a> LaunchRunner<'a> {
    /// Creates a bench without results.
    pub fn new(
        kernel: &'a Kernel,
        source: &'a Source,
        limits: StepLimits,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let (judged, mutants) = Default::default();
        Self {
            kernel,
            coverage_limits: limits,
            stop,
            source,
            schedules: FEW,
            attempts: 0,
            judged,
            mutants,
        }
    }

    /// Raises the number of schedules to that of the mutation run, so that results hold there. Forgets results that may
    /// depend on the schedule.
    pub fn be_thorough(&mut self, schedules: u32) {
        self.schedules = u64::from(schedules).max(FEW);
        self.judged.retain(|_, judged| judged.steady);
    }

    /// Returns the number of mutant runs.
    pub fn attempts(&self) -> usize {
        self.attempts
    }

    /// Returns the number of launches that were run.
    pub fn launches(&self) -> usize {
        self.judged.len()
    }

    /// Returns whether the bench was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns whether a launch runs to completion without findings.
    pub fn is_clean(&mut self, draft: &Draft) -> bool {
        self.judge(draft).is_clean()
    }

    /// Returns the behavior of the source under a launch.
    pub fn judge(&mut self, draft: &Draft) -> Arc<LaunchBehavior> {
        let key = format!("{draft:?}");
        if let Some(known) = self.judged.get(&key) {
            return known.clone();
        }
        let judged = Arc::new(self.judge_now(draft).unwrap_or_default());
        self.judged.insert(key, judged.clone());
        judged
    }

    fn judge_now(&self, draft: &Draft) -> Option<LaunchBehavior> {
        let program = self.kernel.program(&draft.overrides)?;
        let run = |schedule| self.checked(&program, draft, schedule, None);
        let first = run(0)?;
        let memory = first.memories.first()?;
        let mut judged = LaunchBehavior {
            runs: first.failures.is_empty() && first.all_terminated(),
            rules: rules(&first),
            steady: first.is_steady(),
            steps: first.steps(),
            outputs: written_by(memory),
            memory: Some(memory.clone()),
            ..LaunchBehavior::default()
        };
        if !judged.steady && judged.is_clean() {
            for schedule in 1..self.schedules {
                let other = run(schedule)?;
                judged.runs &= other.failures.is_empty() && other.all_terminated();
                judged.rules.extend(rules(&other));
                let Some(after) = other.memories.first() else { continue };
                let differs = |name: &String| differs(memory, after, name);
                let (unsteady, outputs): (Vec<_>, Vec<_>) =
                    judged.outputs.into_iter().partition(differs);
                judged.outputs = outputs;
                judged.unsteady.extend(unsteady);
            }
        }
        Some(judged)
    }

    /// Runs a launch of a program.
    fn checked(
        &self,
        program: &Arc<Program>,
        draft: &Draft,
        schedule: u64,
        steps: Option<u64>,
    ) -> Option<CheckOutcome> {
        let mut spec = LaunchSpec { timeout: Some(LONGEST), ..draft.spec().ok()? };
        // The program already has its overrides applied.
        spec.overrides.clear();
        spec.give(schedule, steps);
        let kernels = vec![self.kernel.entry.clone()];
        let options = Options { kernels, launches: vec![spec], ..Options::default() };
        let mut session = Session::new(&Embedded).with_stop(self.stop).without_explanation();
        check_program(program, &options, &mut session).ok()
    }

    /// Returns the ids of the mutants that a test with this launch and its outputs would detect.
    pub fn kills(&mut self, draft: &Draft, alive: &[&Candidate]) -> BTreeSet<String> {
        let judged = self.judge(draft);
        let Some(memory) = judged.memory.as_ref().filter(|_| judged.is_clean()) else {
            return BTreeSet::new();
        };
        self.make(draft, alive);
        self.attempts += alive.len();
        let steps = judged.steps.saturating_mul(10).saturating_add(MIN_STEPS);
        // A mutant may depend on the schedule even if the source does not.
        let fails_always = |program: &Arc<Program>| {
            for schedule in 0..self.schedules {
                let Some(checked) = self.checked(program, draft, schedule, Some(steps)) else {
                    // The mutant cannot be launched this way.
                    return true;
                };
                let after = checked.memories.first();
                let differs =
                    |name: &String| after.is_none_or(|after| differs(memory, after, name));
                let fails = !checked.all_terminated()
                    || checked.launches.iter().any(|launch| !certain_rules(launch).is_empty())
                    || judged.outputs.iter().any(differs);
                if !fails || checked.is_steady() {
                    return fails;
                }
            }
            true
        };
        let overrides = format!("{:?}", draft.overrides);
        let is_killed = |survivor: &&&Candidate| {
            let made = self.mutants.get(&(survivor.mutant.id.clone(), overrides.clone()));
            let Some(Some(program)) = made else { return false };
            fails_always(program) && !self.is_stopped()
        };
        alive.par_iter().filter(is_killed).map(|survivor| survivor.mutant.id.clone()).collect()
    }

    /// Builds the programs of mutants that are missing.
    fn make(&mut self, draft: &Draft, alive: &[&Candidate]) {
        let overrides = format!("{:?}", draft.overrides);
        let of = |survivor: &Candidate| (survivor.mutant.id.clone(), overrides.clone());
        let open: Vec<&&Candidate> =
            alive.iter().filter(|one| !self.mutants.contains_key(&of(one))).collect();
        let make = |survivor: &&&Candidate| {
            let text = self.source.with(survivor);
            (of(survivor), self.kernel.mutant(self.source, &text, &draft.overrides))
        };
        let made: Vec<_> = open.par_iter().map(make).collect();
        self.mutants.extend(made);
    }
}

/// Returns whether the contents of a buffer or texture differ.
fn differs(before: &FinalMemory, after: &FinalMemory, name: &str) -> bool {
    before.contents(name).ok() != after.contents(name).ok()
}

fn rules(checked: &CheckOutcome) -> BTreeSet<String> {
    let findings = checked.launches.iter().flat_map(|launch| &launch.findings);
    findings.map(|finding| finding.kind().code().to_owned()).collect()
}
