//! Tests of audits of weak tests, of kernels that race and of packages.

use super::{Test, advice, ensure, json, verb};
use crate::support::root;
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
use std::process::Command;

pub const TESTS: &[(&str, Test)] = &[
    ("a_weak_test_is_followed_by_one_that_finds_more", a_weak_test),
    ("a_race_is_what_to_do_first", a_race),
    ("a_barrier_that_outputs_do_not_miss_is_said_to_be_needed", a_barrier),
    ("what_no_launch_reaches_is_said_with_its_condition", unreached),
    ("scores_have_a_gate", gated),
    ("a_package_is_audited_by_itself", package),
    ("a_launch_that_leaves_nothing_to_expect_is_no_test_of_a_file", nothing_to_expect),
];

const CLIP: &str = "\
@group(0) @binding(0) var<uniform> limit: u32;
@group(0) @binding(1) var<storage> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(16)
fn clip(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= limit) { return; }
    if (a[id.x] > 77) { out[id.x] = 77; } else { out[id.x] = a[id.x]; }
}
";

const WEAK: &str = "\
[[file]]
path = \"k.wgsl\"

[[file.test]]
name = \"weak\"
launch = { workgroups = 1, buffers = { limit = [16], a = \"zeros:16\", out = \"zeros:16\" } }
expect = { out = \"zeros:16\" }
";

fn score(audit: &serde_json::Value) -> f64 {
    audit["mutants"]["summary"]["score"].as_f64().unwrap_or(-1.0)
}

fn a_weak_test(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("k.wgsl"), CLIP)?;
    fs::write(folder.join("hirace.toml"), WEAK)?;
    let before = json(folder, &["audit"])?;
    let tests = |audit: &serde_json::Value| {
        let tests = advice(audit, "add-test").into_iter();
        let texts =
            tests.filter_map(|one| one["action"]["test"]["toml"].as_str().map(str::to_owned));
        texts.collect::<Vec<String>>()
    };
    // Another test may be proposed after the first ones are added, and then has a distinct name.
    let (mut after, mut text) = (before.clone(), WEAK.to_owned());
    for _ in 0..2 {
        text = format!("{text}\n{}", tests(&after).join("\n"));
        fs::write(folder.join("hirace.toml"), &text)?;
        after = json(folder, &["audit"])?;
    }
    ensure(score(&after) > score(&before) + 20.0, format!("{} {}", score(&before), score(&after)))?;
    let branches = &after["coverage"]["summary"]["branches"];
    ensure(branches["covered"] == branches["total"], branches)?;
    ensure(tests(&after).is_empty(), &after["advice"])?;
    // `a > 77` and `a >= 77` are equivalent here.
    let left = advice(&after, "look");
    ensure(left.iter().any(|one| one["line"] == 7), &after["advice"])
}

fn a_race(folder: &Path) -> Result<(), Failed> {
    let racy = "\
@group(0) @binding(0) var<storage, read_write> total: u32;
@compute @workgroup_size(8)
fn sum() { total += 1u; }
";
    fs::write(folder.join("k.wgsl"), racy)?;
    let ended = verb(folder, &["audit", "k.wgsl", "--workgroups", "1", "--buffer", "total=0"]);
    ensure(ended.status == Some(1), &ended.stderr)?;
    let first = ended.stdout.lines().find(|line| line.starts_with("1. ")).unwrap_or_default();
    ensure(first.contains("HR001") && first.contains("`sum`"), &ended.stdout)?;
    ensure(
        ended.stdout.contains("hirace check k.wgsl --workgroups 1 --buffer total=0"),
        &ended.stdout,
    )
}

fn a_barrier(folder: &Path) -> Result<(), Failed> {
    let text = "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(8)
fn turn(@builtin(local_invocation_index) l: u32) {
    tile[l] = l;
    workgroupBarrier();
    out[l] = tile[7u - l];
}
";
    fs::write(folder.join("k.wgsl"), text)?;
    // One subgroup runs in lockstep: without the barrier the outputs are the same.
    let audit = json(folder, &["audit", "k.wgsl", "--workgroups", "1", "--buffer", "out=zeros:8"])?;
    let barriers = advice(&audit, "barrier");
    let needed = barriers.first().map(|one| &one["action"]["needed"]).ok_or("no barrier advice")?;
    ensure(needed["kind"] == "by-findings", needed)?;
    ensure(needed["rules"].as_array().is_some_and(|all| all.contains(&"HR001".into())), needed)
}

fn unreached(folder: &Path) -> Result<(), Failed> {
    let text = "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn f(@builtin(local_invocation_index) l: u32) {
    if (l > 5u && l < 3u) { out[l] = 1u; }
}
";
    fs::write(folder.join("k.wgsl"), text)?;
    let audit = json(folder, &["audit", "k.wgsl", "--workgroups", "1", "--buffer", "out=zeros:8"])?;
    let reach = advice(&audit, "reach");
    let conditions: Vec<&str> =
        reach.iter().filter_map(|one| one["action"]["condition"].as_str()).collect();
    ensure(conditions.contains(&"if (l > 5u && l < 3u)"), &audit["advice"])
}

fn nothing_to_expect(folder: &Path) -> Result<(), Failed> {
    let text = "\
@group(0) @binding(0) var<storage, read_write> last: atomic<u32>;
@compute @workgroup_size(1)
fn f(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) all: vec3u) {
    if (all.x > 3u) { atomicStore(&last, id.x + 7u); }
}
";
    fs::write(folder.join("k.wgsl"), text)?;
    let arguments = ["audit", "k.wgsl", "--workgroups", "1", "--buffer", "last=0"];
    let audit = json(folder, &arguments)?;
    let tests = advice(&audit, "add-test");
    let test = tests.first().ok_or("no test is proposed")?;
    ensure(test["action"]["test"]["unsteady"].is_array(), test)?;
    ensure(test["action"]["test"]["toml"].is_null(), test)?;
    let said = verb(folder, &arguments);
    let launch = "its launch, without expected outputs:\n\n     hirace check k.wgsl --entry f";
    ensure(said.stdout.contains(launch), &said.stdout)
}

fn gated(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("k.wgsl"), CLIP)?;
    fs::write(folder.join("hirace.toml"), WEAK)?;
    let under =
        |percent: &str| verb(folder, &["audit", "--fail-under", percent, "--schedules", "0"]);
    ensure(under("10").status == Some(0), under("10").stderr)?;
    let missed = under("90");
    ensure(missed.status == Some(1) && missed.stderr.contains("90 % are required"), &missed.stderr)
}

/// Cargo's subcommand audits the kernels of a package that has no tests of kernels.
fn package(folder: &Path) -> Result<(), Failed> {
    fs::create_dir_all(folder.join("src/shaders"))?;
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"p\"\nversion = \"0.0.0\"\n")?;
    fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
    fs::write(folder.join("src/shaders/k.wgsl"), CLIP)?;
    let program = Path::new(env!("CARGO_BIN_EXE_hirace")).with_file_name("cargo-hirace");
    ensure(program.exists(), root().display())?;
    let audit = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        // From a subfolder.
        command.current_dir(folder.join("src")).arg("hirace").args(arguments).output()
    };
    let output = audit(&["audit", "--format", "json"])?;
    let audit_of: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    ensure(audit_of["kernels"][0]["name"] == "clip", &audit_of["kernels"])?;
    ensure(audit_of["kernels"].as_array().is_some_and(|all| all.len() == 1), "one kernel")?;
    let output = audit(&["check"])?;
    ensure(
        String::from_utf8_lossy(&output.stdout).contains("`clip`"),
        "the package was not checked",
    )
}
