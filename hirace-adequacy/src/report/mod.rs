//! What a coverage is shown as.

pub mod json;

/// The text of a file, where it can be had.
pub type Sources<'a> = &'a dyn Fn(&str) -> Option<String>;
