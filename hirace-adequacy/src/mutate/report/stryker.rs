//! Results in Stryker's format, mutation-testing-report-schema 2, for its dashboard and viewers.
//!
//! Its scores are lower than hirace's if tests ran out of memory: it has no such status, and errors do not count.

use super::words;
use crate::mutate::results::{Mutant, Results, Status};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the report as JSON.
///
/// `source` returns the text of a file as it was mutated, or `None` if it is unavailable or has changed since. `root`
/// is the folder that file names are relative to.
pub fn report(
    results: &Results,
    source: &dyn Fn(&str) -> Option<String>,
    root: Option<&str>,
) -> String {
    let text = serde_json::to_string_pretty(&value(results, source, root));
    text.unwrap_or_default() + "\n"
}

/// Returns the report as a JSON value.
pub(super) fn value(
    results: &Results,
    source: &dyn Fn(&str) -> Option<String>,
    root: Option<&str>,
) -> Value {
    let mut by_file = BTreeMap::<&str, Vec<&Mutant>>::new();
    for mutant in &results.mutants {
        by_file.entry(&mutant.file).or_default().push(mutant);
    }
    let files: Map<String, Value> = by_file
        .into_iter()
        .map(|(name, mutants)| (name.replace('\\', "/"), file(name, source(name), &mutants)))
        .collect();
    let mut report = json!({
        "schemaVersion": "2",
        // These affect only colors: the score from which a result is good, and up to which it is bad.
        "thresholds": { "high": 80, "low": 60 },
    });
    if let Some(root) = root {
        report["projectRoot"] = root.into();
    }
    report["config"] = json!({ "repeats": results.repeats });
    report["framework"] = json!({ "name": "hirace", "version": env!("CARGO_PKG_VERSION") });
    report["files"] = files.into();
    report["testFiles"] = tests(results).into();
    report
}

fn file(name: &str, text: Option<String>, mutants: &[&Mutant]) -> Value {
    let text = text.unwrap_or_else(|| reconstruct_text(mutants));
    let lines: Vec<&str> = text.split('\n').collect();
    let mutants: Vec<Value> = mutants.iter().map(|of| mutant(of, &lines)).collect();
    json!({ "language": language(name), "source": text, "mutants": mutants })
}

/// Reconstructs a text of a file from the original texts of its mutants at their locations. Readers reject locations
/// outside the text.
fn reconstruct_text(mutants: &[&Mutant]) -> String {
    let mut lines = Vec::<Vec<char>>::new();
    for mutant in mutants {
        for (index, part) in mutant.original.split('\n').enumerate() {
            let line = (mutant.line as usize + index).saturating_sub(1);
            let first = if index == 0 { mutant.column.saturating_sub(1) as usize } else { 0 };
            let end = first + part.chars().count();
            lines.resize(lines.len().max(line + 1), Vec::new());
            let into = &mut lines[line];
            into.resize(into.len().max(end), ' ');
            into[first..end].iter_mut().zip(part.chars()).for_each(|(into, c)| *into = c);
        }
    }
    lines.into_iter().map(String::from_iter).collect::<Vec<_>>().join("\n")
}

fn language(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((_, "rs")) => "rust",
        Some((_, "wgsl")) => "wgsl",
        Some((_, "comp" | "glsl" | "vert" | "frag")) => "glsl",
        _ => "plain",
    }
}

fn mutant(mutant: &Mutant, lines: &[&str]) -> Value {
    let Mutant { line, column, end_line, end_column, .. } = *mutant;
    let mut value = json!({
        "id": mutant.id,
        "mutatorName": words::rule(mutant),
        "description": words::change_in(mutant),
        "replacement": mutant.replacement,
        "location": {
            "start": position(line, column, lines),
            "end": position(end_line, end_column, lines),
        },
        "status": status(mutant.status),
        "statusReason": words::describe_outcome(mutant),
    });
    if let Some(seconds) = mutant.seconds {
        value["duration"] = json!(seconds * 1000.0);
    }
    let killed_by = mutant.killed_by.as_ref();
    let covered_by: BTreeSet<&str> = reached(mutant).collect();
    if !covered_by.is_empty() || mutant.status == Some(Status::NoCoverage) {
        value["coveredBy"] = json!(covered_by);
    }
    if let Some(by) = killed_by {
        value["killedBy"] = json!([by.test]);
    }
    value
}

/// Returns the tests that reach a mutant, including its killer.
fn reached(mutant: &Mutant) -> impl Iterator<Item = &str> {
    let killer = mutant.killed_by.as_ref().map(|by| &by.test);
    mutant.reached_by.iter().chain(killer).map(String::as_str)
}

/// Returns a position. Columns are counted in UTF-16 code units, as in JavaScript.
fn position(line: u32, column: u32, lines: &[&str]) -> Value {
    let text = lines.get(line.saturating_sub(1) as usize).copied().unwrap_or_default();
    let before = text.chars().take(column.saturating_sub(1) as usize);
    let wide = before.filter(|c| c.len_utf16() > 1).count();
    json!({ "line": line.max(1), "column": column.max(1) as usize + wide })
}

fn status(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::Killed) => "Killed",
        Some(Status::Survived | Status::Undecided) => "Survived",
        Some(Status::Equivalent | Status::Skipped) => "Ignored",
        Some(Status::Unviable) => "CompileError",
        Some(Status::Timeout) => "Timeout",
        Some(Status::OutOfMemory) => "RuntimeError",
        Some(Status::NoCoverage) => "NoCoverage",
        None => "Pending",
    }
}

/// Returns all tests by module, taken from their names. A test is identified by its name.
fn tests(results: &Results) -> Map<String, Value> {
    let known = results.tests.iter().map(|test| test.name.as_str());
    let names: BTreeSet<&str> = known.chain(results.mutants.iter().flat_map(reached)).collect();
    let mut modules = BTreeMap::<&str, Vec<Value>>::new();
    for name in names {
        let (module, own) = name.rsplit_once("::").unwrap_or(("tests", name));
        modules.entry(module).or_default().push(json!({ "id": name, "name": own }));
    }
    let of_module = |(module, tests): (&str, _)| (module.to_owned(), json!({ "tests": tests }));
    modules.into_iter().map(of_module).collect()
}
