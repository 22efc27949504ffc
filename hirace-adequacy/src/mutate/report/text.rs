//! Mutants for the terminal: a line per mutant during the run, then a table, the scores, and the missed mutants.

use super::missed::{MissReason, is_refuted, missed};
use super::words;
use crate::mutate::results::{Class, Mutant, Results, Status, Summary};
use crate::report::text::painted;
use crate::report::words::{NONE, shown};
use crate::table::{aligned, lines};
use anstyle::{AnsiColor, Style as Ansi};
use hirace_core::report::text::Style;
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::Rows;
use tabled::settings::{Color, Modify};

/// Formats a mutant as cargo-mutants does: `kernels/spmv.rs:31:14: replace < with <= in spmv`.
pub fn line(mutant: &Mutant) -> String {
    let Mutant { file, line, column, .. } = mutant;
    format!("{}:{line}:{column}: {}", shown(file), words::change_in(mutant))
}

/// Formats a mutant with its status, in capitals if it needs attention: `MISSED`, `TIMEOUT`.
pub fn status_line(mutant: &Mutant, style: Style) -> String {
    let alarm = AnsiColor::Red.on_default().bold();
    let (word, ansi) = match mutant.status {
        Some(Status::Killed) => ("killed", AnsiColor::Green.on_default()),
        Some(Status::Survived) => ("MISSED", alarm),
        Some(Status::Undecided) => ("UNDECIDED", alarm),
        Some(Status::NoCoverage) => ("NO COVERAGE", alarm),
        Some(Status::Timeout) => ("TIMEOUT", alarm),
        Some(Status::OutOfMemory) => ("NO MEMORY", alarm),
        Some(Status::Equivalent) => ("equivalent", AnsiColor::Blue.on_default()),
        Some(Status::Skipped) => ("skipped", AnsiColor::Blue.on_default()),
        None => ("not judged", Ansi::new()),
    };
    // Padded to the longest status.
    let word = painted(&format!("{word:11}"), ansi, style);
    let text = format!("{word} {}", line(mutant));
    match mutant.failed_runs.filter(|_| mutant.status == Some(Status::Undecided)) {
        Some(of) => format!("{text} ({} of {} runs fail)", of.failed, of.runs),
        None => text,
    }
}

/// Returns the statuses of mutants by class, the scores, and the missed mutants. Mutants of kernels whose tests expect
/// races are listed separately.
pub fn report(results: &Results, style: Style) -> String {
    let Results { mutants, summary, expecting_races, .. } = results;
    if mutants.is_empty() {
        return format!("{}\n", words::EMPTY);
    }
    let (racy, others): (Vec<&Mutant>, Vec<&Mutant>) =
        mutants.iter().partition(|mutant| mutant.expects_races);
    let mut sections = Vec::new();
    if results.stopped {
        sections.push(format!("{}\n", words::STOPPED));
    }
    if !others.is_empty() {
        sections.push(section(summary, &others, style));
    }
    if let Some(summary) = expecting_races {
        let heading = painted(words::EXPECTING_RACES, Ansi::new().bold(), style);
        sections.push(format!("{heading}\n\n{}", section(summary, &racy, style)));
    }
    sections.push(format!("next: {}\n", words::next(mutants)));
    sections.join("\n")
}

fn section(summary: &Summary, mutants: &[&Mutant], style: Style) -> String {
    let mut text = table(summary, mutants, style);
    text.push('\n');
    for (name, said) in words::scores(summary, mutants) {
        let _ = writeln!(text, "{name:<12}  {said}");
    }
    for why in MissReason::ALL {
        let own = mutants.iter().filter(|mutant| missed(mutant) == Some(why));
        let own: Vec<String> = own.map(|mutant| listed(mutant, why)).collect();
        if !own.is_empty() {
            let heading = format!("{} ({})", words::heading(why), own.len());
            let heading = painted(&heading, Ansi::new().bold(), style);
            let _ = write!(text, "\n{heading}\n{}", own.concat());
        }
    }
    text
}

/// Formats a mutant below a heading, with the details that the heading does not give.
fn listed(mutant: &Mutant, why: MissReason) -> String {
    let says_all = matches!(why, MissReason::Survived | MissReason::NotRun) && !is_refuted(mutant);
    match says_all {
        true => format!("  {}\n", line(mutant)),
        false => format!("  {}: {}\n", line(mutant), words::became(mutant)),
    }
}

/// Returns a table with a row per class and a total, and a column per status that occurs.
fn table(summary: &Summary, mutants: &[&Mutant], style: Style) -> String {
    let judged = Status::ALL.map(Some).into_iter().chain([None]);
    let of_class = |status, class: Option<Class>| {
        let own = mutants.iter().filter(|of| class.is_none_or(|class| of.class == class));
        own.filter(|of| of.status == status).count()
    };
    let always = [Some(Status::Killed), Some(Status::Survived)];
    let columns = judged.filter(|of| always.contains(of) || of_class(*of, None) > 0);
    let columns: Vec<Option<Status>> = columns.collect();
    let mut rows: Vec<_> =
        summary.classes.iter().map(|of| (of.class.name(), Some(of.class), of.score)).collect();
    rows.push(("total", None, summary.score));
    let mut builder = Builder::new();
    let heads = columns.iter().map(|status| words::status(*status));
    builder.push_record(std::iter::once("").chain(heads).chain(["score"]));
    for (name, class, score) in &rows {
        let counts = columns.iter().map(|status| of_class(*status, *class).to_string());
        let score = score.map(|score| format!("{} %", words::percent(score)));
        let score = score.unwrap_or_else(|| NONE.to_owned());
        builder.push_record(std::iter::once((*name).to_owned()).chain(counts).chain([score]));
    }
    let columns = builder.count_columns();
    let mut table = aligned(builder, 1..columns);
    if style.color {
        table.with(Modify::new(Rows::first()).with(Color::BOLD));
        table.with(Modify::new(Rows::last()).with(Color::BOLD));
    }
    lines(&table)
}
