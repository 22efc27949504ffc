use super::coverage::{Coverage, SCHEMA};

/// Returns the JSON schema of a coverage.
fn schema() -> String {
    let schema = schemars::schema_for!(Coverage);
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn the_schema_that_is_checked_in_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/hirace.cover-1.schema.json");
    hirace_testing::assert_up_to_date(path, &schema());
}

#[test]
fn what_is_written_is_read_again() {
    let coverage = super::tests::any();
    let text = serde_json::to_string(&coverage).unwrap();
    assert_eq!(serde_json::from_str::<Coverage>(&text).unwrap(), coverage);
    assert!(text.contains(SCHEMA));
}
