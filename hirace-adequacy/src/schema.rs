//! Identifies the kind of a JSON report by its `schema` field.

use serde::Deserialize;

/// A kind of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `hirace.check/…`
    Check,
    /// `hirace.cover/…`
    Coverage,
    /// `hirace.mutate/…`
    Mutants,
    /// `hirace.amplify/…`
    Schedules,
    /// `hirace.litmus/…`
    Litmus,
    /// Another kind.
    Other,
}

/// Returns the `schema` of the report in this text, for example `hirace.mutate/1`.
pub fn name(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    serde_json::from_str::<Head>(text).ok().map(|head| head.schema)
}

/// Returns the kind of the report in this text, whatever its version.
pub fn kind(text: &str) -> Kind {
    let name = name(text);
    match name.as_ref().and_then(|name| name.split('/').next()) {
        Some("hirace.check") => Kind::Check,
        Some("hirace.cover") => Kind::Coverage,
        Some("hirace.mutate") => Kind::Mutants,
        Some("hirace.amplify") => Kind::Schedules,
        Some("hirace.litmus") => Kind::Litmus,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_kind_is_detected_from_the_schema_name() {
        assert_eq!(kind(r#"{"more": [1], "schema": "hirace.mutate/7"}"#), Kind::Mutants);
        assert_eq!(kind(r#"{"schema": "hirace.cover/1"}"#), Kind::Coverage);
        assert_eq!(kind(r#"{"schema": "hirace.amplify/1"}"#), Kind::Schedules);
        assert_eq!(kind(r#"{"schema": "hirace.litmus/1"}"#), Kind::Litmus);
        assert_eq!(kind(r#"{"schema": "hirace.mutated/1"}"#), Kind::Other);
        assert_eq!(kind("fn main() {}"), Kind::Other);
    }
}
