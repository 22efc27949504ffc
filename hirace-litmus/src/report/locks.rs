//! Results of locks as text.

use super::aligned;
use crate::locks::{LockRun, Locks};
use std::fmt::Write as _;
use std::iter::repeat;
use tabled::builder::Builder;

/// Returns a table with a row per lock, failures, and the broken locks.
pub fn locks(document: &Locks) -> String {
    let mut records = Builder::new();
    let times = document.timing.iter().flat_map(|timing| &timing.locks);
    let times = times.map(|seconds| Some(format!("{seconds:.2}"))).chain(repeat(None));
    let time = document.timing.is_some().then_some("seconds");
    records.push_record(["lock", "held", "lost", "gave up"].into_iter().chain(time));
    for (LockRun { lock, held, lost, given_up, .. }, time) in document.locks.iter().zip(times) {
        let numbers = [held, lost, given_up].map(u64::to_string);
        records.push_record([lock.clone()].into_iter().chain(numbers).chain(time));
    }
    let mut text = aligned(records, 1..);
    for LockRun { lock, failure, .. } in &document.locks {
        if let Some(failure) = failure {
            let _ = writeln!(text, "{lock}: {failure}");
        }
    }
    let broken: Vec<&str> =
        document.locks.iter().filter(|run| run.is_broken()).map(|run| run.lock.as_str()).collect();
    let _ = match broken.len() {
        0 => writeln!(
            text,
            "no broken lock was observed, although WGSL guarantees mutual exclusion for none of them"
        ),
        _ => {
            writeln!(text, "broken (no mutual exclusion, or a lost update): {}", broken.join(", "))
        }
    };
    text
}
