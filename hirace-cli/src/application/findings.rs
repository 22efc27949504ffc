//! Findings of the processes of an application: one report file per process.

use hirace_core::facts::Verdict;
use hirace_core::report::document::Report;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates an empty folder for the reports of a run.
pub fn begin(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
}

/// Returns whether any process found something, or `None` if no process checked anything.
pub fn has_findings(folder: &Path) -> Option<bool> {
    let found = fs::read_dir(folder).ok()?.flatten().map(|entry| {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let report = serde_json::from_str::<Report>(&text);
        report.is_ok_and(|report| report.verdict == Verdict::Findings)
    });
    found.reduce(|one, other| one || other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::report::{compose, json};

    #[test]
    fn has_findings_is_none_without_reports() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(has_findings(&folder.path().join("none")), None);
        assert_eq!(has_findings(folder.path()), None);
        let mut report = compose::report(&[]);
        fs::write(folder.path().join("1.json"), json::report(&report)).unwrap();
        assert_eq!(has_findings(folder.path()), Some(false));
        report.verdict = Verdict::Findings;
        fs::write(folder.path().join("2.json"), json::report(&report)).unwrap();
        assert_eq!(has_findings(folder.path()), Some(true));
    }
}
