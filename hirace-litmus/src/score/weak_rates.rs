//! Rates of weak behavior, as in GPUHarbor: for each test, the fraction of instances that meet its condition in its best
//! environment; for the tests of a device or a vendor, the maximum, mean, median and minimum of these fractions.

use crate::results::table::{Column, Table};

/// The distribution of fractions over tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The number of tests.
    pub tests: usize,
    /// The minimum.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The mean.
    pub average: f64,
    /// The maximum.
    pub most: f64,
}

/// Returns the highest fraction of instances that meet the condition of a test, over its environments; `None` if there were no
/// instances.
pub fn best(column: &Column) -> Option<f64> {
    let parts = column.runs.iter().filter_map(|(_, run)| {
        let instances = run.instances();
        (instances > 0).then(|| run.found as f64 / instances as f64)
    });
    parts.reduce(f64::max)
}

/// Returns the distribution over the mutants of these tables; `None` if none ran.
pub fn spread<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Option<Spread> {
    spread_of(tables.into_iter().flat_map(Table::mutants).filter_map(best).collect())
}

fn spread_of(mut rates: Vec<f64>) -> Option<Spread> {
    rates.sort_by(f64::total_cmp);
    let (least, most) = (*rates.first()?, *rates.last()?);
    let middle = rates.len() / 2;
    let median = match rates.len() % 2 {
        1 => rates[middle],
        _ => f64::midpoint(rates[middle - 1], rates[middle]),
    };
    let average = rates.iter().sum::<f64>() / rates.len() as f64;
    Some(Spread { tests: rates.len(), least, median, average, most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Buckets;
    use crate::results::role::Role;

    #[test]
    fn a_spread_has_the_median_of_even_and_odd_numbers_of_tests() {
        let four = Spread { tests: 4, least: 0.0, median: 0.375, average: 0.375, most: 0.75 };
        assert_eq!(spread_of(vec![0.75, 0.25, 0.0, 0.5]), Some(four));
        assert_eq!(spread_of(vec![0.5, 0.25, 0.0]).map(|of| of.median), Some(0.25));
        assert_eq!(spread_of(vec![]), None);
        assert_eq!(spread([]), None);
    }

    #[test]
    fn the_rate_of_a_test_is_that_of_its_best_environment() {
        let run = |sequential, found| Buckets { sequential, found, ..Buckets::default() };
        let column = |runs| Column { name: String::new(), role: Role::Other, runs };
        let runs = vec![(0, run(0, 0)), (1, run(3, 1)), (2, run(1, 1))];
        assert_eq!(best(&column(runs)), Some(0.5));
        assert_eq!(best(&column(vec![(0, run(0, 0))])), None);
    }
}
