//! Tests of proposed tests for the kernels of this repository, which are pasted and run by `cover` and `mutate`: they reach the
//! points and find the mutants that the audit names.

use super::{advice, ensure, folder, json, verb};
use crate::support::root;
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The ci tier runs one kernel of this many. All of them take a quarter of an hour.
const SAMPLED: usize = 100;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |(nth, path): (usize, PathBuf)| {
        let name = path.with_extension("").file_name().unwrap_or_default().display().to_string();
        let trial =
            Trial::test(format!("audit::proposals::{name}"), move || proposed(&name, &path));
        trial.in_tier(if nth.is_multiple_of(SAMPLED) { Tier::Ci } else { Tier::Full })
    };
    kernels().into_iter().enumerate().map(trial).collect()
}

/// Returns the files of kernels.
fn kernels() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in ["", "parboil", "rodinia", "polybench"] {
        let Ok(entries) = fs::read_dir(root().join("kernels/src").join(folder)) else { continue };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_kernel = |path: &PathBuf| {
            path.extension().is_some_and(|of| of == "rs")
                && fs::read_to_string(path).is_ok_and(|text| text.contains("hirace::monitor"))
        };
        all.extend(paths.filter(is_kernel));
    }
    all.sort();
    all
}

fn proposed(name: &str, path: &std::path::Path) -> Result<(), Failed> {
    let folder = folder("proposals", name)?;
    let file = format!("{name}.rs");
    fs::copy(path, folder.join(&file))?;
    let mut arguments = vec!["audit", &file[..]];
    if fs::read_to_string(path)?.contains("fn racy") {
        arguments.extend(["--skip-function", "racy"]);
    }
    let audit = json(&folder, &arguments)?;
    let tests = advice(&audit, "add-test");
    ensure(!tests.is_empty(), &audit["advice"])?;
    let test = |advice: &Value| advice["action"]["test"].clone();
    // A proposal without expected contents cannot be a test of hirace.toml.
    let is_pasted = |of: &Value| of["rules"].is_null() && of["toml"].is_string();
    let clean: Vec<Value> = tests.into_iter().map(test).filter(is_pasted).collect();
    ensure(!clean.is_empty(), &audit["advice"])?;
    let texts: Vec<&str> = clean.iter().filter_map(|of| of["toml"].as_str()).collect();
    fs::write(folder.join("hirace.toml"), texts.join("\n"))?;
    let covered = json(&folder, &["cover"])?;
    let (mut wanted, mut kills) = (BTreeSet::new(), BTreeSet::new());
    for test in &clean {
        wanted.extend(list(&test["reaches"]).iter().map(Value::to_string));
        kills.extend(list(&test["kills"]).iter().filter_map(|id| id.as_str().map(str::to_owned)));
    }
    let missed: Vec<&String> = wanted.iter().filter(|point| !is_covered(&covered, point)).collect();
    ensure(missed.is_empty(), format!("not reached: {missed:?}"))?;
    let ended = verb(&folder, &["mutate", "--format", "json", "--quiet"]);
    let mutants: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {}", ended.stderr))?;
    let found = |id: &String| {
        let mutants = list(&mutants["mutants"]);
        let mutant = mutants.iter().find(|mutant| mutant["id"] == **id);
        mutant.is_some_and(|of| ["killed", "timeout"].iter().any(|status| of["status"] == **status))
    };
    let missed: Vec<&String> = kills.iter().filter(|id| !found(id)).collect();
    ensure(missed.is_empty(), format!("not noticed: {missed:?}"))
}

fn list(of: &Value) -> Vec<Value> {
    of.as_array().cloned().unwrap_or_default()
}

/// Returns whether a coverage counts a point, given as an audit writes it.
fn is_covered(coverage: &Value, point: &str) -> bool {
    let Ok(point) = serde_json::from_str::<Value>(point) else { return false };
    let what = &point["what"];
    let files = list(&coverage["files"]);
    let at = |of: &Value| of["line"] == point["line"] && of["column"] == point["column"];
    let ran = |count: &Value| count.as_u64().is_some_and(|count| count > 0);
    files.iter().any(|file| match what["kind"].as_str() {
        Some("function") => list(&file["functions"])
            .iter()
            .any(|of| of["name"] == what["name"] && ran(&of["count"])),
        Some("arm") => list(&file["branches"]).iter().filter(|of| at(of)).any(|of| {
            list(&of["arms"]).iter().any(|arm| arm["label"] == what["arm"] && ran(&arm["count"]))
        }),
        Some("iterations") => list(&file["loops"]).iter().filter(|of| at(of)).any(|of| {
            let case = match what["case"].as_str() {
                Some("0 iterations") => "zero",
                Some("1 iteration") => "once",
                Some("more iterations") => "many",
                _ => "boundary",
            };
            ran(&of[case])
        }),
        Some("barrier") => list(&file["barriers"]).iter().any(|of| at(of) && ran(&of["complete"])),
        _ => false,
    })
}
