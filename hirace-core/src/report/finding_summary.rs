//! Findings as one-line records, as they are stored for the launches of tests.

use super::compose;
use crate::facts::{LaunchFacts, Picture};
use serde::{Deserialize, Serialize};

/// A finding of a launch, in one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FindingSummary {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The rule code: `HR001`.
    pub rule: String,
    /// The message, in one line.
    pub message: String,
    /// The kernel.
    pub kernel: String,
    /// Whether the finding is an error that does not depend on a guess.
    pub certain: bool,
    /// The command that reproduces the finding, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// Returns the findings of these launches.
pub fn finding_summaries(launches: &[LaunchFacts]) -> Vec<FindingSummary> {
    finding_summaries_with_pictures(launches).into_iter().map(|(found, _)| found).collect()
}

/// Returns the findings of these launches, each with the data of its diagram if it has one.
pub fn finding_summaries_with_pictures(
    launches: &[LaunchFacts],
) -> Vec<(FindingSummary, Option<Picture>)> {
    let of_launch = |facts: &LaunchFacts| {
        let launch = compose::launch(facts);
        let (source, kernel) = (launch.source.clone(), launch.entry.clone());
        let findings = launch.findings.into_iter().map(move |finding| {
            let place = finding.accesses.first();
            let certain = finding.is_certain_error();
            let found = FindingSummary {
                file: place.map_or_else(|| source.clone(), |place| place.file.clone()),
                line: place.map_or(1, |place| place.line),
                rule: finding.rule,
                message: finding.message,
                kernel: kernel.clone(),
                certain,
                command: finding.replay,
            };
            (found, finding.picture)
        });
        findings.collect::<Vec<_>>()
    };
    launches.iter().flat_map(of_launch).collect()
}
