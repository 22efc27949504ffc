//! Schemas of what an audit has of other crates: those have files of their own, or are written out here.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

pub(super) fn coverage(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "hirace.cover-1.schema.json" })
}

pub(super) fn summary(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "hirace.cover-1.schema.json#/$defs/Summary" })
}

pub(super) fn schedules(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "hirace.amplify-1.schema.json" })
}

/// What was found on a launch.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only a schema: a test compares its keys")]
pub(super) struct Found {
    /// The file.
    file: String,
    /// Where, from 1.
    line: u32,
    /// The rule: `HR001`.
    rule: String,
    /// What, in a line.
    message: String,
    /// The kernel.
    kernel: String,
    /// Whether it hangs on nothing that was guessed.
    certain: bool,
    /// The command that shows it, if one can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}
