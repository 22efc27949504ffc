//! Confidence intervals.
//!
//! For a count of rare events the interval is exact (Garwood: Fiducial limits for the Poisson distribution, Biometrika
//! 28, 1936), from quantiles of the gamma distribution. From [`MANY`] events on, these quantiles are approximated by
//! Wilson and Hilferty, with an error below a millionth. For a ratio it is the score interval of Wilson (Probable
//! inference, JASA 22, 1927).

use statrs::distribution::{ContinuousCDF, Gamma, Normal};
use std::str::FromStr;

/// The number of events from which quantiles are approximated.
pub const MANY: u64 = 100_000;

/// A confidence level: above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Default for Confidence {
    fn default() -> Self {
        Self(0.95)
    }
}

/// An error: not a number above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number above 0 and below 1")]
pub struct ConfidenceError;

impl Confidence {
    /// Creates a confidence level.
    ///
    /// # Errors
    ///
    /// `level` is not above 0 and below 1.
    pub fn new(level: f64) -> Result<Self, ConfidenceError> {
        if level > 0.0 && level < 1.0 { Ok(Self(level)) } else { Err(ConfidenceError) }
    }

    /// Returns the level.
    pub fn level(self) -> f64 {
        self.0
    }

    /// Returns the probability beyond one bound.
    fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }

    /// Returns the distance of each bound from the mean of a normal distribution, in standard deviations.
    fn deviations(self) -> f64 {
        Normal::standard().inverse_cdf(1.0 - self.tail())
    }
}

impl FromStr for Confidence {
    type Err = ConfidenceError;

    fn from_str(text: &str) -> Result<Self, ConfidenceError> {
        Self::new(text.parse().map_err(|_| ConfidenceError)?)
    }
}

impl Interval {
    /// Returns the interval of the expected number of events for an observed number (Garwood).
    pub fn of_count(count: u64, confidence: Confidence) -> Self {
        let tail = confidence.tail();
        let lower = if count == 0 { 0.0 } else { gamma(count, tail, -confidence.deviations()) };
        let upper = gamma(count.saturating_add(1), 1.0 - tail, confidence.deviations());
        Self { lower, upper: upper.max(count as f64) }
    }

    /// Returns the interval of the ratio `some / all` (Wilson); `None` if `all` is 0.
    pub fn of_ratio(some: usize, all: usize, confidence: Confidence) -> Option<Self> {
        if all == 0 || some > all {
            return None;
        }
        let (some, all, z) = (some as f64, all as f64, confidence.deviations());
        let center = (some + z * z / 2.0) / (all + z * z);
        let half = z / (all + z * z) * (some * (all - some) / all + z * z / 4.0).sqrt();
        Some(Self { lower: (center - half).max(0.0), upper: (center + half).min(1.0) })
    }
}

/// Returns the quantile `below` of the gamma distribution of this shape and scale 1; `deviations` is that quantile of
/// the standard normal distribution.
fn gamma(shape: u64, below: f64, deviations: f64) -> f64 {
    let size = shape as f64;
    if shape < MANY
        && let Ok(gamma) = Gamma::new(size, 1.0)
    {
        return gamma.inverse_cdf(below);
    }
    let part = 1.0 / (9.0 * size);
    size * (1.0 - part + deviations * part.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(interval: Interval, lower: f64, upper: f64) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b.max(0.1);
        assert!(near(interval.lower, lower) && near(interval.upper, upper), "{interval:?}");
    }

    #[test]
    fn counts_have_the_intervals_of_published_tables() {
        let of = |count, level| Interval::of_count(count, Confidence::new(level).unwrap());
        near(of(0, 0.95), 0.0, 3.689);
        near(of(1, 0.95), 0.0253, 5.572);
        near(of(3, 0.95), 0.619, 8.767);
        near(of(10, 0.95), 4.795, 18.39);
        near(of(10, 0.99), 3.717, 21.40);
        near(of(100, 0.95), 81.36, 121.63);
    }

    #[test]
    fn the_approximation_of_many_goes_on_where_the_exact_one_ends() {
        for level in [0.5, 0.95, 0.999] {
            let confidence = Confidence::new(level).unwrap();
            let deviations = confidence.deviations();
            let exact = gamma(MANY - 1, 1.0 - confidence.tail(), deviations);
            let after = gamma(MANY, 1.0 - confidence.tail(), deviations);
            assert!((after - exact - 1.0).abs() < 1e-6 * after, "{exact} {after}");
        }
        let most = Interval::of_count(u64::MAX, Confidence::default());
        assert!(most.lower.is_finite() && most.lower <= most.upper && most.upper.is_finite());
    }

    #[test]
    fn ratios_have_the_intervals_of_the_literature() {
        // Newcombe (Statistics in Medicine 17, 1998), Table I, method 3.
        let of = |some, all| Interval::of_ratio(some, all, Confidence::default()).unwrap();
        near(of(81, 263), 0.2553, 0.3662);
        near(of(15, 148), 0.0624, 0.1605);
        near(of(0, 20), 0.0, 0.1611);
        near(of(1, 29), 0.0061, 0.1718);
        assert_eq!(Interval::of_ratio(0, 0, Confidence::default()), None);
    }

    #[test]
    fn a_confidence_is_between_0_and_1() {
        assert!("0.95".parse::<Confidence>().is_ok());
        for text in ["0", "1", "NaN", "-1", "inf", "x", ""] {
            assert_eq!(text.parse::<Confidence>(), Err(ConfidenceError), "{text}");
        }
    }
}
