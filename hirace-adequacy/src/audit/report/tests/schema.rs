use super::fixture::{audit, found};
use crate::audit::results::Audit;
use serde_json::Value;

/// The JSON schema of an audit.
fn schema() -> String {
    let schema = schemars::schema_for!(Audit);
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn the_schema_that_is_checked_in_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/hirace.audit-1.schema.json");
    hirace_testing::assert_up_to_date(path, &schema());
}

#[test]
fn what_is_found_is_as_its_schema_says() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let known = schema["$defs"]["Found"]["properties"].as_object().unwrap();
    let found = serde_json::to_value(found()).unwrap();
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(known.keys().collect::<Vec<_>>(), keys);
}

#[test]
fn what_is_written_is_read_again() {
    let text = crate::audit::report::json::report(&audit());
    let read: Audit = serde_json::from_str(&text).unwrap();
    assert_eq!(crate::audit::report::json::report(&read), text);
}
