//! How likely it is that a later run shows again what one showed: 1 - exp(-x) of x events that are expected (MC Mutants, Sec.
//! 4.2).

use super::death_rate::rate;
use super::interval::{Confidence, Interval, NoProbability};
use crate::results::table::Buckets;
use std::str::FromStr;

/// How long a test may run: seconds, finite and above 0.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Budget(f64);

/// How likely it is to be that a bug shows: above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Target(f64);

/// A text or a number that is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of seconds above 0")]
pub struct NoTime;

/// How likely it is, and between what that lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// By what was seen.
    pub score: f64,
    /// Where it lies, of what was seen by chance.
    pub interval: Interval,
}

/// As long as what was published says of its best environments.
impl Default for Budget {
    fn default() -> Self {
        Self(64.0)
    }
}

impl Budget {
    /// `seconds`, if there may be so many.
    ///
    /// # Errors
    ///
    /// If it is not finite and above 0.
    pub fn new(seconds: f64) -> Result<Self, NoTime> {
        if seconds > 0.0 && seconds.is_finite() { Ok(Self(seconds)) } else { Err(NoTime) }
    }

    /// The seconds.
    pub fn seconds(self) -> f64 {
        self.0
    }
}

impl FromStr for Budget {
    type Err = NoTime;

    fn from_str(text: &str) -> Result<Self, NoTime> {
        Self::new(text.parse().map_err(|_| NoTime)?)
    }
}

impl Target {
    /// `score`, if it is one.
    ///
    /// # Errors
    ///
    /// If it is not above 0 and below 1.
    pub fn new(score: f64) -> Result<Self, NoProbability> {
        Confidence::new(score).map(|score| Self(score.level()))
    }

    /// The number.
    pub fn score(self) -> f64 {
        self.0
    }

    /// How often a bug is to be seen within the budget for that.
    pub fn events(self) -> f64 {
        (-(-self.0).ln_1p()).ceil()
    }

    /// The rate that a bug has to have a second for that (Algorithm 1, line 7).
    pub fn rate_within(self, budget: Budget) -> f64 {
        self.events() / budget.0
    }
}

/// How likely it is to see what is expected so often.
pub fn score(events: f64) -> f64 {
    -(-events).exp_m1()
}

/// How likely it is that a run as long as the budget shows what this one showed; nothing, if that took no time.
pub fn estimate(run: &Buckets, budget: Budget, confidence: Confidence) -> Option<Estimate> {
    let expected = score(rate(run)? * budget.0);
    let counts = Interval::of_count(run.found, confidence);
    let end = |count: f64| score(count / run.seconds * budget.0);
    let interval = Interval { lower: end(counts.lower), upper: end(counts.upper) };
    Some(Estimate { score: expected, interval })
}

/// How likely it is that all of these show in one run of all.
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
            assert_eq!(text.parse::<Budget>(), Err(NoTime), "{text}");
        }
        assert!(Target::new(1.0).is_err());
        assert!(Target::new(1.0 - f64::EPSILON).unwrap().events().is_finite());
    }
}
