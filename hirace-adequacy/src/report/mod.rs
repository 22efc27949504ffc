//! What a coverage is shown as.
//!
//! `missing` are the facts that several forms need, `words` is how they are said.

pub mod annotated;
pub mod json;
mod missing;
pub mod text;
mod words;

#[cfg(test)]
mod tests;
