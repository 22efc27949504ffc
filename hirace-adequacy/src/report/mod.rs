//! What a coverage is shown as.
//!
//! `missing` and `conditions` are the facts that several forms need; `words` is how they are said, `escape` how what
//! comes from outside gets into XML and HTML.

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
