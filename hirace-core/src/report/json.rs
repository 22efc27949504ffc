//! The report as JSON, in the schema `hirace.check/2`.

use super::document::Report;

/// Returns the report as indented JSON that ends with a line feed.
pub fn report(report: &Report) -> String {
    with_line_feed(serde_json::to_string_pretty(report))
}

/// Parses a text that [`report`] wrote.
///
/// # Errors
/// Returns an error if the text is not a report, or is of another version.
pub fn read(text: &str) -> serde_json::Result<Report> {
    serde_json::from_str(text)
}

/// Returns the JSON schema of [`report`]. A test compares it with the copy in `schema/`.
#[cfg(test)]
pub fn schema() -> String {
    with_line_feed(serde_json::to_string_pretty(&schemars::schema_for!(Report)))
}

fn with_line_feed(text: serde_json::Result<String>) -> String {
    // Serialization fails only for maps with non-string keys, and a report contains no maps.
    let mut text = text.expect("a report has only string keys");
    text.push('\n');
    text
}
