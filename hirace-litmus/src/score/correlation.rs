//! The correlation between killing a mutant and finding a bug over environments: Pearson's coefficient, and its p-value
//! by Student's t-test (MC Mutants, Sec. 5.4).

use crate::results::Buckets;
use crate::results::table::Column;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A correlation coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The coefficient, from -1 to 1.
    pub coefficient: f64,
    /// The number of pairs.
    pub pairs: usize,
    /// The p-value: the probability of a coefficient at least as far from 0 if both are normal and independent. `None`
    /// for two pairs.
    pub chance: Option<f64>,
}

/// The reason why a correlation is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// There are fewer than two pairs.
    Few,
    /// One of the two never varies.
    Constant,
}

/// The quantity of a run that is correlated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The number of instances that met the condition.
    Counts,
    /// The number per second.
    Rates,
}

/// Computes the correlation of `pairs`, which must be finite.
///
/// # Errors
///
/// The correlation is undefined.
pub fn pearson(pairs: &[(f64, f64)]) -> Result<Correlation, Undefined> {
    if pairs.len() < 2 {
        return Err(Undefined::Few);
    }
    let first: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
    let second: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let (Some(first), Some(second)) = (standardize(&first), standardize(&second)) else {
        return Err(Undefined::Constant);
    };
    let product: f64 = first.iter().zip(&second).map(|(a, b)| a * b).sum();
    let coefficient = product.clamp(-1.0, 1.0);
    let freedom = pairs.len() as f64 - 2.0;
    let chance = StudentsT::new(0.0, 1.0, freedom).ok().map(|student| {
        let rest = (1.0 - coefficient) * (1.0 + coefficient);
        match rest > 0.0 {
            true => 2.0 * student.sf(coefficient.abs() * (freedom / rest).sqrt()),
            false => 0.0,
        }
    });
    Ok(Correlation { coefficient, pairs: pairs.len(), chance })
}

/// Computes the correlation of two tests over the environments that both ran in.
///
/// # Errors
///
/// The correlation is undefined.
pub fn of_tests(
    first: &Column,
    second: &Column,
    quantity: Quantity,
) -> Result<Correlation, Undefined> {
    let value = |run: &Buckets| match quantity {
        Quantity::Counts => Some(run.found as f64),
        Quantity::Rates => super::death_rate::rate(run),
    };
    let pairs = first
        .runs
        .iter()
        .filter_map(|(environment, run)| Some((value(run)?, value(second.run(*environment)?)?)));
    pearson(&pairs.collect::<Vec<_>>())
}

/// Returns `values` minus their mean, divided by their length as a vector; `None` if all are equal.
fn standardize(values: &[f64]) -> Option<Vec<f64>> {
    let greatest = values.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
    if values.iter().all(|value| *value == values[0]) || !greatest.is_finite() {
        return None;
    }
    // Scaling keeps squares from overflowing and underflowing.
    let mean = values.iter().map(|value| value / greatest).sum::<f64>() / values.len() as f64;
    let deviations: Vec<f64> = values.iter().map(|value| value / greatest - mean).collect();
    let length = deviations.iter().map(|deviation| deviation * deviation).sum::<f64>().sqrt();
    (length > 0.0).then(|| deviations.into_iter().map(|deviation| deviation / length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::random::Random;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-4 * b.abs().max(1e-4)
    }

    #[test]
    fn coefficients_and_p_values_match_published_ones() {
        // The published coefficients and p-values of Anscombe's quartet: 0.8164 and 0.00217.
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let pairs: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        let correlation = pearson(&pairs).unwrap();
        assert!(near(correlation.coefficient, 0.816_420_5), "{correlation:?}");
        assert!((correlation.chance.unwrap() - 0.002_169_6).abs() < 1e-6, "{correlation:?}");
        // The critical value of ten pairs at 5 %, from tables: 0.632.
        let rest: f64 = 1.0 - 0.632 * 0.632;
        let student = StudentsT::new(0.0, 1.0, 8.0).unwrap();
        assert!((2.0 * student.sf(0.632 * (8.0 / rest).sqrt()) - 0.05).abs() < 1e-3);
    }

    #[test]
    fn coefficients_match_exact_integer_sums() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let pairs: Vec<(i64, i64)> = (0..2 + random.below(20_usize))
                .map(|_| (i64::from(random.below(9_u32)), i64::from(random.below(9_u32))))
                .collect();
            let floats: Vec<(f64, f64)> = pairs.iter().map(|p| (p.0 as f64, p.1 as f64)).collect();
            let n = pairs.len() as i64;
            let sum = |term: fn(&(i64, i64)) -> i64| pairs.iter().map(term).sum::<i64>();
            let (x, y) = (sum(|p| p.0), sum(|p| p.1));
            let (xx, yy) = (sum(|p| p.0 * p.0) * n - x * x, sum(|p| p.1 * p.1) * n - y * y);
            let xy = sum(|p| p.0 * p.1) * n - x * y;
            match pearson(&floats) {
                Err(reason) => assert!(reason == Undefined::Constant && (xx == 0 || yy == 0)),
                Ok(correlation) => {
                    let exact = xy as f64 / ((xx * yy) as f64).sqrt();
                    assert!(
                        (correlation.coefficient - exact).abs() < 1e-9,
                        "{correlation:?} {exact}"
                    );
                    assert_eq!(correlation.chance.is_none(), pairs.len() == 2);
                    assert!(correlation.chance.is_none_or(|chance| (0.0..=1.0).contains(&chance)));
                }
            }
        }
    }

    #[test]
    fn an_undefined_correlation_has_a_reason() {
        assert_eq!(pearson(&[]), Err(Undefined::Few));
        assert_eq!(pearson(&[(1.0, 2.0)]), Err(Undefined::Few));
        assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0)]), Err(Undefined::Constant));
        assert_eq!(pearson(&[(1.0, 0.1), (2.0, 0.1), (3.0, 0.1)]), Err(Undefined::Constant));
        let line: Vec<(f64, f64)> =
            (0..50).map(|x| (f64::from(x) * 1e300, -f64::from(x))).collect();
        let correlation = pearson(&line).unwrap();
        assert!(
            correlation.coefficient < -0.999_999 && correlation.chance.unwrap() < 1e-100,
            "{correlation:?}"
        );
    }
}
