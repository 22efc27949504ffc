//! The results as terminal text.

use super::results::{AssumedValue, EntryReport, Results, Verdict, ViolationReport};
use crate::report::text::Style;
use annotate_snippets::{Group, Level};

/// Returns the report of all entry points.
pub fn report(results: &Results, style: Style) -> String {
    let entries = results.entries.iter().map(|entry| style.render(group(entry)));
    entries.collect::<Vec<_>>().join("\n")
}

fn group(entry: &EntryReport) -> Group<'static> {
    let (level, word, what) = match entry.verdict {
        Verdict::Proved => {
            (Level::INFO, "proved", "is safe for every launch within WebGPU's limits")
        }
        Verdict::ProvedIf => {
            (Level::INFO, "proved if", "is safe for every launch that meets these conditions")
        }
        Verdict::Inconclusive => (Level::WARNING, "inconclusive", "was not proved to be safe"),
        Verdict::Findings => (Level::ERROR, "findings", "has a fault that no host avoids"),
    };
    let title = format!("{}: `{}` {what}", entry.file, entry.entry);
    let mut group = Group::with_title(level.with_name(word).primary_title(title));
    for AssumedValue { name, value } in &entry.assumed {
        let text =
            format!("`{name}` is {value}, since it has no default (--override {name}=VALUE)");
        group = group.element(Level::NOTE.with_name("assumes").message(text));
    }
    for condition in &entry.conditions {
        let text = format!("{}\notherwise {}", condition.condition, fault(&condition.otherwise));
        group = group.element(Level::NOTE.with_name("requires").message(text));
        group = group.elements(command(entry, &condition.otherwise));
    }
    match &entry.open {
        Some(open) => {
            let text = fault(open);
            group = group.element(Level::NOTE.with_name("open").message(text));
            group = group.elements(command(entry, open));
        }
        None if entry.verdict == Verdict::Inconclusive => {
            let text = "the kernel is too complex for the analysis";
            group = group.element(Level::NOTE.message(text));
        }
        None => {}
    }
    group
}

fn fault(of: &ViolationReport) -> String {
    format!("{} ({})", of.message, of.rule)
}

/// Returns the line with the command that shows a fault.
fn command(
    entry: &EntryReport,
    of: &ViolationReport,
) -> Option<annotate_snippets::Element<'static>> {
    let flags = of.shown_by.as_ref()?;
    Some(Level::NOTE.with_name("shown by").message(entry.command(flags)).into())
}
