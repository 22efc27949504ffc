//! Tests of the tests for bounds of data races: the races that the checker finds in their shaders, and the behavior of a device.

use super::support::{ProgramOutput, hirace, run};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);
const TESTS: [&str; 6] =
    ["rr-storage", "rr-workgroup", "rw-storage", "rw-workgroup", "wr-storage", "wr-workgroup"];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("litmus_race_bounds::only_the_two_writes_before_the_barrier_race", by_hirace),
        Trial::test("litmus_race_bounds::invalid_arguments_are_refused", refused),
        super::device::on_device("litmus_race_bounds::races_are_bounded_on_a_cpu", |_| bounded()),
    ]
}

fn command(words: &[&str]) -> ProgramOutput {
    run(&mut hirace(words), LIMIT)
}

fn json(ended: &ProgramOutput) -> Result<Value, Failed> {
    serde_json::from_str(&ended.stdout).map_err(|_| format!("{ended:?}").into())
}

/// The race is the only one, so that it ends at the barrier. In each schedule, one of the two values is read after it.
fn by_hirace() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for test in TESTS {
        let shader = command(&[
            "litmus",
            "race-bounds",
            test,
            "--workgroup-size=4",
            "--workgroups=2",
            "--format=wgsl",
        ]);
        let path = folder.path().join(format!("{test}.wgsl"));
        std::fs::write(&path, &shader.stdout)?;
        let path = path.display().to_string();
        let checked = json(&command(&["check", &path, "--workgroups=2", "--format=json"]))?;
        let findings = checked["launches"][0]["findings"].as_array().ok_or("no findings")?;
        let is_of_writes = |finding: &Value| {
            finding["rule"] == "HR001"
                && finding["accesses"][0]["kind"] == "write"
                && finding["accesses"][1]["kind"] == "write"
        };
        if findings.len() != 1 || !findings.iter().all(is_of_writes) {
            return Err(format!("{test}: {checked:#}").into());
        }
    }
    Ok(())
}

fn refused() -> Result<(), Failed> {
    let cases: [&[&str]; 5] = [
        &["ww-storage"],
        &["rr-storage", "--workgroups=0"],
        &["rr-storage", "--workgroup-size=1"],
        &["--format=wgsl"],
        &["rr-storage", "--report=wgsl=race.wgsl"],
    ];
    for arguments in cases {
        let ended = command(&[&["litmus", "race-bounds"], arguments].concat());
        if ended.status != Some(2) || ended.stderr.is_empty() || !ended.stdout.is_empty() {
            return Err(format!("{arguments:?}: {ended:?}").into());
        }
    }
    Ok(())
}

/// llvmpipe does not assume that there are no races.
#[cfg(feature = "gpu")]
fn bounded() -> Result<(), Failed> {
    let small = ["--workgroups=40", "--workgroup-size=16", "--iterations=5", "--format=json"];
    let ended = command(&[&["litmus", "race-bounds"], &small[..]].concat());
    let json = json(&ended)?;
    let runs = json["tests"].as_array().ok_or("no tests")?;
    let names: Vec<&str> = runs.iter().filter_map(|run| run["test"].as_str()).collect();
    let is_bounded =
        |run: &Value| run["elements"] == 5 * 40 * 16 && run["unbounded"] == 0 && run["other"] == 0;
    let has_times = json["timing"]["tests"].as_array().is_some_and(|times| times.len() == 6);
    match runs.iter().all(is_bounded) && has_times && ended.status == Some(0) {
        true if names == TESTS => Ok(()),
        _ => Err(format!("{ended:?}").into()),
    }
}
