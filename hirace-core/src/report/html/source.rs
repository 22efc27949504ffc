//! Source excerpts around the source locations of a finding.

use crate::report::document::Finding;
use crate::report::escape::escape;
use crate::source_map::SourceMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

/// The number of lines shown before and after a location.
const CONTEXT_LINES: u32 = 3;

/// The maximum number of marked lines of one location; further lines stay unmarked.
const MAX_LINES: u32 = 40;

/// A marked location: the text in the margin of its first line, and its span.
struct MarkedLocation<'a> {
    file: &'a str,
    margin: String,
    first: (u32, u32),
    last: (u32, u32),
}

/// Writes a table for each file with the lines around the locations of `finding`. The margin shows the number of each
/// location, and an arrow for each location that a racing value reaches.
pub(super) fn excerpt(page: &mut String, finding: &Finding, source: &SourceMap) {
    let accesses = finding.accesses.iter().enumerate().map(|(index, place)| MarkedLocation {
        file: &place.file,
        margin: format!("{} {}", index + 1, place.kind),
        first: (place.line, place.column),
        last: (place.end_line, place.end_column),
    });
    let reaches = finding.leads_to.iter().flat_map(|known| &known.uses);
    let reaches = reaches.map(|reach| MarkedLocation {
        file: &reach.file,
        margin: format!("→ {}", reach.kind),
        first: (reach.line, reach.column),
        last: (reach.end_line, reach.end_column),
    });
    let marked: Vec<MarkedLocation<'_>> = accesses.chain(reaches).collect();
    let mut files: Vec<&str> = Vec::new();
    for MarkedLocation { file, .. } in &marked {
        if !files.contains(file) {
            files.push(file);
        }
    }
    for file in files {
        let of_file: Vec<&MarkedLocation<'_>> =
            marked.iter().filter(|of| of.file == file).collect();
        table(page, file, source.file_text(file).0, &of_file);
    }
}

fn table(page: &mut String, file: &str, text: &str, marked: &[&MarkedLocation<'_>]) {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    let mut spans: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
    for &&MarkedLocation { first, last, .. } in marked {
        let end = last.0.min(first.0 + MAX_LINES).max(first.0);
        shown.extend(first.0.saturating_sub(CONTEXT_LINES).max(1)..=end + CONTEXT_LINES);
        for line in first.0..=end {
            let begin = if line == first.0 { first.1 } else { 1 };
            let end = if line == last.0 { last.1 as usize } else { usize::MAX };
            spans
                .entry(line)
                .or_default()
                .push(begin.saturating_sub(1) as usize..end.saturating_sub(1));
        }
    }
    let _ = writeln!(
        page,
        "<div class=\"scroll\"><table class=\"source\">\n<caption>{}</caption>",
        escape(file)
    );
    let mut before = None;
    for line in shown {
        let Some(text) = lines.get(line as usize - 1) else { break };
        if before.is_some_and(|before| before + 1 < line) {
            page.push_str("<tr><td></td><td></td><td class=\"text dim\">…</td></tr>\n");
        }
        before = Some(line);
        let margin: Vec<&str> =
            marked.iter().filter(|of| of.first.0 == line).map(|of| of.margin.as_str()).collect();
        let class = if margin.is_empty() { "" } else { " class=\"site\"" };
        let _ = writeln!(
            page,
            "<tr{class}><td class=\"margin\">{}</td><td class=\"number\">{line}</td><td class=\"text\">{}</td></tr>",
            escape(&margin.join(", ")),
            with_marks(text, spans.remove(&line).unwrap_or_default())
        );
    }
    page.push_str("</table></div>\n");
}

/// Returns a line as HTML, with these ranges of characters marked. Of overlapping ranges, only the first is marked.
fn with_marks(line: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let characters: Vec<char> = line.chars().map(shown).collect();
    let text = |range: Range<usize>| escape(&characters[range].iter().collect::<String>());
    let (mut html, mut done) = (String::new(), 0);
    for span in spans {
        let (start, end) = (span.start, span.end.min(characters.len()));
        if start < done || start >= end {
            continue;
        }
        let _ = write!(html, "{}<mark>{}</mark>", text(done..start), text(start..end));
        done = end;
    }
    html + &text(done..characters.len())
}

/// Replaces control characters. Tabs are kept, so that a copied line stays the same.
fn shown(c: char) -> char {
    if c.is_control() && c != '\t' { '\u{fffd}' } else { c }
}
