//! Findings with one cause: on the same variable, at the same places. The launches of a suite show many of them often.

use super::words;
use hirace_core::amplify::results::{Dispatched, Finding, Launched, Place, Results, Test, What};
use std::collections::BTreeMap;

/// The finding that a group is shown by, and how often there is one of its cause.
pub struct Group<'r> {
    pub test: &'r Test,
    pub launched: &'r Launched,
    pub dispatched: &'r Dispatched,
    pub finding: &'r Finding,
    /// In how many more dispatches it was found.
    pub more: u64,
}

/// What tells one cause from another.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cause<'r> {
    /// 0 for what fails a run, 1 for what hangs on a guess, 2 for what tests accept.
    gravity: u8,
    file: &'r str,
    kind: &'static str,
    variable: String,
    places: Vec<Place>,
}

/// All findings by cause, the gravest first.
pub fn groups(results: &Results) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<Cause<'_>, Group<'_>> = BTreeMap::new();
    for (test, launched, dispatched, finding) in results.findings() {
        let variable = match &finding.what {
            What::OutputsDiffer(differs) => differs.variable.clone(),
            What::Race { .. } | What::Divergence(_) | What::NoProgress(_) => String::new(),
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
