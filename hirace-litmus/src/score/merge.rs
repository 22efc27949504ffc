//! The choice of one environment for a test on all devices: Algorithm 1 of MC Mutants.

use super::death_rate::rate;
use crate::results::table::{Column, Table};
use std::collections::BTreeSet;

/// The chosen environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChosenEnvironment {
    /// The number of the environment.
    pub environment: u32,
    /// The number of devices on which the test reaches the required rate.
    pub devices: usize,
    /// The smallest rate above 0 on any device.
    pub least: f64,
}

/// Chooses the environment in which `test` has a rate of at least `required_rate` per second on most devices. Among
/// equal environments, chooses the one whose smallest rate above 0 is greatest, and then the first one. Returns
/// `None` if the test reaches the rate in no environment, even if it shows the bug occasionally in some.
pub fn merged<'a>(
    tables: impl IntoIterator<Item = &'a Table>,
    test: &str,
    required_rate: f64,
) -> Option<ChosenEnvironment> {
    let columns: Vec<&Column> = tables.into_iter().filter_map(|table| table.test(test)).collect();
    let environments = columns.iter().flat_map(|column| &column.runs).map(|(number, _)| *number);
    let environments: BTreeSet<u32> = environments.collect();
    choose(
        environments,
        |environment| {
            let runs = columns.iter().filter_map(move |column| column.run(environment));
            // A run that took no time has no rate, and is not known to reach the required one.
            runs.map(|run| rate(run).unwrap_or(0.0)).collect()
        },
        required_rate,
    )
}

fn choose(
    environments: impl IntoIterator<Item = u32>,
    rates: impl Fn(u32) -> Vec<f64>,
    required_rate: f64,
) -> Option<ChosenEnvironment> {
    let mut chosen: Option<ChosenEnvironment> = None;
    for environment in environments {
        let rates = rates(environment);
        let devices = rates.iter().filter(|rate| **rate >= required_rate).count();
        let nonzero = rates.into_iter().filter(|rate| *rate > 0.0);
        let least = nonzero.fold(f64::INFINITY, f64::min);
        let is_better = match chosen {
            Some(best) => devices > best.devices || devices == best.devices && least > best.least,
            None => devices > 0,
        };
        if is_better {
            chosen = Some(ChosenEnvironment { environment, devices, least });
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::random::Random;
    use std::cmp::Ordering;

    /// Chooses directly by the definition in the paper: the environment that reaches the rate on most devices, then
    /// the one whose smallest rate is greatest.
    fn choose_by_definition(rates: &[Vec<f64>], required_rate: f64) -> Option<usize> {
        let key = |environment_rates: &[f64]| {
            let devices = environment_rates.iter().filter(|rate| **rate >= required_rate).count();
            let least = environment_rates.iter().copied().filter(|rate| *rate > 0.0);
            (devices, least.min_by(f64::total_cmp).unwrap_or(0.0))
        };
        let order = |a: (usize, f64), b: (usize, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        (0..rates.len()).filter(|&e| key(&rates[e]).0 > 0).find(|&e| {
            (0..rates.len())
                .all(|other| order(key(&rates[e]), key(&rates[other])) != Ordering::Less)
        })
    }

    #[test]
    fn choice_matches_the_definition_and_holds_for_lower_rates() {
        let mut random = Random::new(5);
        let mut chosen_on_all = 0;
        for _ in 0..5000 {
            let devices = 1 + random.below(4_usize);
            let rates: Vec<Vec<f64>> = (0..1 + random.below(5_usize))
                .map(|_| (0..devices).map(|_| f64::from(random.below(6_u32))).collect())
                .collect();
            let required_rate = 0.5 + f64::from(random.below(6_u32));
            let choose_for = |required_rate| {
                choose(
                    0..rates.len() as u32,
                    |number| rates[number as usize].clone(),
                    required_rate,
                )
            };
            let chosen = choose_for(required_rate);
            let number = chosen.map(|chosen| chosen.environment as usize);
            assert_eq!(
                number,
                choose_by_definition(&rates, required_rate),
                "{rates:?} {required_rate}"
            );
            // Sec. 4.2: an environment that reaches the rate on all devices is also chosen for lower rates.
            if chosen.is_some_and(|chosen| chosen.devices == devices) {
                chosen_on_all += 1;
                let lower = required_rate * random.unit();
                if lower > 0.0 {
                    assert_eq!(
                        choose_for(lower).map(|best| best.environment),
                        chosen.map(|best| best.environment)
                    );
                }
            }
        }
        assert!(chosen_on_all > 500);
    }

    #[test]
    fn no_environment_is_chosen_if_none_reaches_the_rate() {
        assert_eq!(choose([0, 1], |_| vec![1.0, 0.0], 2.0), None);
        assert_eq!(choose([], |_| vec![9.0], 2.0), None);
        assert_eq!(merged([], "rr", 1.0), None);
    }
}
