use super::results::Results;

/// The JSON schema of results.
fn schema() -> String {
    let schema = schemars::schema_for!(Results);
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn the_schema_that_is_checked_in_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/hirace.verify-1.schema.json");
    if std::env::var_os("HIRACE_UPDATE_SCHEMA").is_some() {
        std::fs::write(path, schema()).unwrap();
    }
    let checked_in = std::fs::read_to_string(path).unwrap_or_default();
    let anew = "write it anew: HIRACE_UPDATE_SCHEMA=1 cargo test -p hirace-mc the_schema";
    assert_eq!(checked_in, schema(), "{anew}");
}
