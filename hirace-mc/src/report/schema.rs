use super::results::Results;

/// Returns the JSON schema of results.
fn schema() -> String {
    let schema = schemars::schema_for!(Results);
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn checked_in_schema_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/hirace.verify-1.schema.json");
    hirace_testing::assert_up_to_date(path, &schema());
}
