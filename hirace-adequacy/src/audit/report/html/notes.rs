//! Notes on source lines: advice, arms not taken, barriers, and outcomes of mutants.

use super::rich;
use crate::audit::report::words;
use crate::audit::results::Audit;
use crate::mutate::report::missed::missed;
use crate::mutate::report::words as of_mutants;
use crate::mutate::results::{Mutant, Status, Summary};
use crate::report::escape::escape;
use crate::report::missing;
use crate::report::words as said;
use hirace_core::cover::coverage::{Barrier, File};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The notes of each line.
type Notes = BTreeMap<u32, Vec<String>>;

/// Returns the anchor of a piece of advice, by its number from 1.
pub(super) fn anchor(nth: usize) -> String {
    format!("a{nth}")
}

/// Returns the notes of each file, the most important first.
pub(super) fn notes(audit: &Audit) -> BTreeMap<&str, Notes> {
    let mut files: BTreeMap<&str, Notes> = BTreeMap::new();
    let mut note = |file, line, note: String| {
        files.entry(file).or_default().entry(line).or_default().push(note);
    };
    for (nth, advice) in (1..).zip(&audit.advice) {
        let title = rich(&words::title(advice));
        let anchor = anchor(nth);
        let link =
            format!("<a class=\"chip do\" href=\"#{anchor}\"><b>to do {nth}</b> {title}</a>");
        note(&advice.file[..], advice.line, link);
    }
    for file in &audit.coverage.files {
        of_coverage(file, audit.coverage.hits, &mut |line, text| note(&file.file, line, text));
    }
    let mut mutants: BTreeMap<(&str, u32), Vec<&Mutant>> = BTreeMap::new();
    for mutant in &audit.mutants.mutants {
        mutants.entry((&mutant.file, mutant.line)).or_default().push(mutant);
    }
    for ((file, line), mutants) in mutants {
        note(file, line, of_line(&mutants));
    }
    files
}

fn of_coverage(file: &File, hits: bool, note: &mut dyn FnMut(u32, String)) {
    for gap in missing::gaps(file) {
        note(gap.at().0, chip("missing", &said::gap(gap, hits)));
    }
    for function in missing::functions(file) {
        let name = said::shown(&function.name);
        note(function.line, chip("missing", &format!("function {name}: never called")));
    }
    for barrier in file.barriers.iter().filter(|barrier| barrier.is_covered()) {
        note(barrier.line, chip("", &covered(barrier, hits)));
    }
}

fn covered(barrier: &Barrier, hits: bool) -> String {
    match hits {
        true => "barrier: reached by all".to_owned(),
        false => {
            format!("barrier: reached by all, {}", said::count(barrier.complete, "visit", "visits"))
        }
    }
}

/// Returns a chip for a note; the text before the first colon is its subject.
fn chip(class: &str, words: &str) -> String {
    let about = words.find(':').map_or(0, |colon| colon + 1);
    let (about, words) = (escape(&words[..about]), escape(&words[about..]));
    format!("<span class=\"chip {class}\"><b>{about}</b>{words}</span>")
}

/// Returns the collapsed list of a line's mutants, with the number of mutants per status.
fn of_line(mutants: &[&Mutant]) -> String {
    let summary = Summary::of(mutants.iter().copied());
    let mut became: Vec<String> = summary
        .by_status
        .iter()
        .map(|(status, count)| format!("{count} {}", of_mutants::status(Some(*status))))
        .collect();
    let open = mutants.iter().filter(|mutant| mutant.status.is_none()).count();
    if open > 0 {
        became.push(format!("{open} {}", of_mutants::status(None)));
    }
    let class = if mutants.iter().any(|mutant| missed(mutant).is_some()) { "missing" } else { "" };
    let mut html = format!(
        "<details class=\"mutants\"><summary class=\"chip {class}\"><b>{}</b> {}</summary>\n<ul>\n",
        said::count(mutants.len() as u64, "mutant", "mutants"),
        escape(&became.join(", "))
    );
    for mutant in mutants {
        let _ = writeln!(
            html,
            "<li class=\"{}\"><span class=\"dim\">{}:{}</span> <b>{}</b> <code>{}</code>: {}</li>",
            class_of(mutant),
            mutant.line,
            mutant.column,
            of_mutants::status(mutant.status),
            escape(&of_mutants::change(mutant)),
            escape(&of_mutants::describe_outcome(mutant)),
        );
    }
    html + "</ul></details>"
}

fn class_of(mutant: &Mutant) -> &'static str {
    match mutant.status {
        _ if missed(mutant).is_some() => "lives",
        Some(status) if status.is_found() => "dies",
        Some(Status::Equivalent | Status::Unviable | Status::Skipped) | None => "dim",
        Some(_) => "",
    }
}
