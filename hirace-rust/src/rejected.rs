//! Tests for Rust that is not supported in kernels, and for the location of the error. Each case in `refused/` is a
//! kernel that rustc or the DSL rejects, with the offending tokens between guillemets. The expected messages are in
//! `refused/messages.txt`, which `cargo xtask test --bless` writes.

use super::{lower::lower, print::Selection, print::print};
use proc_macro2::LineColumn;
use std::fmt::Write;
use std::path::Path;

/// The kernel into which each body is inserted.
const KERNEL: &str = include_str!("refused/kernel.rs");
const BODIES: &str = include_str!("refused/bodies.txt");
const ITEMS: &str = include_str!("refused/items.txt");

/// An error: its start, its end, and its message.
type Refusal = (LineColumn, LineColumn, String);

/// Returns the errors of the monitored items of a file.
fn refusals(text: &str) -> Vec<Refusal> {
    let read = syn::parse_file(text).and_then(|file| {
        let mut all: Option<syn::Error> = None;
        for item in &file.items {
            let result = lower(item).and_then(|module| print(&module, &Selection::All));
            match (result, &mut all) {
                (Err(error), Some(all)) => all.combine(error),
                (Err(error), none) => *none = Some(error),
                (Ok(_), _) => {}
            }
        }
        all.map_or(Ok(()), Err)
    });
    let errors = read.err().into_iter().flatten();
    errors.map(|e| (e.span().start(), e.span().end(), e.to_string())).collect()
}

/// A case: its text without markers, and the position of the marked tokens.
struct RefusedText {
    shown: String,
    text: String,
    start: LineColumn,
    end: LineColumn,
}

impl RefusedText {
    fn new(shown: &str, marked: &str) -> Self {
        let open = marked.find('«').expect("a case marks what is refused");
        let close = marked.find('»').expect("and where that ends") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let position = |at: usize| LineColumn {
            line: text[..at].matches('\n').count() + 1,
            column: text[..at].chars().rev().take_while(|c| *c != '\n').count(),
        };
        Self { shown: shown.to_owned(), start: position(open), end: position(close), text }
    }

    fn all() -> Vec<Self> {
        let bodies = BODIES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let bodies = bodies.map(|body| Self::new(body, &KERNEL.replace("BODY", body)));
        let items = ITEMS.split_once("\n\n").map_or("", |(_, items)| items).split("---\n");
        bodies.chain(items.map(|item| Self::new(item, item))).collect()
    }
}

#[test]
fn template_kernel_is_accepted() {
    assert_eq!(refusals(&KERNEL.replace("BODY", "")), []);
}

#[test]
fn every_case_is_refused_at_its_tokens() {
    let mut failed = String::new();
    let cases = RefusedText::all();
    assert!(cases.len() >= 200, "{} cases", cases.len());
    for case in &cases {
        let refusals = refusals(&case.text);
        // The first error must overlap the marked tokens. It may be wider or narrower, whichever reads better.
        let right = refusals.first().is_some_and(|(start, end, message)| {
            *start < case.end && case.start < *end && !message.contains('\n')
        });
        if right {
            continue;
        }
        let _ = writeln!(failed, "{}", case.shown);
        for (start, end, message) in refusals {
            let line = case.text.lines().nth(start.line - 1).unwrap_or_default();
            let end = if end.line == start.line { end.column } else { line.chars().count() };
            let length = end.saturating_sub(start.column);
            let pointed: String = line.chars().skip(start.column).take(length).collect();
            let _ = writeln!(failed, "    `{pointed}`: {message}");
        }
    }
    assert!(failed.is_empty(), "not refused at its tokens:\n{failed}");
}

#[test]
fn messages_match_the_recorded_ones() {
    let mut found = String::new();
    for case in RefusedText::all() {
        let _ = writeln!(found, "{}", case.shown.trim_end());
        for (_, _, message) in refusals(&case.text) {
            let _ = writeln!(found, "    {message}");
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/refused");
    hirace_testing::assert_up_to_date(folder.join("messages.txt"), &found);
}
