//! Results of runs.

mod buckets;
pub mod check;
mod document;
mod merge;
pub mod published;
pub mod role;
mod run;
#[cfg(test)]
mod schema;
mod summary;
pub mod table;

pub use buckets::Buckets;
pub use document::{Document, SCHEMA, Settings, Target, Verb, read};
pub use merge::{MergeError, ResultMerger, missing};
pub use run::{Classes, FailureKind, FinalState, ObservedOutcome, Run, RunFailure, TestInfo};
pub use summary::{BestEnvironment, EnvironmentSummary, Summary};
