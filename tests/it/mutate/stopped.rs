//! Tests of runs that are stopped at any moment: judged mutants are kept, and none is judged twice.

use super::{LIMIT, Test, ensure, holds, mutants, results, timeless};
use crate::support::{ProgramOutput, hirace};
use hirace_testing::sample_size;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const TESTS: &[(&str, Test)] = &[
    ("a_run_that_is_interrupted_goes_on", interrupted),
    ("a_run_that_is_killed_at_any_moment_goes_on", killed),
    ("an_interrupted_run_of_files_with_one_text_goes_on", twins),
];

/// A kernel whose tests take a while.
const SLOW: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = data[id.x] + 1u;
    for (var i = 0u; i < 600u; i++) {
        sum = sum * 3u + i;
    }
    data[id.x] = sum;
}
";

const SUITE: &str = "\
[[file]]
path = \"kernel.wgsl\"
[[file.test]]
name = \"slow\"
launch = { workgroups = 8, buffers = { data = \"iota:512\" } }
golden = [\"data\"]
";

/// The flags of each run: races are explained again in every repeat, which takes the longest.
const REPEATS: [&str; 2] = ["--schedules", "2"];

fn start(folder: &Path) -> Result<Child, Failed> {
    let mut command = hirace(&["mutate", "--jobs", "2", "--report", "json=report.json"]);
    command.args(REPEATS);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command.current_dir(folder).spawn()?)
}

/// Returns the mutants that were judged so far, by file and id.
fn judged(folder: &Path) -> BTreeMap<(String, String), Value> {
    let text = fs::read_to_string(folder.join(".hirace/mutate/judged.jsonl")).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let lines = whole.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    lines.map(|mutant| ((text(&mutant["file"]), text(&mutant["id"])), mutant)).collect()
}

/// Interrupts the run once it has judged `count` mutants.
fn interrupt(folder: &Path, child: Child, count: usize) -> Result<ProgramOutput, Failed> {
    let start = Instant::now();
    while judged(folder).len() < count && start.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(2));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    Ok(ProgramOutput {
        status: output.status.code(),
        stdout,
        stderr,
        timed_out: false,
        peak_memory: 0,
    })
}

/// Checks that a resumed run kept the earlier judgements unchanged, including their durations.
fn took(json: &Value, before: &BTreeMap<(String, String), Value>) -> Result<(), Failed> {
    for known in before.values() {
        holds(mutants(json).contains(known), json)?;
    }
    Ok(())
}

fn undisturbed(folder: &Path) -> Result<(ProgramOutput, Value), Failed> {
    results(folder, &[&["--output", "undisturbed"], &REPEATS[..]].concat())
}

fn slow(folder: &Path) -> Result<Value, Failed> {
    fs::write(folder.join("kernel.wgsl"), SLOW)?;
    fs::write(folder.join("hirace.toml"), SUITE)?;
    let (ended, json) = undisturbed(folder)?;
    ensure(ended.status == Some(0), &ended)?;
    Ok(json)
}

fn interrupted(folder: &Path) -> Result<(), Failed> {
    let undisturbed = slow(folder)?;
    let ended = interrupt(folder, start(folder)?, 3)?;
    let said = "stopped before all mutants were judged";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    ensure(ended.stderr.contains("the verdicts so far are in .hirace/mutate"), &ended)?;
    let report: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
    super::schema::is_of_schema(&report)?;
    let before = judged(folder);
    let known = mutants(&report).iter().filter(|mutant| mutant["status"].is_string()).count();
    holds(report["stopped"] == true && known == before.len() && known >= 3, &report)?;
    holds(known < mutants(&report).len(), &report)?;
    let (ended, json) = results(folder, &REPEATS)?;
    ensure(ended.status == Some(0), &ended)?;
    ensure(ended.stderr.contains(&format!("{known} judged before")), &ended)?;
    took(&json, &before)?;
    holds(timeless(json.clone()) == timeless(undisturbed), &json)
}

fn twins(folder: &Path) -> Result<(), Failed> {
    slow(folder)?;
    fs::write(folder.join("twin.wgsl"), SLOW)?;
    let both = SUITE.to_owned() + &SUITE.replace("kernel", "twin").replace("\"slow\"", "\"twin\"");
    fs::write(folder.join("hirace.toml"), both)?;
    let (_, undisturbed) = undisturbed(folder)?;
    let ended = interrupt(folder, start(folder)?, 3)?;
    ensure(ended.status == Some(3), &ended)?;
    let before = judged(folder);
    let (ended, json) = results(folder, &REPEATS)?;
    ensure(ended.stderr.contains(&format!("{} judged before", before.len())), &ended)?;
    took(&json, &before)?;
    holds(timeless(json.clone()) == timeless(undisturbed), &json)
}

/// Kills runs at varying moments, and resumes them until one ends.
fn killed(folder: &Path) -> Result<(), Failed> {
    let began = Instant::now();
    let undisturbed = timeless(slow(folder)?);
    let takes = began.elapsed();
    let kills = sample_size(5, 50);
    let (mut killed, mut number, mut ended) = (0, 0_u32, 0);
    while (killed < kills || ended == 0) && number < 2_000 {
        number += 1;
        let before = judged(folder);
        let results = folder.join(".hirace/mutate/mutants.json");
        let _ = fs::remove_file(&results);
        let mut child = start(folder)?;
        // Once enough runs were killed, this one may end.
        if killed < kills {
            std::thread::sleep(takes.mul_f64(f64::from(number * 37 % 101) / 120.0));
            child.kill()?;
        }
        let output = child.wait_with_output()?;
        if output.status.signal() == Some(9) {
            killed += 1;
            let after = judged(folder);
            // All judgements still exist unchanged, unless the run had completed.
            if !results.exists() && before.iter().any(|(key, known)| after.get(key) != Some(known))
            {
                return Err(format!("run {number}: {before:#?}\n{after:#?}").into());
            }
            continue;
        }
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(0) {
            return Err(format!("run {number}: {:?}: {stderr}", output.status).into());
        }
        let json: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
        took(&json, &before)?;
        holds(timeless(json.clone()) == undisturbed, &json)?;
        ended += 1;
    }
    println!("{killed} of {number} runs were killed, {ended} ended");
    if killed >= kills && ended > 0 { Ok(()) } else { Err("too few runs were killed".into()) }
}
