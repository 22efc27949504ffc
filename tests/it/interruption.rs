//! Tests of signals and time limits: a run that is stopped at any point reports what it found and what it did not check; and a
//! run that is killed leaves every file either unchanged or completely written.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = id.x;
}
";

/// A kernel that would run for hours.
const LONG: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = 0u; i < 1000000u; i++) { data[id.x] += i; }
}
";

/// The flags that run [`LONG`] as given, with nothing inferred.
const LONG_LAUNCH: [&str; 6] =
    ["--workgroups", "5000", "--max-steps", "4000000000", "--buffer", "data=zeros:320000"];

/// A time limit well above what anything in this module takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("every_signal_ends_a_launch_with_reports_that_say_so", signals),
    ("a_signal_is_heard_while_a_file_is_read", while_reading),
    ("second_signal_terminates_the_process_immediately", second),
    ("a_signal_that_was_ignored_from_the_start_stays_ignored", ignored),
    ("a_suite_that_is_stopped_ends_with_all_that_it_started", suite),
    ("a_time_limit_holds_for_reading_a_file", timeout_of_reading),
    ("a_time_limit_holds_for_the_set_up_of_a_launch", timeout_of_set_up),
];

/// Returns the trials, each with its own folder.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("interruption::{name}"), move || test(&folder(name)?))
    };
    let mut trials: Vec<Trial> = TESTS.iter().map(trial).collect();
    let killed = |name: &'static str, runs: u32| {
        Trial::test(format!("interruption::{name}"), move || killed(&folder(name)?, runs))
    };
    trials.push(killed("what_is_killed_leaves_whole_files", 12));
    let many = killed("what_is_killed_leaves_whole_files_in_200_runs", 200);
    trials.push(many.in_tier(Tier::Full));
    trials
}

fn suite(folder: &Path) -> Result<(), Failed> {
    let script = "sleep 1000 & echo $! > started; wait";
    let child = start(hirace(&["cover", "--", "sh", "-c", script]).current_dir(folder))?;
    hears(&child)?;
    let started = std::fs::read_to_string(folder.join("started"))?;
    send("-TERM", &child)?;
    let (ended, _) = ended(child)?;
    if ended.status != Some(3) || !ended.stderr.contains("the suite was stopped") {
        return Err(format!("{ended:#?}").into());
    }
    // A zombie process has terminated.
    let status = std::fs::read_to_string(format!("/proc/{}/status", started.trim()));
    match status.is_ok_and(|status| !status.contains("State:\tZ")) {
        true => Err("the process that it started is still running".into()),
        false => Ok(()),
    }
}

/// Creates an empty folder.
fn folder(name: &str) -> Result<PathBuf, Failed> {
    let folder = scratch("interruption").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn file(folder: &Path, name: &str, text: &str) -> Result<String, Failed> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path.to_string_lossy().into_owned())
}

fn start(command: &mut Command) -> Result<Child, Failed> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command.spawn()?)
}

/// Waits until `child` handles signals, and somewhat longer.
fn hears(child: &Child) -> Result<(), Failed> {
    let start = Instant::now();
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?.trim().to_owned();
        u64::from_str_radix(&mask, 16).ok()
    };
    // Bit 14 is SIGTERM. Where /proc does not exist, waiting has to suffice.
    while caught().is_some_and(|mask| mask >> 14 & 1 == 0) {
        if start.elapsed() > LIMIT {
            return Err("the process does not handle signals".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_secs(1));
    Ok(())
}

fn send(signal: &str, child: &Child) -> Result<(), Failed> {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status()?;
    if sent.success() { Ok(()) } else { Err(format!("cannot send {signal}").into()) }
}

/// Waits until `child` ends, and kills it if that takes too long.
fn ended(mut child: Child) -> Result<(ProgramOutput, Option<i32>), Failed> {
    let start = Instant::now();
    let mut timed_out = false;
    while child.try_wait()?.is_none() {
        if start.elapsed() > LIMIT {
            timed_out = true;
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let status = output.status.code();
    Ok((
        ProgramOutput { status, stdout, stderr, timed_out, peak_memory: 0 },
        output.status.signal(),
    ))
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn json(path: &Path) -> Result<serde_json::Value, Failed> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

fn signals(folder: &Path) -> Result<(), Failed> {
    let racy = file(folder, "a.wgsl", RACY)?;
    let long = file(folder, "b.wgsl", LONG)?;
    let never = file(folder, "c.wgsl", RACY)?;
    for signal in ["-INT", "-TERM", "-HUP"] {
        let at = |name: &str| folder.join(format!("report{signal}.{name}"));
        let kinds = ["json", "sarif", "github", "text"];
        let reports = kinds.iter().map(|kind| format!("{kind}={}", at(kind).display()));
        let reports: Vec<String> = reports.flat_map(|to| ["--report".to_owned(), to]).collect();
        let mut command = hirace(&["check", &racy, &long, &never]);
        command.args(LONG_LAUNCH).args(reports).arg("--write-baseline").arg(at("baseline"));
        let child = start(&mut command)?;
        hears(&child)?;
        send(signal, &child)?;
        let (ended, _) = ended(child)?;
        ensure(ended.status == Some(3), &ended)?;
        ensure(ended.stdout.contains("stopped: the check was stopped"), &ended)?;
        let report = json(&at("json"))?;
        ensure(report["stopped"] == true && report["verdict"] != "clean", &ended)?;
        let left = report["not_checked"].as_array().ok_or("no list")?;
        // Files below the working folder are named relative to it.
        let names = |left: &serde_json::Value, file: &str| {
            left["input"].as_str().is_some_and(|input| file.ends_with(input))
        };
        let is_left = |file: &str| left.iter().any(|left| names(left, file));
        ensure(is_left(&never) && left.iter().all(|left| left["stopped"] == true), &ended)?;
        let sarif = json(&at("sarif"))?;
        let invocation = &sarif["runs"][0]["invocations"][0];
        ensure(invocation["executionSuccessful"] == false, &ended)?;
        let notified = invocation["toolExecutionNotifications"].as_array().map_or(0, Vec::len);
        ensure(notified == left.len(), &ended)?;
        let github = std::fs::read_to_string(at("github"))?;
        ensure(github.contains("title=hirace not checked") && github.contains("stopped"), &ended)?;
        ensure(std::fs::read_to_string(at("text"))?.contains("not checked: "), &ended)?;
        ensure(json(&at("baseline"))?["schema"] == "hirace.baseline/1", &ended)?;
    }
    Ok(())
}

fn while_reading(folder: &Path) -> Result<(), Failed> {
    let racy = file(folder, "racy.wgsl", RACY)?;
    let report = folder.join("report.json");
    let to = format!("json={}", report.display());
    // Standard input stays open, and nothing is written to it.
    let mut child = start(&mut hirace(&["check", &racy, "-", "--report", &to]))?;
    let input = child.stdin.take();
    hears(&child)?;
    send("-INT", &child)?;
    let (ended, _) = ended(child)?;
    drop(input);
    ensure(ended.status == Some(3) && ended.stdout.contains("data race on `data[0]`"), &ended)?;
    ensure(ended.stdout.contains("stopped: ") && ended.stdout.contains("<stdin>"), &ended)?;
    let report = json(&report)?;
    ensure(report["stopped"] == true && report["not_checked"][0]["input"] == "<stdin>", &ended)?;
    ensure(report["verdict"] == "findings", &ended)
}

fn second(folder: &Path) -> Result<(), Failed> {
    let racy = file(folder, "racy.wgsl", RACY)?;
    let pipe = folder.join("pipe");
    if !Command::new("mkfifo").arg(&pipe).status()?.success() {
        return Err("mkfifo is not available".into());
    }
    // Nobody reads from the pipe, so writing the report blocks forever.
    let child =
        start(&mut hirace(&["check", &racy, "--report", &format!("json={}", pipe.display())]))?;
    hears(&child)?;
    send("-TERM", &child)?;
    std::thread::sleep(Duration::from_millis(300));
    send("-TERM", &child)?;
    let (ended, signal) = ended(child)?;
    ensure(signal == Some(15), &ended)
}

fn ignored(folder: &Path) -> Result<(), Failed> {
    let long = file(folder, "long.wgsl", LONG)?;
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_hirace")]);
    let mut child = start(command.args(["check", &long]).args(LONG_LAUNCH))?;
    hears(&child)?;
    for _ in 0..2 {
        send("-HUP", &child)?;
        std::thread::sleep(Duration::from_millis(300));
    }
    let went_on = child.try_wait()?.is_none();
    send("-TERM", &child)?;
    let (ended, _) = ended(child)?;
    ensure(went_on && ended.status == Some(3), &ended)
}

fn timeout_of_reading(folder: &Path) -> Result<(), Failed> {
    let report = folder.join("report.json");
    let to = format!("json={}", report.display());
    let mut child = start(&mut hirace(&["check", "-", "--timeout", "1", "--report", &to]))?;
    let input = child.stdin.take();
    let (ended, _) = ended(child)?;
    drop(input);
    ensure(ended.status == Some(3) && !ended.timed_out, &ended)?;
    ensure(ended.stderr.contains("reading <stdin> was not done after 1 second"), &ended)?;
    let report = json(&report)?;
    ensure(report["verdict"] == "inconclusive" && report["stopped"] == false, &ended)?;
    ensure(report["not_checked"][0]["input"] == "<stdin>", &ended)
}

fn timeout_of_set_up(folder: &Path) -> Result<(), Failed> {
    let racy = file(folder, "racy.wgsl", RACY)?;
    let flags = ["--buffer", "data=random:67108864", "--timeout", "1"];
    let ended = run(hirace(&["check", &racy]).args(flags), LIMIT);
    ensure(ended.status == Some(3) && !ended.timed_out, &ended)?;
    ensure(ended.stderr.contains("the set-up of a launch was not done after 1 second"), &ended)
}

/// Kills runs at moments that are spread over the duration of one run.
fn killed(folder: &Path, runs: u32) -> Result<(), Failed> {
    let racy = file(folder, "racy.wgsl", RACY)?;
    let kinds = ["json", "sarif", "text", "github"];
    let files: Vec<PathBuf> = kinds
        .iter()
        .chain(&["baseline"])
        .map(|kind| folder.join(format!("report.{kind}")))
        .collect();
    let command = || {
        let mut command = hirace(&["check", &racy]);
        for (kind, path) in kinds.iter().zip(&files) {
            command.arg("--report").arg(format!("{kind}={}", path.display()));
        }
        command.arg("--write-baseline").arg(&files[kinds.len()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let began = Instant::now();
    if command().status()?.code() != Some(1) {
        return Err("the uninterrupted run fails".into());
    }
    let mut takes = began.elapsed();
    let new: Vec<String> = files.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    let old = |index: usize| format!("what stood in file {index} before\n").repeat(2000);
    let (mut number, mut killed, mut replaced) = (0, 0, 0);
    while killed < runs && number < 20 * runs {
        number += 1;
        for (index, path) in files.iter().enumerate() {
            std::fs::write(path, old(index))?;
        }
        let mut child = command().spawn()?;
        // From half of the duration on, when files are written. The outcome of each run shows where the end is.
        let after = takes.mul_f64(0.5 + f64::from(number * 7 % 101) / 200.0);
        std::thread::sleep(after);
        child.kill()?;
        match child.wait()?.signal() {
            Some(9) => (killed, takes) = (killed + 1, takes.mul_f64(1.03)),
            _ => takes = takes.min(after),
        }
        for (index, path) in files.iter().enumerate() {
            let text = std::fs::read_to_string(path)?;
            replaced += u32::from(text == new[index]);
            if text != new[index] && text != old(index) {
                return Err(
                    format!("run {number} left an incomplete {}:\n{text}", path.display()).into()
                );
            }
        }
    }
    println!("{killed} of {number} runs were killed, {replaced} files were new");
    if killed == runs { Ok(()) } else { Err(format!("only {killed} were killed").into()) }
}
