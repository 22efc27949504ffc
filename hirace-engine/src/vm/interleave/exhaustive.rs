//! Enumerates all interleavings of a small grid, one run each.
//!
//! The search is depth first. The first run is the default order. Each following run repeats the choices of
//! the previous one up to the last step with an untried alternative, and takes that alternative. So the order
//! of runs is deterministic, and no two runs make the same choices. The [`Choices`](super::Choices) of a run
//! reproduce it.
//!
//! There is no partial-order reduction: the search counts interleavings, not outcomes.

use super::{Chooser, EnabledUnits, Unit, interleavings};

/// A search of all interleavings in which unit i does at most a given number of steps. It is the [`Chooser`]
/// of each run:
///
/// ```text
/// while search.advance() { stepper.run(&mut search, …); }
/// ```
///
/// The search is complete if no run [was cut short](super::SteppedRun::cut_short), stopped or spent. If a unit's
/// number of steps depends on the schedule, it may need more steps than one run shows.
#[derive(Clone, Debug)]
pub struct Exhaustive {
    /// Maximum number of steps of each unit.
    steps: Vec<u64>,
    /// The choices of the run made so far: each with the number of alternatives.
    path: Vec<(usize, usize)>,
    /// The index of the next step of the run.
    at: usize,
    started: bool,
}

impl Exhaustive {
    /// Creates a search in which unit i does at most `steps[i]` steps.
    pub fn new(steps: Vec<u64>) -> Self {
        Self { steps, path: Vec::new(), at: 0, started: false }
    }

    /// Returns an upper bound of the number of runs, or [`u128::MAX`] if it is not less than that.
    ///
    /// A run does at most that many steps of each unit, and no run is a prefix of another. So each run can be
    /// extended to an interleaving of exactly that many steps, and no two runs to the same one.
    pub fn bound(&self) -> u128 {
        interleavings(&self.steps)
    }

    /// Moves on to the next run; the first call moves to the first run. Returns `false` if no run remains.
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
    fn next(&mut self, enabled: &EnabledUnits) -> Unit {
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
