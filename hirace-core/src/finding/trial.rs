//! Tries suggestions before they are shown.
//!
//! A trial applies the change that a suggestion describes to the program, and runs the launch that showed the finding again, on
//! the embedded executor. A suggestion passes if its finding is gone and there is no new finding. The trials for a launch are bounded
//! by a number of steps and a number of changes, and do not depend on other launches. A suggestion that could not be tried is shown
//! without the remark that it was checked; one that failed is not shown.
//!
//! A suggestion that passed gets the edits of the source that make the change ([`Fix`]), if the edited text passes the same trial.
//! This needs a source in WGSL whose text alone gives the program.

use super::executed_launch::ExecutedLaunch;
use super::explain::{choose_words, watched_pairs};
use super::group::Group;
use super::suggest::candidate::{Candidate, Candidates, Change};
use crate::edit::{Edit, locate_edits, offset_before};
use crate::exec::embedded::Embedded;
use crate::exec::{DispatchOutcome, Executor, Outcome, Watch};
use crate::facts::place::span_of;
use crate::facts::{Finding, Fix, Suggestion};
use crate::front::wgsl;
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::program::{Language, Program};
use crate::source_map::Span;
use crate::vm::observer::MemoryId;
use crate::vm::run::OutOfBounds;
use std::collections::{BTreeMap, BTreeSet};
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
    /// The values of the overrides of the program.
    pub overrides: &'a BTreeMap<String, f64>,
}

/// The key of a race: the memory and the two lines, the lower line first, as [`group`](super::group) groups races.
type RaceKey = (MemoryId, u32, u32);

/// The findings of a run that are not races, by the offsets of the site and of the access in the text of the original.
type OtherFindings = BTreeSet<(u32, u32)>;

/// The offset of what a change added.
const ADDED: u32 = u32::MAX;

/// The trials of the changes for the findings of one launch.
pub(super) struct Trials<'a> {
    ran: &'a ExecutedLaunch<'a>,
    settings: TrialSettings<'a>,
    /// The races of the launch.
    races: BTreeSet<RaceKey>,
    others: OtherFindings,
    /// The changes that were tried, each with its result.
    tried: Vec<(Change, TrialResult)>,
    /// The steps that the trials of changes of the module took.
    spent: u64,
    /// The same for edits of the source.
    spent_on_edits: u64,
    /// The first suggestion with which the launch is clean.
    clean: Option<ChosenSuggestion>,
}

/// The suggestion for a finding.
#[derive(Clone, Debug)]
pub(super) struct ChosenSuggestion {
    /// The suggestion.
    pub suggestion: Suggestion,
    /// The edits that follow it, if they were tried.
    pub fix: Option<Fix>,
}

/// A suggestion without edits.
impl From<Suggestion> for ChosenSuggestion {
    fn from(suggestion: Suggestion) -> Self {
        Self { suggestion, fix: None }
    }
}

/// A program with a change, and the relation of its sites to the original.
struct ChangedProgram<'a> {
    original: &'a Program,
    program: Program,
    /// What the edits of the source replaced, and where the replacements are. `None` if the module was changed.
    located: Option<Vec<(Span, Span)>>,
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
        Self {
            ran,
            settings,
            races,
            others: others(ran.outcome, &|site| site_offset(ran.program, site), &|at| at),
            tried: Vec::new(),
            spent: 0,
            spent_on_edits: 0,
            clean: None,
        }
    }

    /// Returns whether an earlier launch has the same finding.
    pub fn is_known(&self, finding: &Finding) -> bool {
        self.settings.known.iter().any(|known| known.is_same_as(finding))
    }

    /// Returns the suggestion for a race: the first that passes its trial. If none does, returns the suggestion for that case; if
    /// they could not be tried, the one that the analysis prefers.
    pub fn choose_for_race(&mut self, group: &Group, candidates: Candidates) -> ChosenSuggestion {
        let key = Self::key_of_group(self.ran.program, group);
        self.choose(candidates, &|races, _| !races.contains(&key))
    }

    /// Returns the suggestion for a barrier that not all invocations reach, in the same way. A change with which the launch is clean
    /// is preferred, because the barrier may not be reached as the consequence of a race.
    pub fn choose_for_divergence(
        &mut self,
        site: SiteId,
        candidates: Candidates,
    ) -> ChosenSuggestion {
        if let Some(clean) = &self.clean {
            return clean.clone();
        }
        let site = site_offset(self.ran.program, site);
        self.choose(candidates, &|_, others| !others.iter().any(|(at, _)| *at == site))
    }

    /// Returns the suggestion for accesses out of bounds, in the same way.
    pub fn choose_for_bounds(
        &mut self,
        line: &[&OutOfBounds],
        candidates: Candidates,
    ) -> ChosenSuggestion {
        let program = self.ran.program;
        let key = |found: &&OutOfBounds| (site_offset(program, found.site), found.span.start);
        let keys: BTreeSet<(u32, u32)> = line.iter().map(key).collect();
        self.choose(candidates, &|_, others| keys.is_disjoint(others))
    }

    fn choose(
        &mut self,
        candidates: Candidates,
        is_gone: &dyn Fn(&BTreeSet<RaceKey>, &OtherFindings) -> bool,
    ) -> ChosenSuggestion {
        let mut were_tried = !candidates.list.is_empty();
        for candidate in candidates.list {
            match self.result(&candidate.change) {
                TrialResult::Untried => were_tried = false,
                TrialResult::Remaining { races, others } if is_gone(&races, &others) => {
                    let has_claims =
                        self.runs().any(|dispatched| !dispatched.run.broken_claims.is_empty());
                    let is_clean = races.is_empty() && others.is_empty() && !has_claims;
                    let fix = self.fix(&candidate, is_gone);
                    let change = Box::new(candidate.suggestion);
                    let suggestion = Suggestion::Checked { change, is_clean };
                    let checked = ChosenSuggestion { suggestion, fix };
                    if is_clean {
                        self.clean.get_or_insert_with(|| checked.clone());
                    }
                    return checked;
                }
                TrialResult::Worse | TrialResult::Remaining { .. } => {}
            }
        }
        if were_tried { candidates.otherwise.into() } else { candidates.untried.into() }
    }

    /// Returns the edits that follow a suggestion that passed its trial, if the edited text passes it too.
    fn fix(
        &mut self,
        candidate: &Candidate,
        is_gone: &dyn Fn(&BTreeSet<RaceKey>, &OtherFindings) -> bool,
    ) -> Option<Fix> {
        let edits = candidate.edits(self.ran.program)?;
        match self.result(&Change::Source(edits.clone())) {
            TrialResult::Remaining { races, others } if is_gone(&races, &others) => {
                Some(Fix::new(edits))
            }
            _ => None,
        }
    }

    fn runs(&self) -> impl Iterator<Item = &DispatchOutcome> {
        self.ran.outcome.dispatches.iter()
    }

    fn result(&mut self, change: &Change) -> TrialResult {
        if let Some((_, result)) = self.tried.iter().find(|(tried, _)| tried == change) {
            return result.clone();
        }
        let is_same_kind = |(tried, _): &&(Change, TrialResult)| {
            matches!(tried, Change::Source(_)) == matches!(change, Change::Source(_))
        };
        if self.tried.iter().filter(is_same_kind).count() == MAX_CHANGES {
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
        let spent = match change {
            Change::Source(_) => self.spent_on_edits,
            _ => self.spent,
        };
        let remaining = BUDGET.max(steps).saturating_sub(spent);
        if remaining < steps.max(1) {
            return None;
        }
        let _span = tracing::info_span!("trial", phase = 3).entered();
        let changed = self.changed(change)?;
        let mut launch = Launch { pins: Default::default(), ..launch.clone() };
        // The change may add some steps.
        launch.limits.total = launch.limits.total.min(remaining.saturating_mul(2));
        let watch = Watch { oracle: false, ..watch.clone() };
        let with_change = Embedded.run(&changed.program, &launch, &watch, stop).ok()?;
        let runs = || with_change.dispatches.iter().map(|dispatched| &dispatched.run);
        let total: u64 = runs().map(|run| run.steps).sum();
        let mut spent = spent.saturating_add(total);
        if with_change.failure.is_some() || runs().any(|run| run.reached_total_limit || run.stopped)
        {
            self.set_spent(change, spent);
            return None;
        }
        let others = changed.others(&with_change);
        let is_complete = runs().all(|run| run.is_complete());
        if !is_complete || !others.is_subset(&self.others) {
            self.set_spent(change, spent);
            return Some(TrialResult::Worse);
        }
        let mut races = BTreeSet::new();
        for (number, dispatched) in with_change.dispatches.iter().enumerate() {
            let words = choose_words(&dispatched.racy, MAX_WORDS);
            if words.is_empty() {
                continue;
            }
            let trace = Embedded.trace(&changed.program, &launch, number, &words, stop).ok()?;
            spent = spent.saturating_add(dispatched.run.steps);
            self.set_spent(change, spent);
            let found = watched_pairs(&trace, &watch, launch.subgroup_size);
            if found.pairs.is_empty() && watch.relations.is_empty() {
                return Some(TrialResult::Worse);
            }
            races.extend(found.pairs.iter().map(|pair| {
                let sites = [pair.earlier.site, pair.later.site];
                key(program, pair.later.granule.memory, sites.map(|site| changed.offset(site)))
            }));
        }
        self.set_spent(change, spent);
        Some(match races.is_subset(&self.races) {
            true => TrialResult::Remaining { races, others },
            false => TrialResult::Worse,
        })
    }

    fn set_spent(&mut self, change: &Change, spent: u64) {
        match change {
            Change::Source(_) => self.spent_on_edits = spent,
            _ => self.spent = spent,
        }
    }

    /// Returns the program with a change, if that is possible.
    fn changed(&self, change: &Change) -> Option<ChangedProgram<'a>> {
        let original = self.ran.program;
        if let Some(applied) = change.apply(original) {
            return Some(ChangedProgram { original, program: applied.ok()?, located: None });
        }
        let Change::Source(edits) = change else { return None };
        self.edited(edits)
    }

    /// Returns the program of the edited source, if the text of the source alone gives the program, and the edited text a program
    /// with the same interface.
    fn edited(&self, edits: &[Edit]) -> Option<ChangedProgram<'a>> {
        let original = self.ran.program;
        let source = &original.source;
        let end = source.text().len() as u32;
        let is_one_file = source.file(0) == source.name() && source.file(end) == source.name();
        if !is_one_file || original.parsed_text.text() != source.text() {
            return None;
        }
        let (text, located) = locate_edits(source.text(), edits);
        let program = self.parse(&text)?;
        let interface = |of: &Program| {
            let names = of.module.global_variables.iter().map(|(_, of)| of.name.clone());
            let entries = of.module.entry_points.iter().map(|of| Some(of.name.clone()));
            names.chain(entries).collect::<Vec<_>>()
        };
        let is_same = interface(&program) == interface(original);
        is_same.then_some(ChangedProgram { original, program, located: Some(located) })
    }

    /// Returns the program of a text in WGSL.
    fn parse(&self, text: &str) -> Option<Program> {
        let original = self.ran.program;
        if original.language != Language::Wgsl {
            return None;
        }
        let parsed = wgsl::parse(original.source.name(), text).ok()?;
        Program::new(&parsed, self.settings.overrides).ok()
    }

    fn key_of_group(program: &Program, group: &Group) -> RaceKey {
        let sites = [group.pair.earlier.site, group.pair.later.site];
        key(program, group.pair.later.granule.memory, sites.map(|site| site_offset(program, site)))
    }
}

impl ChangedProgram<'_> {
    /// Returns the offset in the text of the original of what is at a site.
    fn offset(&self, site: SiteId) -> u32 {
        match &self.located {
            Some(located) => offset_before(located, site_offset(&self.program, site)),
            None => site_offset(self.original, self.program.origin_of(site)),
        }
    }

    /// Returns the findings of a run of the changed program that are not races.
    fn others(&self, outcome: &Outcome) -> OtherFindings {
        let Some(located) = &self.located else {
            return others(outcome, &|site| self.offset(site), &|at| at);
        };
        let is_added =
            |at: u32| located.iter().any(|(_, added)| (added.start..added.end).contains(&at));
        let mut found =
            others(outcome, &|site| self.offset(site), &|at| offset_before(located, at));
        // A barrier that was added is a different one, even if it is directly before a known one.
        let divergences = outcome.dispatches.iter().flat_map(|of| &of.run.divergences);
        let mut sites = divergences.map(|found| site_offset(&self.program, found.site));
        if sites.any(is_added) {
            found.insert((ADDED, 0));
        }
        found
    }
}

/// Returns the offset of a site in the text of its program.
fn site_offset(program: &Program, site: SiteId) -> u32 {
    match program.sites.get(site) {
        Some(found) => span_of(Some(found)).start,
        None => ADDED,
    }
}

fn key(program: &Program, memory: MemoryId, offsets: [u32; 2]) -> RaceKey {
    let [a, b] = offsets.map(|offset| program.source.line_over_all(offset));
    (memory, a.min(b), a.max(b))
}

/// Returns the findings of a run that are not races. `of_site` and `of_access` map a site and an offset to the text of the original.
fn others(
    outcome: &Outcome,
    of_site: &dyn Fn(SiteId) -> u32,
    of_access: &dyn Fn(u32) -> u32,
) -> OtherFindings {
    let mut found = OtherFindings::new();
    for dispatched in &outcome.dispatches {
        let divergent = dispatched.run.divergences.iter();
        found.extend(divergent.map(|found| (of_site(found.site), 0)));
        let outside = dispatched.run.out_of_bounds.iter();
        found.extend(outside.map(|found| (of_site(found.site), of_access(found.span.start))));
    }
    found
}
