//! Output formats of mutation results.
//!
//! `missed` selects the mutants that need attention, and `words` holds the wording.

pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub(crate) mod missed;
pub mod sarif;
pub mod stryker;
pub mod text;
pub(crate) mod words;

#[cfg(test)]
pub(crate) mod tests;
