//! Bar charts: coverage per kernel, and detected mutants per kernel and per class of operators.

use super::summary::{KINDS, kinds};
use crate::audit::report::words::{self, detected_part};
use crate::audit::results::Audit;
use crate::mutate::results::{ClassSummary, Summary};
use crate::report::escape::escape;
use crate::report::words::{NONE, percent, shown};
use hirace_core::cover::coverage::Part;
use std::fmt::Write as _;

/// The width of a small phone, so that letters have the same size everywhere.
const WIDTH: usize = 320;
/// The number of letters of a name shown next to its figures.
const MAX_LETTERS: usize = 26;
const ROW: usize = 36;
/// A chart with more rows than this is collapsed.
const MAX_OPEN_ROWS: usize = 16;

/// A row of a chart: its name and its bars.
type Row = (String, Vec<Bar>);

/// A bar: its kind, its part, and the percentage.
type Bar = (&'static str, Part, Option<u64>);

/// Writes all charts.
pub(super) fn section(page: &mut String, audit: &Audit) {
    let coverage: Vec<Row> = audit
        .kernels
        .iter()
        .map(|kernel| {
            let parts = KINDS.into_iter().zip(kinds(&kernel.coverage));
            let bars = parts.map(|(kind, part)| (kind, part, percent(part)));
            (shown(&kernel.name), bars.collect())
        })
        .collect();
    let kernels = audit.kernels.iter();
    let kernels: Vec<Row> =
        kernels.map(|kernel| (shown(&kernel.name), mistakes(&kernel.mutants))).collect();
    let classes: Vec<Row> = audit.mutants.summary.classes.iter().map(of_class).collect();
    page.push_str("<div class=\"plots\">\n");
    plot(page, "covered", "Covered, by kernel", &coverage);
    plot(page, "by-kernel", "Mutants detected, by kernel", &kernels);
    plot(page, "by-class", "Mutants detected, by class of operators", &classes);
    page.push_str("</div>\n");
}

fn of_class(class: &ClassSummary) -> Row {
    let summary = Summary { by_status: class.by_status.clone(), ..Summary::default() };
    (class.class.name().to_owned(), mistakes(&summary))
}

fn mistakes(summary: &Summary) -> Vec<Bar> {
    let part = detected_part(summary);
    vec![("mutants detected", part, words::percent(part))]
}

fn plot(page: &mut String, id: &str, name: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let open = if rows.len() > MAX_OPEN_ROWS { "" } else { " open" };
    let columns = &rows[0].1;
    let is_headed = columns.len() > 1;
    let head = if is_headed { 18 } else { 0 };
    let height = head + rows.len() * ROW;
    let _ = writeln!(
        page,
        "<details class=\"plot\"{open}><summary>{name}</summary>\n\
         <svg role=\"img\" aria-labelledby=\"{id}-name {id}-said\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n\
         <title id=\"{id}-name\">{name}</title>\n<desc id=\"{id}-said\">{}</desc>",
        escape(&describe_chart(rows))
    );
    let width = WIDTH / columns.len();
    if is_headed {
        for (at, (column, ..)) in columns.iter().enumerate() {
            let x = at * width;
            let _ = writeln!(page, "<text class=\"head\" x=\"{x}\" y=\"12\">{column}</text>");
        }
    }
    for (nth, row) in rows.iter().enumerate() {
        drawn(page, row, head + nth * ROW, width);
    }
    page.push_str("</svg></details>\n");
}

/// Draws a name with a bar for each part below it.
fn drawn(page: &mut String, (name, parts): &Row, top: usize, width: usize) {
    let short: String = match name.chars().count() {
        0..=MAX_LETTERS => name.clone(),
        _ => name.chars().take(MAX_LETTERS - 1).chain(['…']).collect(),
    };
    let baseline = top + 13;
    let _ = writeln!(
        page,
        "<text x=\"0\" y=\"{baseline}\">{}<title>{}</title></text>",
        escape(&short),
        escape(name)
    );
    for (at, (kind, part, percent)) in parts.iter().enumerate() {
        let x = at * width;
        let title = escape(&format!("{name}: {}", of_part(&(kind, *part, *percent))));
        let _ = write!(page, "<g><title>{title}</title>");
        let (text, room) = match (*percent, parts.len()) {
            (None, 1) => (NONE.to_owned(), width),
            (None, _) => (NONE.to_owned(), width - 48),
            (Some(of), 1) => (format!("{}/{} {of} %", part.covered, part.total), width),
            (Some(of), _) => (format!("{of} %"), width - 48),
        };
        let y = top + 19;
        let _ = write!(
            page,
            "<rect class=\"back\" x=\"{x}\" y=\"{y}\" width=\"{room}\" height=\"9\" rx=\"2\"/>"
        );
        if let Some(of) = *percent {
            let class = match of {
                100 => "whole",
                _ => "part",
            };
            let filled = room as u64 * of / 100;
            let _ = write!(
                page,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{filled}\" height=\"9\" rx=\"2\"/>"
            );
        }
        let _ = match parts.len() {
            1 => writeln!(
                page,
                "<text class=\"figure\" x=\"{WIDTH}\" y=\"{baseline}\">{text}</text></g>"
            ),
            _ => writeln!(page, "<text x=\"{}\" y=\"{}\">{text}</text></g>", x + room + 4, y + 9),
        };
    }
}

fn of_part((kind, part, percent): &Bar) -> String {
    match percent {
        Some(of) => format!("{kind} {} of {}, {of} %", part.covered, part.total),
        None => format!("{kind} none"),
    }
}

/// Returns the description of a chart for screen readers.
fn describe_chart(rows: &[Row]) -> String {
    let row = |(name, parts): &Row| {
        let parts: Vec<String> = parts.iter().map(of_part).collect();
        format!("{name}: {}", parts.join("; "))
    };
    rows.iter().map(row).collect::<Vec<_>>().join(". ")
}
