//! Tests of the locks of litmus testing: the reports of the race checker and the model checker, and the behavior of a device.

use super::support::{ProgramOutput, hirace, run};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);
const LOCKS: [&str; 6] = ["tas", "tas-fenced", "ttas", "ttas-fenced", "cas", "cas-fenced"];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("litmus_locks::no_lock_is_one_by_the_memory_model", by_the_model),
        Trial::test("litmus_locks::what_is_no_lock_is_refused", refused),
    ];
    #[cfg(feature = "gpu")]
    trials.push(super::device::on_device("litmus_locks::a_processor_keeps_locks", |_| kept()));
    trials
}

fn command(words: &[&str]) -> ProgramOutput {
    run(&mut hirace(words), LIMIT)
}

/// Writes the kernel of a lock with two workgroups to a file.
fn written(folder: &Path, lock: &str) -> Result<String, Failed> {
    let small = ["--workgroups=2", "--acquisitions=1", "--max-loop-iterations=3", "--format=wgsl"];
    let shader = command(&[&["litmus", "locks", lock], &small[..]].concat());
    if shader.status != Some(0) {
        return Err(format!("{shader:?}").into());
    }
    let path = folder.join(format!("{lock}.wgsl"));
    std::fs::write(&path, &shader.stdout)?;
    Ok(path.display().to_string())
}

fn verdict(ended: &ProgramOutput) -> Result<(Option<i32>, String), Failed> {
    let json: Value = serde_json::from_str(&ended.stdout).map_err(|_| format!("{ended:?}"))?;
    Ok((ended.status, json["verdict"].as_str().unwrap_or_default().to_owned()))
}

/// The race checker cannot follow locks, so it reports a possible race. In WGSL nothing orders the writes of one workgroup
/// before the reads of another, whatever lock they use. Where all atomics order memory, each lock is correct, and without a lock
/// the model checker reports a race.
fn by_the_model() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let kept = ["--assert", "count == held", "--format=json", "--workgroups=2"];
    for lock in LOCKS {
        let file = written(folder.path(), lock)?;
        let checked = command(&["check", &file, "--workgroups=2", "--format=json"]);
        if checked.status != Some(4) || !checked.stdout.contains("HR001") {
            return Err(format!("{lock}: {checked:?}").into());
        }
        let weak = command(&[&["verify", &file], &kept[..]].concat());
        let strong = command(&[&["verify", &file, "--model=sc"], &kept[..]].concat());
        let found = (verdict(&weak)?, verdict(&strong)?);
        let expected = ((Some(1), "violation".to_owned()), (Some(0), "verified".to_owned()));
        if found != expected || !weak.stdout.contains("data-race") {
            return Err(format!("{lock}: {found:?}: {}{}", weak.stdout, strong.stdout).into());
        }
    }
    let file = written(folder.path(), "none")?;
    let none = command(&[&["verify", &file, "--model=sc"], &kept[..]].concat());
    match verdict(&none)?.0 {
        Some(1) => Ok(()),
        _ => Err(format!("{none:?}").into()),
    }
}

fn refused() -> Result<(), Failed> {
    let cases: [&[&str]; 4] = [
        &["mutex"],
        &["tas", "--workgroups=0"],
        &["--format=wgsl"],
        &["tas", "--max-loop-iterations=x"],
    ];
    for arguments in cases {
        let ended = command(&[&["litmus", "locks"], arguments].concat());
        if ended.status != Some(2) || ended.stderr.is_empty() || !ended.stdout.is_empty() {
            return Err(format!("{arguments:?}: {ended:?}").into());
        }
    }
    Ok(())
}

/// llvmpipe runs on the CPU. It keeps the order of stores and uses the atomics of the CPU, so no lock loses an increment.
#[cfg(feature = "gpu")]
fn kept() -> Result<(), Failed> {
    let small = ["--workgroups=4", "--acquisitions=50", "--iterations=3", "--format=json"];
    let ended = command(&[&["litmus", "locks"], &small[..]].concat());
    let json: Value = serde_json::from_str(&ended.stdout).map_err(|_| format!("{ended:?}"))?;
    let runs = json["locks"].as_array().ok_or("no locks")?;
    let names: Vec<&str> = runs.iter().filter_map(|run| run["lock"].as_str()).collect();
    let is_all = |run: &Value| {
        let [held, given_up] = ["held", "given_up"].map(|key| run[key].as_u64().unwrap_or(0));
        held > 0 && held + given_up == 3 * 4 * 50
    };
    let is_as_expected = |run: &Value| is_all(run) && (run["lost"] == 0 || run["lock"] == "none");
    match runs.iter().all(is_as_expected) {
        true if names == [&LOCKS[..], &["none"]].concat() && ended.status == Some(0) => Ok(()),
        _ => Err(format!("{ended:?}").into()),
    }
}
