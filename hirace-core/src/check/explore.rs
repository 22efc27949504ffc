//! Searches for launches that reach sites which the most likely launches did not reach, by varying the values that were
//! guessed.
//!
//! The search mutates launches: each new launch is one that reached more than those before it, with a few values
//! changed. A launch that indexes past the end of memory or does not terminate because of guessed values is not one
//! that a host would make: it counts neither for coverage nor for findings. A launch with a finding that depends on
//! guesses counts only if no other launch reaches the site. A launch in which few invocations reach a site counts only
//! if not even such a launch reaches it. All other launches count like any launch. The first of the unlikely
//! candidates, in which unconstrained numbers are 0 or 1, are also searched for loops that they keep from terminating.
//!
//! If no conditions were found under which an entry point is safe, the search also looks for a race. Whether a launch has it may
//! depend on contents.

use super::Session;
use super::candidates::{Attempts, JudgedLaunch, judge_launch, taint};
use super::launch_summary::{LaunchSummary, has_race};
use super::subject::Subject;
use crate::diagnostic::Result;
use crate::exec::Outcome;
use crate::facts::{Certainty, Finding, Kind, LaunchFacts, Warning};
use crate::finding::coverage::Coverage;
use crate::finding::progress::is_sure;
use crate::ir::sites::SiteId;
use crate::launch::candidates::Candidate;
use crate::launch::fitting::ValueChoice;
use crate::launch::measures::Ids;
use crate::launch::variation::OpenValue;
use crate::launch::{Launch, grid, open_values};
use crate::program::Program;
use crate::random::Random;
use crate::vm::memory::Resource;
use crate::vm::run::Run;
use std::collections::BTreeSet;
use tracing::debug;

/// Total steps of all launches of a search: about a second.
const BUDGET: u64 = 24_000_000;

/// The maximum number of launches in a search.
const MAX_LAUNCHES: usize = 1600;

/// The maximum number of launches in which a race is looked for.
const MAX_LAUNCHES_FOR_RACE: usize = 128;

/// A search ends after this number of launches in a row that reach nothing new.
const STALLED: usize = 640;

/// One of this many launches takes its sizes from another grid, limited in each dimension to one of `SIZES`.
const RESIZED: u32 = 8;
const SIZES: [Option<u32>; 5] = [None, Some(16), Some(4), Some(2), Some(1)];

/// A launch shows what an access does if at least one in this many invocations runs it.
const PART: u64 = 8;

/// The maximum number of steps of a subgroup, and of all subgroups together.
const STEPS: u64 = 400_000;
const TOTAL: u64 = 1_500_000;

/// The number of buffer bytes that take as long to fill as one step takes.
const BYTES_A_STEP: u64 = 8;

/// The size in bytes past which guessed buffers do not grow in a search, because filling them takes long.
const MAX_GROWN: u64 = 1 << 20;

/// The sites that invocations ran, with whether at least two invocations ran them.
type ReachedSites = BTreeSet<(usize, bool)>;

impl Attempts<'_> {
    /// Searches for variations of `candidate` in which sites run that have not run yet, starting with those in
    /// `unlikely`.
    pub(super) fn explore(
        &mut self,
        candidate: &Candidate,
        unlikely: &[Candidate],
        session: &mut Session<'_>,
        sum: &mut LaunchSummary<'_>,
    ) -> Result<()> {
        let Subject { program, spec, .. } = *self.subject;
        // A device counts no steps, so a search could not be bounded.
        if session.executor.subgroup_size().is_some() || !session.searches() {
            return Ok(());
        }
        let open = open_values::open_values(program, spec, candidate);
        if open.is_empty() || sum.is_certain() {
            return Ok(());
        }
        let is_contents = |open: &&OpenValue| matches!(open, OpenValue::Contents(_));
        let contents: Vec<OpenValue> = open.iter().filter(is_contents).copied().collect();
        let mut random = Random::new(spec.seed);
        let mut reached = ReachedSites::new();
        let mut parents = vec![candidate.clone()];
        let (mut spent, mut left, mut stalled) = (0, Vec::new(), 0);
        let mut grown = self.grown.clone();
        grown.retain(|_, bytes| u64::from(*bytes) <= MAX_GROWN);
        let grown_before = std::mem::replace(&mut self.grown, grown.clone());
        let most_before = std::mem::replace(&mut self.max_grown_bytes, MAX_GROWN);
        for tried in 0..MAX_LAUNCHES {
            let is_due = (1..=unlikely.len()).contains(&tried);
            let seeks_race = self.subject.may_race()
                && !contents.is_empty()
                && tried <= MAX_LAUNCHES_FOR_RACE
                && !sum.is_certain()
                && !sum.has_race();
            if !sum.is_open() && !is_due && !seeks_race {
                if tried == 0 {
                    continue;
                }
                break;
            }
            if session.is_stopped() || spent > BUDGET || stalled > STALLED {
                break;
            }
            let candidate = match tried.checked_sub(1 + unlikely.len()) {
                Some(_) => {
                    let parent = &parents[chosen(&mut random, parents.len())];
                    // The values that sites are known to depend on are not the only ones that decide whether they are
                    // reached.
                    let before = &parent.variation;
                    let variation = match (random.below(4u32), sum.is_open()) {
                        (0, true) => before.changed(&open, &mut random),
                        (_, true) => {
                            before.changed(&relevant_inputs(program, sum, &open), &mut random)
                        }
                        // A race is looked for. What numbers of the host decide, the contract says.
                        (0, false) => before.with_largest(&contents, &mut random),
                        (_, false) => before.changed(&contents, &mut random),
                    };
                    let most = match random.below(RESIZED) {
                        0 if sum.is_open() => SIZES[random.below(SIZES.len())],
                        _ => parent.values.most,
                    };
                    let values = ValueChoice { most, ..parent.values };
                    Candidate { variation, values, ..parent.clone() }
                }
                // The first iteration only records what the candidate itself reaches.
                None => tried.checked_sub(1).map_or(candidate, |nth| &unlikely[nth]).clone(),
            };
            self.grown.clone_from(&grown);
            let before = self.steps;
            // Ignored: the variation has a value that its type does not allow.
            let Ok(Some((launch, mut outcome))) = self.run(spec, &candidate, session, &short)
            else {
                spent += self.steps - before;
                continue;
            };
            spent += self.steps - before + bytes(&launch) / BYTES_A_STEP;
            let is_wild = self.too_far.drain(..).count() > 0;
            if is_due
                && let Some(judged) = self.endless(&candidate, &launch, &mut outcome, session)?
            {
                add(sum, &candidate, judged);
            }
            stalled += 1;
            if reaches_more(&mut reached, &outcome) {
                stalled = 0;
                if !candidate.variation.is_none() {
                    parents.push(candidate.clone());
                }
            }
            let coverage = Coverage::of(program, &launch, &outcome);
            if tried == 0 || is_wild {
                continue;
            }
            // Unlikely numbers are none that a host is known to give.
            let may_have_race = seeks_race
                && !is_due
                && outcome.dispatches.iter().any(|dispatched| !dispatched.racy.is_empty());
            let gains = sum.gains(&coverage);
            if !may_have_race && !gains {
                continue;
            }
            let dense =
                coverage.clone().restricted_to(|site| is_dense(program, &launch, &outcome, site));
            let known = sum.findings();
            let Some(judged) = self.judged(&candidate, &launch, outcome, known, session)? else {
                continue;
            };
            if may_have_race && has_race(&judged.facts) {
                add(sum, &candidate, judged);
                continue;
            }
            if !gains {
                continue;
            }
            let rank = match (sum.gains(&dense), judged.facts.errors().next().is_none()) {
                (true, true) => {
                    add(sum, &candidate, JudgedLaunch { coverage: dense, ..judged.clone() });
                    2
                }
                (true, false) => 0,
                (false, true) => 1,
                (false, false) => 3,
            };
            left.push((rank, candidate, judged));
        }
        left.sort_by_key(|(rank, ..)| *rank);
        for (_, candidate, judged) in left {
            let is_certain = |finding: &Finding| finding.certainty() == Certainty::Certain;
            if sum.gains(&judged.coverage) || judged.facts.errors().any(is_certain) {
                add(sum, &candidate, judged);
            }
        }
        self.grown = grown_before;
        self.max_grown_bytes = most_before;
        Ok(())
    }

    /// Judges a launch that certainly does not terminate. Keeps only the findings that say so, and no coverage. Returns
    /// `None` if the launch terminates or was merely cut short.
    fn endless(
        &self,
        candidate: &Candidate,
        launch: &Launch,
        outcome: &mut Outcome,
        session: &mut Session<'_>,
    ) -> Result<Option<JudgedLaunch>> {
        let mut stuck = outcome.dispatches.iter().filter_map(|d| d.run.no_progress.as_ref());
        let program = self.subject.program;
        if !stuck.any(|found| is_sure(program, found)) {
            return Ok(None);
        }
        let taint = taint(self.subject, candidate, launch);
        let mut judged =
            judge_launch(self.subject, candidate, launch, outcome, &taint, None, session)?;
        judged.facts.findings.retain(|finding| finding.kind() == Kind::NoProgress);
        judged.coverage = Coverage::default();
        Ok(Some(judged))
    }

    /// Judges a launch. Returns `None` if no host would make it.
    fn judged(
        &self,
        candidate: &Candidate,
        launch: &Launch,
        mut outcome: Outcome,
        known: &[Finding],
        session: &mut Session<'_>,
    ) -> Result<Option<JudgedLaunch>> {
        let left = |run: &Run| run.no_progress.is_some() || run.reached_total_limit;
        if outcome.dispatches.iter().any(|dispatched| left(&dispatched.run)) {
            return Ok(None);
        }
        let taint = taint(self.subject, candidate, launch);
        let judged = judge_launch(
            self.subject,
            candidate,
            launch,
            &mut outcome,
            &taint,
            Some(known),
            session,
        )?;
        Ok(is_sound(&judged.facts).then_some(judged))
    }
}

fn add(sum: &mut LaunchSummary<'_>, candidate: &Candidate, judged: JudgedLaunch) {
    debug!("a launch with other values reaches more sites");
    sum.add_missed(judged.missed.into_iter());
    sum.add(judged.facts, judged.coverage, candidate);
}

/// Returns whether enough invocations ran an access that neighbors are among them: one in `PART`, unless the kernel's
/// text restricts it to certain ids.
fn is_dense(program: &Program, launch: &Launch, outcome: &Outcome, site: SiteId) -> bool {
    let pinned = launch.pins.get(&site).is_some_and(|ids| *ids != Ids::NONE);
    let mut dispatches = launch.dispatches.iter().zip(&outcome.dispatches);
    pinned
        || dispatches.any(|(dispatch, dispatched)| {
            let executed = dispatched.run.executed.get(site.0 as usize);
            let entry = program.module.entry_points.get(dispatch.entry);
            let extent = entry.map_or([1; 3], |entry| grid::extent(dispatch.workgroups, entry));
            let all = extent.iter().map(|&n| u64::from(n)).product::<u64>();
            executed.is_some_and(|executed| executed.count.saturating_mul(PART) >= all)
        })
}

/// Lowers the step limits of a launch.
fn short(launch: &mut Launch) {
    launch.limits.steps = launch.limits.steps.min(STEPS);
    launch.limits.total = launch.limits.total.min(TOTAL);
}

/// Returns the number of bytes that are bound.
fn bytes(launch: &Launch) -> u64 {
    let of = |resource: &Resource| match resource {
        Resource::Buffer(buffer) => buffer.len().into(),
        Resource::Texture(texture) => texture.texels.len().into(),
        Resource::Sampler(_) => 0,
    };
    launch.resources.by_global.iter().flatten().map(of).sum()
}

/// Returns the members of `open` that the missing sites depend on; all of them if that is not known.
fn relevant_inputs(
    program: &Program,
    sum: &LaunchSummary<'_>,
    open: &[OpenValue],
) -> Vec<OpenValue> {
    let questions = sum.open_questions();
    let is_asked = |open: &&OpenValue| {
        let variable = &program.module.global_variables[open.variable()];
        variable.name.as_deref().is_some_and(|name| questions.contains(name))
    };
    let asked: Vec<OpenValue> = open.iter().filter(is_asked).copied().collect();
    if asked.is_empty() { open.to_vec() } else { asked }
}

/// Chooses the index of the launch to vary: with probability 1/2 the latest one, otherwise any.
fn chosen(random: &mut Random, launches: usize) -> usize {
    match random.below(2u32) {
        0 => launches - 1,
        _ => random.below(launches),
    }
}

/// Returns whether nothing indicates that guesses led to behavior that no host's values would cause.
fn is_sound(facts: &LaunchFacts) -> bool {
    let is_wild = |finding: &Finding| {
        finding.kind() == Kind::OutOfBounds && finding.certainty() == Certainty::Possible
    };
    !facts.errors().any(is_wild)
        && !facts
            .warnings
            .iter()
            .any(|warning: &Warning| warning.is_from_guess() || warning.leaves_unchecked())
}

/// Returns whether a site ran that had not run before, and records it.
fn reaches_more(reached: &mut ReachedSites, outcome: &Outcome) -> bool {
    let before = reached.len();
    for dispatched in &outcome.dispatches {
        let executed = dispatched.run.executed.iter().enumerate();
        for (site, executed) in executed.filter(|(_, executed)| executed.count > 0) {
            reached.insert((site, false));
            if executed.by_several_invocations {
                reached.insert((site, true));
            }
        }
    }
    reached.len() > before
}
