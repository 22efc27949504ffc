//! Facts about kernels that do not terminate.

use super::divergence::InvocationLocation;
use super::place::Place;
use crate::vm::run::Invocation;

/// A run that was ended by the step limit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NoProgress {
    /// The loop in which an invocation is stuck.
    pub place: Place,
    /// The stuck invocation.
    pub stuck: Invocation,
    /// The number of steps that the stuck invocation took.
    pub steps: u64,
    /// Examples of other invocations that did not finish.
    pub waiting: Vec<Waiting>,
    /// The total number of invocations that did not finish.
    pub unfinished: u64,
}

/// Other invocations that did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The current location of these invocations.
    pub at: InvocationLocation,
    /// The first of these invocations.
    pub invocation: Invocation,
    /// Whether it is the only one at this location.
    pub is_only: bool,
    /// Whether the location is on the line of a location that was already listed.
    pub same_line: bool,
}
