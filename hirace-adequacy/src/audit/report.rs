//! Output formats of audits.

pub mod badge;
pub mod html;
pub mod json;
pub mod text;
pub(crate) mod words;

#[cfg(test)]
mod tests;
