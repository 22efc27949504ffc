//! What locks kept, as text.

use super::aligned;
use crate::locks::{LockRun, Locks};
use std::fmt::Write as _;
use tabled::builder::Builder;

/// A row a lock, and what follows.
pub fn locks(document: &Locks) -> String {
    let mut records = Builder::new();
    records.push_record(["lock", "held", "lost", "gave up", "seconds"]);
    for LockRun { lock, held, lost, given_up, seconds, .. } in &document.locks {
        let numbers = [held, lost, given_up].map(u64::to_string);
        let [held, lost, given_up] = numbers;
        records.push_record([lock.clone(), held, lost, given_up, format!("{seconds:.2}")]);
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
            "no lock was seen to let two in at once, which WGSL would allow each of them"
        ),
        _ => {
            writeln!(text, "let two in at once, or hid what was left there: {}", broken.join(", "))
        }
    };
    text
}
