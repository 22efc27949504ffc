//! Death rates: the number of times per second that an environment kills a mutant (MC Mutants, Sec. 5.2).

use crate::results::Buckets;
use crate::results::table::{Column, Table};
use crate::test::Mutator;

/// Returns the number of times per second that a run met the condition; `None` if it took no time.
pub fn rate(run: &Buckets) -> Option<f64> {
    let rate = run.found as f64 / run.seconds;
    (run.seconds > 0.0 && rate.is_finite()).then_some(rate)
}

/// Returns the first environment with the highest rate, and that rate; `None` if no run took time.
pub fn greatest(column: &Column) -> Option<(u32, f64)> {
    let rates = column.runs.iter().filter_map(|(number, run)| Some((*number, rate(run)?)));
    rates.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Returns the mean over mutants of the highest rate of each, optionally only of one mutator's mutants. `None` if no
/// rate is defined.
pub fn average<'a>(
    tables: impl IntoIterator<Item = &'a Table>,
    mutator: Option<Mutator>,
) -> Option<f64> {
    let mutants = tables.into_iter().flat_map(Table::mutants);
    let mutants = mutants.filter(|column| mutator.is_none() || column.mutator() == mutator);
    let rates: Vec<f64> = mutants.filter_map(|column| Some(greatest(column)?.1)).collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::role::Role;

    fn run(found: u64, seconds: f64) -> Buckets {
        Buckets { found, seconds, ..Buckets::default() }
    }

    #[test]
    fn what_took_no_time_has_no_rate() {
        assert_eq!(rate(&run(3, 1.5)), Some(2.0));
        assert_eq!(rate(&run(0, 1.5)), Some(0.0));
        assert_eq!(rate(&run(3, 0.0)), None);
        assert_eq!(rate(&run(1 << 53, 1e-300)), None);
        let role = Role::Mutant(Mutator::WeakeningSw);
        let column = |runs| Column { name: String::new(), role, runs };
        assert_eq!(greatest(&column(vec![(0, run(3, 0.0))])), None);
        let runs = vec![(0, run(3, 0.0)), (2, run(4, 2.0)), (3, run(2, 1.0)), (5, run(1, 2.0))];
        assert_eq!(greatest(&column(runs)), Some((2, 2.0)));
    }
}
