//! Tests of the prefix sum of litmus testing: the reports of the model checker, and the behavior of a device.

use super::support::{ProgramOutput, hirace, run};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);
const PROTOCOLS: [&str; 3] = ["packed", "split", "split-fenced"];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test(
            "litmus_prefix_sum::only_packed_messages_are_correct_by_the_model",
            by_the_model,
        ),
        Trial::test("litmus_prefix_sum::invalid_arguments_are_refused", refused),
        super::device::on_device("litmus_prefix_sum::sums_are_right_on_a_cpu", |_| right()),
    ]
}

fn command(words: &[&str]) -> ProgramOutput {
    run(&mut hirace(words), LIMIT)
}

fn json(ended: &ProgramOutput) -> Result<Value, Failed> {
    serde_json::from_str(&ended.stdout).map_err(|_| format!("{ended:?}").into())
}

/// In every execution of two workgroups of two invocations, the last sum is right or missing, unless messages are split.
fn by_the_model() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for protocol in PROTOCOLS {
        let small =
            ["--workgroups=2", "--workgroup-size=2", "--max-loop-iterations=2", "--format=wgsl"];
        let shader = command(&[&["litmus", "prefix-sum", protocol], &small[..]].concat());
        let path = folder.path().join(format!("{protocol}.wgsl"));
        std::fs::write(&path, &shader.stdout)?;
        let path = path.display().to_string();
        let assert = ["--assert", "sums[3] == 0 || sums[3] == 29"];
        let verify = ["verify", &path, "--workgroups=2", "--format=json"];
        let ended = command(&[&verify[..], &assert].concat());
        let verdict = json(&ended)?["verdict"].clone();
        let expected = if protocol == "packed" { "verified" } else { "violation" };
        if verdict != expected || (protocol != "packed" && !ended.stdout.contains("data-race")) {
            return Err(format!("{protocol}: {ended:?}").into());
        }
    }
    Ok(())
}

fn refused() -> Result<(), Failed> {
    let cases: [&[&str]; 5] = [
        &["joined"],
        &["packed", "--workgroups=0"],
        &["packed", "--workgroup-size=257"],
        &["--format=wgsl"],
        &["packed", "--report=wgsl=sum.wgsl"],
    ];
    for arguments in cases {
        let ended = command(&[&["litmus", "prefix-sum"], arguments].concat());
        if ended.status != Some(2) || ended.stderr.is_empty() || !ended.stdout.is_empty() {
            return Err(format!("{arguments:?}: {ended:?}").into());
        }
    }
    Ok(())
}

/// llvmpipe runs workgroups on the cores of the CPU, which keeps the order of stores: no message is lost.
#[cfg(feature = "gpu")]
fn right() -> Result<(), Failed> {
    let small = ["--workgroups=40", "--workgroup-size=16", "--iterations=5", "--format=json"];
    let ended = command(&[&["litmus", "prefix-sum"], &small[..]].concat());
    let json = json(&ended)?;
    let runs = json["protocols"].as_array().ok_or("no protocols")?;
    let names: Vec<&str> = runs.iter().filter_map(|run| run["protocol"].as_str()).collect();
    let is_right = |run: &Value| run["elements"] == 5 * 40 * 16 && run["wrong"] == 0;
    let has_times = json["timing"]["protocols"].as_array().is_some_and(|times| times.len() == 3);
    match runs.iter().all(is_right) && runs[0]["missing"] == 0 && has_times {
        true if names == PROTOCOLS => Ok(()),
        _ => Err(format!("{ended:?}").into()),
    }
}
