//! Tests of runs in shards: the merged reports of all shards are equal to the report of the whole run.
//!
//! The shards of `hirace mutate` and `hirace amplify` are tested in the modules of these verbs. This module has
//!
//! - `cover`: shards of a suite of hirace.toml;
//! - `check`: shards of seeded schedules;
//! - `command`: shards of the tests that a command runs;
//! - `recipes`: the recipes of examples/campaigns.

mod check;
#[cfg(unix)]
mod command;
mod cover;
#[cfg(unix)]
mod recipes;

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use hirace_testing::{Tier, runs, sample_size};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = of("cover", cover::TESTS);
    trials.extend(of_long("check", check::TESTS));
    #[cfg(unix)]
    trials.extend(of("command", command::TESTS));
    #[cfg(unix)]
    trials.extend(of("recipes", recipes::TESTS));
    trials
}

const LIMIT: Duration = Duration::from_secs(120);

type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the trials of tests, each with its own folder.
fn of(module: &'static str, tests: &'static [(&'static str, Test)]) -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("campaigns::{module}::{name}"), in_folder(module, name, test))
    };
    tests.iter().map(trial).collect()
}

/// Returns the trials of tests of the ci tier.
fn of_long(module: &'static str, tests: &'static [(&'static str, Test)]) -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::ci(format!("campaigns::{module}::{name}"), in_folder(module, name, test))
    };
    tests.iter().map(trial).collect()
}

fn in_folder(
    module: &'static str,
    name: &'static str,
    test: Test,
) -> impl FnOnce() -> Result<(), Failed> + Send {
    move || {
        let folder = create_empty_folder(scratch("campaigns").join(module).join(name))?;
        test(&folder)
    }
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn hirace_in(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(arguments).current_dir(folder), LIMIT)
}

/// Returns the name of a shard's report.
fn name(number: usize, count: usize) -> String {
    format!("{number}-of-{count}.json")
}

/// Runs `hirace VERB --shard NUMBER/COUNT`, with its report in a file.
fn shard(folder: &Path, command: &[&str], number: usize, count: usize) -> ProgramOutput {
    let (shard, report) = (format!("{number}/{count}"), format!("json={}", name(number, count)));
    let (verb, others) = command.split_at(1);
    hirace_in(folder, &[verb, &["--shard", &shard, "--report", &report, "-q"], others].concat())
}

/// Merges `count` shards, given in reverse order, because their order must not matter.
fn together(folder: &Path, count: usize) -> ProgramOutput {
    let files: Vec<String> = (1..=count).rev().map(|number| name(number, count)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    hirace_in(folder, &[&["merge"], &files[..], &["--format", "json"]].concat())
}

/// Returns the shard counts to test. Every tier includes 7, the largest.
fn counts() -> &'static [usize] {
    if runs(Tier::Ci) { &[1, 2, 7] } else { &[7] }
}

/// Runs a command as a whole and in shards, and compares the results exactly. Each shard may exit with one of `statuses`.
fn compare_shards_with_whole(
    folder: &Path,
    command: &[&str],
    statuses: &[i32],
) -> Result<Value, Failed> {
    let (verb, others) = command.split_at(1);
    let whole = hirace_in(folder, &[verb, &["--report", "json=whole.json", "-q"], others].concat());
    ensure(whole.status.is_some_and(|status| statuses.contains(&status)), &whole)?;
    let text = fs::read_to_string(folder.join("whole.json"))?;
    for &count in counts() {
        for number in 1..=count {
            let ended = shard(folder, command, number, count);
            ensure(ended.status.is_some_and(|status| statuses.contains(&status)), &ended)?;
        }
        let merged = together(folder, count);
        if merged.stdout != text {
            let said = &merged.stderr;
            let (merged, text) = (&merged.stdout, &text);
            return Err(format!("{count} shards: {said}\n{merged}\none run:\n{text}").into());
        }
    }
    Ok(serde_json::from_str(&text)?)
}

/// Kills shards at various times, and tests that each leaves no report or a complete one. Then runs each shard until it
/// terminates, and compares the merged result with that of a whole run.
#[cfg(unix)]
fn kill_shards(folder: &Path, command: &[&str], statuses: &[i32]) -> Result<(), Failed> {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    let (verb, others) = command.split_at(1);
    let began = std::time::Instant::now();
    let whole = hirace_in(folder, &[verb, &["--report", "json=whole.json", "-q"], others].concat());
    ensure(whole.status.is_some_and(|status| statuses.contains(&status)), &whole)?;
    let takes = began.elapsed();
    let (kills, mut killed, mut written) = (sample_size(8, 200), 0, 0);
    for run in 0..10 * kills as usize {
        let report = folder.join(name(1 + run % 2, 2));
        let _ = fs::remove_file(&report);
        let (shard, to) = (format!("{}/2", 1 + run % 2), format!("json={}", report.display()));
        let arguments = [verb, &["--shard", &shard, "--report", &to, "-q"], others].concat();
        let mut command = hirace(&arguments);
        let quiet = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = quiet.stderr(Stdio::null()).spawn()?;
        std::thread::sleep(takes.mul_f64((run * 37 % 101) as f64 / 90.0));
        child.kill()?;
        killed += u64::from(child.wait()?.signal() == Some(9));
        if let Ok(text) = fs::read_to_string(&report) {
            written += 1;
            serde_json::from_str::<Value>(&text)
                .map_err(|error| format!("run {run} left an incomplete report: {error}"))?;
        }
        if killed >= kills {
            break;
        }
    }
    println!("{killed} shards were killed; {written} runs left a report");
    if killed < kills {
        return Err("too few shards were killed".into());
    }
    for number in 1..=2 {
        let ended = shard(folder, command, number, 2);
        ensure(ended.status.is_some_and(|status| statuses.contains(&status)), &ended)?;
    }
    let merged = together(folder, 2);
    ensure(merged.stdout == fs::read_to_string(folder.join("whole.json"))?, &merged)
}
