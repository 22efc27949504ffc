use super::Results;

#[test]
fn the_schema_that_is_checked_in_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/hirace.contract-1.schema.json");
    let schema = schemars::schema_for!(Results);
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    hirace_testing::assert_up_to_date(path, &text);
}
