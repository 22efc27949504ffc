//! Bar charts of scores and death rates.

use super::{WIDTH, anchor, figure, short};
use crate::analysis::document::{EstimatedValue, MutatorAnalysis, SideAnalysis, Summary};
use crate::analysis::text::MUTATORS;
use crate::analysis::words;
use crate::test::Mutator;
use hirace_core::report::escape::escape;
use std::fmt::Write as _;

const ROW: usize = 38;
/// The number of characters that fit in a row.
const LETTERS: usize = 43;
/// The maximum number of devices that are drawn; the table has all.
const MAX_DEVICES: usize = 24;

/// A bar.
struct Bar {
    name: String,
    figure: String,
    /// The filled fraction, from 0 to 1.
    part: f64,
    interval: Option<EstimatedValue>,
    color: usize,
}

/// Writes the score of each side with its interval.
pub(super) fn scores(page: &mut String, sides: &[&SideAnalysis]) {
    let bars = sides.iter().map(|side| score(words::side(side.side).to_owned(), &side.mutants, 0));
    plot(page, "scores-plot", "Mutants killed", bars.collect());
}

/// Writes the score of each side for each mutator.
pub(super) fn by_mutator(page: &mut String, sides: &[&SideAnalysis]) {
    for (color, mutator) in MUTATORS.into_iter().enumerate() {
        let bars = of_mutator(sides, mutator).map(|(side, of)| Bar {
            name: words::side(side.side).to_owned(),
            figure: format!("{}/{}", of.killed, of.total),
            part: of.killed as f64 / of.total.max(1) as f64,
            interval: None,
            color,
        });
        let name = format!("Mutants killed, {}", words::mutator(mutator));
        plot(page, &format!("killed-{color}"), &name, bars.collect());
    }
}

/// Writes the death rate of each side, over all mutants and for each mutator, on one logarithmic scale.
pub(super) fn death_rates(page: &mut String, sides: &[&SideAnalysis]) {
    let mutators = sides.iter().flat_map(|side| &side.mutants.mutators);
    let most = mutators.filter_map(|of| of.death_rate).fold(1.0, f64::max);
    let bar = |side: &SideAnalysis, rate: f64, color| Bar {
        name: words::side(side.side).to_owned(),
        figure: format!("{}/s", words::rate(rate)),
        // The scale starts at 0.001 per second.
        part: ((rate.max(1e-3) / 1e-3).ln() / (most / 1e-3).ln()).clamp(0.0, 1.0),
        interval: None,
        color,
    };
    let all = sides.iter().filter_map(|side| Some(bar(side, side.mutants.death_rate?, 5)));
    plot(page, "rates", "Death rates, logarithmic", all.collect());
    for (color, mutator) in MUTATORS.into_iter().enumerate() {
        let bars = of_mutator(sides, mutator)
            .filter_map(|(side, of)| Some(bar(side, of.death_rate?, color)));
        let name = format!("Death rates, {}", words::mutator(mutator));
        plot(page, &format!("rates-{color}"), &name, bars.collect());
    }
}

fn of_mutator<'a>(
    sides: &'a [&SideAnalysis],
    mutator: Mutator,
) -> impl Iterator<Item = (&'a SideAnalysis, &'a MutatorAnalysis)> {
    sides.iter().filter_map(move |side| {
        let of = side.mutants.mutators.iter().find(|of| of.mutator == mutator)?;
        Some((*side, of))
    })
}

/// Writes the score of each device.
pub(super) fn devices(page: &mut String, side: &SideAnalysis) {
    let devices = side.devices.iter().filter(|device| device.mutants.total > 0).take(MAX_DEVICES);
    let bars = devices.map(|device| score(device.device.clone(), &device.mutants, 0));
    plot(page, &format!("{}-devices", anchor(side)), "Mutants killed, by device", bars.collect());
}

fn score(name: String, of: &Summary, color: usize) -> Bar {
    let part = of.score.map_or(0.0, |score| score.value);
    let figure = format!("{}/{} {}", of.killed, of.total, words::percent(part));
    Bar { name, figure, part, interval: of.score, color }
}

fn plot(page: &mut String, id: &str, name: &str, bars: Vec<Bar>) {
    if bars.is_empty() {
        return;
    }
    let mut drawing = String::new();
    for (nth, bar) in bars.iter().enumerate() {
        let top = nth * ROW;
        let letters = LETTERS.saturating_sub(bar.figure.chars().count() + 2);
        let name = escape(&short(&bar.name, letters));
        let whole = escape(&words::shown(&bar.name));
        let (baseline, bar_top) = (top + 13, top + 19);
        let filled = bar.part * WIDTH as f64;
        let _ = write!(
            drawing,
            "<g><title>{whole}: {figure}</title><text x=\"0\" y=\"{baseline}\">{name}</text>\
             <text class=\"end\" x=\"{WIDTH}\" y=\"{baseline}\">{figure}</text>\
             <rect class=\"back\" y=\"{bar_top}\" width=\"{WIDTH}\" height=\"10\" rx=\"2\"/>\
             <rect class=\"c{color}\" fill=\"currentColor\" y=\"{bar_top}\" width=\"{filled:.1}\" height=\"10\" rx=\"2\"/>",
            figure = escape(&bar.figure),
            color = bar.color
        );
        if let Some(interval) = bar.interval {
            let (from, to) = (interval.lower * WIDTH as f64, interval.upper * WIDTH as f64);
            let middle = bar_top + 5;
            let _ = write!(
                drawing,
                "<path class=\"interval\" d=\"M{from:.1} {bar_top}v10M{to:.1} {bar_top}v10M{from:.1} {middle}H{to:.1}\"/>"
            );
        }
        drawing.push_str("</g>\n");
    }
    let said: Vec<String> =
        bars.iter().map(|bar| format!("{}: {}", words::shown(&bar.name), bar.figure)).collect();
    figure(page, id, name, &said.join(". "), bars.len() * ROW, &drawing);
    page.push_str("</figure>\n");
}
