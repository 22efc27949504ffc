//! Tests of merged shards.

use super::{LIMIT, LIST, Test, amplify, ensure, holds, results};
use crate::support::{ProgramOutput, hirace, run};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("shards_are_together_what_one_run_is", shards),
    ("a_shard_that_is_missing_is_named", missing),
    ("what_does_not_belong_together_is_refused", refused),
];

/// Writes nine tests of three kernels, some of which depend on the order.
pub fn suite(folder: &Path) -> Result<(), Failed> {
    let mut text = String::new();
    let kernels = [
        ("list", "buffers = { items = \"zeros:16\", count = \"zeros\" }", "golden = [\"items\"]"),
        ("sum", "buffers = { sums = \"zeros:8\" }", "golden = [\"sums\"]"),
        ("chain", "buffers = { ready = \"zeros:8\" }", "golden = [\"ready\"]"),
    ];
    for (kernel, buffers, golden) in kernels {
        let _ = writeln!(text, "[[file]]\npath = \"{kernel}.wgsl\"");
        for workgroups in 2..5 {
            let _ = writeln!(
                text,
                "[[file.test]]\nname = \"{kernel} of {workgroups}\"\nlaunch = {{ workgroups = {workgroups}, {buffers} }}\n{golden}"
            );
        }
    }
    Ok(fs::write(folder.join("hirace.toml"), text)?)
}

pub fn merge(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&[&["merge"], arguments].concat()).current_dir(folder), LIMIT)
}

/// Returns the flags of a shard, which has its own folder and report.
pub fn flags(number: usize, count: usize) -> Vec<String> {
    let name = format!("{number}-of-{count}");
    let (shard, kept) = (format!("{number}/{count}"), format!("kept/{name}"));
    let report = format!("json={name}.json");
    ["--shard", &shard, "--output", &kept, "--report", &report, "-q"].map(str::to_owned).to_vec()
}

/// Returns the merged report of `count` shards.
pub fn merge_shards(folder: &Path, count: usize) -> Result<Value, Failed> {
    // The order of the files does not matter.
    let files: Vec<String> = (1..=count).rev().map(|n| format!("{n}-of-{count}.json")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let ended = merge(folder, &[&files[..], &["--format", "json"]].concat());
    ensure(ended.status == Some(1) && ended.stderr.is_empty(), &ended)?;
    Ok(serde_json::from_str(&ended.stdout)?)
}

fn shard(folder: &Path, number: usize, count: usize) -> ProgramOutput {
    let flags = flags(number, count);
    amplify(folder, &flags.iter().map(String::as_str).collect::<Vec<_>>())
}

fn shards(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let (ended, whole) = results(folder, &["--output", "kept/all"])?;
    ensure(ended.status == Some(1), &ended)?;
    holds(whole["tests"].as_array().map(Vec::len) == Some(9), &whole)?;
    for count in [1, 2, 7] {
        for number in 1..=count {
            let ended = shard(folder, number, count);
            ensure(matches!(ended.status, Some(0 | 1)), &ended)?;
        }
        let merged = merge_shards(folder, count)?;
        if merged != whole {
            return Err(format!("{count} shards:\n{merged:#}\none run:\n{whole:#}").into());
        }
    }
    // Merging the whole run with one of its shards gives the whole run.
    fs::write(folder.join("whole.json"), whole.to_string())?;
    for files in [["whole.json", "1-of-2.json"], ["1-of-2.json", "whole.json"]] {
        let ended = merge(folder, &[&files[..], &["--format", "json"]].concat());
        ensure(ended.status == Some(1) && ended.stderr.is_empty(), &ended)?;
        holds(serde_json::from_str::<Value>(&ended.stdout)? == whole, &whole)?;
    }
    Ok(())
}

fn missing(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for number in [1, 3] {
        shard(folder, number, 3);
    }
    let ended = merge(folder, &["1-of-3.json", "3-of-3.json"]);
    let said = "these shards are missing: 2/3";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)
}

fn refused(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    shard(folder, 1, 2);
    let merged = |name: &str| merge(folder, &["1-of-2.json", name]);
    fs::rename(folder.join("1-of-2.json"), folder.join("one.json"))?;
    fs::write(folder.join("list.wgsl"), LIST.replace("% 2u", "% 1u"))?;
    shard(folder, 1, 2);
    fs::rename(folder.join("one.json"), folder.join("other.json"))?;
    let ended = merged("other.json");
    let other = "other.json has a different version of ";
    ensure(ended.status == Some(2) && ended.stderr.contains(other), &ended)?;
    fs::write(folder.join("list.wgsl"), LIST)?;
    let few = amplify(folder, &["-q", "--schedules", "3", "--report", "json=few.json"]);
    ensure(few.status == Some(1), &few)?;
    shard(folder, 1, 2);
    let ended = merged("few.json");
    ensure(ended.status == Some(2) && ended.stderr.contains("or other settings"), &ended)?;
    let cover = run(
        hirace(&["cover", "sum.wgsl", "-q", "--report", "json=cover.json"]).current_dir(folder),
        LIMIT,
    );
    ensure(cover.status == Some(0), &cover)?;
    let ended = merged("cover.json");
    let said = "1-of-2.json is a report of schedules, but cover.json is a coverage";
    ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)
}
