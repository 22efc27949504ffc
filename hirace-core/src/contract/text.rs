//! The results as terminal text.

use super::results::{AssumedValue, EntryReport, Results};
use crate::facts::Verdict;
use crate::report::text::{Style, contract_lines, proved};
use annotate_snippets::{Group, Level};

/// Returns the report of all entry points.
pub fn report(results: &Results, style: Style) -> String {
    let entries = results.entries.iter().map(|entry| style.render(group(entry)));
    entries.collect::<Vec<_>>().join("\n")
}

fn group(entry: &EntryReport) -> Group<'static> {
    let (level, what) = match (entry.verdict, proved(entry.verdict)) {
        (_, Some(proved)) => (Level::INFO, proved),
        (Verdict::Findings, None) => (Level::ERROR, "has a fault that no host avoids"),
        (_, None) => (Level::WARNING, "was not proved to be safe"),
    };
    let title = format!("{}: `{}` {what}", entry.file, entry.entry);
    let mut group = Group::with_title(level.with_name(entry.verdict.name()).primary_title(title));
    for AssumedValue { name, value } in &entry.assumed {
        let text =
            format!("`{name}` is {value}, since it has no default (--override {name}=VALUE)");
        group = group.element(Level::NOTE.with_name("assumes").message(text));
    }
    for (name, line) in contract_lines(&entry.contract) {
        group = group.element(Level::NOTE.with_name(name).message(line));
    }
    group
}
