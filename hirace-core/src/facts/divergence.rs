//! Barriers that not all invocations of a workgroup reach.

use super::barrier::Barrier;
use super::place::Place;

/// A barrier that some invocations did not reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The barrier.
    pub barrier: Barrier,
    /// The first workgroup where it happened, by linear index.
    pub workgroup: u32,
    /// Local indices of those that arrived, as they did.
    pub arrived: Vec<u32>,
    /// Those that did not, by where they are instead.
    pub missing: Vec<Missing>,
}

impl Divergence {
    /// Local indices of those that arrived, in order.
    pub fn arrived(&self) -> Vec<u32> {
        sorted(self.arrived.iter().copied())
    }

    /// Local indices of those that did not arrive, in order.
    pub fn absent(&self) -> Vec<u32> {
        sorted(self.missing.iter().flat_map(|missing| missing.invocations.iter().copied()))
    }
}

fn sorted(of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = of.collect();
    all.sort_unstable();
    all
}

/// Invocations that are not where others wait for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Where they are instead.
    pub at: Elsewhere,
    /// Their local indices, in order; one at least.
    pub invocations: Vec<u32>,
}

/// Where somebody is who is not where others wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// Waiting at a barrier.
    Barrier(Place),
    /// Running.
    Running(Place),
    /// Gone, by a `return`.
    Returned(Place),
    /// Gone, at the end of the entry point.
    AtEnd,
}

impl Elsewhere {
    /// The place, if it is one.
    pub fn place(&self) -> Option<Place> {
        match *self {
            Self::Barrier(place) | Self::Running(place) | Self::Returned(place) => Some(place),
            Self::AtEnd => None,
        }
    }
}
