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
mod software;
mod summary;
pub mod table;
mod timing;

pub use buckets::Buckets;
pub use document::{Document, SCHEMA, Settings, Target, Verb, read};
pub use merge::{MergeError, ResultMerger, missing};
pub use run::{Classes, FailureKind, FinalState, ObservedOutcome, Run, RunFailure, TestInfo};
pub use software::Software;
pub use summary::{EnvironmentSummary, Summary};
pub use timing::{BestEnvironment, Timing, rate};
