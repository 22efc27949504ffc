//! The source of a file, with coverage and notes at each line.

use super::files::File;
use super::scrolling;
use crate::report::escape::escape;
use crate::report::missing;
use crate::report::words::{self, shown};
use std::fmt::Write as _;

/// Writes the section of a file.
pub(super) fn section(page: &mut String, file: &File<'_>) {
    let name = escape(&shown(file.name));
    let anchor = file.anchor();
    let _ = writeln!(page, "<section id=\"{anchor}\" aria-labelledby=\"{anchor}-name\">");
    let _ = writeln!(page, "<h2 id=\"{anchor}-name\">{name}</h2>");
    let kernels: Vec<String> = file
        .kernels
        .iter()
        .map(|(name, tests)| {
            let tests = words::count(*tests as u64, "test", "tests");
            format!("<code>{}</code>: {tests}", escape(&shown(name)))
        })
        .collect();
    if !kernels.is_empty() {
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", kernels.join(", "));
    }
    if let Some(notes) = file.notes.get(&0) {
        let _ = writeln!(page, "<div class=\"notes\">{}</div>", notes.concat());
    }
    match &file.text {
        Some(text) => table(page, file, text),
        None => page
            .push_str("<p class=\"dim\">The source text is not available or has changed since the audit.</p>\n"),
    }
    write_notes_after_text(page, file);
    page.push_str("</section>\n");
}

fn table(page: &mut String, file: &File<'_>, text: &str) {
    let counts =
        file.coverage.map(|covered| missing::counts(covered, file.hits)).unwrap_or_default();
    let mut rows = String::from(
        "<table class=\"source\">\n<thead class=\"unseen\"><tr><th scope=\"col\">line</th>\
         <th scope=\"col\">runs</th><th scope=\"col\">source</th></tr></thead>\n<tbody>\n",
    );
    for (number, line) in (1..).zip(text.lines()) {
        let (class, times) = match counts.get(&number) {
            Some(0) => (" class=\"never\"", "0".to_owned()),
            Some(count) => (" class=\"ran\"", words::times(*count, file.hits)),
            None => ("", String::new()),
        };
        let id = file.anchor_of(number);
        let _ = writeln!(
            rows,
            "<tr id=\"{id}\"{class}><td class=\"number\"><a href=\"#{id}\" aria-label=\"line {number}\">{number}</a></td>\
             <td class=\"count\">{times}</td><td class=\"text\">{}</td></tr>",
            escape(&shown(line))
        );
        if let Some(notes) = file.notes.get(&number) {
            let _ = writeln!(
                rows,
                "<tr class=\"noted\"><td colspan=\"3\"><div class=\"notes\">{}</div></td></tr>",
                notes.concat()
            );
        }
    }
    rows.push_str("</tbody></table>");
    scrolling(page, &format!("source of {}", file.name), &rows);
}

/// Writes the notes of lines beyond the shown text.
fn write_notes_after_text(page: &mut String, file: &File<'_>) {
    let mut notes = file.notes.range(file.lines().saturating_add(1)..).peekable();
    if notes.peek().is_none() {
        return;
    }
    page.push_str("<ul class=\"lines\">\n");
    for (line, notes) in notes {
        let id = file.anchor_of(*line);
        let _ = writeln!(
            page,
            "<li id=\"{id}\"><a href=\"#{id}\">line {line}</a><div class=\"notes\">{}</div></li>",
            notes.concat()
        );
    }
    page.push_str("</ul>\n");
}
