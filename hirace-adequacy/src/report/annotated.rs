//! Sources annotated with execution counts, as by gcov and `llvm-cov show`.

use super::missing::{self, Gap};
use super::text::paint;
use super::words::{self, shown};
use anstyle::{AnsiColor, Style as Ansi};
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::File;
use hirace_core::report::text::Style;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Returns the sources of all files with number and count before each line, and gaps below the line.
///
/// `text` returns the text of a file that ran, or `None` if it is unavailable or has changed since.
pub fn render_annotated(
    coverage: &Coverage,
    text: &dyn Fn(&str) -> Option<String>,
    style: Style,
) -> String {
    if coverage.files.is_empty() {
        return format!("{}\n", words::EMPTY);
    }
    let sources = coverage.files.iter().map(|file| {
        let name = paint(&shown(&file.file), Ansi::new().bold(), style);
        match text(&file.file) {
            Some(text) => format!("{name}\n{}", source(file, &text, coverage.hits, style)),
            None => format!("{name}: the source text is not available\n"),
        }
    });
    sources.collect::<Vec<_>>().join("\n")
}

fn source(file: &File, text: &str, hits: bool, style: Style) -> String {
    let counts = missing::counts(file, hits);
    let mut gaps = BTreeMap::<u32, Vec<Gap<'_>>>::new();
    missing::gaps(file).for_each(|gap| gaps.entry(gap.at().0).or_default().push(gap));
    let times = counts.values().map(|count| words::times(*count, hits).chars().count());
    let wide = times.max().unwrap_or(0).max(6);
    let numbers = text.lines().count().to_string().len().max(5);
    let never = AnsiColor::Red.on_default();
    let mut shown_text = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = shown(line);
        let count = counts.get(&number);
        let times = count.map(|count| words::times(*count, hits)).unwrap_or_default();
        let body = format!("{times:>wide$}|{line}");
        let ansi = if count == Some(&0) { never } else { Ansi::new() };
        let _ = writeln!(shown_text, "{number:>numbers$}|{}", paint(&body, ansi, style));
        let mut below = gaps.remove(&number).unwrap_or_default();
        below.sort_by_key(|gap| gap.at());
        for gap in below {
            // Tabs are kept, so that the marker below is aligned whatever the tab width.
            let before = line.chars().take(gap.at().1.saturating_sub(1) as usize);
            let before: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
            let mark = paint(&format!("^ {}", words::gap(gap, hits)), never, style);
            let _ = writeln!(shown_text, "{:>numbers$}|{:>wide$}|{before}{mark}", "", "");
        }
    }
    shown_text
}
