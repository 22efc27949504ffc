//! Computes all scores from tables of results.

use super::document::*;
use super::{Options, Source};
use crate::results::role::Role;
use crate::results::table::{Column, Side, Table};
use crate::score::interval::Interval;
use crate::score::reproducibility::{Budget, Target, estimate, total};
use crate::score::{
    budget, clusters, correlation, death_rate, mutation::Score, similarity, weak_rates,
};
use crate::test::{self, Kind, Mutator};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of groups of devices.
const MAX_GROUPS: usize = 12;

/// Computes all scores of these results.
pub fn analyze(sources: &[Source], options: Options) -> Analysis {
    let sides = Side::ALL.into_iter().filter_map(|side| {
        let of_side: Vec<&Source> =
            sources.iter().filter(|source| source.table.side == side).collect();
        (!of_side.is_empty()).then(|| analyze_side(side, &of_side, options))
    });
    let miscounted = sources.iter().flat_map(|source| {
        source.miscounted_runs.iter().map(|run| MiscountedRun {
            file: source.file.clone(),
            environment: run.entry,
            test: run.test.clone(),
            counted: run.counted,
            ran: u64::try_from(run.ran).unwrap_or(u64::MAX),
        })
    });
    Analysis {
        schema: SCHEMA.to_owned(),
        confidence: options.confidence.level(),
        budget: options.budget.seconds(),
        sides: sides.collect(),
        miscounted: miscounted.collect(),
        untimed: sources
            .iter()
            .filter(|source| !source.has_times)
            .map(|of| of.file.clone())
            .collect(),
    }
}

fn analyze_side(side: Side, sources: &[&Source], options: Options) -> SideAnalysis {
    let tables: Vec<&Table> = sources.iter().map(|source| &source.table).collect();
    let mut vendors: BTreeMap<&str, Vec<&Table>> = BTreeMap::new();
    for table in &tables {
        if let Some(vendor) = &table.device.vendor {
            vendors.entry(vendor).or_default().push(table);
        }
    }
    let vendors = vendors.into_iter().map(|(vendor, tables)| VendorAnalysis {
        vendor: vendor.to_owned(),
        devices: tables.len(),
        mutants: summary(&tables, options),
        weak: weak(&tables),
    });
    SideAnalysis {
        side,
        seconds: tables.iter().map(|table| table.seconds()).sum(),
        mutants: summary(&tables, options),
        devices: sources.iter().map(|source| analyze_device(source, options)).collect(),
        vendors: vendors.collect(),
        reproducible: reproducible(&tables),
        similarity: analyze_similarity(&tables),
    }
}

fn summary(tables: &[&Table], options: Options) -> Summary {
    let score_of =
        |mutator| -> Score { tables.iter().map(|table| Score::of(table, mutator)).sum() };
    let rate_of = |mutator| death_rate::average(tables.iter().copied(), mutator);
    let all = score_of(None);
    let mutators =
        [Mutator::ReversingPoLoc, Mutator::WeakeningPoLoc, Mutator::WeakeningSw].into_iter();
    let mutators = mutators.filter_map(|mutator| {
        let Score { killed, of } = score_of(Some(mutator));
        let death_rate = rate_of(Some(mutator));
        (of > 0).then_some(MutatorAnalysis { mutator, killed, total: of, death_rate })
    });
    let interval = Interval::of_ratio(all.killed, all.of, options.confidence);
    let score = all.ratio().zip(interval).map(|(value, interval)| estimated(value, interval));
    Summary {
        killed: all.killed,
        total: all.of,
        score,
        death_rate: rate_of(None),
        mutators: mutators.collect(),
    }
}

fn estimated(value: f64, interval: Interval) -> EstimatedValue {
    EstimatedValue { value, lower: interval.lower, upper: interval.upper }
}

fn weak(tables: &[&Table]) -> Option<Weak> {
    let spread = weak_rates::spread(tables.iter().copied())?;
    let weak_rates::Spread { tests, least, median, average, most } = spread;
    Some(Weak { tests, least, median, average, most })
}

fn analyze_device(source: &Source, options: Options) -> DeviceAnalysis {
    let table = &source.table;
    let tests: Vec<TestAnalysis> =
        table.tests.iter().map(|column| analyze_test(column, options)).collect();
    let killed = tests.iter().filter(|of| of.mutator.is_some() && of.found_in > 0);
    let scores: Vec<f64> = killed.filter_map(|of| Some(of.reproducibility?.value)).collect();
    let failed = table
        .tests
        .iter()
        .filter(|column| matches!(column.role, Role::Conformance(_)) && column.is_found());
    DeviceAnalysis {
        device: table.device.name.clone(),
        vendor: table.device.vendor.clone(),
        operating_system: table.device.operating_system.clone(),
        browser: table.device.browser.clone(),
        file: source.file.clone(),
        seconds: table.seconds(),
        mutants: summary(&[table], options),
        specification: table.specification.name().to_owned(),
        failed: failed.map(|column| column.name.clone()).collect(),
        total_reproducibility: (!scores.is_empty()).then(|| total(scores)),
        weak: weak(&[table]),
        tests,
        environments: environments(table),
        correlations: correlations(table),
    }
}

fn analyze_test(column: &Column, options: Options) -> TestAnalysis {
    let greatest = death_rate::highest_rate(column);
    let best = greatest.and_then(|(environment, _)| column.run(environment));
    let reproducibility = best.and_then(|run| estimate(run, options.budget, options.confidence));
    TestAnalysis {
        test: column.name.clone(),
        mutator: column.mutator(),
        found_in: column.runs.iter().filter(|(_, run)| run.found > 0).count(),
        environment: greatest.map(|(environment, _)| environment),
        death_rate: greatest.map(|(_, rate)| rate),
        reproducibility: reproducibility.map(|of| estimated(of.score, of.interval)),
    }
}

fn environments(table: &Table) -> Vec<EnvironmentAnalysis> {
    #[derive(Default)]
    struct Sum {
        score: Score,
        rate: f64,
        rates: usize,
    }
    let mut sums: BTreeMap<u32, Sum> = BTreeMap::new();
    for (number, run) in table.mutants().flat_map(|column| &column.runs) {
        let sum = sums.entry(*number).or_default();
        sum.score.of += 1;
        sum.score.killed += usize::from(run.found > 0);
        if let Some(rate) = death_rate::rate(run) {
            sum.rate += rate;
            sum.rates += 1;
        }
    }
    let of = |(environment, sum): (u32, Sum)| EnvironmentAnalysis {
        environment,
        killed: sum.score.killed,
        total: sum.score.of,
        score: sum.score.ratio(),
        death_rate: (sum.rates > 0).then(|| sum.rate / sum.rates as f64),
    };
    sums.into_iter().map(of).collect()
}

fn correlations(table: &Table) -> Vec<MutantCorrelation> {
    let mut pairs = Vec::new();
    for test in test::all() {
        let Kind::Mutant { of } = &test.kind else { continue };
        let (Some(mutant), Some(failed)) = (table.test(&test.name), table.test(of)) else {
            continue;
        };
        if failed.is_found() {
            let by = |of| match correlation::of_tests(failed, mutant, of) {
                Ok(of) => Correlated::Known {
                    coefficient: of.coefficient,
                    environments: of.pairs,
                    chance: of.chance,
                },
                Err(why) => Correlated::Undefined(why),
            };
            pairs.push(MutantCorrelation {
                test: of.clone(),
                mutant: test.name,
                counts: by(correlation::Quantity::Counts),
                rates: by(correlation::Quantity::Rates),
            });
        }
    }
    pairs
}

fn reproducible(tables: &[&Table]) -> Vec<Reproducible> {
    let mut all = Vec::new();
    for target in budget::PUBLISHED_TARGETS {
        for seconds in budget::published_budgets() {
            let (Ok(within), Ok(wanted)) = (Budget::new(seconds), Target::new(target)) else {
                continue;
            };
            let Score { killed, of } = budget::within(tables, within, wanted);
            if of > 0 {
                all.push(Reproducible { budget: seconds, target, killed, total: of });
            }
        }
    }
    all
}

fn analyze_similarity(tables: &[&Table]) -> Option<Similarity> {
    let cosines = similarity::matrix(tables).filter(|rows| rows.len() > 1)?;
    let elbow = clusters::elbow(&cosines, MAX_GROUPS);
    let bend = clusters::bend(&elbow);
    let groups = bend.map(|groups| clusters::clusters(&cosines, groups).of).unwrap_or_default();
    debug_assert!(groups.iter().collect::<BTreeSet<_>>().len() <= MAX_GROUPS);
    Some(Similarity { cosines, elbow, bend, groups })
}
