//! The mutation score: how many mutants were killed in at least one environment, of how many (MC Mutants, Sec. 5.2).

use crate::results::table::Table;
use crate::test::Mutator;
use std::iter::Sum;

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Mutants that were killed.
    pub killed: usize,
    /// Mutants that ran.
    pub of: usize,
}

impl Score {
    /// That of a device. With a mutator, of its mutants alone.
    pub fn of(table: &Table, mutator: Option<Mutator>) -> Self {
        let of_it = |of: Option<Mutator>| mutator.is_none() || of == mutator;
        let mutants = table.mutants().filter(|column| of_it(column.mutator()));
        mutants.map(|column| Self { killed: usize::from(column.is_found()), of: 1 }).sum()
    }

    /// From 0 to 1; nothing, of no mutants.
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
