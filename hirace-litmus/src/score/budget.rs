//! The mutation score for a time budget and a target of reproducibility. For each mutant, one environment is chosen for
//! all devices (MC Mutants, Sec. 5.3 and Fig. 6).

use super::death_rate::rate;
use super::merge::merged;
use super::mutation::Score;
use super::reproducibility::{Budget, Target};
use crate::results::table::Table;
use std::collections::BTreeSet;

/// Returns the time budgets of Fig. 6, in seconds: from 1/1024 to 64, each twice the previous one.
pub fn published_budgets() -> impl Iterator<Item = f64> {
    (-10..=6).map(|power| 2_f64.powi(power))
}

/// The targets of Fig. 6.
pub const PUBLISHED_TARGETS: [f64; 2] = [0.95, 0.99999];

/// Returns the score of the mutants of `tables`. A mutant counts once per device, and is killed there if it reaches the rate that
/// the target requires within the budget.
pub fn within(tables: &[&Table], budget: Budget, target: Target) -> Score {
    let wanted = target.rate_within(budget);
    let mutants = tables.iter().flat_map(|table| table.mutants());
    let mutants: BTreeSet<&str> = mutants.map(|column| &column.name[..]).collect();
    let of_mutant = |name: &str| -> Score {
        let chosen = merged(tables.iter().copied(), name, wanted);
        let columns = tables.iter().filter_map(|table| table.test(name));
        columns
            .map(|column| {
                let run = chosen.and_then(|chosen| column.run(chosen.environment));
                let rate = run.and_then(rate).unwrap_or(0.0);
                Score { killed: usize::from(rate >= wanted), of: 1 }
            })
            .sum()
    };
    mutants.into_iter().map(of_mutant).sum()
}
