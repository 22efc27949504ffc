//! Launches that reach what no test does.
//!
//! A launch of which everything is given is a [`Draft`](draft::Draft): its grid, and numbers or a pattern for each buffer.
//! The [`explore`] starts with those that hirace guesses and changes them at random: sizes, lengths, and numbers to such as the
//! source itself names ([`alphabet`]) or one beside. What reaches something new is changed further. This is what fuzzers
//! guided by coverage do (AFL; libFuzzer); the same source gives the same launches everywhere.

pub mod alphabet;
pub mod draft;
pub mod explore;
pub mod kernel;
#[cfg(test)]
mod tests;
