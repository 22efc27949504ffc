//! Reproduction of the figures of MC Mutants (Levine et al., ASPLOS 2023) from the results in its artifact.
//! `scripts/collect-mc-mutants.py` describes these results, and wrote them to `tests/mc-mutants/results.csv`.

use super::document::Analysis;
use super::document::{Correlated, SideAnalysis};
use super::{Options, Source, analyze};
use crate::environment::Preset;
use crate::results::published::PublishedResults;
use crate::results::table::{Side, Table};
use crate::score::interval::Confidence;
use crate::score::reproducibility::Budget;
use crate::test::{Mutator, Specification};
use std::sync::OnceLock;

#[path = "../../../tests/mc-mutants/read.rs"]
mod read;

fn analysis() -> &'static Analysis {
    static ANALYSIS: OnceLock<Analysis> = OnceLock::new();
    ANALYSIS.get_or_init(|| {
        let basic = serde_json::to_value(Preset::Basic.parameters()).unwrap();
        let sources: Vec<Source> = read::files(&basic)
            .into_iter()
            .map(|((side, device), text)| {
                let published = PublishedResults::parse(&device, &text).unwrap();
                let side = Side::of_folder(&side).unwrap();
                let table = Table::of_published(&published, &device, side, Specification::Wgsl2022)
                    .unwrap();
                let miscounted_runs = published.find_miscounted();
                Source { file: device, table, miscounted_runs, has_times: true }
            })
            .collect();
        assert_eq!(sources.len(), 19);
        analyze(
            &sources,
            Options { confidence: Confidence::default(), budget: Budget::new(64.0).unwrap() },
        )
    })
}

fn side(side: Side) -> &'static SideAnalysis {
    analysis().sides.iter().find(|analysis| analysis.side == side).unwrap()
}

/// Formats a fraction as the paper does.
fn percent(part: f64) -> String {
    format!("{:.1}", part * 100.0)
}

#[test]
fn mutants_are_killed_as_in_the_paper() {
    let expected = [
        (Side::SiteBaseline, 8, "6.3"),
        (Side::Site, 59, "46.1"),
        (Side::PteBaseline, 93, "72.7"),
        (Side::Pte, 107, "83.6"),
    ];
    for (kind, killed, score) in expected {
        let mutants = &side(kind).mutants;
        assert_eq!((mutants.killed, mutants.total), (killed, 128), "{kind:?}");
        // 8 of 128 is 6.25 %, which the paper rounds up.
        assert_eq!(percent(mutants.score.unwrap().value + 1e-9), score, "{kind:?}");
    }
}

#[test]
fn mutants_are_killed_on_each_device_and_of_each_mutator_as_in_the_paper() {
    let killed = |kind: Side, device: &str| {
        let found = side(kind).devices.iter().find(|found| found.device == device).unwrap();
        let mutators = [Mutator::ReversingPoLoc, Mutator::WeakeningPoLoc, Mutator::WeakeningSw];
        mutators.map(|mutator| {
            let score =
                found.mutants.mutators.iter().find(|score| score.mutator == mutator).unwrap();
            score.killed
        })
    };
    assert_eq!(killed(Side::Pte, "intel"), [8, 6, 7]);
    assert_eq!(killed(Side::Pte, "amd"), [7, 6, 17]);
    assert_eq!(killed(Side::Pte, "nvidia"), [8, 6, 18]);
    assert_eq!(killed(Side::Pte, "m1"), [8, 6, 10]);
    let killed_by_site = |device: &str| killed(Side::Site, device).iter().sum::<usize>();
    assert_eq!(["intel", "amd", "nvidia", "m1"].map(killed_by_site), [25, 17, 11, 6]);
}

#[test]
fn death_rates_are_those_of_the_data() {
    let rate = |kind: Side| side(kind).mutants.death_rate.unwrap();
    assert_eq!(format!("{:.2}", rate(Side::Site)), "11.93");
    assert_eq!(format!("{:.0}", rate(Side::PteBaseline)), "24437");
    assert_eq!(format!("{:.0}", rate(Side::Pte)), "35006");
    // The paper states 2731.
    assert_eq!(format!("{:.0}", rate(Side::Pte) / rate(Side::Site)), "2934");
}

#[test]
fn tuning_took_as_long_as_in_the_paper() {
    let hours = |kind: Side| format!("{:.2}", side(kind).seconds / 3600.0);
    assert_eq!((hours(Side::Pte), hours(Side::Site)), ("9.27".to_owned(), "16.38".to_owned()));
}

#[test]
fn reproducibility_is_as_in_the_paper() {
    let reproduced = |kind: Side, budget: f64, target: f64| {
        let mut scores = side(kind).reproducible.iter();
        let score = scores.find(|score| (score.budget, score.target) == (budget, target)).unwrap();
        percent(score.killed as f64 / score.total as f64)
    };
    let short = 1.0 / 1024.0;
    assert_eq!(reproduced(Side::Pte, 64.0, 0.99999), "82.0");
    assert_eq!(reproduced(Side::Site, 64.0, 0.99999), "43.0");
    assert_eq!(reproduced(Side::Pte, short, 0.95), "35.9");
    assert_eq!(reproduced(Side::Site, short, 0.95), "0.0");
    assert_eq!(reproduced(Side::Pte, short, 0.99999), "18.8");
    assert_eq!(reproduced(Side::Pte, 1.0, 0.95), "77.3");
    assert_eq!(reproduced(Side::Site, 4.0, 0.95), "41.4");
}

#[test]
fn bugs_correlate_with_mutants_as_in_the_paper() {
    let greatest_coefficient = |device: &str| {
        let found = &side(Side::Correlation).devices;
        let found = found.iter().find(|found| found.device == device).unwrap();
        let coefficients = found.correlations.iter().filter_map(|pair| match pair.counts {
            Correlated::Known { coefficient, environments, chance } => {
                assert_eq!(environments, 150);
                assert!(chance.unwrap() < 1e-5);
                Some(coefficient)
            }
            Correlated::Undefined(_) => None,
        });
        format!("{:.3}", coefficients.fold(0.0, f64::max))
    };
    assert_eq!(["intel", "amd", "nvidia"].map(greatest_coefficient), ["0.996", "0.967", "0.893"]);
}
