//! Kernels that do not end.

use super::divergence::Elsewhere;
use super::place::Place;
use crate::vm::run::Invocation;

/// A run that was ended by the step limit.
#[derive(Clone, Debug, PartialEq)]
pub struct NoProgress {
    /// The loop that somebody is still in.
    pub place: Place,
    /// Who.
    pub stuck: Invocation,
    /// The steps it took.
    pub steps: u64,
    /// Examples of others that were not done.
    pub waiting: Vec<Waiting>,
    /// How many were not done in all.
    pub unfinished: u64,
}

/// Invocations that were not done either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Where they are.
    pub at: Elsewhere,
    /// The first of them.
    pub who: Invocation,
    /// Whether there was no other.
    pub alone: bool,
    /// Whether that is on the line of a place that was named before.
    pub same_line: bool,
}
