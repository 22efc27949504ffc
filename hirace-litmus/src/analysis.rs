//! The analysis of results: all scores as facts ([`document`]) and in several output formats.

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

/// The options of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// The confidence of intervals.
    pub confidence: Confidence,
    /// The time budget of a test for reproducing its result.
    pub budget: Budget,
}

/// Returns the analysis as JSON, `hirace.litmus-analysis/1`.
pub fn json(analysis: &Analysis) -> String {
    // Serialization cannot fail: keys are text, and numbers are finite.
    serde_json::to_string_pretty(analysis).unwrap_or_default() + "\n"
}
