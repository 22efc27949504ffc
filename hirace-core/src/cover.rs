//! Coverage of kernels: [`coverage`] defines the document, `gathered` builds it from the counts of a program, and
//! `merge` combines several. [`run`] runs a launch with counters, [`collect`] does so for all launches of a session,
//! and [`record`] does so in processes that run tests.

pub mod collect;
pub mod coverage;
mod from_counts;
pub mod located;
mod merge;
pub mod record;
pub mod run;

#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;

pub use coverage::Coverage;
pub use from_counts::hash;
