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

/// Chooses the environment in which `test` has a rate of at least `wanted` per second on most devices. Among equal ones
/// it is the environment whose smallest rate above 0 is greatest, and then the first. Returns `None` if the test
/// reaches that rate nowhere: the algorithm then chooses no environment, even if some show the bug occasionally.
pub fn merged<'a>(
    tables: impl IntoIterator<Item = &'a Table>,
    test: &str,
    wanted: f64,
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
        wanted,
    )
}

fn choose(
    environments: impl IntoIterator<Item = u32>,
    rates: impl Fn(u32) -> Vec<f64>,
    wanted: f64,
) -> Option<ChosenEnvironment> {
    let mut chosen: Option<ChosenEnvironment> = None;
    for environment in environments {
        let rates = rates(environment);
        let devices = rates.iter().filter(|rate| **rate >= wanted).count();
        let above = rates.into_iter().filter(|rate| *rate > 0.0);
        let least = above.fold(f64::INFINITY, f64::min);
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

    /// Chooses by the words of the paper: the environment on most devices, then the one whose smallest rate is
    /// greatest.
    fn by_words(rates: &[Vec<f64>], wanted: f64) -> Option<usize> {
        let key = |of: &[f64]| {
            let devices = of.iter().filter(|rate| **rate >= wanted).count();
            let least = of.iter().copied().filter(|rate| *rate > 0.0);
            (devices, least.min_by(f64::total_cmp).unwrap_or(0.0))
        };
        let order = |a: (usize, f64), b: (usize, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        (0..rates.len()).filter(|&e| key(&rates[e]).0 > 0).find(|&e| {
            (0..rates.len())
                .all(|other| order(key(&rates[e]), key(&rates[other])) != Ordering::Less)
        })
    }

    #[test]
    fn it_chooses_what_its_words_ask_for_and_keeps_to_it() {
        let mut random = Random::new(5);
        let mut chosen_on_all = 0;
        for _ in 0..5000 {
            let devices = 1 + random.below(4_usize);
            let rates: Vec<Vec<f64>> = (0..1 + random.below(5_usize))
                .map(|_| (0..devices).map(|_| f64::from(random.below(6_u32))).collect())
                .collect();
            let wanted = 0.5 + f64::from(random.below(6_u32));
            let of = |wanted| {
                choose(0..rates.len() as u32, |number| rates[number as usize].clone(), wanted)
            };
            let chosen = of(wanted);
            let number = chosen.map(|chosen| chosen.environment as usize);
            assert_eq!(number, by_words(&rates, wanted), "{rates:?} {wanted}");
            // Sec. 4.2: an environment that reaches the rate on all devices is also chosen for lower rates.
            if chosen.is_some_and(|chosen| chosen.devices == devices) {
                chosen_on_all += 1;
                let lower = wanted * random.unit();
                if lower > 0.0 {
                    assert_eq!(of(lower).map(|of| of.environment), chosen.map(|of| of.environment));
                }
            }
        }
        assert!(chosen_on_all > 500);
    }

    #[test]
    fn nothing_is_chosen_where_nothing_is_good_enough() {
        assert_eq!(choose([0, 1], |_| vec![1.0, 0.0], 2.0), None);
        assert_eq!(choose([], |_| vec![9.0], 2.0), None);
        assert_eq!(merged([], "rr", 1.0), None);
    }
}
