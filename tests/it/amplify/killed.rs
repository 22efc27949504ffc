//! Tests of shards that are killed at any moment: no finished work is lost, and the merged report is the same.

use super::merged::{flags, merge_shards, suite};
use super::{Test, ensure, results};
use crate::support::hirace;
use hirace_testing::sample_size;
use libtest_mimic::Failed;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

pub const TESTS: &[(&str, Test)] = &[("shards_that_are_killed_lose_nothing", killed)];

const SHARDS: usize = 2;

fn start(folder: &Path, number: usize) -> Result<Child, Failed> {
    let mut command = hirace(&["amplify"]);
    command.args(flags(number, SHARDS)).current_dir(folder);
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?)
}

/// Returns the lines that a shard has kept.
fn kept(folder: &Path, number: usize) -> Vec<String> {
    let path = folder.join(format!("kept/{number}-of-{SHARDS}/amplified.jsonl"));
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(str::to_owned).collect()
}

/// Kills shards at varying moments, and lets each resume until it ends; a shard that ended starts again until enough runs were
/// killed.
fn killed(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let began = Instant::now();
    let (ended, whole) = results(folder, &["--output", "kept/all"])?;
    ensure(ended.status == Some(1), &ended)?;
    let takes = began.elapsed();
    let kills = sample_size(5, 50);
    for number in 1..=SHARDS {
        let (mut killed, mut run, mut ended) = (0, 0_u32, 0);
        while (killed < kills || ended == 0) && run < 2_000 {
            run += 1;
            let before = kept(folder, number);
            let done = folder.join(format!("kept/{number}-of-{SHARDS}/amplified.json"));
            let _ = fs::remove_file(&done);
            let mut child = start(folder, number)?;
            // Once enough runs were killed, this one may end.
            if killed < kills {
                std::thread::sleep(takes.mul_f64(f64::from(run * 37 % 101) / 150.0));
                child.kill()?;
            }
            let output = child.wait_with_output()?;
            if output.status.signal() == Some(9) {
                killed += 1;
                let after = kept(folder, number);
                if !done.exists() && before.iter().any(|line| !after.contains(line)) {
                    return Err(format!("run {run}: {before:#?}\n{after:#?}").into());
                }
                continue;
            }
            if !matches!(output.status.code(), Some(0 | 1)) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(format!("run {run}: {:?}: {said}", output.status).into());
            }
            ended += 1;
        }
        println!("shard {number}: {killed} of {run} runs were killed, {ended} ended");
        if killed < kills || ended == 0 {
            return Err("too few runs were killed".into());
        }
    }
    let merged = merge_shards(folder, SHARDS)?;
    if merged == whole { Ok(()) } else { Err(format!("{merged:#}\none run:\n{whole:#}").into()) }
}
