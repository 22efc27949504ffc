//! Reports: facts in words, and the formats that those are written in.
//!
//! [`words`] says what facts are, [`compose`] makes the [`document`] of that, and each format is one file, a
//! pure function of the document. Documents of shards have a [`part`] more, by which they are [`merge`]d.

pub mod baseline;
pub mod compose;
pub mod document;
pub mod escape;
pub mod found;
pub mod github;
pub mod html;
pub mod json;
pub mod merge;
pub mod part;
mod parted;
pub mod rules;
pub mod sarif;
pub mod text;
pub mod words;

#[cfg(test)]
mod merge_tests;
#[cfg(test)]
mod tests;
