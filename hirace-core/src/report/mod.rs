//! Reporters: one file a format, each a pure function of a [`crate::finding::Report`].

pub mod github;
pub mod json;
pub mod sarif;
pub mod text;
pub mod words;

#[cfg(test)]
mod tests;
