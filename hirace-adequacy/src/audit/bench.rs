//! Launches of a kernel and of mutants of it, judged as `hirace mutate` judges them: each program is made once.

use super::left::{Left, left};
use super::search::draft::Draft;
use super::search::kernel::{Kernel, Patience};
use crate::mutate::launches::{certain, written_by};
use crate::mutate::source::{Candidate, Source};
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::source::of_program;
use hirace_core::check::{Checked, Options, Session};
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::program::Program;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Under how many schedules a launch is run whose outcome may hang on them, while launches are looked for.
const FEW: u64 = 4;

/// Steps that a mutant may take at least.
const LEAST_STEPS: u64 = 100_000;

/// How long a launch of the source may take: what takes longer is no test to propose.
const LONGEST: Duration = Duration::from_secs(10);

/// What is known of the source under a launch.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Whether it can be a test: it ends, and in time.
    pub runs: bool,
    /// The rules of what is found on it.
    pub rules: BTreeSet<String>,
    /// Buffers that hang on the schedule.
    pub unsteady: Vec<String>,
    /// Those that do not, of what it may write.
    pub outputs: Vec<String>,
    /// Whether no schedule changes anything.
    steady: bool,
    /// The most steps of a dispatch.
    steps: u64,
    /// What it leaves under the plain schedule.
    memory: Option<FinalMemory>,
}

impl Judged {
    /// Whether it runs to its end, and nothing is found on it.
    pub fn is_clean(&self) -> bool {
        self.runs && self.rules.is_empty()
    }

    /// What it leaves in these buffers.
    pub fn left(&self, names: &[String]) -> Vec<Left> {
        self.memory.as_ref().map(|memory| left(memory, names)).unwrap_or_default()
    }
}

/// A mutant, under values of overrides.
type Of = (String, String);

/// Runs launches on a kernel and on mutants of it.
pub struct Bench<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// How far launches are followed that are only looked at for what they reach.
    pub patience: Patience,
    /// Set by somebody else to stop.
    pub stop: Option<&'a AtomicBool>,
    source: &'a Source,
    /// Under how many schedules launches are run whose outcome may hang on them.
    schedules: u64,
    attempts: usize,
    judged: BTreeMap<String, Arc<Judged>>,
    /// Nothing, where a mutant has no program any more.
    mutants: BTreeMap<Of, Option<Arc<Program>>>,
}

impl<'a> Bench<'a> {
    /// A bench on which nothing ran.
    pub fn new(
        kernel: &'a Kernel,
        source: &'a Source,
        patience: Patience,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let (judged, mutants) = Default::default();
        Self { kernel, patience, stop, source, schedules: FEW, attempts: 0, judged, mutants }
    }

    /// From now on there are this many, by which mutants are judged that tests run on: what is found is to hold there.
    pub fn be_thorough(&mut self, schedules: u32) {
        self.schedules = u64::from(schedules).max(FEW);
        self.judged.retain(|_, judged| judged.steady);
    }

    /// How many times a mutant was run.
    pub fn attempts(&self) -> usize {
        self.attempts
    }

    /// How many launches were run.
    pub fn launches(&self) -> usize {
        self.judged.len()
    }

    /// Whether somebody wants it to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether a launch runs to its end, and nothing is found on it.
    pub fn is_clean(&mut self, draft: &Draft) -> bool {
        self.judge(draft).is_clean()
    }

    /// What the source does under a launch.
    pub fn judge(&mut self, draft: &Draft) -> Arc<Judged> {
        let key = format!("{draft:?}");
        if let Some(known) = self.judged.get(&key) {
            return known.clone();
        }
        let judged = Arc::new(self.judge_now(draft).unwrap_or_default());
        self.judged.insert(key, judged.clone());
        judged
    }

    fn judge_now(&self, draft: &Draft) -> Option<Judged> {
        let program = self.kernel.program(&draft.overrides)?;
        let run = |schedule| self.checked(&program, draft, schedule, None);
        let first = run(0)?;
        let memory = first.memories.first()?;
        let mut judged = Judged {
            runs: first.failures.is_empty() && first.ended(),
            rules: rules(&first),
            steady: first.is_steady(),
            steps: first.steps(),
            outputs: written_by(memory),
            memory: Some(memory.clone()),
            ..Judged::default()
        };
        if !judged.steady && judged.is_clean() {
            for schedule in 1..self.schedules {
                let other = run(schedule)?;
                judged.runs &= other.failures.is_empty() && other.ended();
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

    /// What comes of a launch of a program.
    fn checked(
        &self,
        program: &Arc<Program>,
        draft: &Draft,
        schedule: u64,
        steps: Option<u64>,
    ) -> Option<Checked> {
        let mut spec = LaunchSpec { timeout: Some(LONGEST), ..draft.spec().ok()? };
        // The program has them.
        spec.overrides.clear();
        spec.give(schedule, steps);
        let kernels = vec![self.kernel.entry.clone()];
        let options = Options { kernels, launches: vec![spec], ..Options::default() };
        let mut session = Session::new(&Embedded).with_stop(self.stop).without_explanation();
        of_program(program, &options, &mut session).ok()
    }

    /// Which of these mutants a test would notice that launches this and looks at what it leaves.
    pub fn kills(&mut self, draft: &Draft, alive: &[&Candidate]) -> BTreeSet<String> {
        let judged = self.judge(draft);
        let Some(memory) = judged.memory.as_ref().filter(|_| judged.is_clean()) else {
            return BTreeSet::new();
        };
        self.make(draft, alive);
        self.attempts += alive.len();
        let steps = judged.steps.saturating_mul(10).saturating_add(LEAST_STEPS);
        // Also a mutant of what no schedule changes may hang on one.
        let fails_always = |program: &Arc<Program>| {
            for schedule in 0..self.schedules {
                let Some(checked) = self.checked(program, draft, schedule, Some(steps)) else {
                    // It cannot be launched so.
                    return true;
                };
                let after = checked.memories.first();
                let differs =
                    |name: &String| after.is_none_or(|after| differs(memory, after, name));
                let fails = !checked.ended()
                    || checked.launches.iter().any(|launch| !certain(launch).is_empty())
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

    /// Makes the programs of mutants that are not made yet.
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

/// Whether a buffer or texture does not hold the same.
fn differs(before: &FinalMemory, after: &FinalMemory, name: &str) -> bool {
    before.contents(name).ok() != after.contents(name).ok()
}

fn rules(checked: &Checked) -> BTreeSet<String> {
    let findings = checked.launches.iter().flat_map(|launch| &launch.findings);
    findings.map(|finding| finding.kind().code().to_owned()).collect()
}
