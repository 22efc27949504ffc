//! PCT: random priorities that change at few random steps: `pct:SEED:DEPTH:STEPS`.
//!
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, «A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs»,
//! ASPLOS 2010. Each of n units gets a priority of its own, at random; the one of the highest priority among those that
//! are enabled does the next step. At d − 1 steps drawn from 1 to k, each by itself, the unit that did that step falls below
//! all first priorities, to one that belongs to that change point. A bug that shows whenever d orders between two steps
//! are met (its *depth* is d) is found by one run with a probability of at least 1 / (n · k^(d − 1)), if no run has more
//! than k steps.
//!
//! A unit that polls with a count of its own never waits as far as anybody can know: while its priority is the highest
//! nobody else runs, up to its limit of instructions.

use super::{Chooser, Enabled, Kind, Parameter, Unit};
use crate::random::Random;

/// See the module.
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
    /// The step after which a change comes, and the priority that it gives.
    changes: Vec<(u64, u64)>,
    /// Of each unit.
    priorities: Vec<u64>,
    /// Steps done.
    step: u64,
    /// Who did the last one.
    last: Option<Unit>,
}

impl Pct {
    fn new(seed: u64, depth: u64, steps: u64) -> Self {
        let mut random = Random::new(seed);
        let changes = (1..depth).map(|nth| (1 + random.below(steps), depth - nth)).collect();
        Self { random, changes, priorities: Vec::new(), step: 0, last: None }
    }

    /// Lowers who did the last step, if that was a change point. Says whether it was.
    fn change(&mut self) -> bool {
        let Some(last) = self.last else { return false };
        let due = self.changes.iter().filter(|(step, _)| *step == self.step);
        // If a step was drawn twice, the lower one counts.
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
        // Above all that changes give, which are the numbers from 1 on.
        let least = self.changes.len() as u64 + 1;
        self.priorities = (0..u64::from(units)).map(|unit| least + unit).collect();
        for place in (1..self.priorities.len()).rev() {
            self.priorities.swap(place, self.random.below(place + 1));
        }
    }

    fn next(&mut self, enabled: &Enabled) -> Unit {
        let changed = self.change();
        let unit = match enabled.last() {
            // Nobody of a higher priority came since it was chosen.
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
    fn all_orders_of_priorities_are_as_likely() {
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
