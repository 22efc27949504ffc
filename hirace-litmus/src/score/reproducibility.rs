//! The probability that a later run shows again what an earlier one showed: 1 - exp(-x) for x expected events (MC
//! Mutants, Sec. 4.2).

use super::death_rate::rate;
use super::interval::{Confidence, ConfidenceError, Interval};
use crate::results::Buckets;
use std::str::FromStr;

/// A time limit of a test: seconds, finite and above 0.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Budget(f64);

/// A required probability of showing a bug: above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Target(f64);

/// An error: not a number of seconds above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of seconds above 0")]
pub struct BudgetError;

/// An estimated probability and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate from the observed counts.
    pub score: f64,
    /// The confidence interval.
    pub interval: Interval,
}

/// The budget of the published best environments.
impl Default for Budget {
    fn default() -> Self {
        Self(64.0)
    }
}

impl Budget {
    /// Creates a budget.
    ///
    /// # Errors
    ///
    /// `seconds` is not finite and above 0.
    pub fn new(seconds: f64) -> Result<Self, BudgetError> {
        if seconds > 0.0 && seconds.is_finite() { Ok(Self(seconds)) } else { Err(BudgetError) }
    }

    /// Returns the seconds.
    pub fn seconds(self) -> f64 {
        self.0
    }
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        Self::new(text.parse().map_err(|_| BudgetError)?)
    }
}

impl Target {
    /// Creates a target.
    ///
    /// # Errors
    ///
    /// `score` is not above 0 and below 1.
    pub fn new(score: f64) -> Result<Self, ConfidenceError> {
        Confidence::new(score).map(|score| Self(score.level()))
    }

    /// Returns the probability.
    pub fn score(self) -> f64 {
        self.0
    }

    /// Returns the number of events within the budget that the target requires.
    pub fn events(self) -> f64 {
        (-(-self.0).ln_1p()).ceil()
    }

    /// Returns the rate per second that the target requires (Algorithm 1, line 7).
    pub fn rate_within(self, budget: Budget) -> f64 {
        self.events() / budget.0
    }
}

/// Returns the probability of at least one event for an expected number of events.
pub fn score(events: f64) -> f64 {
    -(-events).exp_m1()
}

/// Estimates the probability that a run as long as the budget shows what this one showed; `None` if this one took no
/// time.
pub fn estimate(run: &Buckets, budget: Budget, confidence: Confidence) -> Option<Estimate> {
    let expected = score(rate(run)? * budget.0);
    let counts = Interval::of_count(run.found, confidence);
    let end = |count: f64| score(count / run.seconds * budget.0);
    let interval = Interval { lower: end(counts.lower), upper: end(counts.upper) };
    Some(Estimate { score: expected, interval })
}

/// Returns the probability that all of these show in one run of all.
pub fn total(scores: impl IntoIterator<Item = f64>) -> f64 {
    scores.into_iter().product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_papers_text() {
        let events = |score| Target::new(score).unwrap().events();
        assert_eq!((events(0.95), events(0.99999)), (3.0, 12.0));
        assert!((score(3.0) - 0.9502).abs() < 1e-4);
        assert!((total([0.95; 20]) - 0.358).abs() < 1e-3);
        assert!((total([0.99999; 20]) - 0.9998).abs() < 1e-6);
        let rate = Target::new(0.95).unwrap().rate_within(Budget::new(1.0 / 1024.0).unwrap());
        assert_eq!(rate, 3072.0);
    }

    #[test]
    fn an_estimate_lies_in_its_interval() {
        let run = |found, seconds| Buckets { found, seconds, ..Buckets::default() };
        let of = |run: &Buckets, seconds| {
            estimate(run, Budget::new(seconds).unwrap(), Confidence::default())
        };
        let three = of(&run(3, 2.0), 2.0).unwrap();
        assert!((three.score - score(3.0)).abs() < 1e-12);
        assert!((three.interval.lower - score(0.6187)).abs() < 1e-4);
        assert!((three.interval.upper - score(8.7673)).abs() < 1e-4);
        let none = of(&run(0, 2.0), 2.0).unwrap();
        assert_eq!((none.score, none.interval.lower), (0.0, 0.0));
        assert!(none.interval.upper > 0.9, "what was not seen in 2 s may be seen in the next");
        assert_eq!(of(&run(5, 0.0), 1.0), None);
    }

    #[test]
    fn times_and_targets_are_what_they_may_be() {
        assert!("64".parse::<Budget>().is_ok());
        for text in ["0", "-1", "inf", "NaN", "x"] {
            assert_eq!(text.parse::<Budget>(), Err(BudgetError), "{text}");
        }
        assert!(Target::new(1.0).is_err());
        assert!(Target::new(1.0 - f64::EPSILON).unwrap().events().is_finite());
    }
}
