//! The mutation score: the number of mutants that were killed in at least one environment (MC Mutants, Sec. 5.2).

use crate::results::table::Table;
use crate::test::Mutator;
use std::iter::Sum;

/// The number of killed mutants, out of all that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The number of mutants that were killed.
    pub killed: usize,
    /// The number of mutants that ran.
    pub of: usize,
}

impl Score {
    /// Returns the score of a device, optionally only of one mutator's mutants.
    pub fn of(table: &Table, mutator: Option<Mutator>) -> Self {
        let of_it = |of: Option<Mutator>| mutator.is_none() || of == mutator;
        let mutants = table.mutants().filter(|column| of_it(column.mutator()));
        mutants.map(|column| Self { killed: usize::from(column.is_found()), of: 1 }).sum()
    }

    /// Returns the score from 0 to 1; `None` without mutants.
    pub fn ratio(self) -> Option<f64> {
        (self.of > 0).then(|| self.killed as f64 / self.of as f64)
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::default(), |sum, score| Self {
            killed: sum.killed + score.killed,
            of: sum.of + score.of,
        })
    }
}
