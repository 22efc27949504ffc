//! Whether JSON is as the schema says that is checked in.

use libtest_mimic::Failed;
use serde_json::Value;

/// Says where results are otherwise than `schema/hirace.mutate-1.schema.json` has them.
pub fn is_of_schema(results: &Value) -> Result<(), Failed> {
    crate::schema::is_of_schema("hirace.mutate-1", results)
}
