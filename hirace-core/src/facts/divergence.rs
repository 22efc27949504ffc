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

/// A workgroup of which it is known, from a device, that not all invocations came to the same barriers, and no more.
#[derive(Clone, Debug, PartialEq)]
pub struct DivergenceAlone {
    /// The first such workgroup, by linear index.
    pub workgroup: u32,
    /// The barriers that it can be, in the order of the source: those of which it is not certain from the text that
    /// all reach them.
    pub barriers: Vec<Barrier>,
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
