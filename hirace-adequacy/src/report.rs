//! Output formats of coverage reports.
//!
//! `missing` and `conditions` compute facts that several formats need. `words` holds the wording, and `escape` escapes
//! external text for XML and HTML.

pub mod annotated;
pub mod cobertura;
mod conditions;
pub mod html;
pub mod json;
pub mod lcov;
pub(crate) mod missing;
pub mod text;
pub(crate) mod words;

pub(crate) use hirace_core::report::escape;

#[cfg(test)]
pub(crate) mod tests;
