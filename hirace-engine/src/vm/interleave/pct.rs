//! PCT: random priorities that change at few random steps: `pct:SEED:DEPTH:STEPS`.
//!
//! The source is Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
//! Guarantees of Finding Bugs", ASPLOS 2010. Each of n units gets a distinct random priority; the enabled
//! unit with the highest priority does the next step. d − 1 change points are drawn independently from the
//! steps 1 to k. After a change point, the priority of the unit that did this step drops below all initial
//! priorities, to a value that belongs to the change point. A bug that shows whenever d ordering constraints
//! between steps are met (its *depth* is d) is found by one run with a probability of at least 1 / (n · k^(d
//! − 1)), if no run has more than k steps.
//!
//! A unit that polls and counts its polls never counts as waiting. While its priority is the highest, no
//! other unit runs until it reaches its instruction limit.

use super::{Chooser, EnabledUnits, Kind, Parameter, Unit};
use crate::random::Random;

/// The `pct` strategy.
pub static KIND: Kind = Kind {
    name: "pct",
    parameters: &[
        Parameter { name: "seed", least: 0, most: u64::MAX },
        Parameter { name: "depth", least: 1, most: 64 },
        Parameter { name: "steps", least: 1, most: u64::MAX },
    ],
    takes_choices: false,
    make: |numbers, _| {
        let [seed, depth, steps] = std::array::from_fn(|at| numbers.get(at).copied().unwrap_or(1));
        Box::new(Pct::new(seed, depth, steps))
    },
};

#[derive(Debug)]
struct Pct {
    random: Random,
    /// The change points: the step, and the priority that it assigns.
    changes: Vec<(u64, u64)>,
    /// The priority of each unit.
    priorities: Vec<u64>,
    /// Number of steps done.
    step: u64,
    /// The unit that did the last step.
    last: Option<Unit>,
}

impl Pct {
    fn new(seed: u64, depth: u64, steps: u64) -> Self {
        let mut random = Random::new(seed);
        let changes = (1..depth).map(|nth| (1 + random.below(steps), depth - nth)).collect();
        Self { random, changes, priorities: Vec::new(), step: 0, last: None }
    }

    /// Lowers the priority of the unit that did the last step, if the step was a change point. Returns
    /// whether it was.
    fn change(&mut self) -> bool {
        let Some(last) = self.last else { return false };
        let due = self.changes.iter().filter(|(step, _)| *step == self.step);
        // If a step was drawn twice, the lower priority applies.
        let Some(lowered) = due.map(|(_, priority)| *priority).min() else { return false };
        if let Some(priority) = self.priorities.get_mut(last.0 as usize) {
            *priority = lowered;
        }
        true
    }

    fn priority(&self, unit: Unit) -> u64 {
        self.priorities.get(unit.0 as usize).copied().unwrap_or_default()
    }
}

impl Chooser for Pct {
    fn begin(&mut self, units: u32) {
        // Above all priorities of change points, which are the numbers from 1 on.
        let lowest = self.changes.len() as u64 + 1;
        self.priorities = (0..u64::from(units)).map(|unit| lowest + unit).collect();
        for index in (1..self.priorities.len()).rev() {
            self.priorities.swap(index, self.random.below(index + 1));
        }
    }

    fn next(&mut self, enabled: &EnabledUnits) -> Unit {
        let changed = self.change();
        let unit = match enabled.last() {
            // No unit of a higher priority has become enabled since it was chosen.
            Some(last) if !changed && !enabled.has_grown() && self.last == Some(last) => last,
            _ => {
                let units = enabled.units().iter().copied();
                units.max_by_key(|unit| self.priority(*unit)).unwrap_or_default()
            }
        };
        self.step += 1;
        self.last = Some(unit);
        unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_points_are_drawn_from_all_steps_and_priorities_are_a_permutation() {
        let mut seen = [0; 5];
        for seed in 0..5_000 {
            let mut pct = Pct::new(seed, 3, 5);
            pct.begin(4);
            for (step, priority) in &pct.changes {
                assert!((1..=5).contains(step) && (1..=2).contains(priority));
                seen[*step as usize - 1] += 1;
            }
            let mut priorities = pct.priorities.clone();
            priorities.sort_unstable();
            assert_eq!(priorities, [3, 4, 5, 6]);
        }
        assert!(seen.iter().all(|n| (1_800..2_200).contains(n)), "{seen:?}");
    }

    #[test]
    fn all_orders_of_priorities_are_equally_likely() {
        let mut seen = std::collections::BTreeMap::<Vec<u64>, u32>::new();
        for seed in 0..6_000 {
            let mut pct = Pct::new(seed, 1, 1);
            pct.begin(3);
            *seen.entry(pct.priorities).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|n| (850..1150).contains(n)), "{seen:?}");
    }
}
