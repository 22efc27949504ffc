//! Results of tests of the bounds of data races as text.

use super::table_of_runs;
use crate::race_bounds::{RaceBounds, RaceBoundsRun};
use std::fmt::Write as _;

/// Returns a table with a row per test, failures, and a conclusion.
pub fn race_bounds(document: &RaceBounds) -> String {
    let runs = document.tests.iter().map(|run| {
        let counts = [u64::from(run.iterations), run.elements, run.unbounded, run.other];
        let [iterations, elements, unbounded, other] = counts.map(|n| n.to_string());
        ([run.test.clone(), iterations, elements, unbounded, other], run.failure.as_ref())
    });
    let times = document.timing.as_ref().map(|timing| &timing.tests[..]);
    let head = ["test", "dispatches", "elements", "unbounded", "other"];
    let mut text = table_of_runs(head, runs, times);
    let broken = document.tests.iter().filter(|run| run.is_broken());
    let broken: Vec<&str> = broken.map(|run: &RaceBoundsRun| run.test.as_str()).collect();
    if !broken.is_empty() {
        let _ = writeln!(text, "races with effects after the barrier: {}", broken.join(", "));
    }
    text
}
