//! Search for launches that reach code that no test reaches.
//!
//! A fully specified launch is a [`Draft`](draft::Draft): a grid, and numbers or a pattern for each buffer. [`explore`]
//! starts with the launches that hirace infers and changes them at random: sizes, lengths, and numbers, which are
//! taken from the source itself or its neighbors ([`alphabet`]). Drafts that reach something new are changed further.
//! This is coverage-guided fuzzing (AFL, libFuzzer); the same source gives the same launches on every machine.

pub mod alphabet;
pub mod draft;
pub mod explore;
pub mod kernel;
#[cfg(test)]
mod tests;
