//! Baselines: files with the fingerprints of known findings.
//!
//! A baseline lets a project with known findings fail only on new ones. It is written from a check
//! ([`crate::report::baseline`]) and read by later runs. Findings listed in it are suppressed and counted.

use crate::diagnostic::{Diagnostic, Result};
use crate::facts::{LaunchFacts, SuppressedBy, SuppressedFinding};
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
    findings: Vec<KnownFinding>,
    /// The indices of the findings that were found again.
    #[serde(skip)]
    seen: BTreeSet<usize>,
}

/// A known finding. Only the fingerprint and the source are compared; the other fields are for readers of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// The file that contains the finding.
    pub source: String,
    /// The rule code: `HR001` and so on.
    pub rule: String,
    /// The fingerprint, in hexadecimal digits.
    pub fingerprint: String,
    /// The message of the finding.
    pub message: String,
}

impl KnownFinding {
    /// Returns whether the finding is in `source`, even if the paths start at different folders: one path has to end
    /// with the other.
    fn is_in(&self, source: &str) -> bool {
        let (known, source) = (Path::new(&self.source), Path::new(source));
        known.ends_with(source) || source.ends_with(known)
    }
}

impl Baseline {
    /// Creates a baseline of these findings, without duplicates.
    pub fn new(mut findings: Vec<KnownFinding>) -> Self {
        findings.sort();
        findings.dedup_by(|a, b| (&a.source, &a.fingerprint) == (&b.source, &b.fingerprint));
        Self { schema: SCHEMA.to_owned(), findings, seen: BTreeSet::new() }
    }

    /// Parses a baseline file; diagnostics call it `name`.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let source = SourceMap::new(name, text);
        let parsed: Self = serde_json::from_str(text).map_err(|error| {
            let position =
                LineColumn { line: error.line() as u32, column: error.column().max(1) as u32 };
            let at = source.offset(position);
            let message = format!("`{name}` is not a baseline: {error}");
            Diagnostic::at(&source, Span::new(at, at), message)
                .help("write one with `hirace check --write-baseline FILE`")
        })?;
        if parsed.schema != SCHEMA {
            let message = format!("`{name}` is a `{}`, not a `{SCHEMA}`", parsed.schema);
            return Err(Box::new(Diagnostic::new(message)));
        }
        Ok(parsed)
    }

    /// Returns the text of the baseline file.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a baseline has only string keys");
        text.push('\n');
        text
    }

    /// Moves the known findings of `launch` to its suppressed findings.
    pub fn apply(&mut self, launch: &mut LaunchFacts) {
        let source = launch.source.name();
        let mut kept = Vec::new();
        for finding in std::mem::take(&mut launch.findings) {
            let fingerprint = finding.fingerprint.to_string();
            let same =
                |known: &KnownFinding| known.fingerprint == fingerprint && known.is_in(source);
            match self.findings.iter().position(same) {
                Some(index) => {
                    self.seen.insert(index);
                    let by = SuppressedBy::Baseline;
                    launch.suppressed.push(SuppressedFinding { finding, by, reason: None });
                }
                None => kept.push(finding),
            }
        }
        launch.findings = kept;
    }

    /// Returns the number of known findings in `sources` that were not found again. The baseline can be rewritten
    /// without them.
    pub fn count_resolved(&self, sources: &[&str]) -> usize {
        let known = self.findings.iter().enumerate();
        let in_sources = |known: &KnownFinding| sources.iter().any(|source| known.is_in(source));
        known.filter(|(i, known)| !self.seen.contains(i) && in_sources(known)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Verdict;
    use crate::ir::access::Action::Write;
    use crate::report::baseline::baseline;
    use crate::tests::fixture::{Fixture, by};

    fn launch(value: &str) -> LaunchFacts {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) lane: u32) {{ out[{value}] = lane; }}"
        );
        let mut fixture = Fixture::new(&text, [1, 1, 1]);
        let write = fixture.access(Write, 3, 0);
        fixture.race([0], by(0, 0, write), by(0, 1, write));
        fixture.launch_of_given()
    }

    #[test]
    fn baseline_suppresses_known_findings_only() {
        let written = baseline(&[launch("0")]).text();
        let mut read = Baseline::parse("known.json", &written).expect("it was just written");
        let mut known = launch("0");
        known.source = SourceMap::new("shaders/kernel.wgsl", known.source.text());
        read.apply(&mut known);
        assert_eq!(
            (known.findings.len(), known.suppressed.len(), known.verdict()),
            (0, 1, Verdict::Clean)
        );
        let mut new = launch("lane / 2u");
        read.apply(&mut new);
        assert_eq!((new.findings.len(), new.verdict()), (1, Verdict::Findings));
        assert_eq!(read.count_resolved(&["kernel.wgsl"]), 0);
    }

    #[test]
    fn a_new_baseline_keeps_what_the_old_one_allowed() {
        let mut old = baseline(&[launch("0")]);
        let mut now = launch("0");
        old.apply(&mut now);
        assert_eq!(baseline(&[now]).text(), old.text());
    }

    #[test]
    fn known_findings_that_went_away_are_counted() {
        let known = baseline(&[launch("0")]);
        assert_eq!(known.count_resolved(&["kernel.wgsl"]), 1);
        assert_eq!(known.count_resolved(&["other.wgsl"]), 0);
    }

    #[test]
    fn invalid_baselines_are_rejected_at_their_location() {
        let error =
            Baseline::parse("known.json", "{\n  \"schema\": 1\n}").expect_err("not a baseline");
        assert!(
            error.message.starts_with("`known.json` is not a baseline: invalid type"),
            "{error}"
        );
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
