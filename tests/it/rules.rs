//! Tests of every rule of WGSL's memory model, each by a racy and a clean twin (`kernels/rules/`).
//!
//! The expected output of `hirace check` is written in the kernels, under the lines that it belongs to:
//!
//! ```text
//!     tile[lane] = 1u;
//! //  ^^^^^^^^^^ race: write/read on tile[..]
//! ```
//!
//! A race is annotated at both of its accesses; each annotation has the kind of its own access first. The annotations and the
//! findings must be the same.

use crate::annotations::{self, Annotation};
use crate::support::{hirace, root, run};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Returns a trial for each kernel.
pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = kernels()
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Trial::test(format!("rules::{name}"), move || check(&path, &[]))
        })
        .collect();
    trials.push(Trial::test("rules::every_rule_has_a_racy_and_a_clean_twin", twins));
    trials
}

fn kernels() -> Vec<PathBuf> {
    let folder = root().join("kernels/rules");
    let entries = std::fs::read_dir(folder).expect("kernels/rules exists");
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .collect();
    paths.sort();
    paths
}

fn twins() -> Result<(), Failed> {
    let names: BTreeSet<String> = kernels()
        .iter()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    for name in &names {
        let text = std::fs::read_to_string(root().join("kernels/rules").join(name))?;
        let expected = annotations::all(&text);
        let twin = match name.strip_suffix(".racy.wgsl") {
            Some(rule) if expected.is_empty() => {
                return Err(format!("{rule}: the racy twin has no annotations").into());
            }
            Some(rule) => format!("{rule}.clean.wgsl"),
            None if !expected.is_empty() => return Err(format!("{name} is not clean").into()),
            // A kernel that shows how to suppress a finding has no twin.
            None if text.contains("hirace: allow") => continue,
            None => name.replace(".clean.wgsl", ".racy.wgsl"),
        };
        if !names.contains(&twin) {
            return Err(format!("{name} has no twin `{twin}`").into());
        }
    }
    if names.len() < 60 { Err("kernels are missing".into()) } else { Ok(()) }
}

/// Fails unless `hirace check` with these additional flags reports what a kernel's annotations state.
pub fn check(path: &Path, flags: &[&str]) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let more = flags.iter().map(|flag| (*flag).to_owned());
    let flags = text.lines().next().and_then(|line| line.strip_prefix("// check: "));
    let flags =
        flags.ok_or("the first line has no flags: expected `// check: FLAGS`")?.split_whitespace();
    let path = path.strip_prefix(root())?.to_string_lossy().into_owned();
    let mut arguments = vec!["check".to_owned(), path, "--format".into(), "json".into()];
    arguments.extend(flags.map(str::to_owned).chain(more));
    let ended = run(&mut hirace(&arguments), Duration::from_secs(60));

    let expected: BTreeSet<Annotation> = annotations::all(&text).into_iter().collect();
    let status = i32::from(!expected.is_empty());
    if ended.status != Some(status) {
        return Err(
            format!("exit status {:?}, not {status}\n{}", ended.status, ended.stderr).into()
        );
    }
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error} in\n{}\n{}", ended.stdout, ended.stderr))?;
    let found = annotations_of_report(&report)?;
    let missing: Vec<&Annotation> = expected.difference(&found).collect();
    let surplus: Vec<&Annotation> = found.difference(&expected).collect();
    if missing.is_empty() && surplus.is_empty() {
        return Ok(());
    }
    Err(format!("not found: {missing:#?}\nnot expected: {surplus:#?}").into())
}

/// Returns the findings of a report as annotations.
pub fn annotations_of_report(report: &Value) -> Result<BTreeSet<Annotation>, Failed> {
    let mut found = BTreeSet::new();
    for findings in list(report, "launches")?.iter().map(|launch| list(launch, "findings")) {
        for finding in findings? {
            let accesses = list(finding, "accesses")?;
            let memory = without_indices(finding["memory"]["element"].as_str().unwrap_or_default());
            let variable = finding["memory"]["variable"].as_str().unwrap_or_default();
            let possible = if finding["certainty"] == "possible" { "possible " } else { "" };
            let mut annotate = |access: &Value, label: String| {
                let number = |key| access[key].as_u64().unwrap_or_default() as u32;
                let label = format!("{possible}{label}");
                let (line, start, end) = (number("line"), number("column"), number("end_column"));
                found.insert(Annotation { line, start, end, text: label });
            };
            match finding["kind"].as_str().unwrap_or_default() {
                "data-race" => {
                    let [a, b] = accesses.as_slice() else {
                        return Err(
                            format!("expected the two accesses of a race: {accesses:#?}").into()
                        );
                    };
                    for (this, other) in [(a, b), (b, a)] {
                        let kinds = [this, other].map(|p| p["kind"].as_str().unwrap_or("?"));
                        annotate(this, format!("race: {}/{} on {memory}", kinds[0], kinds[1]));
                    }
                }
                "barrier-divergence" => annotate(&accesses[0], "divergence".into()),
                "out-of-bounds" => annotate(&accesses[0], format!("bounds: {variable}")),
                "no-progress" => annotate(&accesses[0], "no-progress".into()),
                kind => return Err(format!("unexpected finding of kind {kind}").into()),
            }
        }
    }
    Ok(found)
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, Failed> {
    value[key].as_array().ok_or_else(|| format!("no list {key} in {value:#}").into())
}

/// Replaces indices by `..`, because they depend on the schedule: `tile[16].x` becomes `tile[..].x`.
fn without_indices(element: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in element.chars() {
        match c {
            '[' => out.push_str("[.."),
            ']' => out.push(']'),
            _ if !inside => out.push(c),
            _ => {}
        }
        inside = (inside || c == '[') && c != ']';
    }
    out
}
