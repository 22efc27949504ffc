//! Counts of outcomes.

use crate::test::{Space, Test};

/// The outcomes that a test showed in an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// The number of instances per outcome. The index is the outcome's counter in the test's [`Space`]; the last element
    /// counts all outcomes without a counter of their own.
    pub outcomes: Vec<u64>,
    /// The time that the instances took, in seconds.
    pub seconds: f64,
}

impl Counts {
    /// Returns counts of 0 for a test.
    pub fn none(test: &Test) -> Self {
        Self { outcomes: vec![0; Space::of(test).counters()], seconds: 0.0 }
    }

    /// Returns the number of instances.
    pub fn instances(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// Returns the number of instances that met the condition of the test.
    pub fn found(&self, test: &Test) -> u64 {
        let space = Space::of(test);
        let counted = self.outcomes.iter().enumerate();
        let found = counted.filter(|(counter, _)| {
            space.outcome(*counter).is_some_and(|outcome| test.condition.holds(&outcome))
        });
        found.map(|(_, count)| count).sum()
    }
}
