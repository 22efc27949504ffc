//! An audit in all forms that are asked for.

pub mod json;
pub mod text;
pub(crate) mod words;
