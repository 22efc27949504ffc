//! Tests of shards of `hirace check --schedules`.

use super::{Test, compare_shards_with_whole, ensure, hirace_in, name, shard, together};
use crate::schema::is_of_schema;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("shards_are_together_what_one_run_is", shards),
    ("what_does_not_belong_together_is_refused", refused),
    #[cfg(unix)]
    ("a_shard_that_is_killed_and_run_anew_changes_nothing", killed),
    ("shards_of_flags_are_together_what_one_run_is", flags),
    ("every_form_is_that_of_one_run", forms),
    ("a_shard_that_is_missing_is_named", missing),
    ("what_is_no_report_of_a_check_is_refused", damaged),
];

/// A kernel whose races depend on the order: none in the plain order, different ones in other orders.
const ORDER: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let at = atomicAdd(&count, 1u);
    if (at == 0u && group.x == 1u) {
        for (var i = 0u; i < 8u; i++) { data[i] = 1u; }
    }
    if (at == 0u && group.x == 2u) { data[7] = 2u; }
    if (at == 5u && group.x == 3u) {
        data[3] = 3u;
    }
    if (at == 1u && group.x == 3u) { data[1000] = 3u; }
    if (at > 3u && group.x == 0u) { data[7] = at; } // hirace: allow(race) on purpose
    if (at == 0u) { data[8] = data[7]; }
    if (group.x > 0u && at == 2u) { storageBarrier(); }
}
";

/// A kernel that races in every order, within workgroups and between them.
const ALWAYS: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = id.x;
    data[lane / 2u] = tile[63u - lane];
}
@compute @workgroup_size(1)
fn clean(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 1u; }
";

/// A kernel that terminates only if the other workgroup starts before it has waited for long.
const WAITS: &str = "\
@group(0) @binding(0) var<storage, read_write> flag: array<atomic<u32>, 4>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x == 1u) {
        var turns = 0u;
        while (atomicLoad(&flag[0]) == 0u && turns < 20u) { turns++; }
        if (turns == 20u) { while (atomicLoad(&flag[1]) == 0u) {} }
    } else {
        atomicStore(&flag[0], 1u);
    }
}
";

/// A generic kernel, and one that races only if the other workgroup runs first.
const RUST: &str = "\
#[hirace::monitor]
mod order {
    use hirace::prelude::*;
    #[kernel(workgroup_size(4))]
    fn put<const N: u32>(#[builtin(workgroup_id)] group: UVec3, data: &mut [u32], count: &mut Atomic<u32>) {
        let at = count.fetch_add(1);
        if at == 0 && group.x == 1 {
            data[7] = N;
        }
        data[at / N] = at;
    }
}
";

const CONFIG: &str = "\
[[file]]
path = \"order.wgsl\"
[[file.launch]]
workgroups = 4
buffers = { data = \"zeros:16\", count = \"zeros\" }
[[file.launch]]
workgroups = 4
buffers = { data = \"zeros:16\", count = [3] }
[[file.launch]]
workgroups = 2
schedule = 18446744073709551610
buffers = { data = \"zeros:16\", count = \"zeros\" }
[[file]]
path = \"always.wgsl\"
[[file.launch]]
entry = \"main\"
workgroups = 2
buffers = { data = \"random:256\" }
[[file.launch]]
workgroups = 3
buffers = { data = \"zeros:256\" }
[[file]]
path = \"guessed.wgsl\"
[[file]]
path = \"waits.wgsl\"
[[file.launch]]
workgroups = 2
max-steps = 3000
buffers = { flag = \"zeros\" }
";

fn suite(folder: &Path) -> Result<(), Failed> {
    let files = [
        ("order.wgsl", ORDER),
        ("always.wgsl", ALWAYS),
        ("guessed.wgsl", ORDER),
        ("waits.wgsl", WAITS),
        ("hirace.toml", CONFIG),
    ];
    for (file, text) in files {
        fs::write(folder.join(file), text)?;
    }
    Ok(())
}

const COMMAND: [&str; 3] = ["check", "--schedules", "24"];

/// The exit statuses of a shard: clean, findings, inconclusive.
const STATUSES: [i32; 3] = [0, 1, 4];

fn shards(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let whole = compare_shards_with_whole(folder, &COMMAND, &STATUSES)?;
    for report in ["whole.json", &name(2, 7)] {
        let report = serde_json::from_str(&fs::read_to_string(folder.join(report))?)?;
        is_of_schema("hirace.check-2", &report)?;
    }
    let launches = whole["launches"].as_array().cloned().unwrap_or_default();
    let sources: Vec<&str> =
        launches.iter().filter_map(|launch| launch["source"].as_str()).collect();
    let is_whole = ["shards", "run_id"].iter().all(|key| whole.get(key).is_none())
        && launches.iter().all(|launch| launch.get("part").is_none());
    // The comparison has content: findings of several seeds, and some suppressed findings.
    let findings = launches.iter().flat_map(|launch| {
        let found = launch["findings"].as_array().into_iter().flatten();
        let allowed = launch["allowed"].as_array().into_iter().flatten();
        found.chain(allowed.map(|allowed| &allowed["finding"]))
    });
    let seeds: BTreeSet<&str> = findings
        .filter_map(|finding| finding["replay"].as_str()?.split("--schedule ").nth(1))
        .collect();
    let allowed = launches.iter().filter_map(|launch| launch["stats"]["allowed"].as_u64());
    let is_rich = seeds.len() > 3 && allowed.sum::<u64>() > 0;
    if !is_whole || !is_rich || sources.len() != 8 {
        return Err(format!("{sources:?} {seeds:?} {whole:#}").into());
    }
    let merged = together(folder, 7);
    ensure(merged.status == Some(1) && merged.stderr.is_empty(), &merged)?;
    // With a baseline of what one of the schedules finds; and with fewer schedules than shards.
    let of_one = ["--workgroups", "4", "--buffer", "data=zeros:16", "--buffer", "count=zeros"];
    let of_one = [&["check", "order.wgsl"], &of_one[..]].concat();
    let write = ["--schedule", "1", "-q", "--write-baseline", "known.json"];
    let written = hirace_in(folder, &[&of_one[..], &write].concat());
    ensure(written.status == Some(1), &written)?;
    for schedules in ["24", "5"] {
        let flags = ["--baseline", "known.json", "--schedules", schedules];
        compare_shards_with_whole(folder, &[&of_one[..], &flags].concat(), &STATUSES)?;
    }
    Ok(())
}

fn flags(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let given = ["--workgroups", "4", "--buffer", "data=zeros:16", "--buffer", "count=zeros"];
    let several = ["--dispatch", "main:2", "--dispatch", "main:4"];
    let several = [&several[..], &given[2..]].concat();
    let of_rust = ["--workgroups", "2", "--buffer", "data=zeros:16", "--buffer", "count=zeros"];
    fs::write(folder.join("kernels.rs"), RUST)?;
    for (file, others) in [
        ("order.wgsl", &[&given[..], &["--schedules", "3"]].concat()[..]),
        ("order.wgsl", &[&given[..], &["--schedules", "40", "--schedule", "9"]].concat()),
        ("guessed.wgsl", &["--schedules", "9"]),
        ("always.wgsl", &["--workgroups", "2", "--schedules", "9"]),
        ("order.wgsl", &[&several[..], &["--schedules", "9"]].concat()),
        ("kernels.rs", &[&of_rust[..], &["--override", "N=2", "--schedules", "9"]].concat()),
        ("kernels.rs", &[&of_rust[..], &["--schedules", "9"]].concat()),
        ("always.wgsl", &[]),
    ] {
        compare_shards_with_whole(folder, &[&["check", file], others].concat(), &STATUSES)?;
    }
    // An error in a file is reported once.
    fs::write(folder.join("broken.wgsl"), "fn main( {")?;
    let both = ["check", "always.wgsl", "broken.wgsl", "--schedules", "3"];
    compare_shards_with_whole(folder, &both, &[1, 2])?;
    let merged = together(folder, 7);
    ensure(merged.status == Some(1), &merged)
}

/// Text, SARIF and annotations of merged shards are the same as those of one run, if the sources exist.
fn forms(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for number in 1..=3 {
        shard(folder, &COMMAND, number, 3);
    }
    for form in ["text", "sarif", "github", "json"] {
        let whole = hirace_in(folder, &[&COMMAND[..], &["--format", form]].concat());
        let files = [name(1, 3), name(2, 3), name(3, 3)];
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let merged = hirace_in(folder, &[&["merge"], &files[..], &["--format", form]].concat());
        if (merged.status, &merged.stdout) != (whole.status, &whole.stdout) {
            return Err(format!("{form}: {}\n{}", merged.stdout, whole.stdout).into());
        }
    }
    // Without the sources, there is a report too.
    for file in ["order", "always", "guessed", "waits"] {
        fs::remove_file(folder.join(file).with_extension("wgsl"))?;
    }
    let merged = hirace_in(folder, &["merge", &name(1, 3), &name(2, 3), &name(3, 3)]);
    ensure(merged.status == Some(1) && merged.stdout.contains("order.wgsl"), &merged)
}

fn missing(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for number in [1, 3] {
        shard(folder, &COMMAND, number, 3);
    }
    let report = "json=part.json";
    let ended = hirace_in(folder, &["merge", &name(1, 3), &name(3, 3), "-q", "--report", report]);
    let said = "these shards are missing: 2/3";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    let part: Value = serde_json::from_str(&fs::read_to_string(folder.join("part.json"))?)?;
    ensure(part["shards"] == json!(["1/3", "3/3"]), &ended)?;
    // The remaining shard can be merged with the partial report, in either order.
    shard(folder, &COMMAND, 2, 3);
    let all = together(folder, 3);
    for files in [["part.json", &name(2, 3)], [&name(2, 3), "part.json"]] {
        let ended = hirace_in(folder, &[&["merge"], &files[..], &["--format", "json"]].concat());
        ensure(ended.status == all.status && ended.stdout == all.stdout, &ended)?;
    }
    Ok(())
}

fn refused(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for (number, count) in [(1, 2), (2, 3)] {
        shard(folder, &COMMAND, number, count);
    }
    let merged = |files: [&str; 2], said: &str| {
        let ended = hirace_in(folder, &[&["merge"], &files[..]].concat());
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)
    };
    merged(["1-of-2.json", "2-of-3.json"], "2-of-3.json is a shard of another run")?;
    merged(["1-of-2.json", "1-of-2.json"], "1-of-2.json contains shard 1/2, which another file")?;
    hirace_in(folder, &[&COMMAND[..], &["-q", "--report", "json=whole.json"]].concat());
    let said = "whole.json contains a whole run, but 1-of-2.json contains shard 1/2";
    merged(["whole.json", "1-of-2.json"], said)?;
    merged(["1-of-2.json", "whole.json"], said)?;
    shard(folder, &["check", "--schedules", "25"], 2, 2);
    merged(["1-of-2.json", "2-of-2.json"], "2-of-2.json is a shard of another run")?;
    let order = ORDER.replace("at == 5u", "at == 4u");
    fs::write(folder.join("order.wgsl"), order)?;
    shard(folder, &COMMAND, 2, 2);
    merged(["1-of-2.json", "2-of-2.json"], "2-of-2.json is a shard of another run")?;
    hirace_in(folder, &["cover", "order.wgsl", "-q", "--report", "json=cover.json"]);
    let said = "1-of-2.json is a report of a check, but cover.json is a coverage";
    merged(["1-of-2.json", "cover.json"], said)?;
    let gate = ["merge", "1-of-2.json", "--fail-under-lines", "1"];
    let ended = hirace_in(folder, &gate);
    ensure(ended.status == Some(2) && ended.stderr.contains("applies to a coverage"), &ended)
}

/// Damaged reports are rejected or accepted, without a crash.
fn damaged(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for number in 1..=2 {
        shard(folder, &COMMAND, number, 2);
    }
    let whole: Value = serde_json::from_str(&fs::read_to_string(folder.join(name(2, 2)))?)?;
    let change = |change: &dyn Fn(&mut Value)| -> Result<_, Failed> {
        let mut json = whole.clone();
        change(&mut json);
        fs::write(folder.join("other.json"), json.to_string())?;
        Ok(hirace_in(folder, &["merge", &name(1, 2), "other.json"]))
    };
    let said = |ended: super::ProgramOutput, said: &str| {
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)
    };
    said(change(&|json| json["schema"] = "hirace.check/9".into())?, "not `hirace.check/2`")?;
    said(change(&|json| json["launches"] = 1.into())?, "is not a report of a check")?;
    said(change(&|json| json["tool"]["version"] = "9".into())?, "by hirace 9")?;
    let launch = "other.json contains a different launch instead of";
    said(change(&|json| json["launches"][0]["entry"] = "else".into())?, launch)?;
    said(
        change(&|json| json["launches"][0]["part"]["divided"]["warnings"] = json!([1, 2]))?,
        launch,
    )?;
    said(change(&|json| json["launches"][0]["part"]["divided"] = Value::Null)?, launch)?;
    let far = |json: &mut Value| {
        for finding in json["launches"][0]["findings"].as_array_mut().into_iter().flatten() {
            finding["accesses"][0]["line"] = u32::MAX.into();
            finding["accesses"][0]["end_column"] = 0.into();
        }
        json["launches"][0]["stats"]["accesses_checked"] = u64::MAX.into();
    };
    let ended = change(&far)?;
    ensure(matches!(ended.status, Some(0..=4)), &ended)
}

#[cfg(unix)]
fn killed(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    super::kill_shards(folder, &COMMAND, &STATUSES)
}
