//! GitHub Actions annotations: a workflow command per finding, shown at its line in a pull request.

use super::groups::{Group, groups};
use super::words;
use hirace_core::amplify::results::Results;
use hirace_core::report::github::{data, property, region};
use std::fmt::Write as _;

/// Returns a line for each finding that counts, and a summary line.
pub fn report(results: &Results) -> String {
    let mut text = String::new();
    for Group { launched, dispatched, finding, more, .. } in groups(results) {
        let labels = words::labels(finding, dispatched);
        let at = match labels.first() {
            Some((place, _)) => {
                let region = region(place.line, place.end_line, place.column, place.end_column);
                format!("file={},{region},", property(&place.file))
            }
            None => format!("file={},", property(&launched.file)),
        };
        let command = match (finding.counts(), launched.guessed.is_empty()) {
            (false, _) => "notice",
            (true, false) => "warning",
            (true, true) => "error",
        };
        let title = property(&format!("hirace amplify {}", words::kind(finding)));
        let said = std::iter::once(words::message(finding, launched))
            .chain(words::notes(finding, launched, dispatched))
            .chain(words::same_cause_elsewhere(more))
            .collect::<Vec<_>>();
        let _ = writeln!(text, "::{command} {at}title={title}::{}", data(&said.join("\n")));
    }
    if results.stopped {
        let _ = writeln!(text, "::error title=hirace amplify::{}", data(words::STOPPED));
    }
    text + &format!("hirace: {}\n", words::total(results))
}
