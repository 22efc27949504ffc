//! All interleavings of a small grid, one run each.
//!
//! Depth first: the first run is the default order, and each following one does as the one before up to the last step
//! at which there was another choice left to try, and takes that. So the order is always the same, and no two runs
//! make the same choices. Each run is had once more by its [`Choices`](super::Choices).
//!
//! Nothing is left out because it would come to the same: the count is that of interleavings, not of outcomes.

use super::{Chooser, Enabled, Unit, interleavings};

/// A search of all interleavings in which unit i does at most a given number of steps. It is the [`Chooser`] of each run:
///
/// ```text
/// while search.advance() { stepper.run(&mut search, …); }
/// ```
///
/// It is complete if no run [was cut short](super::Stepped::cut_short), stopped or spent. Units whose number of steps
/// depends on the schedule may need more than one run shows.
#[derive(Clone, Debug)]
pub struct Exhaustive {
    /// The most steps of each unit.
    steps: Vec<u64>,
    /// The choices of the run, up to where they are made: each with how many there were.
    path: Vec<(usize, usize)>,
    /// The next step of the run.
    at: usize,
    started: bool,
}

impl Exhaustive {
    /// A search in which each unit does at most so many steps, from unit 0 on.
    pub fn new(steps: Vec<u64>) -> Self {
        Self { steps, path: Vec::new(), at: 0, started: false }
    }

    /// How many runs there will be at most. [`u128::MAX`] if that or more.
    ///
    /// A run does at most so many steps of each unit, and none begins with all of another, so each can be lengthened to an
    /// interleaving of exactly so many, and no two to the same one.
    pub fn bound(&self) -> u128 {
        interleavings(&self.steps)
    }

    /// Turns to the next run, the first at first. `false`: there is none left.
    pub fn advance(&mut self) -> bool {
        self.at = 0;
        if !std::mem::replace(&mut self.started, true) {
            return true;
        }
        while let Some((choice, of)) = self.path.pop() {
            if choice + 1 < of {
                self.path.push((choice + 1, of));
                return true;
            }
        }
        false
    }
}

impl Chooser for Exhaustive {
    fn next(&mut self, enabled: &Enabled) -> Unit {
        if self.at == self.path.len() {
            self.path.push((0, enabled.count()));
        }
        let choice = self.path.get(self.at).map_or(0, |(choice, _)| *choice);
        self.at += 1;
        enabled.of_choice(choice)
    }

    fn most_steps(&self) -> Option<&[u64]> {
        Some(&self.steps)
    }
}
