//! A coverage report for the terminal: a table, followed by what is missing.

use super::missing;
use super::words::{self, shown};
use crate::table::{align_columns, lines};
use anstyle::{AnsiColor, Style as Ansi};
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::{File, Part, Summary};
use hirace_core::report::text::Style;
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::{Cell, Rows};
use tabled::settings::{Color, Modify};

/// Returns the parts of a summary in the order of the table's columns.
pub(crate) fn parts(summary: &Summary) -> [Part; 5] {
    let Summary { lines, functions, branches, loops, barriers } = *summary;
    [lines, functions, branches, loops, barriers]
}

/// Returns a table with a row per file and kernel and a total, followed by what is missing in each file.
pub fn table(coverage: &Coverage, style: Style) -> String {
    let mut text = if coverage.files.is_empty() {
        format!("{}\n", words::EMPTY)
    } else {
        figures(coverage, style)
    };
    for file in &coverage.files {
        let missing = missing_of(file, coverage.hits);
        if !missing.is_empty() {
            let name = paint(&shown(&file.file), Ansi::new().bold(), style);
            let _ = write!(text, "\n{name}\n{missing}");
        }
    }
    if !coverage.unobserved.is_empty() {
        let warning = AnsiColor::Yellow.on_default().bold();
        let _ = writeln!(text, "\n{}", paint(words::UNOBSERVED, warning, style));
        for line in words::unobserved_kernels(&coverage.unobserved) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

fn figures(coverage: &Coverage, style: Style) -> String {
    let mut rows = Vec::new();
    for file in &coverage.files {
        rows.push((shown(&file.file), file.summary()));
        let kernels = file.kernels.iter();
        rows.extend(kernels.map(|of| (format!("  {}", shown(&of.name)), file.summary_of(of))));
    }
    rows.push(("total".to_owned(), coverage.summary));
    let mut table = Builder::new();
    table.push_record(std::iter::once("").chain(words::COLUMNS));
    for (name, summary) in &rows {
        let cells = parts(summary).map(cell);
        table.push_record(std::iter::once(name.clone()).chain(cells));
    }
    let columns = table.count_columns();
    let mut table = align_columns(table, 1..columns);
    if style.color {
        table.with(Modify::new(Rows::first()).with(Color::BOLD));
        for (row, (_, summary)) in rows.iter().enumerate() {
            for (column, part) in parts(summary).into_iter().enumerate() {
                if let Some(color) = color(part) {
                    table.with(Modify::new(Cell::new(row + 1, column + 1)).with(color));
                }
            }
        }
    }
    lines(&table)
}

/// Formats a part like `12/14  86 %`.
fn cell(part: Part) -> String {
    match words::percent(part) {
        Some(percent) => format!("{}/{} {percent:>3} %", part.covered, part.total),
        None => words::NONE.to_owned(),
    }
}

fn color(part: Part) -> Option<Color> {
    words::percent(part).map(|percent| match percent {
        0 => Color::FG_RED,
        100 => Color::FG_GREEN,
        _ => Color::FG_YELLOW,
    })
}

/// Returns a line for each gap; empty if nothing is missing.
fn missing_of(file: &File, hits: bool) -> String {
    let mut text = String::new();
    let lines: Vec<String> = missing::lines(file).into_iter().map(words::range).collect();
    if !lines.is_empty() {
        let _ = writeln!(text, "  missing lines: {}", lines.join(", "));
    }
    for gap in missing::gaps(file) {
        let (line, column) = gap.at();
        let _ = writeln!(text, "  {line}:{column} {}", words::gap(gap, hits));
    }
    let functions: Vec<String> = missing::functions(file).map(|of| shown(&of.name)).collect();
    if !functions.is_empty() {
        let _ = writeln!(text, "  functions never called: {}", functions.join(", "));
    }
    text
}

/// Returns `text` in the style `ansi` if colors are enabled.
pub(crate) fn paint(text: &str, ansi: Ansi, style: Style) -> String {
    if style.color { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() }
}
