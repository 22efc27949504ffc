//! Runs the candidate launches of one entry point, smallest first.
//!
//! Guessed buffers grow until no index reaches past them: the launch is run again with longer ones, so that
//! `arrayLength` and contents are those of a device at any time. Work is bounded by a number of steps, never by a clock: the
//! same input must give the same report everywhere. A loop that exceeds the lowered limit of a guessed launch gets a
//! second, longer run before it is reported as non-terminating.
//!
//! If nothing of a launch is guessed, its schedules depend only on their seeds, and each is run whatever the others
//! found. Shards therefore divide them, and each shard also runs the default schedule. Any other launch is done
//! entirely by one shard.

use super::launch_summary::LaunchSummary;
use super::rerun::Rerun;
use super::subject::Subject;
use super::{Session, relations, uniformity};
use crate::analysis::taint::Taint;
use crate::deadline::timeout_error;
use crate::diagnostic::{Diagnostic, Result};
use crate::event::{Event, LaunchId};
use crate::exec::embedded::Embedded;
use crate::exec::{DispatchOutcome, Outcome};
use crate::facts::{Doubt, Finding, InferredInputs, Kind, LaunchFacts, Warning};
use crate::finding::certainty::InferredParts;
use crate::finding::coverage::Coverage;
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::explain::{Explanation, watched_pairs};
use crate::finding::judge::judge;
use crate::finding::progress::is_sure;
use crate::finding::trial::TrialSettings;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::launch::build::{self, Grown};
use crate::launch::candidates::{Candidate, FillStrategy, candidates, given_members};
use crate::launch::fitting::ValueChoice;
use crate::launch::spec::LaunchSpec;
use crate::launch::variation::OpenValue;
use crate::launch::{Dispatch, Launch, grid, open_values};
use crate::observe::Granule;
use crate::program::Program;
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use crate::vm::run::{BrokenClaim, NoProgress, OutOfBounds, Run};
use crate::vm::schedule::Schedule;
use naga::Handle;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use tracing::{debug, debug_span};

/// The total steps of the candidate launches of one entry point, after which no further one is tried. Up to about a
/// second.
const BUDGET: u64 = 6_000_000;

/// The step limit of the second run of a loop that may not terminate.
const EXTENDED_STEPS: u64 = 10_000_000;

/// The step limit of all subgroups together in a second run: as many as the favored subgroup takes, and some more for
/// those that it may wait for.
const SECOND_TOTAL: u64 = 4 * EXTENDED_STEPS;

/// The number of steps without a new access after which the trace of a launch that was left in a loop is considered
/// complete.
const QUIET: u64 = 2_000_000;

/// The size in bytes past which no guessed buffer grows.
const MAX_GROWN: u64 = 16 << 20;

/// The size in bytes of a guessed buffer if even `MAX_GROWN` would not be enough: such a wild index is seldom the only
/// one past the end, and the others are near.
const MAX_OUTLIER_BYTES: u32 = 1 << 20;

/// The values to which guessed sizes are reduced if larger ones lead past the end of arrays or into loops that take too
/// long.
const SMALLER: [u32; 3] = [32, 8, 2];

/// The maximum number of times that a launch runs again because a buffer had to grow.
const MAX_GROWTHS: usize = 8;

/// The results of the candidate launches of a subject.
pub(super) struct CandidateResults {
    /// The summed facts of the launches that ran.
    pub launch: Option<LaunchFacts>,
    /// Memory after the first of those launches.
    pub memory: RetainedMemory,
    /// The device failure that ended the check, if there was one.
    pub failure: Option<Box<Diagnostic>>,
}

/// Runs the candidate launches of `subject` and sums up their facts.
pub(super) fn try_all(
    subject: &Subject<'_>,
    session: &mut Session<'_>,
) -> Result<CandidateResults> {
    let Subject { program, spec, .. } = *subject;
    let _span = tracing::info_span!("entry", entry = subject.name()).entered();
    let mut candidates = candidates(program, spec, subject.entry)?;
    if session.executor.subgroup_size().is_some() {
        // A device's subgroup size cannot be chosen.
        candidates.retain(|candidate| candidate.subgroup_size.is_none());
    }
    let (unlikely, candidates): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| candidate.unlikely_values);
    let guessed = candidates.len() + unlikely.len() > 1;
    let launch_number = session.next_launch();
    // One shard does everything that is not divided.
    let is_ours = session.shard.is_none_or(|shard| shard.has_number(launch_number as u64));
    let mut divided = false;
    let plain = candidates.iter().map(|candidate| (candidate, spec.schedule));
    // Other schedules run on the first grid of several workgroups, if there is one.
    let several = &candidates[candidates.len().min(2) - 1];
    let seeds = (1..=u64::from(subject.schedules)).map(|n| spec.schedule.wrapping_add(n));
    let tries = plain.chain(seeds.map(|seed| (several, seed)));
    let of = candidates.len() + subject.schedules as usize;
    let mut sum = LaunchSummary::new(subject);
    let non_uniform = uniformity::warnings(program, subject.entry);
    non_uniform.into_iter().for_each(|warning| sum.warn(warning));
    let mut attempts = Attempts {
        subject,
        grown: Grown::new(),
        steps: 0,
        max_grown_bytes: MAX_GROWN,
        too_far: Vec::new(),
        memory: None,
    };
    let required = spec.subgroup_size.or(program.required_subgroup_size(subject.entry));
    if let (Some(has), Some(asked)) = (session.executor.subgroup_size(), required)
        && has != asked
    {
        sum.warn(Warning::SubgroupSize { has, asked });
    }
    let mut last: Option<(u64, u64)> = None;
    let mut failure = None;
    for (number, (candidate, schedule)) in tries.enumerate() {
        let run = (number + 1).saturating_sub(candidates.len()) as u64;
        if run == 1 {
            divided = !guessed && sum.is_of_given();
        }
        if run > 0 {
            match session.shard {
                Some(shard) if divided && !shard.has_number(run) => continue,
                Some(_) if !divided && !is_ours => break,
                _ => {}
            }
        }
        let invocations = invocations(program, candidate);
        if let Some((steps, ran)) = last
            && guessed
            && attempts.steps.saturating_add(steps.saturating_mul(invocations) / ran.max(1))
                > BUDGET
        {
            sum.warn(Warning::LargerNotTried { tried: number, of });
            break;
        }
        if number > 0 && session.is_stopped() {
            sum.cut_short();
            break;
        }
        let first = candidate.dispatches.first();
        let entry = first.and_then(|dispatch| program.module.entry_points.get(dispatch.entry));
        let launch = LaunchId {
            source: program.source.name(),
            entry: entry.map_or("", |entry| &entry.name),
            workgroups: first.map_or([0; 3], |dispatch| dispatch.workgroups),
            number: number + 1,
            of,
        };
        let span = debug_span!(
            "launch",
            entry = launch.entry,
            grid = grid::show(launch.workgroups),
            number = launch.number,
            of = launch.of,
            schedule
        )
        .entered();
        debug!("started");
        session.emit(&Event::LaunchStarted(launch));
        let before = attempts.steps;
        let attempt = attempts.attempt(candidate, schedule, session, sum.set_run(run, divided));
        session.emit(&Event::LaunchEnded { launch, steps: attempts.steps - before });
        drop(span);
        let attempt = match attempt {
            Ok(attempt) => attempt,
            Err(error) if error.is_of_device() => Attempt { left: false, failure: Some(error) },
            Err(error) => return Err(error),
        };
        if attempt.failure.is_some() {
            sum.cut_short();
            failure = attempt.failure;
            break;
        }
        last = Some((attempts.steps - before, invocations));
        if attempt.left && (run == 0 || !divided) {
            break;
        }
    }
    if failure.is_none() {
        attempts.explore(several, &unlikely, session, sum.set_run(0, divided))?;
    }
    if session.is_stopped() {
        sum.cut_short();
    }
    let launch = match sum.is_empty() && (failure.is_some() || session.is_stopped()) {
        true => None,
        false if !divided && !is_ours => None,
        false => {
            let part = session.shard.map(|_| launch_number);
            Some(sum.launch(part, divided)?)
        }
    };
    Ok(CandidateResults { launch, memory: attempts.memory.unwrap_or_default(), failure })
}

/// Raises the step limits of a launch, and favors one subgroup, so that a loop that does not terminate shows soon
/// however many subgroups run. A loop that only takes long terminates.
fn extend_step_limits(launch: &mut Launch) {
    launch.limits.steps = EXTENDED_STEPS;
    launch.limits.total = SECOND_TOTAL;
    if launch.schedule.is_plain() {
        launch.schedule = Schedule::favoring();
    }
}

fn invocations(program: &Program, candidate: &Candidate) -> u64 {
    let of = |dispatch: &Dispatch| {
        let entry = program.module.entry_points.get(dispatch.entry);
        let extent = entry.map_or([1; 3], |entry| grid::extent(dispatch.workgroups, entry));
        extent.iter().fold(1u64, |product, &n| product.saturating_mul(n.into()))
    };
    candidate.dispatches.iter().fold(0, |sum: u64, dispatch| sum.saturating_add(of(dispatch)))
}

/// Returns the taint of a launch: what depends on the values that were guessed for it.
pub(super) fn taint(subject: &Subject<'_>, candidate: &Candidate, launch: &Launch) -> Taint {
    let given = given_members(subject.program, subject.spec);
    let inferred_workgroups = candidate.has_inferred_grid.then(|| candidate.workgroups());
    Taint::analyze(subject.program, launch, given, inferred_workgroups)
}

/// The facts about a launch that ran.
#[derive(Clone)]
pub(super) struct JudgedLaunch {
    pub facts: LaunchFacts,
    pub coverage: Coverage,
    /// The guesses that the sites depend on which it did not cover.
    pub missed: Vec<(SiteId, InferredInputs)>,
    pub failure: Option<Box<Diagnostic>>,
}

/// Derives the facts about a launch from its outcome. Suggestions are tried if the findings of earlier launches are given.
pub(super) fn judge_launch(
    subject: &Subject<'_>,
    candidate: &Candidate,
    launch: &Launch,
    outcome: &mut Outcome,
    taint: &Taint,
    known: Option<&[Finding]>,
    session: &mut Session<'_>,
) -> Result<JudgedLaunch> {
    let Subject { program, watch, .. } = *subject;
    find_unused_reads(program, launch, outcome, session.stop);
    let rerun = Rerun::new(program, launch, session);
    relations::filter(&rerun, watch, outcome)?;
    let of_site = |site| taint.doubt(program, site);
    let bounds = |found: &OutOfBounds| taint.doubt_out_of_bounds(found);
    let claims = |broken: &BrokenClaim| taint.doubt_of_claim(broken);
    let guesses = InferredParts {
        grid: candidate.has_inferred_grid,
        taint: &of_site,
        barriers: taint.doubt_of_barriers(),
        bounds: &bounds,
        claims: &claims,
    };
    let ran = ExecutedLaunch {
        program,
        launch,
        outcome,
        device: &session.executor.device(),
        flags: &session.executor.flags(),
        inferred: &guesses,
    };
    let explains = session.explains;
    let mut explain = |dispatch: usize, granules: &[Granule]| {
        if !explains {
            return Ok(Explanation::default());
        }
        let trace = rerun.trace(dispatch, granules)?;
        let found = watched_pairs(&trace, watch, launch.subgroup_size);
        let dropped = trace.dropped + found.skipped;
        Ok(Explanation { pairs: found.pairs, log: trace.events, dropped })
    };
    let overrides = subject.overrides();
    let stop = session.stop;
    let trials = known.map(|known| TrialSettings { watch, stop, known, overrides: &overrides });
    let mut facts = judge(&ran, &mut explain, trials.filter(|_| explains))?;
    subject.exclude(launch, &mut facts);
    let coverage = Coverage::of(program, launch, outcome);
    let missed = coverage.missed().filter_map(|site| Some((site, taint.inferred_inputs(site)?)));
    let missed = missed.collect();
    Ok(JudgedLaunch {
        facts,
        coverage,
        missed,
        failure: outcome.failure.take().or(rerun.failure()),
    })
}

/// Marks the reads out of bounds of a launch whose values are not used. If that cannot be determined, all count as used.
fn find_unused_reads(
    program: &Program,
    launch: &Launch,
    outcome: &mut Outcome,
    stop: Option<&AtomicBool>,
) {
    // Memory of functions has no sites.
    let may_read = |found: &OutOfBounds| {
        let access = program.sites.access(found.site);
        access.is_none_or(|access| access.action == Action::Read)
    };
    let mut found = outcome.dispatches.iter().flat_map(|d| &d.run.out_of_bounds);
    if !found.any(may_read) {
        return;
    }
    let _span = tracing::info_span!("unused reads").entered();
    if let Err(error) = Embedded::find_unused_reads(program, launch, outcome, stop) {
        debug!("the values of reads out of bounds were not followed: {error}");
    }
}

/// Memory after the first launch, and after the same launch under other schedules.
#[derive(Debug, Default)]
pub struct RetainedMemory {
    dispatches: Vec<Dispatch>,
    pub resources: Resources,
    pub kept: BTreeMap<usize, Resources>,
    pub schedules: BTreeMap<u64, Resources>,
}

/// The state that is kept from one candidate launch to the next.
pub(super) struct Attempts<'a> {
    pub subject: &'a Subject<'a>,
    pub grown: Grown,
    pub steps: u64,
    /// The size in bytes past which no guessed buffer grows.
    pub max_grown_bytes: u64,
    /// Warnings about indices that are too large for a buffer to grow to.
    pub too_far: Vec<Warning>,
    /// Memory after the first launch.
    memory: Option<RetainedMemory>,
}

/// A launch that ran.
struct CandidateRun {
    launch: Launch,
    outcome: Outcome,
    taint: Taint,
    /// Warnings about indices that are too large for a buffer to grow to.
    too_far: Vec<Warning>,
}

impl CandidateRun {
    /// Returns where the launch made no progress, if it did not.
    fn stuck(&self) -> Option<&NoProgress> {
        self.outcome.dispatches.iter().find_map(|d| d.run.no_progress.as_ref())
    }

    /// Returns whether guesses led past the end of memory, or into a loop that takes too long.
    fn has_implausible_values(&self, program: &Program) -> bool {
        let outside = self.outcome.dispatches.iter().flat_map(|d| &d.run.out_of_bounds);
        let by_guess = |found: &OutOfBounds| {
            let doubt = self.taint.doubt_out_of_bounds(found);
            matches!(doubt, Some(Doubt::Index(on) | Doubt::Control(on)) if !on.contents.is_empty())
        };
        !self.too_far.is_empty()
            || self.stuck().is_some_and(|found| {
                self.taint.may_be_endless(found.stuck.1) && !is_sure(program, found)
            })
            || outside.into_iter().any(by_guess)
    }
}

/// The outcome of one attempt.
struct Attempt {
    /// Whether the launch was ended early: it made no progress, or took too many steps.
    left: bool,
    /// The device failure, if there was one. What was done before it is in the sum.
    failure: Option<Box<Diagnostic>>,
}

impl Attempts<'_> {
    /// Runs one launch and adds its facts to `sum`.
    fn attempt(
        &mut self,
        candidate: &Candidate,
        schedule: u64,
        session: &mut Session<'_>,
        sum: &mut LaunchSummary<'_>,
    ) -> Result<Attempt> {
        let program = self.subject.program;
        let spec = LaunchSpec { schedule, ..self.subject.spec.clone() };
        let grown = self.grown.clone();
        let Some(mut ran) = self.run_extended(&spec, candidate, session)? else {
            return Ok(Attempt { left: true, failure: None });
        };
        let mut fitting = candidate.clone();
        let mut wild = None;
        let mut others = self.smaller_candidates(candidate).into_iter();
        while ran.has_implausible_values(program)
            && self.steps <= BUDGET
            && let Some(tamer) = others.next()
        {
            let grown = std::mem::replace(&mut self.grown, grown.clone());
            match self.run_extended(&spec, &tamer, session)? {
                Some(fits) if !fits.has_implausible_values(program) => {
                    wild = Some(std::mem::replace(&mut ran, fits));
                    fitting = tamer;
                }
                _ => self.grown = grown,
            }
        }
        if let Some(wild) = wild.filter(|wild| wild.stuck().is_some()) {
            self.add_findings_before_limit(wild, candidate, session, sum)?;
        }
        let candidate = &fitting;
        let CandidateRun { mut launch, mut outcome, taint, mut too_far, .. } = ran;
        let left = |run: &Run| run.no_progress.is_some() || run.reached_total_limit;
        let left = outcome.dispatches.iter().any(|dispatched| left(&dispatched.run));
        session.ran(program, &launch)?;
        if left {
            launch.limits.quiet = Some(QUIET);
        }
        let known = Some(sum.findings());
        let JudgedLaunch { mut facts, coverage, missed, failure } =
            judge_launch(self.subject, candidate, &launch, &mut outcome, &taint, known, session)?;
        facts.warnings.append(&mut too_far);
        // A loop that does not terminate only because of a guess says nothing about other guesses.
        let is_excused =
            !facts.stats.cut_short && facts.findings.iter().all(|f| f.kind() != Kind::NoProgress);
        let left = left && !is_excused;
        sum.add_missed(missed.into_iter());
        sum.add(facts, coverage, candidate);
        if session.keeps_memory {
            match &mut self.memory {
                None => {
                    let Outcome { resources, kept, .. } = outcome;
                    let (dispatches, schedules) = (launch.dispatches, BTreeMap::new());
                    self.memory = Some(RetainedMemory { dispatches, resources, kept, schedules });
                }
                Some(left) if schedule != self.subject.spec.schedule => {
                    if left.dispatches == launch.dispatches {
                        left.schedules.insert(schedule, outcome.resources);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(Attempt { left, failure })
    }

    /// Adds the races and divergent barriers that a launch had before it was ended in a loop. It says nothing else about other
    /// launches.
    fn add_findings_before_limit(
        &self,
        ran: CandidateRun,
        candidate: &Candidate,
        session: &mut Session<'_>,
        sum: &mut LaunchSummary<'_>,
    ) -> Result<()> {
        let CandidateRun { mut launch, mut outcome, taint, .. } = ran;
        let has_found = |dispatched: &DispatchOutcome| {
            !dispatched.racy.is_empty() || !dispatched.run.divergences.is_empty()
        };
        if !outcome.dispatches.iter().any(has_found) {
            return Ok(());
        }
        launch.limits.quiet = Some(QUIET);
        let known = Some(sum.findings());
        let JudgedLaunch { mut facts, .. } =
            judge_launch(self.subject, candidate, &launch, &mut outcome, &taint, known, session)?;
        let is_kept = |kind| matches!(kind, Kind::DataRace | Kind::BarrierDivergence);
        facts.findings.retain(|finding| is_kept(finding.kind()));
        if !facts.findings.is_empty() {
            facts.warnings.clear();
            facts.stats.cut_short = false;
            sum.add(facts, Coverage::default(), candidate);
        }
        Ok(())
    }

    /// Runs the launch of `candidate`, and again with higher limits if a loop may not terminate. Returns `None` if the
    /// session was stopped before the launch began.
    fn run_extended(
        &mut self,
        spec: &LaunchSpec,
        candidate: &Candidate,
        session: &mut Session<'_>,
    ) -> Result<Option<CandidateRun>> {
        let Some((launch, outcome)) = self.run(spec, candidate, session, &|_| ())? else {
            return Ok(None);
        };
        let taint = taint(self.subject, candidate, &launch);
        let too_far = std::mem::take(&mut self.too_far);
        let done = CandidateRun { launch, outcome, taint, too_far };
        let is_long = match done.stuck() {
            Some(found) => !done.taint.may_be_endless(found.stuck.1),
            None => {
                done.outcome.dispatches.iter().any(|dispatched| dispatched.run.reached_total_limit)
            }
        };
        if !is_long
            || spec.step_limit.is_some()
            || done.launch.limits.steps >= EXTENDED_STEPS
            || done.outcome.failure.is_some()
        {
            return Ok(Some(done));
        }
        let second = self.run(spec, candidate, session, &extend_step_limits)?;
        let mut too_far = done.too_far;
        too_far.append(&mut self.too_far);
        Ok(second.map(|(launch, outcome)| CandidateRun { launch, outcome, too_far, ..done }))
    }

    /// Returns replacements for a candidate that leads to behavior that no host's values would cause: candidates with
    /// smaller numbers, with small contents, and with zeros.
    fn smaller_candidates(&self, candidate: &Candidate) -> Vec<Candidate> {
        let Subject { program, spec, .. } = *self.subject;
        let open = open_values::open_values(program, spec, candidate);
        let has_numbers = open.iter().any(|open| matches!(open, OpenValue::Number(_)));
        let has_contents = open.iter().any(|open| matches!(open, OpenValue::Contents(_)));
        let sizes = if has_numbers { &SMALLER[..] } else { &[] };
        let smaller = sizes.iter().map(|&most| {
            let values = ValueChoice { most: Some(most), ..candidate.values };
            Candidate { values, ..candidate.clone() }
        });
        let is_random = has_contents && candidate.filling == FillStrategy::Random;
        let fillings = if is_random { &[FillStrategy::Few, FillStrategy::Zeros][..] } else { &[] };
        let tame = fillings.iter().map(|&filling| Candidate { filling, ..candidate.clone() });
        smaller.chain(tame).collect()
    }

    /// Runs the launch of `candidate` after `change` was applied to it, and again with longer buffers while it reaches
    /// past guessed ones. Returns `None` if the session was stopped before the launch began.
    pub fn run(
        &mut self,
        spec: &LaunchSpec,
        candidate: &Candidate,
        session: &mut Session<'_>,
        change: &dyn Fn(&mut Launch),
    ) -> Result<Option<(Launch, Outcome)>> {
        let Subject { program, watch, .. } = *self.subject;
        let mut growths = 0;
        loop {
            let deadline = session.deadline(spec.timeout);
            let mut launch = build::launch_within(program, spec, candidate, &self.grown, deadline)?;
            if deadline.is_stopped() {
                return Ok(None);
            }
            if let Some(timeout) = deadline.elapsed_timeout() {
                let error = timeout_error("the set-up of a launch", timeout);
                let help = "raise --timeout, or give smaller buffers";
                return Err(Box::new(error.help(help)));
            }
            change(&mut launch);
            if let Some(size) = session.executor.subgroup_size() {
                launch.subgroup_size = size;
            }
            session.arrange(program, &mut launch);
            let span = tracing::info_span!("detect", phase = 1).entered();
            let outcome = session.executor.run(program, &launch, watch, session.stop)?;
            drop(span);
            self.steps += outcome.dispatches.iter().map(|d| d.run.steps).sum::<u64>();
            let grew = self.grow(&launch, &outcome);
            let failed = outcome.failure.is_some();
            if failed
                || !grew
                || growths == MAX_GROWTHS
                || self.steps > BUDGET
                || session.is_stopped()
            {
                return Ok(Some((launch, outcome)));
            }
            growths += 1;
        }
    }

    /// Grows guessed buffers to what `outcome` wanted. Returns whether a buffer grew.
    fn grow(&mut self, launch: &Launch, outcome: &Outcome) -> bool {
        let mut grew = false;
        for &(memory, wanted) in outcome.dispatches.iter().flat_map(|d| &d.run.wanted_lengths) {
            let length = launch.resources.buffer(memory).map_or(0, |buffer| buffer.len());
            let bytes = match u32::try_from(wanted.next_power_of_two()) {
                Ok(bytes) if u64::from(bytes) <= self.max_grown_bytes => bytes,
                _ if self.max_grown_bytes < MAX_GROWN => {
                    self.note_too_far(memory);
                    continue;
                }
                _ => {
                    self.note_too_far(memory);
                    MAX_OUTLIER_BYTES
                }
            };
            if bytes > length {
                debug!(variable = self.name(memory), bytes, "a guessed buffer grows");
                self.grown.insert(memory, bytes);
                grew = true;
            }
        }
        grew
    }

    /// Records that an index is too large for a buffer to grow to.
    fn note_too_far(&mut self, memory: MemoryId) {
        let warning = Warning::IndexedTooFar { variable: self.name(memory), most: MAX_GROWN };
        if !self.too_far.contains(&warning) {
            self.too_far.push(warning);
        }
    }

    fn name(&self, memory: MemoryId) -> String {
        let globals = &self.subject.program.module.global_variables;
        let found =
            globals.iter().find(|(handle, _): &(Handle<_>, _)| handle.index() == memory.0 as usize);
        found.and_then(|(_, variable)| variable.name.clone()).unwrap_or_default()
    }
}
