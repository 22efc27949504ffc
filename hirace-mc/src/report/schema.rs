use super::results::Results;
use schemars::{Schema, SchemaGenerator, json_schema};

/// Returns the JSON schema of the errors, which `hirace.cover/1` defines.
pub(super) fn errors(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": { "$ref": "hirace.cover-1.schema.json#/$defs/InputError" },
    })
}

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
