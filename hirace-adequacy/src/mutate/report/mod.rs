//! What the results of mutation are shown as.
//!
//! `missed` are the mutants that somebody should look at, `words` is how all is said.

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
