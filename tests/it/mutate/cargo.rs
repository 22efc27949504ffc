//! Tests of a crate whose tests know nothing of mutants: its launches, the sources that it hands out, and every way in which a
//! test can detect a mutant.

use super::merged::merged_results_of_shards;
use super::schema::is_of_schema;
use super::{ensure, holds, mutants, timeless};
use crate::support::{self, ProgramOutput, hirace, run, scratch, write_package};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const KERNELS: &str = "\
use hirace::prelude::*;

#[hirace::monitor(workgroup_size(8))]
pub fn halve(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    data[id.x] = data[id.x] / 2;
}

#[hirace::monitor(workgroup_size(1))]
pub fn count(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    let mut i = 0;
    while i < 8 {
        i += 1;
    }
    data[id.x] = i;
}

#[hirace::monitor(workgroup_size(1))]
pub fn megabytes(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    data[id.x] = data[0] + data[1];
}

#[hirace::monitor(workgroup_size(1))]
pub fn milliseconds(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    data[id.x] = data[1] + data[0];
}

pub const SUM: &str = include_str!(\"sum.wgsl\");
";

const SUM: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn sum(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = data[id.x];
    workgroupBarrier();
    var all = 0u;
    for (var i = 0u; i < 64u; i++) {
        all += tile[i];
    }
    data[id.x] = all;
}
";

const TESTS: &str = r#"
use hirace::{Kernel, Launch, Result, check};
use small_kernels::{SUM, count, halve, megabytes, milliseconds};

/// What a renderer would compile.
fn handed_out(name: &str, text: &str) {
    let path = std::path::Path::new(&std::env::var("HANDED_OUT").unwrap()).join(name);
    let mut all = std::fs::read_to_string(&path).unwrap_or_default();
    all.push_str(text);
    all.push('\0');
    std::fs::write(path, all).unwrap();
}

#[test]
fn halves() -> Result<()> {
    handed_out("halve", &halve::kernel().wgsl());
    let data: Vec<u32> = (0..16).collect();
    let checked = check(&halve::kernel(), Launch::new().workgroups(2).buffer("data", &data))?;
    checked.assert_clean();
    let halves: Vec<u32> = data.iter().map(|of| of / 2).collect();
    assert_eq!(checked.buffer::<Vec<u32>>("data")?, halves);
    Ok(())
}

#[test]
fn sums_of_nothing() -> Result<()> {
    let kernel = Kernel::from_wgsl("src/sum.wgsl", SUM)?;
    handed_out("sum", &kernel.wgsl());
    check(&kernel, Launch::new().workgroups(1).zeros("data", 64))?.assert_clean();
    Ok(())
}

#[test]
fn counts() -> Result<()> {
    let checked = check(&count::kernel(), Launch::new().workgroups(1).zeros("data", 1))?;
    checked.assert_clean();
    assert_eq!(checked.buffer::<Vec<u32>>("data")?, [8]);
    Ok(())
}

#[test]
fn takes_memory() -> Result<()> {
    let launch = Launch::new().workgroups(1).buffer("data", &[96u32, 96]);
    let checked = check(&megabytes::kernel(), launch)?;
    let bytes = checked.buffer::<Vec<u32>>("data")?[0] as usize;
    let memory = vec![0u8; bytes << 20];
    assert_eq!(memory.len() >> 20, 192);
    Ok(())
}

#[test]
fn takes_time() -> Result<()> {
    let launch = Launch::new().workgroups(1).buffer("data", &[200u32, 300]);
    let checked = check(&milliseconds::kernel(), launch)?;
    let time = checked.buffer::<Vec<u32>>("data")?[0].min(60_000);
    std::thread::sleep(std::time::Duration::from_millis(time.into()));
    assert_eq!(time, 500);
    Ok(())
}

#[test]
fn launches_nothing() {}
"#;

/// Returns the trials of this module: one crate is built for all of them.
pub fn trials() -> Vec<Trial> {
    // The test builds hirace for a separate crate.
    let name = "mutate::cargo::the_tests_of_a_crate_judge_its_kernels";
    vec![Trial::test(name, judged).in_tier(Tier::Full)]
}

/// Writes the crate into a separate folder.
fn small() -> Result<PathBuf, Failed> {
    let folder = scratch("mutate-cargo");
    fs::remove_dir_all(&folder)?;
    for inner in ["src", "tests", "handed-out"] {
        fs::create_dir_all(folder.join(inner))?;
    }
    write_package(&folder, "small-kernels")?;
    fs::write(folder.join("src/lib.rs"), KERNELS)?;
    fs::write(folder.join("src/sum.wgsl"), SUM)?;
    fs::write(folder.join("tests/kernels.rs"), TESTS)?;
    Ok(folder)
}

const CARGO: [&str; 4] = ["cargo", "test", "--offline", "--quiet"];

fn mutate(folder: &Path, flags: &[&str], tests: &[&str]) -> ProgramOutput {
    let arguments = [&["mutate"], flags, &["--"], &CARGO[..], tests].concat();
    let mut command = hirace(&arguments);
    command
        .env("CARGO_TARGET_DIR", support::target_folder())
        .env("HANDED_OUT", folder.join("handed-out"));
    run(command.current_dir(folder), Duration::from_secs(3_000))
}

fn judged() -> Result<(), Failed> {
    let folder = small()?;
    let folder = folder.as_path();
    // Less memory does not hold the stack on which mutants in Rust are compiled.
    let limits = ["--min-timeout", "1", "--max-memory", "4"];
    let report = ["--format", "json", "--output", "kept/all"];
    let ended = mutate(folder, &[&limits[..], &report[..]].concat(), &[]);
    ensure(ended.status == Some(0), &ended)?;
    let json: Value = serde_json::from_str(&ended.stdout)?;
    is_of_schema(&json)?;
    ways_to_be_noticed(&json)?;
    texts(folder)?;
    fails_alone(folder)?;
    let whole = timeless(json);
    for count in [1, 2, 7] {
        let merged = merged_results_of_shards(folder, count, &|flags| {
            mutate(folder, &[&limits[..], flags].concat(), &[])
        })?;
        if merged != whole {
            return Err(format!("{count} shards:\n{merged:#}\none run:\n{whole:#}").into());
        }
    }
    Ok(())
}

fn ways_to_be_noticed(json: &Value) -> Result<(), Failed> {
    let of = |function: &str, operator: &str| {
        let is_it = |of: &&Value| of["function"] == function && of["operator"] == operator;
        mutants(json).iter().find(is_it).cloned().unwrap_or_default()
    };
    let is = |mutant: &Value, status: &str, how: Option<&str>, test: Option<&str>| {
        let by = &mutant["killed_by"];
        mutant["status"] == status
            && how.is_none_or(|how| by["cause"] == how)
            && test.is_none_or(|test| by["test"] == test)
    };
    let assertion = of("halve", "divide-to-times");
    holds(is(&assertion, "killed", Some("assertion"), Some("kernels halves")), json)?;
    holds(assertion["by_outputs"] == true, json)?;
    let barrier = of("sum", "barrier-deleted");
    holds(is(&barrier, "killed", Some("finding"), Some("kernels sums_of_nothing")), json)?;
    holds(barrier["by_outputs"] == false && barrier["killed_by"]["rules"][0] == "HR001", json)?;
    let hang = of("count", "plus-assign-to-times-assign");
    holds(is(&hang, "killed", Some("hang"), Some("kernels counts")), json)?;
    holds(is(&of("megabytes", "plus-to-times"), "out-of-memory", None, None), json)?;
    holds(
        is(&of("milliseconds", "plus-to-times"), "timeout", None, Some("kernels takes_time")),
        json,
    )?;
    // All values are zeros: what is added up does not matter.
    holds(is(&of("sum", "plus-assign-to-minus-assign"), "survived", None, None), json)?;
    let tests = json["tests"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = tests.iter().filter_map(|test| test["name"].as_str()).collect();
    holds(
        names
            == ["counts", "halves", "sums_of_nothing", "takes_memory", "takes_time"]
                .map(|name| format!("kernels {name}")),
        json,
    )
}

/// Sources that are handed out to be compiled elsewhere contain the mutants, too.
fn texts(folder: &Path) -> Result<(), Failed> {
    for (name, own) in [("halve", "/ 2"), ("sum", "workgroupBarrier()")] {
        let all = fs::read_to_string(folder.join("handed-out").join(name))?;
        let different: BTreeSet<&str> = all.split_terminator('\0').collect();
        let with = different.iter().filter(|text| text.contains(own)).count();
        if with == 0 || with == different.len() || different.len() < 4 {
            return Err(format!("{name}: {different:#?}").into());
        }
    }
    Ok(())
}

/// A suite with a failing test judges nothing, and ends before a mutant is made.
fn fails_alone(folder: &Path) -> Result<(), Failed> {
    let wrong = TESTS.replace("[8])", "[9])");
    fs::write(folder.join("tests/kernels.rs"), wrong)?;
    let ended = mutate(folder, &["--output", "kept/none"], &["--test", "kernels"]);
    fs::write(folder.join("tests/kernels.rs"), TESTS)?;
    let said = "the suite fails on the unmutated kernels: kernels counts";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    ensure(!folder.join("kept/none").exists(), &ended)
}
