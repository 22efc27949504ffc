//! Campaigns as CSV (RFC 4180): a row for each test and environment.
//!
//! After the columns that all tests have, there is a column for each outcome that occurred in some run, named by its final
//! values. Its cell has the number of instances with this outcome, or nothing if no run of the test showed it.

use super::histogram;
use crate::results::{Document, Software, TestInfo};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the columns that all tests have.
const COLUMNS: [&str; 20] = [
    "device",
    "vendor",
    "driver",
    "operating system",
    "browser",
    "specification",
    "seed",
    "environment",
    "test",
    "kind",
    "dispatches",
    "instances",
    "seconds",
    "condition met",
    "sequential",
    "interleaved",
    "weak",
    "forbidden",
    "other",
    "failure",
];

/// Returns the runs of a campaign as CSV.
pub fn csv(document: &Document) -> String {
    let mut outcomes_of: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for run in &document.runs {
        let shown = run.outcomes.iter().map(|outcome| histogram::held(&outcome.held));
        outcomes_of.entry(&run.test).or_default().extend(shown);
    }
    let outcomes: BTreeSet<&String> = outcomes_of.values().flatten().collect();
    let head = COLUMNS.into_iter().chain(outcomes.iter().map(|name| name.as_str()));
    let mut text = row(head.map(str::to_owned));
    let target = &document.target;
    let software = |of: &Option<Software>| of.as_ref().map(ToString::to_string).unwrap_or_default();
    for (run, seconds) in document.timed_runs() {
        let is_test = |tested: &&TestInfo| tested.name == run.test;
        let kind = document.tests.iter().find(is_test).map(|tested| tested.kind.clone());
        let classes = &run.classes;
        let fixed: [String; COLUMNS.len()] = [
            target.name.clone(),
            target.vendor.clone(),
            target.driver.clone(),
            software(&target.operating_system),
            software(&target.browser),
            document.specification.clone(),
            document.settings.seed.clone(),
            run.environment.to_string(),
            run.test.clone(),
            kind.unwrap_or_default(),
            run.iterations.to_string(),
            run.instances.to_string(),
            seconds.map(|seconds| seconds.to_string()).unwrap_or_default(),
            run.found.to_string(),
            classes.sequential.to_string(),
            classes.interleaved.to_string(),
            classes.weak.to_string(),
            classes.forbidden.to_string(),
            classes.other.to_string(),
            run.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default(),
        ];
        let counts: BTreeMap<String, u64> = run
            .outcomes
            .iter()
            .map(|outcome| (histogram::held(&outcome.held), outcome.count))
            .collect();
        let counts = outcomes.iter().map(|name| match counts.get(*name) {
            Some(count) => count.to_string(),
            None if outcomes_of[&run.test[..]].contains(*name) => "0".to_owned(),
            None => String::new(),
        });
        text.push_str(&row(fixed.into_iter().chain(counts)));
    }
    text
}

/// Returns a line with these cells.
fn row(cells: impl Iterator<Item = String>) -> String {
    let needs_quotes = |cell: &String| cell.contains(['"', ',', '\r', '\n']);
    let cells = cells.map(|cell| match needs_quotes(&cell) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    });
    cells.collect::<Vec<_>>().join(",") + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{
      "schema": "hirace.litmus/1", "verb": "run", "specification": "wgsl",
      "target": {"name": "A \"fast\" GPU, 2", "vendor": "v", "driver": "d", "operating_system": {"name": "Linux", "version": "6.1"}},
      "settings": {"seed": "s", "iterations": 2, "permutation": {"first": 419, "second": 1031}},
      "environments": [],
      "tests": [{"name": "rr", "kind": "conformance"}, {"name": "coherence", "kind": "observation"}],
      "runs": [
        {"environment": 0, "test": "rr", "iterations": 2, "instances": 10, "found": 1, "other": 0,
         "classes": {"sequential": 9, "interleaved": 0, "weak": 0, "forbidden": 1, "other": 0},
         "outcomes": [{"registers": [0, 1], "memory": [], "class": "sequential", "found": false, "count": 9},
                      {"registers": [1, 0], "memory": [], "class": "forbidden", "found": true, "count": 1}]},
        {"environment": 1, "test": "rr", "iterations": 1, "instances": 5, "found": 0, "other": 0,
         "classes": {"sequential": 5, "interleaved": 0, "weak": 0, "forbidden": 0, "other": 0},
         "outcomes": [{"registers": [0, 1], "memory": [], "class": "sequential", "found": false, "count": 5}]},
        {"environment": 0, "test": "coherence", "iterations": 0, "instances": 0, "found": 0, "other": 0,
         "classes": {"sequential": 0, "interleaved": 0, "weak": 0, "forbidden": 0, "other": 0}, "outcomes": [],
         "failure": {"kind": "lost", "reason": "gone"}}
      ],
      "timing": {"runs": [0.5, 0.25, 0]}
    }"#;

    #[test]
    fn each_run_is_a_row_with_a_column_for_each_outcome() {
        let document: Document = serde_json::from_str(DOCUMENT).unwrap();
        let about = "\"A \"\"fast\"\" GPU, 2\",v,d,Linux 6.1,,wgsl,s";
        let expected = [
            format!("{},r0=0 r1=1,r0=1 r1=0", COLUMNS.join(",")),
            format!("{about},0,rr,conformance,2,10,0.5,1,9,0,0,1,0,,9,1"),
            format!("{about},1,rr,conformance,1,5,0.25,0,5,0,0,0,0,,5,0"),
            format!("{about},0,coherence,observation,0,0,0,0,0,0,0,0,0,gone,,"),
        ];
        assert_eq!(csv(&document).split_terminator("\r\n").collect::<Vec<_>>(), expected);
        let untimed = csv(&document.without_timing());
        assert!(untimed.contains(",2,10,,1,9,"), "{untimed}");
    }
}
