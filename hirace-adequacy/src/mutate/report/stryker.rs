//! Results in Stryker's form, mutation-testing-report-schema 2: for its dashboard, and for what shows such reports.
//!
//! Its scores are lower than ours where tests had no memory left: it has no such status, and errors do not count there.

use super::words;
use crate::mutate::results::{Mutant, Results, Status};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The report as JSON.
///
/// `source` has the text of a file as it was mutated; nothing, if that cannot be had or is another one by now. `root` is the
/// folder that the names of files begin in.
pub fn report(
    results: &Results,
    source: &dyn Fn(&str) -> Option<String>,
    root: Option<&str>,
) -> String {
    let text = serde_json::to_string_pretty(&value(results, source, root));
    text.unwrap_or_default() + "\n"
}

/// The report.
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
        // Only colours hang on these: from where a score is good, and up to where it is bad.
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
    let text = text.unwrap_or_else(|| remembered(mutants));
    let lines: Vec<&str> = text.split('\n').collect();
    let mutants: Vec<Value> = mutants.iter().map(|of| mutant(of, &lines)).collect();
    json!({ "language": language(name), "source": text, "mutants": mutants })
}

/// What its mutants know of a file: what they replace, where it stands, and nothing between. Readers take a place that the
/// text does not have as an error.
fn remembered(mutants: &[&Mutant]) -> String {
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
        "statusReason": words::became(mutant),
        "duration": mutant.seconds * 1000.0,
    });
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

/// Those that reach it; who kills it does.
fn reached(mutant: &Mutant) -> impl Iterator<Item = &str> {
    let killer = mutant.killed_by.as_ref().map(|by| &by.test);
    mutant.reached_by.iter().chain(killer).map(String::as_str)
}

/// Columns are counted as JavaScript does, in units of UTF-16.
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
        Some(Status::Timeout) => "Timeout",
        Some(Status::OutOfMemory) => "RuntimeError",
        Some(Status::NoCoverage) => "NoCoverage",
        None => "Pending",
    }
}

/// All tests, in the module that their names say. A test is known by its name.
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
