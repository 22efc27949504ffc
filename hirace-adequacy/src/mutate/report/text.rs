//! Mutants for the terminal: a line per mutant during the run, then a table, the scores, and the missed mutants.

use super::missed::{MissReason, is_refuted, missed};
use super::words;
use crate::mutate::results::{Class, Mutant, Results, Status};
use crate::report::text::paint;
use crate::report::words::{NONE, shown};
use crate::table::{align_columns, lines};
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
        Some(Status::Unviable) => ("unviable", AnsiColor::Blue.on_default()),
        Some(Status::Skipped) => ("skipped", AnsiColor::Blue.on_default()),
        None => ("not judged", Ansi::new()),
    };
    // Padded to the longest status.
    let word = paint(&format!("{word:11}"), ansi, style);
    let text = format!("{word} {}", line(mutant));
    match (mutant.failed_runs, mutant.status) {
        (Some(of), Some(Status::Undecided)) => {
            format!("{text} ({} of {} runs fail)", of.failed, of.runs)
        }
        (_, Some(Status::Equivalent | Status::Unviable)) => {
            format!("{text}: {}", words::describe_outcome(mutant))
        }
        _ => text,
    }
}

/// Returns the statuses of mutants by class, the scores, the missed mutants, those that cannot run, and the findings that
/// kill no mutant.
pub fn report(results: &Results, style: Style) -> String {
    let Results { mutants, known_findings, .. } = results;
    if mutants.is_empty() {
        return format!("{}\n", words::EMPTY);
    }
    let mut sections = Vec::new();
    if results.stopped {
        sections.push(format!("{}\n", words::STOPPED));
    }
    let mut section = table(results, style);
    section.push('\n');
    for (name, said) in words::scores(results) {
        let _ = writeln!(section, "{name:<12}  {said}");
    }
    sections.push(section);
    let mut list = |heading: &str, listed: Vec<String>| {
        if !listed.is_empty() {
            let heading = format!("{heading} ({})", listed.len());
            let heading = paint(&heading, Ansi::new().bold(), style);
            sections.push(format!("{heading}\n{}", listed.concat()));
        }
    };
    for why in MissReason::ALL {
        let own = mutants.iter().filter(|mutant| missed(mutant) == Some(why));
        list(words::heading(why), own.map(|mutant| listed(mutant, why)).collect());
    }
    let unviable = mutants.iter().filter(|mutant| mutant.status == Some(Status::Unviable));
    let unviable = unviable.map(|of| format!("  {}: {}\n", line(of), words::describe_outcome(of)));
    list(words::UNVIABLE, unviable.collect());
    let known = known_findings.iter().map(|known| format!("  {}\n", words::known(known)));
    list(words::KNOWN, known.collect());
    sections.push(format!("next: {}\n", words::next_step(mutants)));
    sections.join("\n")
}

/// Formats a mutant below a heading, with the details that the heading does not give.
fn listed(mutant: &Mutant, why: MissReason) -> String {
    let says_all = matches!(why, MissReason::Survived | MissReason::NotRun)
        && !is_refuted(mutant)
        && mutant.hidden_by.is_empty();
    match says_all {
        true => format!("  {}\n", line(mutant)),
        false => format!("  {}: {}\n", line(mutant), words::describe_outcome(mutant)),
    }
}

/// Returns a table with a row per class and a total, and a column per status that occurs.
fn table(results: &Results, style: Style) -> String {
    let Results { summary, mutants, .. } = results;
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
    let mut table = align_columns(builder, 1..columns);
    if style.color {
        table.with(Modify::new(Rows::first()).with(Color::BOLD));
        table.with(Modify::new(Rows::last()).with(Color::BOLD));
    }
    lines(&table)
}
