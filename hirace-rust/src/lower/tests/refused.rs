//! Tests of rejected code: in these Rust files each error is written under its tokens, as `//^^^^ message`.
//!
//! With `BLESS=1` the files are rewritten. Review the changes before you commit them.

use std::path::{Path, PathBuf};

/// Returns the files of a folder next to this one.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower/tests").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_error_stands_at_its_tokens() {
    let mut wrong = Vec::new();
    for file in files("refused") {
        let text = std::fs::read_to_string(&file).unwrap();
        let plain: Vec<&str> = text.lines().filter(|line| !is_expectation(line)).collect();
        let found = annotated(&plain);
        if found != text {
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&file, &found).unwrap();
            }
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            wrong.push(format!("{name}:\n{}", difference(&text, &found)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_item_of_these_files_has_an_error() {
    for file in files("refused") {
        let text = std::fs::read_to_string(&file).unwrap();
        for item in syn::parse_file(&text).unwrap().items {
            assert!(super::super::lower(&item).is_err(), "accepted in {}", file.display());
        }
    }
}

fn is_expectation(line: &str) -> bool {
    line.trim_start().starts_with("//")
        && line.trim_start().trim_start_matches('/').trim_start().starts_with('^')
}

/// Returns the lines with the errors of their items below them.
fn annotated(lines: &[&str]) -> String {
    let file = syn::parse_file(&lines.join("\n")).unwrap();
    let mut under: Vec<Vec<(usize, String)>> = vec![Vec::new(); lines.len()];
    for item in &file.items {
        let Err(errors) = super::super::lower(item) else { continue };
        for error in errors {
            let (start, end) = (error.span().start(), error.span().end());
            let line = lines[start.line - 1];
            let last = if end.line == start.line { end.column } else { line.chars().count() };
            let carets = "^".repeat(last.saturating_sub(start.column).max(1));
            let indent = " ".repeat(start.column.saturating_sub(2));
            under[start.line - 1].push((start.column, format!("//{indent}{carets} {error}")));
        }
    }
    let mut text = String::new();
    for (line, mut errors) in lines.iter().zip(under) {
        text.push_str(line);
        text.push('\n');
        errors.sort();
        for (_, error) in errors {
            text.push_str(&error);
            text.push('\n');
        }
    }
    text
}

fn difference(old: &str, new: &str) -> String {
    let lost = old.lines().filter(|line| !new.lines().any(|other| other == *line));
    let gained = new.lines().filter(|line| !old.lines().any(|other| other == *line));
    lost.map(|line| format!("- {line}\n")).chain(gained.map(|line| format!("+ {line}\n"))).collect()
}
