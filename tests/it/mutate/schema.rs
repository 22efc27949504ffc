//! Checks the JSON against the checked-in schema.

use libtest_mimic::Failed;
use serde_json::Value;

/// Fails with the differences if the results do not match `schema/hirace.mutate-1.schema.json`.
pub fn is_of_schema(results: &Value) -> Result<(), Failed> {
    crate::schema::is_of_schema("hirace.mutate-1", results)
}
