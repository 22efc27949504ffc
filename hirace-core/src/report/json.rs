//! The report as JSON, by the schema `hirace.check/1`.

use super::document::Report;

/// The report, indented, with a line feed at its end.
pub fn report(report: &Report) -> String {
    with_line_feed(serde_json::to_string_pretty(report))
}

/// The report in a text that [`report`] wrote.
///
/// # Errors
/// It is something else, or of another version.
pub fn read(text: &str) -> serde_json::Result<Report> {
    serde_json::from_str(text)
}

/// The JSON schema of [`report`], which a test holds `schema/` to.
#[cfg(test)]
pub fn schema() -> String {
    with_line_feed(serde_json::to_string_pretty(&schemars::schema_for!(Report)))
}

fn with_line_feed(text: serde_json::Result<String>) -> String {
    // Only a map whose keys are no strings fails, and a report has no maps.
    let mut text = text.expect("a report has string keys alone");
    text.push('\n');
    text
}
