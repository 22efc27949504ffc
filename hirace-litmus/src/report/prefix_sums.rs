//! Results of prefix sums as text.

use super::aligned;
use crate::prefix_sum::{PrefixSumRun, PrefixSums};
use std::fmt::Write as _;
use std::iter::repeat;
use tabled::builder::Builder;

/// Returns a table with a row per protocol, failures, and a conclusion.
pub fn prefix_sums(document: &PrefixSums) -> String {
    let times = document.timing.iter().flat_map(|timing| &timing.protocols);
    let times = times.map(|seconds| Some(format!("{seconds:.2}"))).chain(repeat(None));
    let time = document.timing.is_some().then_some("seconds");
    let mut records = Builder::new();
    let head = ["protocol", "dispatches", "elements", "wrong", "missing"];
    records.push_record(head.into_iter().chain(time));
    for (run, time) in document.protocols.iter().zip(times) {
        let PrefixSumRun { protocol, iterations, elements, wrong, missing, .. } = run;
        let numbers = [u64::from(*iterations), *elements, *wrong, *missing].map(|n| n.to_string());
        records.push_record([protocol.clone()].into_iter().chain(numbers).chain(time));
    }
    let mut text = aligned(records, 1..);
    for PrefixSumRun { protocol, failure, .. } in &document.protocols {
        if let Some(failure) = failure {
            let _ = writeln!(text, "{protocol}: {failure}");
        }
    }
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
