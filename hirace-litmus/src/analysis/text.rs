//! The analysis as tables for a terminal.

use super::document::{Analysis, DeviceAnalysis, SideAnalysis, Summary};
use super::words::{self, NONE, shown};
use crate::results::table::Side;
use crate::test::Mutator;
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Padding, Style};

/// The maximum number of miscounted runs that are listed.
const MAX_LISTED: usize = 5;

pub(super) const MUTATORS: [Mutator; 3] =
    [Mutator::ReversingPoLoc, Mutator::WeakeningPoLoc, Mutator::WeakeningSw];

/// Returns the tables.
pub fn report(analysis: &Analysis) -> String {
    let mut text = String::new();
    for side in &analysis.sides {
        let _ = writeln!(text, "{}, {}", words::side(side.side), words::time(side.seconds));
        if side.mutants.total > 0 && side.side != Side::Correlation {
            scores(&mut text, side);
            reproducible(&mut text, side);
            weak(&mut text, side);
        }
        systems(&mut text, side);
        alike(&mut text, side);
        correlations(&mut text, side);
        for device in side.devices.iter().filter(|device| !device.failed.is_empty()) {
            let failed = device.failed.iter().map(|name| shown(name)).collect::<Vec<_>>();
            let _ = writeln!(
                text,
                "failed on {} under {}: {}",
                shown(&device.device),
                shown(&device.specification),
                failed.join(", ")
            );
        }
        text.push('\n');
    }
    miscounted(&mut text, analysis);
    for file in &analysis.untimed {
        let _ = writeln!(text, "{}: no times, so rates are unknown", shown(file));
    }
    text
}

fn scores(text: &mut String, side: &SideAnalysis) {
    let mut rows = Builder::new();
    let mutators = MUTATORS.map(words::mutator).map(str::to_owned);
    let head = ["", "killed", "of", "score", "deaths/s"].map(str::to_owned);
    rows.push_record(head.into_iter().chain(mutators));
    let mut row = |name: String, of: &Summary| {
        let score = of.score.map_or_else(|| NONE.to_owned(), words::between);
        let rate = words::optional_text(of.death_rate, words::rate);
        let cells = [name, of.killed.to_string(), of.total.to_string(), score, rate];
        let mutators = MUTATORS.map(|mutator| {
            let of = of.mutators.iter().find(|of| of.mutator == mutator);
            of.map_or_else(
                || NONE.to_owned(),
                |of| {
                    let rate = words::optional_text(of.death_rate, words::rate);
                    format!("{}/{} {rate}/s", of.killed, of.total)
                },
            )
        });
        rows.push_record(cells.into_iter().chain(mutators));
    };
    side.devices.iter().for_each(|of| row(name(of), &of.mutants));
    let vendors = side.vendors.iter().filter(|of| of.devices > 1);
    vendors.for_each(|of| row(format!("all of {}", shown(&of.vendor)), &of.mutants));
    if side.devices.len() > 1 {
        row("all".to_owned(), &side.mutants);
    }
    table(text, rows);
}

pub(super) fn name(device: &DeviceAnalysis) -> String {
    shown(&device.device)
}

fn reproducible(text: &mut String, side: &SideAnalysis) {
    let mut rows = Builder::new();
    let mut targets: Vec<f64> = side.reproducible.iter().map(|of| of.target).collect();
    targets.dedup();
    if targets.is_empty() {
        return;
    }
    let heads =
        targets.iter().map(|target| format!("killed again with {}", words::target(*target)));
    rows.push_record(std::iter::once("budget per test".to_owned()).chain(heads));
    let mut budgets: Vec<f64> = side.reproducible.iter().map(|of| of.budget).collect();
    budgets.sort_by(f64::total_cmp);
    budgets.dedup();
    // Every second budget; the document has all.
    let budgets = budgets.into_iter().step_by(2);
    for budget in budgets {
        let at = |target: &f64| {
            let of = side.reproducible.iter();
            let of = of.filter(|of| of.budget == budget).find(|of| of.target == *target);
            of.map_or_else(
                || NONE.to_owned(),
                |of| {
                    let part = words::percent(of.killed as f64 / of.total as f64);
                    format!("{}/{} {part}", of.killed, of.total)
                },
            )
        };
        let cells = targets.iter().map(at);
        rows.push_record(std::iter::once(words::budget(budget)).chain(cells));
    }
    table(text, rows);
}

fn weak(text: &mut String, side: &SideAnalysis) {
    let mut rows = Builder::new();
    rows.push_record(["condition met in", "least", "median", "average", "most"]);
    let devices = side.devices.iter().map(|of| (name(of), of.weak));
    let vendors = side.vendors.iter().filter(|of| of.devices > 1);
    let vendors = vendors.map(|of| (format!("all of {}", shown(&of.vendor)), of.weak));
    for (name, weak) in devices.chain(vendors) {
        let Some(weak) = weak else { continue };
        let parts = [weak.least, weak.median, weak.average, weak.most].map(words::percent);
        rows.push_record(std::iter::once(name).chain(parts));
    }
    if rows.count_records() > 1 {
        table(text, rows);
    }
}

/// Writes the operating system and the browser of each device, if known.
fn systems(text: &mut String, side: &SideAnalysis) {
    let mut rows = Builder::new();
    rows.push_record(["device", "operating system", "browser"]);
    let is_known = |of: &&DeviceAnalysis| of.operating_system.is_some() || of.browser.is_some();
    for of in side.devices.iter().filter(is_known) {
        let software = [&of.operating_system, &of.browser].map(|of| words::software(of.as_ref()));
        rows.push_record(std::iter::once(name(of)).chain(software));
    }
    if rows.count_records() > 1 {
        table(text, rows);
    }
}

fn alike(text: &mut String, side: &SideAnalysis) {
    let Some(alike) = &side.similarity else { return };
    let mut rows = Builder::new();
    rows.push_record(std::iter::once("similarity".to_owned()).chain(side.devices.iter().map(name)));
    for (device, cosines) in side.devices.iter().zip(&alike.cosines) {
        let cells = cosines.iter().map(|cosine| format!("{cosine:.3}"));
        rows.push_record(std::iter::once(name(device)).chain(cells));
    }
    table(text, rows);
    if let Some(groups) = alike.bend {
        let _ = writeln!(text, "{groups} groups by k-means:");
        for group in 0..groups {
            let members = side.devices.iter().zip(&alike.groups).filter(|(_, of)| **of == group);
            let members: Vec<String> = members.map(|(device, _)| name(device)).collect();
            let _ = writeln!(text, "  {}", members.join(", "));
        }
    }
}

fn correlations(text: &mut String, side: &SideAnalysis) {
    let mut rows = Builder::new();
    let head = ["device", "bug", "mutant", "r of counts", "p", "r of rates", "p"];
    rows.push_record(head);
    for device in &side.devices {
        for pair in &device.correlations {
            rows.push_record([
                name(device),
                shown(&pair.test),
                shown(&pair.mutant),
                words::coefficient(pair.counts),
                words::chance(pair.counts),
                words::coefficient(pair.rates),
                words::chance(pair.rates),
            ]);
        }
    }
    if rows.count_records() > 1 {
        table(text, rows);
    }
}

fn miscounted(text: &mut String, analysis: &Analysis) {
    let runs = &analysis.miscounted;
    for run in runs.iter().take(MAX_LISTED) {
        let (file, test) = (shown(&run.file), shown(&run.test));
        let (counted, ran) = (run.counted, run.ran);
        let _ = writeln!(
            text,
            "{file}: {test} in environment {} counted {counted} of {ran} instances",
            run.environment
        );
    }
    if let Some(more) = runs.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        let _ = writeln!(text, "and {more} more runs whose instances were not all counted");
    }
}

/// Writes a table: the first column aligned to the left, the others to the right.
fn table(text: &mut String, rows: Builder) {
    let mut table = rows.build();
    table.with(Style::empty()).with(Alignment::right()).with(Padding::new(0, 2, 0, 0));
    table.with(Modify::new(Columns::first()).with(Alignment::left()));
    for line in table.to_string().lines() {
        let _ = writeln!(text, "  {}", line.trim_end());
    }
}
