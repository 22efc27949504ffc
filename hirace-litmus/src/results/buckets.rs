//! Counts of outcomes by what they show.

use super::{ObservedOutcome, Run};
use crate::test::Class;

/// The number of instances of a test with each kind of outcome in an environment, and the time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Buckets {
    /// Outcomes of executing the threads one after the other.
    pub sequential: u64,
    /// Outcomes of interleavings that are not sequential.
    pub interleaved: u64,
    /// Outcomes that meet the condition of the test: for a mutant, kills. They are in no other bucket.
    pub found: u64,
    /// Outcomes that the specification forbids and that do not meet the condition.
    pub forbidden: u64,
    /// All other outcomes.
    pub other: u64,
    /// The time in seconds: finite and not negative; 0 if it is unknown.
    pub seconds: f64,
}

impl Buckets {
    /// Returns the results of a run of a campaign that took `seconds`, if that is known.
    pub fn of(run: &Run, seconds: Option<f64>) -> Self {
        let seconds = seconds.unwrap_or_default();
        let mut all = Self { other: run.other, seconds, ..Self::default() };
        for ObservedOutcome { found, class, count, .. } in &run.outcomes {
            let bucket = match class {
                _ if *found => &mut all.found,
                Class::Sequential => &mut all.sequential,
                Class::Interleaved => &mut all.interleaved,
                Class::Forbidden => &mut all.forbidden,
                Class::Weak | Class::Other => &mut all.other,
            };
            *bucket = bucket.saturating_add(*count);
        }
        all
    }

    /// Returns the number of instances.
    pub fn instances(&self) -> u64 {
        let but_one = self.sequential.saturating_add(self.interleaved).saturating_add(self.found);
        but_one.saturating_add(self.forbidden).saturating_add(self.other)
    }
}
