//! Results of locks as text.

use super::table_of_runs;
use crate::locks::{LockRun, Locks};
use std::fmt::Write as _;

/// Returns a table with a row per lock, failures, and the broken locks.
pub fn locks(document: &Locks) -> String {
    let runs =
        document.locks.iter().map(|LockRun { lock, held, lost, given_up, failure, .. }| {
            let [held, lost, given_up] = [held, lost, given_up].map(u64::to_string);
            ([lock.clone(), held, lost, given_up], failure.as_ref())
        });
    let times = document.timing.as_ref().map(|timing| &timing.locks[..]);
    let mut text = table_of_runs(["lock", "held", "lost", "gave up"], runs, times);
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
