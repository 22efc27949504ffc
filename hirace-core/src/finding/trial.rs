//! Tries suggestions before they are shown.
//!
//! A trial applies the change that a suggestion describes to the program, and runs the launch that showed the finding again, on
//! the embedded executor. A suggestion passes if its finding is gone and there is no new finding. The trials for a launch are bounded
//! by a number of steps and a number of changes, and do not depend on other launches. A suggestion that could not be tried is shown
//! without the remark that it was checked; one that failed is not shown.

use super::executed_launch::ExecutedLaunch;
use super::explain::{choose_words, watched_pairs};
use super::group::Group;
use super::suggest::candidate::{Candidates, Change};
use crate::exec::embedded::Embedded;
use crate::exec::{DispatchOutcome, Executor, Outcome, Watch};
use crate::facts::place::span_of;
use crate::facts::{Finding, Suggestion};
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::program::Program;
use crate::source_map::Span;
use crate::vm::observer::MemoryId;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The total steps of the trials for a launch, unless the launch takes more by itself.
const BUDGET: u64 = 400_000;

/// The maximum number of changes that are tried for a launch.
const MAX_CHANGES: usize = 16;

/// The maximum number of racy words that are traced in a trial.
const MAX_WORDS: usize = 512;

/// The settings of the trials of a launch.
#[derive(Clone, Copy)]
pub struct TrialSettings<'a> {
    /// What is watched.
    pub watch: &'a Watch,
    /// The flag that ends the check early.
    pub stop: Option<&'a AtomicBool>,
    /// The findings of earlier launches, of which the suggestions are known.
    pub known: &'a [Finding],
}

/// The key of a race: the memory and the two lines, the lower line first, as [`group`](super::group) groups races.
type RaceKey = (MemoryId, u32, u32);

/// The findings of a run that are not races.
type OtherFindings = BTreeSet<(SiteId, Span)>;

/// The trials of the changes for the findings of one launch.
pub(super) struct Trials<'a> {
    ran: &'a ExecutedLaunch<'a>,
    settings: TrialSettings<'a>,
    /// The races of the launch.
    races: BTreeSet<RaceKey>,
    others: OtherFindings,
    /// The changes that were tried, each with its result.
    tried: Vec<(Change, TrialResult)>,
    /// The steps that the trials took.
    spent: u64,
    /// The first suggestion with which the launch is clean.
    clean: Option<Suggestion>,
}

/// The result of a trial.
#[derive(Clone, Debug)]
enum TrialResult {
    /// The launch could not be run with the change within the budget.
    Untried,
    /// The launch has a finding that it did not have before, or did not complete.
    Worse,
    /// The launch has no new finding. The races are those that remain.
    Remaining { races: BTreeSet<RaceKey>, others: OtherFindings },
}

impl<'a> Trials<'a> {
    pub fn new(ran: &'a ExecutedLaunch<'a>, settings: TrialSettings<'a>, groups: &[Group]) -> Self {
        let races = groups.iter().map(|group| Self::key_of_group(ran.program, group)).collect();
        let others = others(ran.outcome, |site| site);
        Self { ran, settings, races, others, tried: Vec::new(), spent: 0, clean: None }
    }

    /// Returns whether an earlier launch has the same finding.
    pub fn is_known(&self, finding: &Finding) -> bool {
        self.settings.known.iter().any(|known| known.is_same_as(finding))
    }

    /// Returns the suggestion for a race: the first that passes its trial. If none does, returns the suggestion for that case; if
    /// they could not be tried, the one that the analysis prefers.
    pub fn choose_for_race(&mut self, group: &Group, candidates: Candidates) -> Suggestion {
        let key = Self::key_of_group(self.ran.program, group);
        self.choose(candidates, &|races, _| !races.contains(&key))
    }

    /// Returns the suggestion for a barrier that not all invocations reach, in the same way. A change with which the launch is clean
    /// is preferred, because the barrier may not be reached as the consequence of a race.
    pub fn choose_for_divergence(&mut self, site: SiteId, candidates: Candidates) -> Suggestion {
        if let Some(clean) = &self.clean {
            return clean.clone();
        }
        self.choose(candidates, &|_, others| !others.iter().any(|(at, _)| *at == site))
    }

    fn choose(
        &mut self,
        candidates: Candidates,
        is_gone: &dyn Fn(&BTreeSet<RaceKey>, &OtherFindings) -> bool,
    ) -> Suggestion {
        let mut were_tried = !candidates.list.is_empty();
        for candidate in candidates.list {
            match self.result(&candidate.change) {
                TrialResult::Untried => were_tried = false,
                TrialResult::Remaining { races, others } if is_gone(&races, &others) => {
                    let has_claims =
                        self.runs().any(|dispatched| !dispatched.run.broken_claims.is_empty());
                    let is_clean = races.is_empty() && others.is_empty() && !has_claims;
                    let change = Box::new(candidate.suggestion);
                    let checked = Suggestion::Checked { change, is_clean };
                    if is_clean {
                        self.clean.get_or_insert_with(|| checked.clone());
                    }
                    return checked;
                }
                TrialResult::Worse | TrialResult::Remaining { .. } => {}
            }
        }
        if were_tried { candidates.otherwise } else { candidates.untried }
    }

    fn runs(&self) -> impl Iterator<Item = &DispatchOutcome> {
        self.ran.outcome.dispatches.iter()
    }

    fn result(&mut self, change: &Change) -> TrialResult {
        if let Some((_, result)) = self.tried.iter().find(|(tried, _)| tried == change) {
            return result.clone();
        }
        if self.tried.len() == MAX_CHANGES {
            return TrialResult::Untried;
        }
        let result = self.run(change).unwrap_or(TrialResult::Untried);
        self.tried.push((change.clone(), result.clone()));
        result
    }

    /// Runs the launch with a change. Returns `None` if that is not possible within the budget.
    fn run(&mut self, change: &Change) -> Option<TrialResult> {
        let ExecutedLaunch { program, launch, .. } = *self.ran;
        let TrialSettings { watch, stop, .. } = self.settings;
        let steps: u64 = self.runs().map(|dispatched| dispatched.run.steps).sum();
        let remaining = BUDGET.max(steps).saturating_sub(self.spent);
        if remaining < steps.max(1) {
            return None;
        }
        let _span = tracing::info_span!("trial", phase = 3).entered();
        let changed = change.apply(program).ok()?;
        let mut launch = Launch { pins: Default::default(), ..launch.clone() };
        // The change may add some steps.
        launch.limits.total = launch.limits.total.min(remaining.saturating_mul(2));
        let watch = Watch { oracle: false, ..watch.clone() };
        let with_change = Embedded.run(&changed, &launch, &watch, stop).ok()?;
        let runs = || with_change.dispatches.iter().map(|dispatched| &dispatched.run);
        let total: u64 = runs().map(|run| run.steps).sum();
        self.spent = self.spent.saturating_add(total);
        if with_change.failure.is_some() || runs().any(|run| run.reached_total_limit || run.stopped)
        {
            return None;
        }
        let origin = |site| changed.origin_of(site);
        let others = others(&with_change, origin);
        let is_complete = runs().all(|run| run.is_complete());
        if !is_complete || !others.is_subset(&self.others) {
            return Some(TrialResult::Worse);
        }
        let mut races = BTreeSet::new();
        for (number, dispatched) in with_change.dispatches.iter().enumerate() {
            let words = choose_words(&dispatched.racy, MAX_WORDS);
            if words.is_empty() {
                continue;
            }
            let trace = Embedded.trace(&changed, &launch, number, &words, stop).ok()?;
            self.spent = self.spent.saturating_add(dispatched.run.steps);
            let found = watched_pairs(&trace, &watch, launch.subgroup_size);
            if found.pairs.is_empty() && watch.relations.is_empty() {
                return Some(TrialResult::Worse);
            }
            races.extend(found.pairs.iter().map(|pair| {
                let sites = [pair.earlier.site, pair.later.site].map(origin);
                key(program, pair.later.granule.memory, sites)
            }));
        }
        Some(match races.is_subset(&self.races) {
            true => TrialResult::Remaining { races, others },
            false => TrialResult::Worse,
        })
    }

    fn key_of_group(program: &Program, group: &Group) -> RaceKey {
        let sites = [group.pair.earlier.site, group.pair.later.site];
        key(program, group.pair.later.granule.memory, sites)
    }
}

fn key(program: &Program, memory: MemoryId, sites: [SiteId; 2]) -> RaceKey {
    let line = |site| program.source.line_over_all(span_of(program.sites.get(site)).start);
    let [a, b] = sites.map(line);
    (memory, a.min(b), a.max(b))
}

/// Returns the findings of a run that are not races, with their sites in the original program.
fn others(outcome: &Outcome, origin: impl Fn(SiteId) -> SiteId) -> OtherFindings {
    let mut found = OtherFindings::new();
    for dispatched in &outcome.dispatches {
        let divergent = dispatched.run.divergences.iter();
        found.extend(divergent.map(|found| (origin(found.site), Span::default())));
        let outside = dispatched.run.out_of_bounds.iter();
        found.extend(outside.map(|found| (origin(found.site), found.span)));
    }
    found
}
