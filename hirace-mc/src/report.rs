//! Results of an exploration ([`compose`]), and their output as text ([`text`]), JSON and graphs ([`dot`]).

pub mod compose;
pub mod dot;
pub mod results;
pub mod text;

#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;

use results::Results;

/// Returns the results as JSON, with the schema `hirace.verify/1`.
pub fn json(results: &Results) -> String {
    // Serialization cannot fail: there are no maps with keys that are not strings.
    serde_json::to_string_pretty(results).unwrap_or_default() + "\n"
}
