//! Groups of findings with the same cause: the same variable and source locations. Launches of a suite often share
//! causes.

use super::words;
use hirace_core::amplify::results::{
    AmplifiedDispatch, AmplifiedLaunch, Finding, FindingFacts, Place, Results, Test,
};
use std::collections::BTreeMap;

/// A representative finding of a cause, and how often the cause occurs.
pub struct Group<'r> {
    pub test: &'r Test,
    pub launched: &'r AmplifiedLaunch,
    pub dispatched: &'r AmplifiedDispatch,
    pub finding: &'r Finding,
    /// The number of further dispatches with this cause.
    pub more: u64,
}

/// The key that distinguishes causes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cause<'r> {
    /// 0 for findings that fail a run, 1 for findings that depend on guesses, 2 for those that tests accept.
    gravity: u8,
    file: &'r str,
    kind: &'static str,
    variable: String,
    places: Vec<Place>,
}

/// Groups all findings by cause, the most severe first.
pub fn groups(results: &Results) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<Cause<'_>, Group<'_>> = BTreeMap::new();
    for (test, launched, dispatched, finding) in results.findings() {
        let variable = match &finding.what {
            FindingFacts::OutputsDiffer(differs) => differs.variable.clone(),
            FindingFacts::Race { .. }
            | FindingFacts::Divergence(_)
            | FindingFacts::NoProgress(_) => String::new(),
        };
        let labels = words::labels(finding, dispatched);
        let mut places: Vec<Place> = labels.into_iter().map(|(place, _)| place).collect();
        places.sort();
        let gravity = match (finding.counts(), launched.guessed.is_empty()) {
            (true, true) => 0,
            (true, false) => 1,
            (false, _) => 2,
        };
        let (file, kind) = (launched.file.as_str(), words::kind(finding));
        let cause = Cause { gravity, file, kind, variable, places };
        let group = Group { test, launched, dispatched, finding, more: 0 };
        groups.entry(cause).and_modify(|known| known.more += 1).or_insert(group);
    }
    groups.into_values().collect()
}
