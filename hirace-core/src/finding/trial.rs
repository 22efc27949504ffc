//! Tries suggestions before they are shown.
//!
//! A trial applies the change that a suggestion describes to the program, and runs the launch that showed the finding again, on
//! the embedded executor. A suggestion passes if its finding is gone and there is no new finding. The trials for a launch are bounded
//! by a number of steps and a number of changes, and do not depend on other launches. A suggestion that could not be tried is shown
//! without the remark that it was checked; one that failed is not shown.
//!
//! A suggestion that passed gets the edits of the source that make the change ([`Fix`]), if the edited text passes the same trial.
//! This needs a source in WGSL whose text alone gives the program.

use super::element;
use super::executed_launch::ExecutedLaunch;
use super::explain::{choose_words, watched_pairs};
use super::group::Group;
use super::suggest::candidate::{Candidate, Candidates, Change};
use crate::edit::{Edit, locate_edits, offset_before};
use crate::exec::embedded::Embedded;
use crate::exec::{DispatchOutcome, Executor, Outcome, Watch};
use crate::facts::place::span_of;
use crate::facts::{Cause, CauseLink, Certainty, Finding, Fix, Suggestion};
use crate::front::wgsl;
use crate::ir::layout;
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::program::{Language, Program};
use crate::source_map::Span;
use crate::vm::observer::MemoryId;
use crate::vm::run::OutOfBounds;
use naga::{Handle, Module, StructMember, Type, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
    /// The changes that remove a finding, each with its suggestion and with what it is the cause of.
    accepted: Vec<(Change, Suggestion, Cause)>,
    /// The launch with accesses out of bounds dropped instead of clamped, if it was run.
    without_clamping: Option<Option<Outcome>>,
}

/// The suggestion for a finding.
#[derive(Clone, Debug)]
pub(super) struct ChosenSuggestion {
    /// The suggestion.
    pub suggestion: Suggestion,
    /// The change that it describes, if that was tried for this finding.
    change: Option<Change>,
    /// The edits that follow it, if they were tried.
    pub fix: Option<Fix>,
}

/// A suggestion without edits.
impl From<Suggestion> for ChosenSuggestion {
    fn from(suggestion: Suggestion) -> Self {
        Self { suggestion, change: None, fix: None }
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
            accepted: Vec::new(),
            without_clamping: None,
        }
    }

    /// Returns whether an earlier launch has the same finding.
    pub fn is_known(&self, finding: &Finding) -> bool {
        self.settings.known.iter().any(|known| known.is_same_as(finding))
    }

    /// Sets the suggestion for a race: the first that passes its trial. If none does, this is the suggestion for that case; if they
    /// could not be tried, the one that the analysis prefers. If the change for another finding removes the race, too, that finding
    /// is its cause.
    pub fn choose_for_race(
        &mut self,
        group: &Group,
        finding: &mut Finding,
        candidates: Candidates,
    ) {
        let key = Self::key_of_group(self.ran.program, group);
        if let Some((suggestion, cause)) = self.accepted_for(&key, finding, &|_| true) {
            (finding.suggestion, finding.caused_by) = (Some(suggestion), Some(cause));
            return;
        }
        let chosen = self.choose(candidates, &|races, _| !races.contains(&key));
        (finding.suggestion, finding.fix) = (Some(chosen.suggestion.clone()), chosen.fix.clone());
        self.accept(finding, chosen);
    }

    /// Records that a change removes a certain finding.
    pub fn accept(&mut self, finding: &Finding, chosen: ChosenSuggestion) {
        if finding.certainty() == Certainty::Certain {
            let cause = Cause::new(finding, CauseLink::SameChange);
            let ChosenSuggestion { suggestion, change, .. } = chosen;
            self.accepted.extend(change.map(|change| (change, suggestion, cause)));
        }
    }

    /// Returns the suggestion of another finding that is as severe and as certain as this race, if its change removes the race, too.
    fn accepted_for(
        &mut self,
        key: &RaceKey,
        finding: &Finding,
        may_cause: &dyn Fn(&Cause) -> bool,
    ) -> Option<(Suggestion, Cause)> {
        if finding.certainty() != Certainty::Certain {
            return None;
        }
        let accepted = self.accepted.clone().into_iter();
        let mut accepted = accepted
            .filter(|(_, _, cause)| cause.severity == finding.severity() && may_cause(cause));
        accepted.find_map(|(change, suggestion, cause)| match self.result(&change) {
            TrialResult::Remaining { races, .. } if !races.contains(key) => {
                Some((suggestion, cause))
            }
            _ => None,
        })
    }

    /// Returns the first of these other findings whose change removes a race, too.
    pub fn cause_by_change(
        &mut self,
        group: &Group,
        race: &Finding,
        others: &[&Finding],
    ) -> Option<Cause> {
        let key = Self::key_of_group(self.ran.program, group);
        let is_other = |cause: &Cause| others.iter().any(|other| cause.is(other));
        self.accepted_for(&key, race, &is_other).map(|(_, cause)| cause)
    }

    /// Returns whether a race exists only because an index at its accesses is clamped to the last element: the race is on this
    /// element alone, and is gone if accesses out of bounds are dropped instead, although its accesses run as often.
    pub fn is_only_clamped(&mut self, group: &Group) -> bool {
        let Some(last) = last_element(self.ran, group) else { return false };
        if group.words != group.traced_words.len() as u64 {
            return false;
        }
        let without = self.without_clamping.take().unwrap_or_else(|| self.run_without_clamping());
        let is_only_clamped = without.as_ref().is_some_and(|without| {
            let mut words = group.traced_words.iter();
            let both = || self.ran.outcome.dispatches.iter().zip(&without.dispatches);
            let sites: BTreeSet<SiteId> = group.sites.iter().flat_map(|&(a, b)| [a, b]).collect();
            let is_same = |site: &SiteId| {
                let mut counts = both().map(|(with, without)| {
                    let count =
                        |of: &DispatchOutcome| of.run.executed.get(site.0 as usize).copied();
                    (count(with), count(without))
                });
                counts.all(|(with, without)| with == without)
            };
            words.all(|(dispatch, word)| {
                let dropped = without.dispatches.get(*dispatch);
                last.contains(&word.index)
                    && dropped.is_some_and(|dropped| {
                        dropped.run.is_complete() && !dropped.racy.contains_key(word)
                    })
            }) && sites.iter().all(is_same)
        });
        self.without_clamping = Some(without);
        is_only_clamped
    }

    /// Runs the launch with accesses out of bounds dropped. Returns `None` if that is not possible within the budget.
    fn run_without_clamping(&mut self) -> Option<Outcome> {
        let ExecutedLaunch { program, launch, .. } = *self.ran;
        let TrialSettings { watch, stop, .. } = self.settings;
        let steps: u64 = self.runs().map(|dispatched| dispatched.run.steps).sum();
        let remaining = BUDGET.max(steps).saturating_sub(self.spent);
        if remaining < steps.max(1) || launch.order.is_some() {
            return None;
        }
        let _span = tracing::info_span!("without clamping", phase = 3).entered();
        let mut launch = launch.clone();
        launch.limits.total = launch.limits.total.min(remaining.saturating_mul(2));
        let watch = Watch { oracle: false, ..watch.clone() };
        let outcome = Embedded::run_dropping(program, &launch, &watch, stop).ok()?;
        let total = outcome.dispatches.iter().map(|dispatched| dispatched.run.steps).sum();
        self.spent = self.spent.saturating_add(total);
        Some(outcome)
    }

    /// Returns the suggestion for a barrier that not all invocations reach, in the same way. A change with which the launch is clean
    /// is preferred, because the barrier may not be reached as the consequence of a race.
    pub fn choose_for_divergence(
        &mut self,
        site: SiteId,
        candidates: Candidates,
    ) -> ChosenSuggestion {
        if let Some(clean) = &self.clean {
            return ChosenSuggestion { change: None, ..clean.clone() };
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
                    let suggestion =
                        Suggestion::Checked { change: Box::new(candidate.suggestion), is_clean };
                    let change = Some(candidate.change);
                    let checked = ChosenSuggestion { suggestion, change, fix };
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

/// Returns the words of the last element of the array that a race is on, if the array has no inner arrays and an index at the
/// accesses of the race is out of bounds.
fn last_element(ran: &ExecutedLaunch<'_>, group: &Group) -> Option<Range<u32>> {
    let module = &ran.program.module;
    let memory = group.pair.later.granule.memory;
    let sites: BTreeSet<SiteId> = group.sites.iter().flat_map(|&(a, b)| [a, b]).collect();
    let runs = ran.outcome.dispatches.iter().flat_map(|dispatch| &dispatch.run.out_of_bounds);
    let mut found = runs
        .filter(|found| found.memory == Some(memory) && sites.contains(&found.site))
        .map(|found| found.length);
    let length = found.next().filter(|first| found.all(|length| length == *first))?;
    let (_, global) = element::variable(ran.program, memory)?;
    let (array, start) = match &module.types[global.ty].inner {
        TypeInner::Struct { members, .. } => {
            let last = members.last()?;
            let is_plain = |member: &StructMember| !has_array(module, member.ty);
            (last.ty, members.split_last()?.1.iter().all(is_plain).then_some(last.offset)?)
        }
        _ => (global.ty, 0),
    };
    let TypeInner::Array { base, stride, .. } = module.types[array].inner else { return None };
    if has_array(module, base) {
        return None;
    }
    let first = length.checked_sub(1)?.checked_mul(stride)?.checked_add(start)?;
    let shift = layout::granule_shift(module, global.ty);
    Some(first >> shift..first.checked_add(stride)?.div_ceil(1 << shift))
}

/// Returns whether values of a type contain an array.
fn has_array(module: &Module, ty: Handle<Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { .. } | TypeInner::BindingArray { .. } => true,
        TypeInner::Struct { members, .. } => {
            members.iter().any(|member| has_array(module, member.ty))
        }
        _ => false,
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
