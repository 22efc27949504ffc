//! The source of a file with its coverage per line.

use crate::report::escape::escape;
use crate::report::missing;
use crate::report::words::{self, shown};
use hirace_core::cover::coverage::{Barrier, Branch, File, Loop};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes the source table: a row per line, followed by a row with its branches, loops and barriers, if any.
pub(super) fn table(page: &mut String, anchor: &str, file: &File, text: &str, hits: bool) {
    let counts = missing::counts(file, hits);
    let mut chips = chips(file, hits);
    page.push_str("<div class=\"scroll\"><table class=\"source\">\n");
    for (number, line) in (1..).zip(text.lines()) {
        let count = counts.get(&number);
        let class = match count {
            Some(0) => " class=\"never\"",
            Some(_) => " class=\"ran\"",
            None => "",
        };
        let times = count.map(|count| words::times(*count, hits)).unwrap_or_default();
        let id = format!("{anchor}-{number}");
        let _ = writeln!(
            page,
            "<tr id=\"{id}\"{class}><td class=\"number\"><a href=\"#{id}\">{number}</a></td>\
             <td class=\"count\">{times}</td><td class=\"text\">{}</td></tr>",
            escape(&shown(line))
        );
        let Some(mut chips) = chips.remove(&number) else { continue };
        chips.sort_by_key(|(column, _)| *column);
        let chips: String = chips.into_iter().map(|(_, chip)| chip).collect();
        let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
        let _ = writeln!(
            page,
            "<tr><td></td><td></td><td class=\"text\">{}{chips}</td></tr>",
            escape(&indent)
        );
    }
    page.push_str("</table></div>\n");
}

/// Returns the HTML chips of each line, with their columns.
fn chips(file: &File, hits: bool) -> BTreeMap<u32, Vec<(u32, String)>> {
    let branches = file.branches.iter().map(|of| ((of.line, of.column), branch(of, hits)));
    let loops = file.loops.iter().map(|of| ((of.line, of.column), loop_cases(of, hits)));
    let barriers = file.barriers.iter().map(|of| ((of.line, of.column), barrier(of, hits)));
    let mut chips = BTreeMap::<u32, Vec<(u32, String)>>::new();
    for ((line, column), chip) in branches.chain(loops).chain(barriers) {
        chips.entry(line).or_default().push((column, chip));
    }
    chips
}

fn branch(of: &Branch, hits: bool) -> String {
    let mut said: Vec<String> =
        of.arms.iter().map(|arm| way(&arm.label, arm.count, hits)).collect();
    if let Some(diverged) = of.diverged.filter(|diverged| *diverged > 0) {
        said.push(way("subgroups diverged", diverged, hits));
    }
    chip(words::kind(of.kind), &said, of.arms.iter().any(|arm| arm.count == 0))
}

fn loop_cases(of: &Loop, hits: bool) -> String {
    let said: Vec<String> =
        of.cases().map(|(name, count)| way(words::case(name), count, hits)).collect();
    chip("loop", &said, of.cases().any(|(_, count)| count == 0))
}

fn barrier(of: &Barrier, hits: bool) -> String {
    let said = [way("by all", of.complete, hits), way("divergent", of.divergent, hits)];
    chip("barrier", &said, !of.is_covered())
}

fn way(name: &str, count: u64, hits: bool) -> String {
    format!("{}: {}", escape(&shown(name)), words::times(count, hits))
}

fn chip(name: &str, said: &[String], is_missing: bool) -> String {
    let class = if is_missing { "chip missing" } else { "chip" };
    format!("<span class=\"{class}\"><b>{}</b> {}</span>", escape(name), said.join(" · "))
}
