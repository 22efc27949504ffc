//! Decides which findings a report shows by themselves.
//!
//! A finding is shown once, in the first launch that has it with the highest severity and certainty, with the names of the other entry
//! points. A finding that is caused by another one is shown as a part of it.

use super::document::{Finding, LaunchReport, Report};
use super::words::names::count;
use crate::facts::Kind;
use std::collections::BTreeMap;

/// A finding that is shown by itself.
pub(super) struct ReportedFinding<'r> {
    /// The finding.
    pub finding: &'r Finding,
    /// The names of the other entry points that have the same finding.
    pub also_in: Vec<&'r str>,
    /// The number of other launches that have it.
    pub repeats: usize,
}

impl ReportedFinding<'_> {
    /// Returns the finding, with a note about the other entry points.
    pub fn with_note(&self) -> Finding {
        let mut finding = self.finding.clone();
        if self.also_in.is_empty() && self.repeats > 0 {
            let launches = count(self.repeats as u64, "more launch", "more launches");
            finding.notes.push(format!("the same in {launches}"));
        }
        if !self.also_in.is_empty() {
            let names: Vec<String> = self.also_in.iter().map(|name| format!("`{name}`")).collect();
            finding.notes.push(format!("the same in {}", names.join(", ")));
        }
        finding
    }
}

/// Identifies a finding in all launches of a source: the source, the rule, the fingerprint and, for a race, the lines.
type FindingKey<'r> = (&'r str, &'r str, &'r str, Vec<(&'r str, u32)>);

fn key<'r>(launch: &'r LaunchReport, finding: &'r Finding) -> FindingKey<'r> {
    let mut lines: Vec<(&str, u32)> = match finding.kind {
        Kind::DataRace => finding.accesses.iter().map(|at| (&at.file[..], at.line)).collect(),
        _ => Vec::new(),
    };
    lines.sort_unstable();
    (&launch.source, &finding.rule, &finding.fingerprint, lines)
}

/// The position of a finding: the index of its launch, and its index there.
type Position = (usize, usize);

/// Returns the findings that are shown by themselves, for each launch.
pub(super) fn reported_findings(report: &Report) -> Vec<Vec<ReportedFinding<'_>>> {
    let mut occurrences: BTreeMap<FindingKey<'_>, Vec<Position>> = BTreeMap::new();
    for (number, launch) in report.launches.iter().enumerate() {
        for (index, finding) in launch.findings.iter().enumerate() {
            occurrences.entry(key(launch, finding)).or_default().push((number, index));
        }
    }
    let at = |(number, index): Position| &report.launches[number].findings[index];
    let cause = |(number, index): Position| {
        let findings = &report.launches[number].findings;
        let of = findings[index].caused_by.as_ref()?;
        let is_cause = |other: &Finding| other.fingerprint == *of && other.caused_by.is_none();
        Some((number, findings.iter().position(is_cause)?))
    };
    let rank = |position: &Position| (at(*position).severity, at(*position).certainty, *position);
    let mut chosen: BTreeMap<Position, &Vec<Position>> = BTreeMap::new();
    let mut caused_everywhere = Vec::new();
    for positions in occurrences.values() {
        let own = positions.iter().copied().filter(|position| cause(*position).is_none());
        match own.min_by_key(rank) {
            Some(first) => drop(chosen.insert(first, positions)),
            None => caused_everywhere.push(positions),
        }
    }
    // The cause of a finding may be shown in another launch, where it does not cause this one.
    for positions in caused_everywhere {
        let is_shown = |position: &&Position| {
            cause(**position).is_some_and(|cause| chosen.contains_key(&cause))
        };
        if positions.iter().find(is_shown).is_none()
            && let Some(first) = positions.iter().copied().min_by_key(rank)
        {
            chosen.insert(first, positions);
        }
    }
    let mut shown: Vec<Vec<ReportedFinding<'_>>> =
        report.launches.iter().map(|_| Vec::new()).collect();
    for (position, positions) in chosen {
        let entry = |position: &Position| &report.launches[position.0].entry[..];
        let mut also_in: Vec<&str> = positions.iter().map(entry).collect();
        also_in.retain(|name| *name != entry(&position));
        also_in.dedup();
        let repeats = positions.len() - 1;
        shown[position.0].push(ReportedFinding { finding: at(position), also_in, repeats });
    }
    shown
}
