//! Statistics of measurements: medians with confidence intervals, and means over kernels.

use serde::Serialize;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// The median of ratios with a 95 % confidence interval. The bounds are two of the ratios, so no distribution is
/// assumed. For fewer than six ratios the interval is from the minimum to the maximum, with a lower confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// The median.
    pub ratio: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Ratio {
    /// Computes the median and its interval; `None` without ratios.
    pub fn of(ratios: &[f64]) -> Option<Self> {
        let sorted = sorted(ratios);
        let outside = outside(sorted.len());
        let low = *sorted.get(outside)?;
        let high = *sorted.get(sorted.len() - 1 - outside)?;
        Some(Self { ratio: median(ratios)?, low, high })
    }
}

/// Returns the number of smallest values, and of largest values, that an interval can leave out and still have the
/// required confidence. The number of values below the median has a binomial distribution with probability 1/2.
fn outside(values: usize) -> usize {
    let mut chance = 0.5f64.powi(values.min(1000) as i32);
    let (mut below, mut outside) = (0.0, 0);
    for tossed in 0..values / 2 {
        below += chance;
        if 2.0 * below > 1.0 - CONFIDENCE {
            break;
        }
        outside = tossed;
        chance *= (values - tossed) as f64 / (tossed + 1) as f64;
    }
    outside
}

/// Returns the median; for an even number of values, the midpoint of the middle two.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the arithmetic mean.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The distribution of slowdowns of kernels; `None` without kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    pub median: Option<f64>,
    /// The arithmetic mean.
    pub mean: Option<f64>,
    /// The geometric mean.
    pub geomean: Option<f64>,
    /// The largest.
    pub worst: Option<f64>,
}

impl Spread {
    /// Computes the distribution of these ratios.
    pub fn of(ratios: &[f64]) -> Self {
        let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        Self {
            median: median(ratios),
            mean: mean(ratios),
            geomean: mean(&logarithms).map(f64::exp),
            worst: ratios.iter().copied().max_by(f64::total_cmp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn an_interval_leaves_out_as_many_as_tables_of_the_binomial_distribution_say() {
        // For the median, two-sided, 95 %: 1 of 6 to 8 values, 2 of 9 to 11, 3 of 12 to 14, 4 of 15 and 16, counted from 1.
        for (values, least) in
            [(1, 1), (5, 1), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (17, 5), (20, 6)]
        {
            assert_eq!(outside(values) + 1, least, "{values}");
        }
    }

    #[test]
    fn an_interval_is_of_values_that_were_measured() {
        let ratios: Vec<f64> = (1..=9).rev().map(f64::from).collect();
        assert_eq!(Ratio::of(&ratios), Some(Ratio { ratio: 5.0, low: 2.0, high: 8.0 }));
        assert_eq!(Ratio::of(&[1.5]), Some(Ratio { ratio: 1.5, low: 1.5, high: 1.5 }));
        assert_eq!(Ratio::of(&[]), None);
    }

    #[test]
    fn outlier_changes_the_mean_but_not_the_median() {
        let spread = Spread::of(&[1.0, 1.0, 1.0, 16.0]);
        assert_eq!((spread.median, spread.mean), (Some(1.0), Some(4.75)));
        assert!((spread.geomean.unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(spread.worst, Some(16.0));
        assert_eq!(Spread::of(&[]), Spread::default());
    }
}
