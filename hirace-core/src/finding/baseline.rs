//! Findings that were there already: a file of fingerprints.
//!
//! A baseline lets a project with known findings fail on new ones alone. It is written from a report
//! and read in later runs; what stands in it is allowed, and counted.

use super::{Allowed, AllowedBy, LaunchReport, Report, verdict};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{LineColumn, SourceMap, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

const SCHEMA: &str = "hirace.baseline/1";

/// The contents of a baseline file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    schema: String,
    findings: Vec<Known>,
    /// Which of them were found again.
    #[serde(skip)]
    seen: BTreeSet<usize>,
}

/// One known finding. Its fingerprint counts; the rest is for whoever reads the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    source: String,
    rule: String,
    fingerprint: String,
    message: String,
}

impl Known {
    /// Whether it was found in `source`, as seen from this folder or another: one path ends with the
    /// other.
    fn is_in(&self, source: &str) -> bool {
        let (known, source) = (Path::new(&self.source), Path::new(source));
        known.ends_with(source) || source.ends_with(known)
    }
}

impl Baseline {
    /// The findings of `report`, and what it allowed by an older baseline, once each.
    pub fn of(report: &Report) -> Self {
        let mut findings: Vec<Known> = Vec::new();
        for launch in &report.launches {
            let older = launch.allowed.iter().filter(|a| a.by == AllowedBy::Baseline);
            for finding in launch.findings.iter().chain(older.map(|a| &a.finding)) {
                findings.push(Known {
                    source: launch.source.clone(),
                    rule: finding.rule.clone(),
                    fingerprint: finding.fingerprint.clone(),
                    message: finding.message.clone(),
                });
            }
        }
        findings.sort();
        findings.dedup_by(|a, b| (&a.source, &a.fingerprint) == (&b.source, &b.fingerprint));
        Self { schema: SCHEMA.to_owned(), findings, seen: BTreeSet::new() }
    }

    /// Reads a baseline file; `name` is what diagnostics call it.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let source = SourceMap::new(name, text);
        let parsed: Self = serde_json::from_str(text).map_err(|error| {
            let position =
                LineColumn { line: error.line() as u32, column: error.column().max(1) as u32 };
            let at = source.offset(position);
            let message = format!("`{name}` is no baseline: {error}");
            Diagnostic::at(&source, Span::new(at, at), message)
                .help("write one with `hirace check --write-baseline FILE`")
        })?;
        if parsed.schema != SCHEMA {
            let message = format!("`{name}` is a `{}`, not a `{SCHEMA}`", parsed.schema);
            return Err(Box::new(Diagnostic::new(message)));
        }
        Ok(parsed)
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("a baseline has string keys alone");
        text.push('\n');
        text
    }

    /// Moves what is known out of the findings of `report`.
    pub fn apply(&mut self, report: &mut LaunchReport) {
        let mut kept = Vec::new();
        for finding in std::mem::take(&mut report.findings) {
            let same = |known: &Known| {
                known.fingerprint == finding.fingerprint && known.is_in(&report.source)
            };
            match self.findings.iter().position(same) {
                Some(index) => {
                    self.seen.insert(index);
                    let by = AllowedBy::Baseline;
                    report.allowed.push(Allowed { finding, by, reason: None });
                }
                None => kept.push(finding),
            }
        }
        report.findings = kept;
        report.stats.allowed = report.allowed.len() as u32;
        report.verdict = verdict::of_launch(report);
    }

    /// Of the findings known in `sources`, how many did not come again: the baseline may be written
    /// anew without them.
    pub fn gone(&self, sources: &[&str]) -> usize {
        let known = self.findings.iter().enumerate();
        let in_sources = |known: &Known| sources.iter().any(|source| known.is_in(source));
        known.filter(|(i, known)| !self.seen.contains(i) && in_sources(known)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Verdict;
    use crate::finding::fixture::{Fixture, by};
    use crate::ir::access::Action::Write;

    fn report(value: &str) -> Report {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) lane: u32) {{ out[{value}] = lane; }}"
        );
        let mut fixture = Fixture::new(&text, [1, 1, 1]);
        let write = fixture.access(Write, 3, 0);
        fixture.race([0], by(0, 0, write), by(0, 1, write));
        fixture.report()
    }

    #[test]
    fn what_is_known_is_allowed_and_what_is_new_is_not() {
        let written = Baseline::of(&report("0")).text();
        let mut baseline = Baseline::parse("known.json", &written).expect("it was just written");
        let mut known = report("0").launches.remove(0);
        known.source = "shaders/kernel.wgsl".to_owned();
        baseline.apply(&mut known);
        assert_eq!(
            (known.findings.len(), known.stats.allowed, known.verdict),
            (0, 1, Verdict::Clean)
        );
        let mut new = report("lane / 2u").launches.remove(0);
        baseline.apply(&mut new);
        assert_eq!((new.findings.len(), new.verdict), (1, Verdict::Findings));
        assert_eq!(baseline.gone(&["kernel.wgsl"]), 0);
    }

    #[test]
    fn a_new_baseline_keeps_what_the_old_one_allowed() {
        let mut old = Baseline::of(&report("0"));
        let mut now = report("0");
        old.apply(&mut now.launches[0]);
        assert_eq!(Baseline::of(&now).text(), old.text());
    }

    #[test]
    fn known_findings_that_went_away_are_counted() {
        let baseline = Baseline::of(&report("0"));
        assert_eq!(baseline.gone(&["kernel.wgsl"]), 1);
        assert_eq!(baseline.gone(&["other.wgsl"]), 0);
    }

    #[test]
    fn what_is_no_baseline_is_refused_with_its_place() {
        let error =
            Baseline::parse("known.json", "{\n  \"schema\": 1\n}").expect_err("no baseline");
        assert!(error.message.starts_with("`known.json` is no baseline: invalid type"), "{error}");
        let source = error.source_map.as_ref().expect("it points into the file");
        assert_eq!(source.position(error.labels[0].0.start).line, 2);
        let other = r#"{"schema": "hirace.baseline/9", "findings": []}"#;
        let error = Baseline::parse("known.json", other).expect_err("another version");
        assert_eq!(
            error.message,
            "`known.json` is a `hirace.baseline/9`, not a `hirace.baseline/1`"
        );
    }
}
