//! What was explored as results ([`compose`]), and those in words ([`text`]), as JSON and as a picture ([`dot`]).

pub mod compose;
pub mod dot;
pub mod results;
pub mod text;

#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;

use results::Results;

/// The results as JSON: `hirace.verify/1`.
pub fn json(results: &Results) -> String {
    // Nothing in it can fail to be JSON: no maps with keys that are no text.
    serde_json::to_string_pretty(results).unwrap_or_default() + "\n"
}
