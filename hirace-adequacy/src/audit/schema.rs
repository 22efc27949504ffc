//! JSON schemas for types of other crates in an audit: they have schema files of their own, or are defined here.

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

/// A finding on a launch.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only a schema: a test compares its keys")]
pub(super) struct Found {
    /// The file.
    file: String,
    /// The line, from 1.
    line: u32,
    /// The rule: `HR001`.
    rule: String,
    /// The finding in one line.
    message: String,
    /// The kernel.
    kernel: String,
    /// Whether it does not depend on anything guessed.
    certain: bool,
    /// The command that reproduces it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}
