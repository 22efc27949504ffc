//! Where the launches that hosts are most likely to make left sites unrun: launches with other values of what was guessed.
//!
//! Which values take a kernel where it did not come is searched for: each launch is one that came further than those before
//! it, with a few values changed. One that leads past the end of memory, or into a loop that does not end, where that
//! hangs on guesses, is none that a host would make: it counts for nothing, neither for what ran nor for what was found.
//! One that shows something that hangs on guesses counts where no other comes, and one in which few come somewhere where
//! not even such a one does; all others count as any launch does.
//! Of the first of them, in which numbers that may be anything are 0 or 1, it is also said where they keep a loop from ending.

use super::Session;
use super::candidates::{Attempts, Judged, judged, taint};
use super::subject::Subject;
use super::sum::Sum;
use crate::diagnostic::Result;
use crate::exec::Outcome;
use crate::facts::{Certainty, Finding, Kind, LaunchFacts, Warning};
use crate::finding::coverage::Coverage;
use crate::finding::progress::is_sure;
use crate::ir::sites::SiteId;
use crate::launch::candidates::Candidate;
use crate::launch::fitting::Try;
use crate::launch::measures::Ids;
use crate::launch::variation::Open;
use crate::launch::{Launch, grid, open};
use crate::program::Program;
use crate::random::Random;
use crate::vm::memory::Resource;
use crate::vm::run::Run;
use std::collections::BTreeSet;
use tracing::debug;

/// Steps that all launches of a search may run together: about a second.
const BUDGET: u64 = 24_000_000;

/// No more launches are made than this.
const MOST: usize = 1600;

/// So many launches in a row that come no further end a search.
const STALLED: usize = 640;

/// Of so many launches one has sizes as of another grid, no larger each way than one of these.
const RESIZED: u32 = 8;
const SIZES: [Option<u32>; 5] = [None, Some(16), Some(4), Some(2), Some(1)];

/// Of how many invocations one has to run an access, for a launch to be one that shows what it does.
const PART: u64 = 8;

/// Steps that a subgroup may run, and all of them together.
const STEPS: u64 = 400_000;
const TOTAL: u64 = 1_500_000;

/// So many bytes of buffers take as long to fill as a step does.
const BYTES_A_STEP: u64 = 8;

/// Guessed buffers do not grow past this in a search: filling them takes long.
const MAX_GROWN: u64 = 1 << 20;

/// What invocations ran, and whether two did, by site.
type Reached = BTreeSet<(usize, bool)>;

impl Attempts<'_> {
    /// Looks for launches like `candidate` in which sites run that have not yet, first among those that are `unlikely`.
    pub(super) fn explore(
        &mut self,
        candidate: &Candidate,
        unlikely: &[Candidate],
        session: &mut Session<'_>,
        sum: &mut Sum<'_>,
    ) -> Result<()> {
        let Subject { program, spec, .. } = *self.subject;
        // What a device runs has no steps by which to bound a search.
        if session.executor.subgroup_size().is_some() || !session.searches() {
            return Ok(());
        }
        let open = open::open(program, spec, candidate);
        if open.is_empty() || sum.is_certain() {
            return Ok(());
        }
        let mut random = Random::new(spec.seed);
        let mut reached = Reached::new();
        let mut parents = vec![candidate.clone()];
        let (mut spent, mut left, mut stalled) = (0, Vec::new(), 0);
        let mut grown = self.grown.clone();
        grown.retain(|_, bytes| u64::from(*bytes) <= MAX_GROWN);
        let grown_before = std::mem::replace(&mut self.grown, grown.clone());
        let most_before = std::mem::replace(&mut self.most_grown, MAX_GROWN);
        for tried in 0..MOST {
            let is_due = (1..=unlikely.len()).contains(&tried);
            if !sum.is_open() && !is_due {
                if tried == 0 {
                    continue;
                }
                break;
            }
            if session.stopped() || spent > BUDGET || stalled > STALLED {
                break;
            }
            let candidate = match tried.checked_sub(1 + unlikely.len()) {
                Some(_) => {
                    let parent = &parents[chosen(&mut random, parents.len())];
                    // What sites hang on is not all that decides whether one comes there.
                    let variation = match random.below(4u32) {
                        0 => parent.variation.changed(&open, &mut random),
                        _ => parent.variation.changed(&asked(program, sum, &open), &mut random),
                    };
                    let most = match random.below(RESIZED) {
                        0 => SIZES[random.below(SIZES.len())],
                        _ => parent.values.most,
                    };
                    let values = Try { most, ..parent.values };
                    Candidate { variation, values, unlikely: true, ..parent.clone() }
                }
                // The first is only to know what has run.
                None => tried.checked_sub(1).map_or(candidate, |nth| &unlikely[nth]).clone(),
            };
            self.grown.clone_from(&grown);
            let before = self.steps;
            // What values cannot be, their types say.
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
            if comes_further(&mut reached, &outcome) {
                stalled = 0;
                if !candidate.variation.is_none() {
                    parents.push(candidate.clone());
                }
            }
            let coverage = Coverage::of(program, &launch, &outcome);
            if tried == 0 || is_wild || !sum.gains(&coverage) {
                continue;
            }
            let dense = coverage.clone().only(|site| is_dense(program, &launch, &outcome, site));
            let Some(judged) = self.judged(&candidate, &launch, outcome, session)? else {
                continue;
            };
            let rank = match (sum.gains(&dense), judged.facts.findings.is_empty()) {
                (true, true) => {
                    add(sum, &candidate, Judged { coverage: dense, ..judged.clone() });
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
            if sum.gains(&judged.coverage) || judged.facts.findings.iter().any(is_certain) {
                add(sum, &candidate, judged);
            }
        }
        self.grown = grown_before;
        self.most_grown = most_before;
        Ok(())
    }

    /// What came of a launch that never ends. It says so of its values, and nothing of anything else.
    fn endless(
        &self,
        candidate: &Candidate,
        launch: &Launch,
        outcome: &mut Outcome,
        session: &mut Session<'_>,
    ) -> Result<Option<Judged>> {
        let mut stuck = outcome.dispatches.iter().filter_map(|d| d.run.no_progress.as_ref());
        let program = self.subject.program;
        if !stuck.any(|found| is_sure(program, found)) {
            return Ok(None);
        }
        let taint = taint(program, candidate, launch);
        let mut judged = judged(self.subject, candidate, launch, outcome, &taint, session)?;
        judged.facts.findings.retain(|finding| finding.kind() == Kind::NoProgress);
        judged.coverage = Coverage::default();
        Ok(Some(judged))
    }

    /// What came of a launch, if it is one that a host may make.
    fn judged(
        &self,
        candidate: &Candidate,
        launch: &Launch,
        mut outcome: Outcome,
        session: &mut Session<'_>,
    ) -> Result<Option<Judged>> {
        let left = |run: &Run| run.no_progress.is_some() || run.spent;
        if outcome.dispatches.iter().any(|dispatched| left(&dispatched.run)) {
            return Ok(None);
        }
        let taint = taint(self.subject.program, candidate, launch);
        let judged = judged(self.subject, candidate, launch, &mut outcome, &taint, session)?;
        Ok(is_sound(&judged.facts).then_some(judged))
    }
}

fn add(sum: &mut Sum<'_>, candidate: &Candidate, judged: Judged) {
    debug!("a launch with other values comes further");
    sum.missed(judged.missed.into_iter());
    sum.add(judged.facts, judged.coverage, candidate);
}

/// Whether so many ran an access that neighbours are among them: an eighth, where not the text says that few do.
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

/// Has a launch end soon.
fn short(launch: &mut Launch) {
    launch.limits.steps = launch.limits.steps.min(STEPS);
    launch.limits.total = launch.limits.total.min(TOTAL);
}

/// How much is bound.
fn bytes(launch: &Launch) -> u64 {
    let of = |resource: &Resource| match resource {
        Resource::Buffer(buffer) => buffer.len().into(),
        Resource::Texture(texture) => texture.texels.len().into(),
        Resource::Sampler(_) => 0,
    };
    launch.resources.by_global.iter().flatten().map(of).sum()
}

/// What of `open` the missing sites hang on; all, if that is not known.
fn asked(program: &Program, sum: &Sum<'_>, open: &[Open]) -> Vec<Open> {
    let questions = sum.open_questions();
    let is_asked = |open: &&Open| {
        let variable = &program.module.global_variables[open.variable()];
        variable.name.as_deref().is_some_and(|name| questions.contains(name))
    };
    let asked: Vec<Open> = open.iter().filter(is_asked).copied().collect();
    if asked.is_empty() { open.to_vec() } else { asked }
}

/// Which of so many launches is changed: as often the one that came farthest last as any other.
fn chosen(random: &mut Random, launches: usize) -> usize {
    match random.below(2u32) {
        0 => launches - 1,
        _ => random.below(launches),
    }
}

/// Whether nothing says that guesses led where no host's values would.
fn is_sound(facts: &LaunchFacts) -> bool {
    let is_wild = |finding: &Finding| {
        finding.kind() == Kind::OutOfBounds && finding.certainty() == Certainty::Possible
    };
    !facts.findings.iter().any(is_wild)
        && !facts
            .warnings
            .iter()
            .any(|warning: &Warning| warning.is_of_a_guess() || warning.leaves_unchecked())
}

/// Whether something ran that did not in those before.
fn comes_further(reached: &mut Reached, outcome: &Outcome) -> bool {
    let before = reached.len();
    for dispatched in &outcome.dispatches {
        let executed = dispatched.run.executed.iter().enumerate();
        for (site, executed) in executed.filter(|(_, executed)| executed.count > 0) {
            reached.insert((site, false));
            if executed.by_two {
                reached.insert((site, true));
            }
        }
    }
    reached.len() > before
}
