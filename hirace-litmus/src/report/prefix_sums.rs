//! Results of prefix sums as text.

use super::table_of_runs;
use crate::prefix_sum::{PrefixSumRun, PrefixSums};
use std::fmt::Write as _;

/// Returns a table with a row per protocol, failures, and a conclusion.
pub fn prefix_sums(document: &PrefixSums) -> String {
    let runs = document.protocols.iter().map(|run| {
        let PrefixSumRun { protocol, iterations, elements, wrong, missing, failure, .. } = run;
        let [iterations, elements, wrong, missing] =
            [u64::from(*iterations), *elements, *wrong, *missing].map(|n| n.to_string());
        ([protocol.clone(), iterations, elements, wrong, missing], failure.as_ref())
    });
    let times = document.timing.as_ref().map(|timing| &timing.protocols[..]);
    let head = ["protocol", "dispatches", "elements", "wrong", "missing"];
    let mut text = table_of_runs(head, runs, times);
    let names = |is: fn(&PrefixSumRun) -> bool| {
        let named = document.protocols.iter().filter(|run| is(run));
        named.map(|run| run.protocol.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (wrong, missing) = (names(|run| run.wrong > 0), names(|run| run.missing > 0));
    if !wrong.is_empty() {
        let _ = writeln!(text, "wrong sums: {wrong}");
    }
    if !missing.is_empty() {
        let _ = writeln!(text, "missing sums (a workgroup gave up waiting): {missing}");
    }
    text
}
