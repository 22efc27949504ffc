//! An audit in all forms that are asked for.

pub mod badge;
pub mod html;
pub mod json;
pub mod text;
pub(crate) mod words;

#[cfg(test)]
mod tests;
