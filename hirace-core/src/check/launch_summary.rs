//! Sums up the facts about an entry point over the candidate launches that were run.
//!
//! A finding is kept as it was first found, which is on the smallest launch that shows it, unless a later launch makes
//! a possible finding certain, or a warning an error.

use super::subject::Subject;
use super::wanted::requested_input;
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::launch_shard::{self, PartialResults, ShownFinding};
use crate::facts::{
    Assumption, Certainty, Doubt, Finding, Fingerprint, InferredInputs, Kind, LaunchFacts,
    LaunchShard, Place, Race, Warning,
};
use crate::finding::coverage::Coverage;
use crate::ir::sites::SiteId;
use crate::launch::candidates::Candidate;
use crate::launch::fitting::ValueChoice;
use crate::source_map::LineColumn;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The sum of the facts so far.
pub(super) struct LaunchSummary<'a> {
    subject: &'a Subject<'a>,
    launch: Option<LaunchFacts>,
    coverage: Coverage,
    /// The guesses that sites depend on which a launch did not cover.
    hangs_on: BTreeMap<SiteId, InferredInputs>,
    grids: Vec<[u32; 3]>,
    has_inferred_grid: bool,
    /// The choices of values that were tried for numbers that were not given.
    values: Vec<ValueChoice>,
    /// The number of further choices that were derived from these.
    varied: usize,
    /// The subgroup sizes that were tried, and those in which each finding was found.
    subgroup_sizes: Vec<u32>,
    shown_in: Vec<(Fingerprint, Vec<u32>)>,
    /// Whether the kernel reads the workgroup's id.
    reads_workgroup_id: bool,
    warnings: Vec<Warning>,
    /// The findings that conditions of the contract exclude.
    excluded: Vec<Finding>,
    cut_short: bool,
    /// Whether a launch terminated within its buffers.
    one_is_sound: bool,
    /// The run of the launch that is being added: 0 is the default schedule, run n has n added to the seed.
    run: u64,
    /// Whether shards divide the runs. If so, the order in which runs are added must not matter.
    divided: bool,
    /// For each warning, the first run with it.
    warned_in: Vec<u64>,
    /// The run from which each finding is shown.
    shown: Vec<ShownFinding>,
    /// The number of accesses that were checked under the default schedule.
    plain_accesses: u64,
}

impl<'a> LaunchSummary<'a> {
    pub fn new(subject: &'a Subject<'a>) -> Self {
        Self {
            subject,
            launch: None,
            coverage: Coverage::default(),
            hangs_on: BTreeMap::new(),
            grids: Vec::new(),
            has_inferred_grid: false,
            values: Vec::new(),
            varied: 0,
            subgroup_sizes: Vec::new(),
            shown_in: Vec::new(),
            reads_workgroup_id: false,
            warnings: Vec::new(),
            excluded: Vec::new(),
            cut_short: false,
            one_is_sound: false,
            run: 0,
            divided: false,
            warned_in: Vec::new(),
            shown: Vec::new(),
            plain_accesses: 0,
        }
    }

    /// Sets the run to which the facts added next belong, and whether shards divide the runs.
    pub fn set_run(&mut self, run: u64, divided: bool) -> &mut Self {
        (self.run, self.divided) = (run, divided);
        self
    }

    /// Returns whether nothing of the launch was guessed.
    pub fn is_of_given(&self) -> bool {
        let is_given = |launch: &LaunchFacts| !launch.guessed && launch.assumptions.is_empty();
        self.subject.assumptions.is_empty() && self.launch.as_ref().is_some_and(is_given)
    }

    pub fn warn(&mut self, warning: Warning) {
        join(&mut self.warnings, [warning]);
        self.warned_in.resize(self.warnings.len(), self.run);
    }

    /// Records the guesses that sites depend on which a launch did not cover.
    pub fn add_missed(&mut self, sites: impl Iterator<Item = (SiteId, InferredInputs)>) {
        self.hangs_on.extend(sites);
    }

    /// Returns the names of the variables that the missing sites depend on.
    pub fn open_questions(&self) -> BTreeSet<&str> {
        let missing = self.coverage.missed().filter_map(|site| self.hangs_on.get(&site));
        let names = missing.flat_map(|on| on.contents.iter().chain(&on.lengths));
        names.map(String::as_str).collect()
    }

    /// Returns the findings so far.
    pub fn findings(&self) -> &[Finding] {
        self.launch.as_ref().map_or(&[], |launch| &launch.findings)
    }

    /// Returns whether a finding is certain.
    pub fn is_certain(&self) -> bool {
        let is_certain = |finding: &Finding| finding.certainty() == Certainty::Certain;
        self.launch.iter().any(|launch| launch.errors().any(is_certain))
    }

    /// Returns whether a race was found.
    pub fn has_race(&self) -> bool {
        self.launch.as_ref().is_some_and(has_race)
    }

    /// Returns whether more launches may still change the conclusion: no finding is certain, and sites are missing or
    /// no launch terminated.
    pub fn is_open(&self) -> bool {
        let misses = !self.one_is_sound || !self.coverage.is_complete();
        misses && self.launch.is_some() && !self.is_certain() && !self.subject.is_proved()
    }

    /// Returns whether a launch with this `coverage`, which terminated, covers a site that is missing so far.
    pub fn gains(&self, coverage: &Coverage) -> bool {
        !self.one_is_sound || self.coverage.missed().any(|site| coverage.has(site))
    }

    /// Returns whether no launch was added yet.
    pub fn is_empty(&self) -> bool {
        self.launch.is_none()
    }

    /// Records that the check was stopped before all launches were tried.
    pub fn cut_short(&mut self) {
        self.cut_short = true;
    }

    /// Adds the facts about one launch.
    pub fn add(&mut self, mut launch: LaunchFacts, coverage: Coverage, candidate: &Candidate) {
        self.coverage.join(coverage);
        self.has_inferred_grid |= candidate.has_inferred_grid;
        let first = candidate.dispatches.first();
        join(&mut self.grids, first.map(|dispatch| dispatch.workgroups));
        join(&mut self.values, [candidate.values]);
        self.varied += usize::from(!candidate.variation.is_none());
        join(&mut self.subgroup_sizes, [launch.device.subgroup_size]);
        self.reads_workgroup_id |= candidate.measures.reads.contains(&true);
        for finding in std::mem::take(&mut launch.excluded) {
            add_finding(&mut self.excluded, finding);
        }
        for finding in &launch.findings {
            self.record_finding(finding.fingerprint, launch.device.subgroup_size);
        }
        self.one_is_sound |= !launch.warnings.iter().any(Warning::is_from_guess);
        std::mem::take(&mut launch.warnings).into_iter().for_each(|warning| self.warn(warning));
        if self.run == 0 {
            self.plain_accesses += launch.stats.accesses_checked;
        }
        if candidate.has_inferred_grid {
            doubt_grid(&mut launch, candidate);
        }
        let shown = |finding: &Finding| ShownFinding::new(finding, self.run);
        let Some(sum) = &mut self.launch else {
            self.shown = launch.findings.iter().map(shown).collect();
            self.launch = Some(launch);
            return;
        };
        let is_larger = launch.grid.workgroup_count() > sum.grid.workgroup_count();
        if sum.findings.is_empty() && (is_larger || !launch.findings.is_empty()) {
            sum.grid = launch.grid;
            sum.assumptions = launch.assumptions;
        }
        sum.guessed |= launch.guessed;
        join(&mut sum.device.shadow, launch.device.shadow);
        join(&mut sum.unwatched, launch.unwatched);
        for finding in launch.findings {
            match self.divided {
                true => add_divided_finding(&mut sum.findings, &mut self.shown, finding, self.run),
                false => add_finding(&mut sum.findings, finding),
            }
        }
        let (stats, more) = (&mut sum.stats, launch.stats);
        stats.words_watched = stats.words_watched.max(more.words_watched);
        stats.accesses_checked += more.accesses_checked;
        stats.racy_words = stats.racy_words.max(more.racy_words);
        stats.racy_words_unexplained =
            stats.racy_words_unexplained.max(more.racy_words_unexplained);
        stats.cut_short |= more.cut_short;
        stats.steps = stats.steps.max(more.steps);
    }

    /// Returns the facts of all launches that were added. A shard passes the number of the launch.
    pub fn launch(self, number: Option<usize>, divided: bool) -> Result<LaunchFacts> {
        let part =
            number.map(|number| LaunchShard { number, partial: divided.then(|| self.divided()) });
        let assumptions = self.assumptions();
        let mut launch =
            self.launch.ok_or_else(|| Box::new(Diagnostic::new("there is no launch to run")))?;
        launch.assumptions = assumptions;
        launch.warnings = self.warnings;
        launch.excluded = self.excluded;
        launch.stats.cut_short |= self.cut_short || !self.one_is_sound;
        self.coverage.write_to(&mut launch.stats, self.subject.program);
        for finding in &mut launch.findings {
            let shown = self.shown_in.iter().find(|(name, _)| *name == finding.fingerprint);
            if let Some((_, sizes)) = shown
                && sizes.len() < self.subgroup_sizes.len()
            {
                finding.doubts.push(Doubt::SubgroupSizes(sizes.clone()));
            }
        }
        let overrides = inferred_overrides(self.subject.assumptions);
        if !overrides.is_empty() {
            let doubt = Doubt::Overrides(overrides);
            launch.findings.iter_mut().for_each(|finding| finding.doubts.push(doubt.clone()));
        }
        launch.findings.sort_by_key(launch_shard::sort_key);
        launch.part = part;
        let missed = self.coverage.missed().filter_map(|site| self.hangs_on.get(&site).cloned());
        launch.wanted = requested_input(self.subject.program, &launch, missed);
        Ok(launch)
    }

    /// Returns the additional facts that merging the results of shards needs.
    fn divided(&self) -> PartialResults {
        let missed = self.coverage.missed();
        PartialResults {
            accesses_checked: self.plain_accesses,
            cut_short: self.cut_short
                || self.launch.as_ref().is_some_and(|launch| launch.stats.cut_short),
            one_is_sound: self.one_is_sound,
            missed: missed.map(|site| (site, Place::of(self.subject.program, site))).collect(),
            warnings: self.warned_in.clone(),
            findings: self.shown.clone(),
        }
    }

    fn record_finding(&mut self, finding: Fingerprint, subgroup_size: u32) {
        match self.shown_in.iter_mut().find(|(name, _)| *name == finding) {
            Some((_, sizes)) => join(sizes, [subgroup_size]),
            None => self.shown_in.push((finding, vec![subgroup_size])),
        }
    }

    /// Returns the assumptions of the launch that is shown, with all grids and values that were tried.
    fn assumptions(&self) -> Vec<Assumption> {
        let mut all = self.subject.assumptions.to_vec();
        if self.has_inferred_grid {
            all.push(match self.reads_workgroup_id || self.grids.len() > 1 {
                true => Assumption::Grids(self.grids.clone()),
                false => Assumption::OneWorkgroup,
            });
        }
        if self.subgroup_sizes.len() > 1 {
            all.push(Assumption::SubgroupSizes(self.subgroup_sizes.clone()));
        }
        for assumption in self.launch.iter().flat_map(|launch| &launch.assumptions) {
            let mut assumption = assumption.clone();
            if let Assumption::Parameters { tried, .. } = &mut assumption {
                *tried = self.values.len() + self.varied;
            }
            all.push(assumption);
        }
        all
    }
}

/// Returns whether a race was found.
pub(super) fn has_race(launch: &LaunchFacts) -> bool {
    launch.findings.iter().any(|finding| finding.kind() == Kind::DataRace)
}

/// Returns the names and values of the overrides and const parameters that were guessed.
fn inferred_overrides(assumptions: &[Assumption]) -> Vec<(String, f64)> {
    let value = |assumption: &Assumption| match assumption {
        Assumption::Override { name, value } => Some((name.clone(), *value)),
        Assumption::ConstParameter { name, value } => Some((name.clone(), f64::from(*value))),
        _ => None,
    };
    assumptions.iter().filter_map(value).collect()
}

/// Adds the items to `list` that it does not contain.
fn join<T: PartialEq>(list: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// Adds a doubt about the grid to findings on several guessed workgroups. This concerns an index out of bounds, because
/// the kernel may be intended for as many workgroups as its arrays have room for; races at the same locations, where
/// clamped accesses collide; and all findings, if the kernel's text does not imply that a launch may have that many
/// workgroups.
fn doubt_grid(launch: &mut LaunchFacts, candidate: &Candidate) {
    let workgroups = candidate.workgroups();
    if workgroups <= 1 {
        return;
    }
    let places = |finding: &Finding| -> Vec<LineColumn> {
        finding.places().iter().map(|place| place.at).collect()
    };
    let out = launch.findings.iter().filter(|finding| finding.kind() == Kind::OutOfBounds);
    let out: Vec<LineColumn> = out.flat_map(places).collect();
    for finding in &mut launch.findings {
        let clamped = match finding.kind() {
            Kind::DataRace if places(finding).iter().any(|at| out.contains(at)) => true,
            Kind::OutOfBounds => false,
            _ if !candidate.grid_implied => false,
            _ => continue,
        };
        finding.doubts.push(Doubt::Grid { workgroups, clamped });
    }
}

/// Adds a finding of one of the runs that shards divide. Which of several equal findings is kept does not depend on the
/// order of the runs: an error, otherwise the certain one, otherwise one that races between workgroups, otherwise the one of the first run.
fn add_divided_finding(
    findings: &mut Vec<Finding>,
    shown: &mut Vec<ShownFinding>,
    finding: Finding,
    run: u64,
) {
    let Some(at) = findings.iter().position(|known| known.is_same_as(&finding)) else {
        shown.push(ShownFinding::new(&finding, run));
        findings.push(finding);
        return;
    };
    let rank = |finding: &Finding| {
        let across = finding.race().is_some_and(Race::is_across_workgroups);
        (finding.rank(), !across)
    };
    if rank(&finding) < rank(&findings[at]) {
        shown.retain(|shown| !shown.is_of(&findings[at]));
        shown.push(ShownFinding::new(&finding, run));
        findings[at] = finding;
    }
}

fn add_finding(findings: &mut Vec<Finding>, finding: Finding) {
    match findings.iter_mut().find(|known| known.is_same_as(&finding)) {
        None => findings.push(finding),
        Some(known) => match finding.rank().cmp(&known.rank()) {
            Ordering::Less => {
                let caused_by = finding.caused_by.clone().or(known.caused_by.take());
                *known = Finding { caused_by, ..finding };
            }
            Ordering::Equal => known.widen(&finding),
            Ordering::Greater => {}
        },
    }
}
