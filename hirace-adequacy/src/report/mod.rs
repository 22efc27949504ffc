//! What a coverage is shown as.

pub mod json;
