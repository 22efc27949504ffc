//! Facts about barriers that not all invocations of a workgroup reach.

use super::barrier::Barrier;
use super::place::Place;

/// A barrier that some invocations did not reach.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Divergence {
    /// The barrier.
    pub barrier: Barrier,
    /// The linear index of the first workgroup in which the divergence happened.
    pub workgroup: u32,
    /// The local indices of the invocations that arrived, in the order of arrival.
    pub arrived: Vec<u32>,
    /// The invocations that did not arrive, grouped by their current location.
    pub missing: Vec<MissingInvocations>,
}

impl Divergence {
    /// Returns the local indices of the invocations that arrived, sorted.
    pub fn arrived_sorted(&self) -> Vec<u32> {
        sorted(self.arrived.iter().copied())
    }

    /// Returns the local indices of the invocations that did not arrive, sorted.
    pub fn absent(&self) -> Vec<u32> {
        sorted(self.missing.iter().flat_map(|missing| missing.invocations.iter().copied()))
    }
}

/// A workgroup whose invocations did not all reach the same barriers, as a device reports it. Which barrier diverged is
/// not known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnlocatedDivergence {
    /// The linear index of the first such workgroup.
    pub workgroup: u32,
    /// The candidate barriers in source order: those that the analysis cannot prove to be reached by all invocations.
    pub barriers: Vec<Barrier>,
}

fn sorted(of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = of.collect();
    all.sort_unstable();
    all
}

/// Invocations that are not at the barrier at which others wait.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MissingInvocations {
    /// The current location of these invocations.
    pub at: InvocationLocation,
    /// The local indices of the invocations, sorted, at least one.
    pub invocations: Vec<u32>,
}

/// The location of an invocation that is not at the barrier at which others wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvocationLocation {
    /// Waiting at another barrier.
    Barrier(Place),
    /// Still running.
    Running(Place),
    /// Finished by a `return`.
    Returned(Place),
    /// Finished at the end of the entry point.
    AtEnd,
}

impl InvocationLocation {
    /// Returns the source location, if there is one.
    pub fn place(&self) -> Option<Place> {
        match *self {
            Self::Barrier(place) | Self::Running(place) | Self::Returned(place) => Some(place),
            Self::AtEnd => None,
        }
    }
}
