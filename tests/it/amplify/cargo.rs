//! Tests of a crate whose tests know nothing of schedules: their assertions are checked under each schedule.

use super::{ensure, findings, holds};
use crate::schema;
use crate::support::{self, ProgramOutput, hirace, run, scratch, write_package};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const KERNELS: &str = "\
use hirace::prelude::*;

#[hirace::monitor(workgroup_size(2))]
pub fn append(
    #[builtin(global_invocation_id)] id: UVec3,
    items: &mut [u32],
    count: &mut [Atomic<u32>],
) {
    let at = count[0].fetch_add(1);
    items[at] = id.x;
}
";

const TESTS: &str = r#"
use hirace::{Checked, Launch, Result, check};
use scheduled_kernels::append;

fn appended() -> Result<Checked> {
    let checked = check(&append::kernel(), Launch::new().workgroups(3).zeros("items", 6).zeros("count", 1))?;
    checked.assert_clean();
    Ok(checked)
}

#[test]
fn expects_an_order() -> Result<()> {
    assert_eq!(appended()?.buffer::<Vec<u32>>("items")?, [0, 1, 2, 3, 4, 5]);
    Ok(())
}

#[test]
fn expects_a_set() -> Result<()> {
    let mut items = appended()?.buffer::<Vec<u32>>("items")?;
    items.sort();
    assert_eq!(items, [0, 1, 2, 3, 4, 5]);
    Ok(())
}

#[test]
fn looks_at_the_count_alone() -> Result<()> {
    assert_eq!(appended()?.buffer::<Vec<u32>>("count")?, [6]);
    Ok(())
}

#[test]
fn launches_nothing() {}
"#;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    // The test builds hirace for a separate crate.
    let name = "amplify::cargo::the_tests_of_a_crate_are_asked";
    vec![Trial::test(name, asked).in_tier(Tier::Full)]
}

/// Writes the crate into a separate folder.
fn small() -> Result<PathBuf, Failed> {
    let folder = scratch("amplify-cargo");
    fs::remove_dir_all(&folder)?;
    for inner in ["src", "tests"] {
        fs::create_dir_all(folder.join(inner))?;
    }
    write_package(&folder, "scheduled-kernels")?;
    fs::write(folder.join("src/lib.rs"), KERNELS)?;
    fs::write(folder.join("tests/kernels.rs"), TESTS)?;
    Ok(folder)
}

fn amplify(folder: &Path, flags: &[&str]) -> ProgramOutput {
    let cargo = ["--", "cargo", "test", "--offline", "--quiet"];
    let mut command = hirace(&[&["amplify"], flags, &cargo[..]].concat());
    run(
        command.env("CARGO_TARGET_DIR", support::target_folder()).current_dir(folder),
        Duration::from_secs(3_000),
    )
}

fn asked() -> Result<(), Failed> {
    let folder = small()?;
    let folder = folder.as_path();
    let ended = amplify(folder, &["--format", "json"]);
    ensure(ended.status == Some(1), &ended)?;
    let json: Value = serde_json::from_str(&ended.stdout)?;
    schema::is_of_schema("hirace.amplify-1", &json)?;
    let of = |name: &str| {
        let mut tests = json["tests"].as_array().into_iter().flatten();
        tests.find(|test| test["name"] == format!("kernels {name}")).cloned().unwrap_or_default()
    };
    holds(json["tests"].as_array().map(Vec::len) == Some(3), &json)?;
    for (name, says) in [
        ("expects_an_order", "fails"),
        ("expects_a_set", "passes"),
        ("looks_at_the_count_alone", "silent"),
    ] {
        let only = serde_json::json!({ "tests": [of(name)] });
        let found = findings(&only);
        holds(!found.is_empty() && found.iter().all(|found| found["test"] == says), &only)?;
        let place = &found[0]["reordered"]["first"]["place"];
        holds(place["line"] == 9, &only)?;
        holds(place["file"].as_str().is_some_and(|file| file.ends_with("src/lib.rs")), &only)?;
    }
    // In shards, and by name.
    for number in 1..=2 {
        let (shard, kept) = (format!("{number}/2"), format!("kept/{number}"));
        let report = format!("json={number}.json");
        let ended =
            amplify(folder, &["--shard", &shard, "--output", &kept, "--report", &report, "-q"]);
        ensure(matches!(ended.status, Some(0 | 1)), &ended)?;
    }
    let merge = ["merge", "1.json", "2.json", "--format", "json"];
    let merged = run(hirace(&merge).current_dir(folder), Duration::from_secs(60));
    ensure(merged.status == Some(1), &merged)?;
    holds(serde_json::from_str::<Value>(&merged.stdout)? == json, &json)?;
    let replay = ["--test", "kernels expects_a_set", "--replay", "target-first:1"];
    let ended = amplify(folder, &replay);
    ensure(ended.status == Some(0), &ended)?;
    ensure(ended.stdout.contains("the test reads it and passes with both values"), &ended)
}
