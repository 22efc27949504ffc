//! All scores of some results, as facts ([`document`]) and in the forms that people and programs read.

mod analyze;
pub mod document;
pub mod html;
mod source;
#[cfg(test)]
mod tests;
pub mod text;
mod words;

pub use analyze::analyze;
pub use source::Source;

use crate::score::interval::Confidence;
use crate::score::reproducibility::Budget;
use document::Analysis;

/// What scores are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Of intervals.
    pub confidence: Confidence,
    /// How long a test may run to show again what it showed.
    pub budget: Budget,
}

/// The analysis as JSON, `hirace.litmus-analysis/1`.
pub fn json(analysis: &Analysis) -> String {
    // No map has keys that are no text, and no number is none.
    serde_json::to_string_pretty(analysis).unwrap_or_default() + "\n"
}
