//! Merging of the documents of several checks: the shards of one run, or checks of different launches.
//!
//! Each shard runs the default order of a launch and its own share of the schedules. Results that are the same in all
//! shards are taken from one of them. The other results are combined in the same way as in `check::launch_summary`:
//!
//! - Findings with the same fingerprint and lines are one finding. An error is preferred, then a certain one, then one that
//!   races between workgroups, then the one of the first run.
//! - Accesses are added up, counting the default order once. Of watched words and racy words, the maximum over the runs
//!   counts.
//! - A site counts as missed if no shard covered it.

use super::document::{Finding, LaunchReport, Report, SuppressedFinding};
use super::launch_shard::{PartialResults, ShownFinding};
use super::words::{InconclusiveReasons, reason_lines};
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::{Certainty, Kind, Severity, SuppressedBy, Verdict};
use crate::finding::verdict;
use crate::shard::Shard;
use serde::Serialize;
use std::mem;

/// A document into which others are merged.
#[derive(Debug, Default)]
pub struct ReportMerger {
    report: Option<Report>,
    /// The name of the file that was added first.
    first: String,
}

impl ReportMerger {
    /// Merges in the document of the file `from`.
    ///
    /// # Errors
    /// Returns an error if the document is of another version, is a shard of another run, or was already added; or if a
    /// shard is mixed with a whole run.
    pub fn add(&mut self, other: Report, from: &str) -> Result<()> {
        let Some(known) = &mut self.report else {
            self.report = Some(other);
            from.clone_into(&mut self.first);
            return Ok(());
        };
        let of_both = match (known.shards.first(), other.shards.first()) {
            (None, Some(shard)) => Some((self.first.as_str(), from, shard)),
            (Some(shard), None) => Some((from, self.first.as_str(), shard)),
            _ => None,
        };
        if let Some((whole, part, shard)) = of_both {
            // A document of a whole run does not tell whether the shard belongs to that run.
            let message =
                format!("{whole} contains a whole run, but {part} contains shard {shard}");
            let help = "merge only the shards of one run";
            return Err(Box::new(Diagnostic::new(message).help(help)));
        }
        let is_of_another = match (&known.run_id, &other.run_id) {
            (Some(of), Some(other)) => of != other,
            _ => false,
        };
        let mut all = shards(known);
        all.extend(shards(&other));
        if is_of_another || !all.is_empty() && Shard::missing(&all).is_none() {
            let error = Diagnostic::new(format!("{from} is a shard of another run"));
            let help = "pass only shards of one run, made with the same sources and flags";
            return Err(Box::new(error.help(help)));
        }
        if let Some(twice) = other.shards.iter().find(|shard| known.shards.contains(shard)) {
            let message = format!("{from} contains shard {twice}, which another file contains too");
            return Err(Box::new(Diagnostic::new(message).help("pass each shard once")));
        }
        if known.tool.version != other.tool.version {
            let versions = [&known.tool.version, &other.tool.version];
            let message =
                format!("{from} was made by hirace {}, but others by {}", versions[1], versions[0]);
            return Err(Box::new(
                Diagnostic::new(message).help("use the same version of hirace for all shards"),
            ));
        }
        known.shards.extend(other.shards);
        known.run_id = known.run_id.take().or(other.run_id);
        known.stopped |= other.stopped;
        join(&mut known.not_checked, other.not_checked);
        join(&mut known.errors, other.errors);
        for launch in other.launches {
            let number = |launch: &LaunchReport| launch.part.as_ref().map(|part| part.number);
            let same = known.launches.iter_mut().find(|own| match number(own) {
                Some(own) => Some(own) == number(&launch),
                None => is_same(*own, &launch),
            });
            match same {
                None => known.launches.push(launch),
                Some(own) => add(own, launch, from)?,
            }
        }
        Ok(())
    }

    /// Returns the merged document. Shards are named only if some are missing or were stopped.
    pub fn report(self) -> Option<Report> {
        let mut report = self.report?;
        report.shards.sort_by_key(|text| text.parse::<Shard>().ok());
        let number = |launch: &LaunchReport| launch.part.as_ref().map(|part| part.number);
        // Launches that belong to no shard keep their order, after the others.
        report.launches.sort_by_key(|launch| number(launch).unwrap_or(usize::MAX));
        if missing(&report).is_empty() && !report.stopped {
            report.shards.clear();
            report.run_id = None;
            report.launches.iter_mut().for_each(|launch| launch.part = None);
        }
        let verdicts = report.launches.iter().map(|launch| launch.verdict);
        report.verdict = verdict::worst_verdict(verdicts, !report.not_checked.is_empty());
        Some(report)
    }
}

/// Returns the shards that the document covers, as far as their names can be parsed.
fn shards(report: &Report) -> Vec<Shard> {
    report.shards.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Returns the shards that are missing from the document; empty if it covers no shards.
pub fn missing(report: &Report) -> Vec<Shard> {
    Shard::missing(&shards(report)).unwrap_or_default()
}

/// Returns whether two values have the same JSON.
fn is_same<T: Serialize>(one: &T, other: &T) -> bool {
    match (serde_json::to_value(one), serde_json::to_value(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Appends the values that are not yet present.
fn join<T: Serialize>(known: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if !known.iter().any(|known| is_same(known, &other)) {
            known.push(other);
        }
    }
}

/// Merges in the results of another shard for the same launch.
fn add(known: &mut LaunchReport, mut other: LaunchReport, from: &str) -> Result<()> {
    let differs = || {
        let shown = format!("{}: `{}`", other.source, other.entry);
        let error =
            Diagnostic::new(format!("{from} contains a different launch instead of {shown}"));
        Box::new(error.help("pass only shards of one run, made with the same sources and flags"))
    };
    let shape = |launch: &LaunchReport| {
        (launch.source.clone(), launch.entry.clone(), launch.workgroups, launch.device.name.clone())
    };
    let divided = |launch: &LaunchReport| {
        let divided = launch.part.as_ref()?.divided.as_ref()?;
        let is_whole = divided.warnings.len() == launch.warnings.len()
            && divided.findings.len() == launch.findings.len()
            && divided.allowed.len() == launch.allowed.len();
        is_whole.then(|| divided.clone())
    };
    let (own, more) = match (divided(known), divided(&other)) {
        (Some(own), Some(more)) if shape(known) == shape(&other) => (own, more),
        _ if is_same(known, &other) => return Ok(()),
        _ => return Err(differs()),
    };
    let mut sum = PartialResults {
        cut_short: own.cut_short || more.cut_short,
        has_valid_run: own.has_valid_run || more.has_valid_run,
        unwatched: own.unwatched || more.unwatched,
        unchecked: own.unchecked || more.unchecked,
        missed: own.missed.clone(),
        findings: Vec::new(),
        allowed: Vec::new(),
        warnings: Vec::new(),
        ..own
    };
    sum.missed.retain(|missed| more.missed.iter().any(|other| other.site == missed.site));
    warnings(known, &own.warnings, mem::take(&mut other.warnings), &more.warnings, &mut sum);
    join(&mut known.unwatched, mem::take(&mut other.unwatched));
    join(&mut known.device.shadow, mem::take(&mut other.device.shadow));
    let (stats, others) = (&mut known.stats, &other.stats);
    stats.words_watched = stats.words_watched.max(others.words_watched);
    let others_own = others.accesses_checked.saturating_sub(more.accesses_checked);
    stats.accesses_checked = stats.accesses_checked.saturating_add(others_own);
    stats.racy_words = stats.racy_words.max(others.racy_words);
    stats.racy_words_unexplained = stats.racy_words_unexplained.max(others.racy_words_unexplained);
    stats.cut_short = sum.cut_short || !sum.has_valid_run;
    stats.sites_executed = stats.sites.saturating_sub(sum.missed.len() as u32);
    stats.sites_missed = sum.missed.iter().map(|missed| missed.location.clone()).collect();
    let mut seen = std::collections::BTreeSet::new();
    stats.sites_missed.retain(|at| seen.insert(at.clone()));
    findings(known, &own, other, &more, &mut sum);
    conclude(known, &sum);
    if let Some(part) = &mut known.part {
        part.divided = Some(sum);
    }
    Ok(())
}

/// Merges warnings; each is kept once, with the first run that produced it.
fn warnings(
    known: &mut LaunchReport,
    runs: &[u64],
    others: Vec<String>,
    other_runs: &[u64],
    sum: &mut PartialResults,
) {
    let own = mem::take(&mut known.warnings).into_iter().zip(runs.iter().copied());
    let mut all: Vec<(String, u64)> = own.collect();
    for (text, run) in others.into_iter().zip(other_runs.iter().copied()) {
        match all.iter_mut().find(|(known, _)| *known == text) {
            Some((_, first)) => *first = run.min(*first),
            None => all.push((text, run)),
        }
    }
    all.sort_by_key(|(_, run)| *run);
    (known.warnings, sum.warnings) = all.into_iter().unzip();
}

/// A finding, what suppresses it, and the run from which it is shown.
struct MergedFinding {
    finding: Finding,
    allowed: Option<(SuppressedBy, Option<String>)>,
    shown: ShownFinding,
}

impl MergedFinding {
    fn all(launch: &mut LaunchReport, of: &PartialResults) -> Vec<Self> {
        let found = mem::take(&mut launch.findings).into_iter().zip(&of.findings);
        let found = found.map(|(finding, shown)| (finding, None, shown.clone()));
        let allowed = mem::take(&mut launch.allowed).into_iter().zip(&of.allowed);
        let allowed = allowed.map(|(SuppressedFinding { finding, by, reason }, shown)| {
            (finding, Some((by, reason)), shown.clone())
        });
        let all = found.chain(allowed);
        all.map(|(finding, allowed, shown)| Self { finding, allowed, shown }).collect()
    }

    /// Returns whether `other` is the same finding in another run.
    fn is_same_as(&self, other: &Self) -> bool {
        let same_lines =
            self.finding.kind != Kind::DataRace || self.shown.lines == other.shown.lines;
        self.finding.fingerprint == other.finding.fingerprint && same_lines
    }

    /// Returns the rank of the finding. Of equal findings, the one with the lowest rank is shown.
    fn rank(&self) -> (Severity, Certainty, bool, u64) {
        let Finding { severity, certainty, .. } = self.finding;
        (severity, certainty, !self.shown.across_workgroups, self.shown.run)
    }
}

fn findings(
    known: &mut LaunchReport,
    own: &PartialResults,
    mut other: LaunchReport,
    more: &PartialResults,
    sum: &mut PartialResults,
) {
    let mut all = MergedFinding::all(known, own);
    for other in MergedFinding::all(&mut other, more) {
        match all.iter_mut().find(|known| known.is_same_as(&other)) {
            Some(known) if other.rank() < known.rank() => *known = other,
            Some(_) => {}
            None => all.push(other),
        }
    }
    // Comments take precedence over a baseline.
    let by =
        |known: &MergedFinding| known.allowed.as_ref().map(|(by, _)| *by == SuppressedBy::Baseline);
    all.sort_by(|a, b| {
        let of = |known: &MergedFinding| {
            let Finding { severity, certainty, kind, .. } = known.finding;
            (by(known), severity, certainty, kind.order_of_causes(), known.shown.location)
        };
        let named =
            |known: &MergedFinding| (known.finding.fingerprint.clone(), known.shown.lines.clone());
        of(a).cmp(&of(b)).then_with(|| named(a).cmp(&named(b)))
    });
    for MergedFinding { finding, allowed, shown } in all {
        match allowed {
            None => {
                known.findings.push(finding);
                sum.findings.push(shown);
            }
            Some((by, reason)) => {
                known.allowed.push(SuppressedFinding { finding, by, reason });
                sum.allowed.push(shown);
            }
        }
    }
    known.stats.allowed = known.allowed.len() as u32;
    let own: Vec<String> = known.findings.iter().map(|one| one.fingerprint.clone()).collect();
    for finding in &mut known.findings {
        finding.caused_by = finding.caused_by.take().filter(|cause| own.contains(cause));
        finding.causes.retain(|caused| own.contains(&caused.fingerprint));
    }
}

/// Sets the verdict of a launch of which nothing was guessed.
fn conclude(launch: &mut LaunchReport, sum: &PartialResults) {
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let open = InconclusiveReasons {
        possible: launch.findings.iter().any(is_error),
        cut_short: launch.stats.cut_short,
        unwatched: sum.unwatched,
        unchecked: sum.unchecked,
        not_excluded: false,
    };
    launch.inconclusive = Vec::new();
    launch.verdict = if launch.findings.iter().any(Finding::is_certain_error) {
        Verdict::Findings
    } else if open == InconclusiveReasons::default() {
        Verdict::Clean
    } else {
        launch.inconclusive = reason_lines(open);
        Verdict::Inconclusive
    };
    let verdict = launch.verdict;
    launch.notes.retain(|note| note.kind.is_shown_for(verdict));
}
