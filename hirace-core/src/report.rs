//! Reports: facts in words, and the formats in which they are written.
//!
//! [`words`] converts facts to text, [`compose`] builds the [`document`] from them, and each format is one file with a
//! pure function of the document. Documents of shards have an additional [`launch_shard`], which is needed to [`merge`] them.

pub mod baseline;
pub mod compose;
pub mod document;
pub mod escape;
pub mod finding_summary;
pub mod github;
pub mod html;
pub mod json;
pub mod label;
pub mod launch_shard;
pub mod merge;
mod reported_findings;
pub mod rules;
pub mod sarif;
mod shard_data;
pub mod text;
pub mod words;

#[cfg(test)]
mod merge_tests;
#[cfg(test)]
mod tests;
