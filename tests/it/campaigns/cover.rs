//! Tests of shards of `hirace cover`.

use super::{Test, compare_shards_with_whole, ensure, hirace_in, name, shard, together};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("shards_are_together_what_one_run_is", shards),
    ("a_shard_that_is_missing_is_named", missing),
    ("what_does_not_belong_together_is_refused", refused),
    ("a_shard_that_fails_says_so", failing),
    #[cfg(unix)]
    ("a_shard_that_is_killed_and_run_anew_changes_nothing", killed),
];

const COUNTS: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = 0u; i < data[id.x]; i++) {
        data[id.x] -= 1u;
    }
    if (data[id.x] > 5u) { data[id.x] = 5u; }
}
@compute @workgroup_size(1)
fn seldom() { data[0] = 7u; }
";

/// Writes tests of two files, two of them with the same name; launches of a third file; and a fourth file whose launch is
/// inferred.
pub fn suite(folder: &Path) -> Result<(), Failed> {
    let mut text = String::new();
    for file in ["b", "a"] {
        let _ = writeln!(text, "[[file]]\npath = \"{file}.wgsl\"");
        for number in (1..6).rev() {
            let test = if number == 1 { "both".to_owned() } else { format!("{file}, {number}") };
            let _ = writeln!(
                text,
                "[[file.test]]\nname = \"{test}\"\nlaunch = {{ entry = \"main\", workgroups = {number}, buffers = {{ data = \"iota:32\" }} }}\ngolden = [\"data\"]"
            );
        }
    }
    text += "[[file]]\npath = \"launched.wgsl\"\n";
    for number in 1..5 {
        let _ = writeln!(
            text,
            "[[file.launch]]\nentry = \"main\"\nworkgroups = {number}\nbuffers = {{ data = \"iota:32\" }}"
        );
    }
    text += "[[file]]\npath = \"guessed.wgsl\"\n";
    for (number, file) in ["a", "b", "launched", "guessed"].into_iter().enumerate() {
        let kernel = COUNTS.replace("5u", &format!("{}u", number + 3));
        fs::write(folder.join(file).with_extension("wgsl"), kernel)?;
    }
    Ok(fs::write(folder.join("hirace.toml"), text)?)
}

fn shards(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let whole = compare_shards_with_whole(folder, &["cover"], &[0])?;
    let count = |what: &str| whole[what].as_array().map(Vec::len);
    let dispatches: Option<Vec<u64>> = whole["files"].as_array().map(|files| {
        files.iter().filter_map(|file| file["kernels"][0]["dispatches"].as_u64()).collect()
    });
    let is_all = count("files") == Some(4) && count("tests") == Some(9);
    let is_whole =
        ["shards", "run_id", "launched", "stopped"].iter().all(|key| whole.get(key).is_none());
    match dispatches.as_deref() {
        Some([5, 5, guessed, 4]) if is_all && is_whole && *guessed > 0 => {}
        _ => return Err(format!("{whole:#}").into()),
    }
    compare_shards_with_whole(folder, &["cover", "--hits"], &[0])?;
    // Launches given by flags are numbered too: this is a single one.
    let buffer = "data=iota:8";
    let flags = ["cover", "a.wgsl", "--entry", "main", "--workgroups", "2", "--buffer", buffer];
    compare_shards_with_whole(folder, &flags, &[0]).map(drop)
}

fn missing(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for number in [1, 3] {
        let ended = shard(folder, &["cover"], number, 3);
        ensure(ended.status == Some(0), &ended)?;
    }
    let report = "json=part.json";
    let ended = hirace_in(folder, &["merge", &name(1, 3), &name(3, 3), "-q", "--report", report]);
    let said = "these shards are missing: 2/3";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    let part: Value = serde_json::from_str(&fs::read_to_string(folder.join("part.json"))?)?;
    ensure(part["shards"] == serde_json::json!(["1/3", "3/3"]), &ended)?;
    // A whole run of the same tests cannot be merged with a shard: they would count twice.
    hirace_in(folder, &["cover", "-q", "--report", "json=whole.json"]);
    let ended = hirace_in(folder, &["merge", "whole.json", &name(1, 3)]);
    let said =
        "whole.json is of an unsharded run, which cannot be merged with shards of the same run";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    // The remaining shard can be merged with the partial report.
    shard(folder, &["cover"], 2, 3);
    let ended = hirace_in(folder, &["merge", "part.json", &name(2, 3), "--format", "json"]);
    let all = together(folder, 3);
    ensure(ended.status == Some(0) && all.status == Some(0) && ended.stdout == all.stdout, &ended)
}

fn refused(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for (number, count) in [(1, 2), (2, 3)] {
        shard(folder, &["cover"], number, count);
    }
    let merged = |files: [&str; 2], said: &str| {
        let ended = hirace_in(folder, &[&["merge"], &files[..]].concat());
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)
    };
    merged(["1-of-2.json", "2-of-3.json"], "2-of-3.json is a shard of another run")?;
    merged(["1-of-2.json", "1-of-2.json"], "1-of-2.json is of shard 1/2, as is another file")?;
    let all = fs::read_to_string(folder.join("hirace.toml"))?;
    fs::write(folder.join("hirace.toml"), all.replace("a, 2", "a, two"))?;
    shard(folder, &["cover"], 2, 2);
    merged(["1-of-2.json", "2-of-2.json"], "2-of-2.json is a shard of another run")?;
    let amplify = ["--schedules", "1", "--output", "kept"];
    shard(folder, &[&["amplify"], &amplify[..]].concat(), 2, 2);
    let said = "1-of-2.json is a coverage report, but 2-of-2.json is a report of schedules";
    merged(["1-of-2.json", "2-of-2.json"], said)
}

fn failing(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let text = fs::read_to_string(folder.join("hirace.toml"))?;
    let golden = "golden = [\"data\"]";
    fs::write(folder.join("hirace.toml"), text.replacen(golden, "expect = { data = [9] }", 1))?;
    let statuses = (1..=2).map(|number| shard(folder, &["cover"], number, 2).status);
    let mut statuses: Vec<_> = statuses.collect();
    statuses.sort_unstable();
    match statuses == [Some(0), Some(3)] {
        true => Ok(()),
        false => Err(format!("{statuses:?}").into()),
    }
}

/// Kills shards at varying moments: each leaves no report or a complete one; then runs each shard to its end.
#[cfg(unix)]
fn killed(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    super::kill_shards(folder, &["cover"], &[0])
}
