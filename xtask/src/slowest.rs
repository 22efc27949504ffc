//! Reports on the durations of tests.

use crate::binaries::root;
use crate::run::JobResult;
use std::path::{Path, PathBuf};

/// The number of tests that are printed.
const MOST: usize = 20;

/// A trial of the ci tier above this many seconds needs a reason.
const LONG: f64 = 20.0;

/// Prints the tests that took longest: trials of the binaries that record their times, and other binaries as a whole.
pub fn print(results: &[JobResult], target: &Path) {
    let mut all = trials(target);
    all.extend(
        results
            .iter()
            .map(|result| (result.seconds, format!("{} {}", result.package, result.name))),
    );
    all.sort_by(|(one, _), (two, _)| two.total_cmp(one));
    for (seconds, name) in all.iter().take(MOST) {
        println!("{seconds:8.1} s  {name}");
    }
}

/// Prints the trials that took long and for which `tests/it/slow.txt` has no reason.
pub fn print_without_reason(target: &Path) {
    let list = std::fs::read_to_string(root().join("tests/it/slow.txt")).unwrap_or_default();
    let listed: Vec<&str> =
        list.lines().filter_map(|line| Some(line.split_once('#')?.0.trim())).collect();
    for (seconds, name) in trials(target) {
        if seconds > LONG && !listed.contains(&&*name) {
            println!("{name} took {seconds:.0} s: tests/it/slow.txt has no reason for that");
        }
    }
}

/// Returns the files in which the harness records the times of a run.
fn records(target: &Path) -> [PathBuf; 3] {
    // `CARGO_TARGET_TMPDIR` is next to the folder of the profile.
    let folder = target.parent().unwrap_or(target).join("tmp");
    ["", "wgpu", "litmus-service"].map(|suite| folder.join(suite).join("last.tsv"))
}

/// Removes the records of earlier runs.
pub fn forget(target: &Path) {
    for record in records(target) {
        let _ = std::fs::remove_file(record);
    }
}

/// Reads the times that the harness recorded in this run.
fn trials(target: &Path) -> Vec<(f64, String)> {
    let files = records(target);
    let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let mut all = Vec::new();
    for text in texts {
        let line = |line: &str| {
            let (seconds, name) = line.split_once('\t')?;
            Some((seconds.parse().ok()?, name.to_owned()))
        };
        all.extend(text.lines().filter_map(line));
    }
    all
}
