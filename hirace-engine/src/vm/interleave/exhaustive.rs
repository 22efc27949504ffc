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
/// The search is complete if no run [was cut short](super::SteppedRun::cut_short), was stopped or reached its total
/// limit. If a unit's number of steps depends on the schedule, the unit may need more steps than one run shows.
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

    /// Returns an upper bound of the number of runs, or [`u128::MAX`] if the bound is not less than this.
    ///
    /// Each unit does at most its maximum number of steps in a run, and no run is a prefix of another. So each
    /// run can be extended to an interleaving in which each unit does exactly its maximum number of steps, and
    /// different runs extend to different interleavings.
    pub fn bound(&self) -> u128 {
        interleavings(&self.steps)
    }

    /// Moves on to the next run; the first call moves to the first run. Returns `false` if no run remains.
    pub fn advance(&mut self) -> bool {
        self.at = 0;
        if !std::mem::replace(&mut self.started, true) {
            return true;
        }
        while let Some((choice, alternatives)) = self.path.pop() {
            if choice + 1 < alternatives {
                self.path.push((choice + 1, alternatives));
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
