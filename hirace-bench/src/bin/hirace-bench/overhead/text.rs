//! The report as tables for a terminal.

use hirace_bench::overhead::report::{ExecutorReport, OclgrindComparison, Report, Row, Summary};
use hirace_bench::overhead::statistics::Spread;
use std::collections::BTreeMap;
use std::fmt::Write;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object};
use tabled::settings::{Alignment, Modify, Style};

const SUMMARY: [&str; 9] = [
    "kernels",
    "",
    "median",
    "mean",
    "geometric mean",
    "worst",
    "bytes a word",
    "bytes a watched word",
    "sites proved",
];

const KERNELS: [&str; 9] = [
    "kernel",
    "input",
    "bare, ms",
    "checked",
    "95 %",
    "dynamic",
    "first run",
    "bytes a word",
    "sites proved",
];

const OCLGRIND: [&str; 5] = ["kernel", "input", "dynamic, ms", "Oclgrind, ms", "times as fast"];

/// Returns all tables.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for executor in &report.executors {
        let _ = writeln!(text, "{}:\n\n{}\n", executor.name, summaries(executor));
        let _ = writeln!(text, "{}\n", kernels(&executor.kernels));
        if executor.kernels.iter().any(|row| !row.is_long) {
            let _ = writeln!(text, "* no larger launch is possible.\n");
        }
        for skipped in &executor.skipped {
            let _ = writeln!(text, "- not measured: {}: {}", skipped.name, skipped.reason);
        }
        if !executor.skipped.is_empty() {
            text.push('\n');
        }
        text.push_str(&oclgrind(executor));
    }
    if report.stopped {
        text.push_str("Stopped before all kernels were measured.\n");
    }
    text
}

/// Returns the times of Oclgrind per kernel, and why there is none for the others; nothing if Oclgrind was not timed.
fn oclgrind(executor: &ExecutorReport) -> String {
    let mut text = String::new();
    let mut table = Builder::new();
    table.push_record(OCLGRIND);
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    let mut without: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &executor.kernels {
        if let Some(OclgrindComparison { ms, times_as_fast }) = row.beside_oclgrind {
            (least, most) = (least.min(times_as_fast), most.max(times_as_fast));
            let dynamic = row.dynamic.ms + row.dynamic.clearing_ms;
            table.push_record([
                row.name.clone(),
                row.input.clone(),
                format!("{dynamic:.2}"),
                format!("{ms:.0}"),
                format!("{times_as_fast:.0}"),
            ]);
        }
        if let Some(reason) = &row.not_beside_oclgrind {
            without.entry(reason).or_default().push(&row.name);
        }
    }
    if let Some(fast) = executor.summary.beside_oclgrind.geomean {
        let kernels = executor.summary.kernels_beside_oclgrind;
        let _ = writeln!(
            text,
            "With all checks at run time, {kernels} kernels are {fast:.0} times as fast as under Oclgrind \
             (geometric mean; {least:.0} to {most:.0}).\n\n{}\n",
            styled(table, 2)
        );
    }
    for (reason, names) in &without {
        let _ = writeln!(text, "- no time of Oclgrind: {}: {reason}", names.join(", "));
    }
    if !without.is_empty() {
        text.push('\n');
    }
    text
}

fn summaries(executor: &ExecutorReport) -> String {
    let mut table = Builder::new();
    table.push_record(SUMMARY);
    let mut add = |name: String, summary: &Summary| {
        let Summary { checked, with_clearing, dynamic, first, .. } = summary;
        let ways = [
            ("checked", checked),
            ("with clearing", with_clearing),
            ("dynamic", dynamic),
            ("first run", first),
        ];
        for (number, (way, spread)) in ways.into_iter().enumerate() {
            let Spread { median, mean, geomean, worst } = *spread;
            let of =
                if number == 0 { format!("{name}: {}", summary.kernels) } else { String::new() };
            let figures = [median, mean, geomean, worst].map(shown);
            let rest = match number {
                0 => [
                    shown(summary.shadow_bytes_per_word),
                    shown(summary.shadow_bytes_per_watched_word),
                    format!("{} of {}", summary.sites_proved, summary.sites),
                ],
                _ => Default::default(),
            };
            let names = [of, way.to_owned()];
            table.push_record(names.into_iter().chain(figures).chain(rest));
        }
    };
    add("all".to_owned(), &executor.summary);
    for (corpus, summary) in &executor.corpora {
        add(format!("{corpus:?}").to_lowercase(), summary);
    }
    for (category, summary) in &executor.categories {
        add(format!("{category:?}").to_lowercase(), summary);
    }
    styled(table, 2)
}

fn kernels(rows: &[Row]) -> String {
    let mut table = Builder::new();
    table.push_record(KERNELS);
    for row in rows {
        let checked = row.checked.ratio;
        table.push_record([
            row.name.clone(),
            row.input.clone(),
            format!("{:.3}{}", row.bare_ms, if row.is_long { "" } else { "*" }),
            format!("{:.2}", checked.ratio),
            format!("{:.2}–{:.2}", checked.low, checked.high),
            format!("{:.2}", row.dynamic.ratio.ratio),
            format!("{:.2}", row.first.checked),
            shown(row.shadow_bytes_per_word),
            format!("{} of {}", row.sites_proved, row.sites),
        ]);
    }
    styled(table, 2)
}

/// Formats a table. All columns but the first `names` are numbers.
fn styled(table: Builder, names: usize) -> String {
    let mut table = table.build();
    let numbers = Columns::new(..names).inverse();
    table.with(Style::markdown()).with(Modify::new(numbers).with(Alignment::right()));
    table.to_string()
}

/// Formats a figure, if there is one.
fn shown(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}"))
}
