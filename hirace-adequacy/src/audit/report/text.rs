//! An audit for the terminal: figures per kernel, and advice.

use super::words;
use crate::audit::results::{Advice, AdviceKind, Audit};
use crate::mutate::results::Summary;
use crate::report::text::{paint, parts};
use crate::report::words::{NONE, count, percent, shown};
use crate::table::{align_columns, lines};
use anstyle::{AnsiColor, Style as Ansi};
use hirace_core::report::text::Style;
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::Rows;
use tabled::settings::{Color, Modify};

/// The language in which proposed tests are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestLanguage {
    /// Tables for hirace.toml.
    Toml,
    /// Rust functions.
    Rust,
}

/// Returns a table with a row per kernel, followed by at most `most` pieces of advice.
pub fn report(audit: &Audit, tests: TestLanguage, most: usize, style: Style) -> String {
    if audit.kernels.is_empty() {
        return format!("{}\n", words::EMPTY);
    }
    let mut text = table(audit, style);
    let [found, orders] = words::verdicts(audit);
    let _ = write!(text, "\nfindings   {found}\nschedules  {orders}\n");
    if audit.stopped {
        let _ = writeln!(text, "{}", words::STOPPED);
    }
    if audit.advice.is_empty() {
        let _ = writeln!(text, "\n{}", words::NOTHING);
        return text;
    }
    let all = audit.advice.len();
    let heading = match all > most {
        true => format!("what to do next ({most} of {all}; --advice {all} shows all)"),
        false => "what to do next".to_owned(),
    };
    let _ = writeln!(text, "\n{}", paint(&heading, Ansi::new().bold(), style));
    for (nth, advice) in (1..).zip(audit.advice.iter().take(most)) {
        text.push('\n');
        text += &format_advice(nth, advice, tests, style);
    }
    text
}

/// The number of gains listed per test.
const MAX_GAINS: usize = 8;

fn format_advice(nth: usize, advice: &Advice, tests: TestLanguage, style: Style) -> String {
    let title = paint(&words::title(advice), Ansi::new().bold(), style);
    let mut text = format!("{nth}. {title}\n   {}:{}\n", shown(&advice.file), advice.line);
    let details = words::details(advice);
    for line in details.iter().take(MAX_GAINS) {
        let _ = writeln!(text, "   {line}");
    }
    if details.len() > MAX_GAINS {
        let _ = writeln!(text, "   and {} more", details.len() - MAX_GAINS);
    }
    if let AdviceKind::AddTest { test, .. } = &advice.action {
        let (place, test) = match (tests, &test.toml) {
            (TestLanguage::Toml, Some(toml)) => ("in hirace.toml:", toml.clone()),
            (TestLanguage::Toml, None) => {
                ("its launch, without expected outputs:", test.command_line())
            }
            (TestLanguage::Rust, _) => ("next to the kernel:", test.rust.clone()),
        };
        let _ = writeln!(text, "   {place}\n");
        let green = AnsiColor::Green.on_default();
        for line in test.lines() {
            let line = format!("     {}", shown(line));
            let _ = writeln!(text, "{}", paint(line.trim_end(), green, style));
        }
    }
    text
}

fn detected(mutants: &Summary) -> String {
    let part = words::detected_part(mutants);
    match words::percent(part) {
        Some(percent) => format!("{}/{} {percent:>3} %", part.covered, part.total),
        None => NONE.to_owned(),
    }
}

/// Returns a table with a row per kernel, and a total of all mutants: those of functions that several kernels run count for
/// each of them, and in the total once.
fn table(audit: &Audit, style: Style) -> String {
    let kernels = &audit.kernels;
    let mut builder = Builder::new();
    let columns = ["tests", "lines", "branches", "loops", "barriers", "mutants detected"];
    builder.push_record(std::iter::once("").chain(columns));
    let mut file = "";
    for kernel in kernels {
        if kernel.file != file {
            file = &kernel.file;
            builder.push_record(std::iter::once(shown(file)).chain(columns.map(|_| String::new())));
        }
        let [lines, _, branches, loops, barriers] = parts(&kernel.coverage);
        let parts = [lines, branches, loops, barriers].map(|part| match percent(part) {
            Some(percent) => format!("{percent} %"),
            None => NONE.to_owned(),
        });
        let noticed = detected(&kernel.mutants);
        let name = format!("  {}", shown(&kernel.name));
        let cells = std::iter::once(kernel.tests.len().to_string()).chain(parts).chain([noticed]);
        builder.push_record(std::iter::once(name).chain(cells));
    }
    if kernels.len() > 1 {
        let cells = ["total", "", "", "", "", ""].map(str::to_owned).into_iter();
        builder.push_record(cells.chain([detected(&audit.mutants.summary)]));
    }
    let columns = builder.count_columns();
    let mut table = align_columns(builder, 1..columns);
    if style.color {
        table.with(Modify::new(Rows::first()).with(Color::BOLD));
    }
    let text = lines(&table);
    let tests: std::collections::BTreeSet<&String> =
        kernels.iter().flat_map(|of| &of.tests).collect();
    text + &format!(
        "{}, {}\n",
        count(kernels.len() as u64, "kernel", "kernels"),
        count(tests.len() as u64, "test", "tests")
    )
}
