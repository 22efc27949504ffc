//! What the processes of an application found: a report of each, by its number.

use hirace_core::facts::Verdict;
use hirace_core::report::document::Report;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::{env, fs};

/// The variable by which reports are asked for.
const REPORTS: &str = "HIRACE_REPORT";

/// What [`REPORTS`] is, for reports in `folder` beside those that the user wants.
pub fn reports(folder: &Path) -> OsString {
    let own = format!("json={}", folder.join("{pid}.json").display());
    match env::var(REPORTS).ok().filter(|given| !given.is_empty()) {
        Some(given) => format!("{own},{given}").into(),
        None => own.into(),
    }
}

/// An empty folder for the reports of a run.
pub fn begin(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
}

/// Whether a process found something.
pub fn is_something(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let report = serde_json::from_str::<Report>(&text);
        report.is_ok_and(|report| report.verdict == Verdict::Findings)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::report::{compose, json};

    #[test]
    fn a_report_with_a_finding_is_something() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_something(&folder.path().join("none")));
        let mut report = compose::report(&[]);
        fs::write(folder.path().join("1.json"), json::report(&report)).unwrap();
        assert!(!is_something(folder.path()));
        report.verdict = Verdict::Findings;
        fs::write(folder.path().join("2.json"), json::report(&report)).unwrap();
        assert!(is_something(folder.path()));
    }
}
