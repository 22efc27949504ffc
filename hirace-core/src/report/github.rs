//! Annotations for GitHub Actions.
//!
//! There is one workflow command for each finding that is shown by itself, each condition of a contract, each input that was not
//! checked, each limit that a kernel exceeds, and each note. A pull request shows a command with a source location at its line. The
//! last line summarizes the run; only the log shows it.

use super::document::{Condition, Error, ErrorPlace, Finding, Report, Violation};
use super::reported_findings::reported_findings;
use std::fmt::Write as _;

/// Returns one line for each finding, error, exceeded limit and input that was not checked, and a summary.
pub fn report(report: &Report) -> String {
    let mut text = String::new();
    for shown in reported_findings(report).iter().flatten() {
        text.push_str(&annotation(&shown.with_note()));
    }
    let contracts = report.launches.iter().filter_map(|launch| launch.contract.as_ref());
    for condition in contracts.flat_map(|contract| &contract.conditions) {
        text.push_str(&requirement(condition));
    }
    for error in &report.errors {
        text.push_str(&failure(error));
    }
    for beyond in report.launches.iter().flat_map(|launch| &launch.beyond_webgpu) {
        text.push_str(&notice("limit", beyond.place.as_ref(), &beyond.message));
    }
    for note in report.launches.iter().flat_map(|launch| &launch.notes) {
        text.push_str(&notice("note", Some(&note.place), &note.message));
    }
    for left in report.not_checked.iter().filter(|left| left.stopped) {
        let file = file(left.input.as_ref());
        let _ = writeln!(text, "::error {file}title=hirace not checked::{}", data(&left.reason));
    }
    text.push_str("hirace: ");
    text.push_str(if report.stopped { "stopped after " } else { "" });
    text.push_str(&super::text::total(report));
    text
}

/// Returns the annotation of an error, at its source location if it has one.
fn failure(error: &Error) -> String {
    let place = error.places.first().map(place);
    let place = place.unwrap_or_else(|| file(error.input.as_ref()));
    let text = data(&error.lines().join("\n"));
    format!("::error {place}title=hirace not checked::{text}\n")
}

/// Returns the annotation of a condition, at the first access that it is needed for.
fn requirement(condition: &Condition) -> String {
    let Violation { rule, places, .. } = &condition.otherwise;
    let place = places.first().map(place).unwrap_or_default();
    let text = data(&condition.lines().join("\n"));
    format!("::warning {place}title={} condition::{text}\n", property(rule))
}

/// Returns the annotation of a limit that a kernel exceeds, or of a note.
fn notice(title: &str, at: Option<&ErrorPlace>, message: &str) -> String {
    let place = at.map(place).unwrap_or_default();
    format!("::notice {place}title=hirace {title}::{}\n", data(message))
}

fn place(place: &ErrorPlace) -> String {
    let region = region(place.line, place.end_line, place.column, place.end_column);
    format!("file={},{region},", property(&place.file))
}

fn file(input: Option<&String>) -> String {
    input.map(|file| format!("file={},", property(file))).unwrap_or_default()
}

/// Returns a source range as properties of a workflow command.
pub fn region(line: u32, end_line: u32, column: u32, end_column: u32) -> String {
    let mut text = format!("line={line},endLine={end_line},col={column}");
    // GitHub rejects an end column if the range spans lines.
    if line == end_line {
        let _ = write!(text, ",endColumn={end_column}");
    }
    text
}

fn annotation(finding: &Finding) -> String {
    let command = if finding.is_certain_error() { "error" } else { "warning" };
    let mut text = format!("::{command} ");
    if let Some(place) = finding.accesses.first() {
        let region = region(place.line, place.end_line, place.column, place.end_column);
        let _ = write!(text, "file={},{region},", property(&place.file));
    }
    let title = format!("{} {}", finding.kind.code(), finding.kind.name());
    let _ = write!(text, "title={}", property(&title));
    let mut lines = vec![finding.message.clone()];
    for place in &finding.accesses {
        lines.push(format!("{}:{}: {}", place.line, place.column, place.label));
    }
    lines.push(finding.reason.clone());
    lines.extend(finding.consequences().map(|text| format!("leads to: {text}")));
    lines.extend(finding.caused());
    lines.extend(finding.notes.iter().cloned());
    lines.extend(finding.help.iter().map(|help| format!("help: {help}")));
    lines.extend(finding.replay.iter().map(|replay| format!("replay: {replay}")));
    let _ = writeln!(text, "::{}", data(&lines.join("\n")));
    text
}

/// Escapes the message of a workflow command.
pub fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
pub fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workflow_command_delimiters_are_escaped() {
        assert_eq!(property("a:b,c%d\n"), "a%3Ab%2Cc%25d%0A");
        assert_eq!(data("50%: a, b\r\n"), "50%25: a, b%0D%0A");
    }
}
