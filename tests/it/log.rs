//! Tests of the log: what it says and where, and that it is silent unless it is enabled.

use crate::support::{ProgramOutput, hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// A kernel in which every invocation writes the same word.
const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn same_word(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = id.x;
}
";

const LIMIT: Duration = Duration::from_secs(60);

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("nothing_is_logged_unless_asked", silent),
    ("more_is_logged_the_more_it_is_asked_for", levels),
    ("what_is_printed_and_the_status_are_the_same_beside_a_log", beside),
    ("lines_of_json_name_a_launch_with_its_entry_point_and_grid", json),
    ("the_variable_wins_over_the_flag", variable),
    ("a_filter_that_cannot_be_read_is_refused", refused),
    ("kernels_in_rust_are_logged_with_their_file", rust),
];

/// Returns the trials, each with its own folder.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("log::{name}"), move || test(&scratch("log").join(name)))
    };
    let all = TESTS.iter().map(trial);
    #[cfg(feature = "gpu")]
    let all = all.chain([of_device()]);
    all.collect()
}

#[cfg(feature = "gpu")]
fn of_device() -> Trial {
    let name = "what_a_device_is_asked_to_do_is_logged";
    let test = move || device(&scratch("log").join(name));
    Trial::test(format!("log::{name}"), test).needs(crate::device::need())
}

/// Runs `hirace check` on the racy kernel with these flags and this value of HIRACE_LOG.
fn check(folder: &Path, flags: &[&str], variable: Option<&str>) -> Result<ProgramOutput, Failed> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("racy.wgsl");
    std::fs::write(&path, RACY)?;
    let path = path.to_string_lossy();
    let mut command = hirace(&[&["check", &path], flags].concat());
    command.env_remove("HIRACE_LOG");
    if let Some(variable) = variable {
        command.env("HIRACE_LOG", variable);
    }
    Ok(run(&mut command, LIMIT))
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn silent(folder: &Path) -> Result<(), Failed> {
    for variable in [None, Some(""), Some("off")] {
        let ended = check(folder, &[], variable)?;
        ensure(ended.stderr.is_empty() && ended.status == Some(1), &ended)?;
    }
    Ok(())
}

fn levels(folder: &Path) -> Result<(), Failed> {
    let phases = check(folder, &["-v"], None)?;
    for phase in ["front{", "program", "entry{", "detect{phase=1}", "explain{phase=2"] {
        ensure(phases.stderr.contains(phase) && phases.stderr.contains("time.busy"), &phases)?;
    }
    ensure(!phases.stderr.contains("launch{"), &phases)?;
    let launches = check(folder, &["-vv"], None)?;
    for what in ["launch{", "dispatch{executor=\"embedded\"", "strategy=\"serial\"", "lower{"] {
        ensure(launches.stderr.contains(what), &launches)?;
    }
    let lines = |ended: &ProgramOutput| ended.stderr.lines().count();
    let all = check(folder, &["-vvv"], None)?;
    ensure(lines(&phases) < lines(&launches) && lines(&launches) < lines(&all), &all)
}

fn beside(folder: &Path) -> Result<(), Failed> {
    for format in ["text", "json"] {
        let flags = ["--format", format];
        let without = check(folder, &flags, None)?;
        let with = check(folder, &[&flags[..], &["-vvv"]].concat(), None)?;
        ensure(with.stdout == without.stdout && with.status == without.status, &with)?;
        ensure(!with.stderr.contains('\x1b'), &with)?;
    }
    Ok(())
}

/// Parses the lines of a JSON log.
fn parsed(ended: &ProgramOutput) -> Result<Vec<Value>, Failed> {
    ended.stderr.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn json(folder: &Path) -> Result<(), Failed> {
    let flags = ["-vv", "--log-format", "json", "--workgroups", "3,2"];
    let ended = check(folder, &flags, None)?;
    let lines = parsed(&ended)?;
    let closed = |line: &&Value| line["message"] == "close" && line["span"]["name"] == "launch";
    let launch = lines.iter().find(closed).ok_or("no launch span is closed")?;
    let span = &launch["span"];
    ensure(span["entry"] == "same_word" && span["grid"] == "3,2" && span["number"] == 1, &ended)?;
    let input = &launch["spans"][0];
    let names_file = input["file"].as_str().is_some_and(|file| file.ends_with("racy.wgsl"));
    ensure(input["name"] == "input" && names_file, &ended)?;
    let timed = lines.iter().filter(|line| line["message"] == "close");
    ensure(timed.clone().count() > 0, &ended)?;
    ensure(timed.clone().all(|line| line["time.busy"].is_string()), &ended)
}

fn variable(folder: &Path) -> Result<(), Failed> {
    let ended = check(folder, &["-v"], Some("hirace_core::check=debug"))?;
    ensure(ended.stderr.contains("launch{") && !ended.stderr.contains("front{"), &ended)?;
    let off = check(folder, &["-vvv"], Some("off"))?;
    ensure(off.stderr.is_empty(), &off)
}

fn refused(folder: &Path) -> Result<(), Failed> {
    for filter in ["hirace=loud", "[", "a=b=c", "debg"] {
        let ended = check(folder, &[], Some(filter))?;
        ensure(ended.status == Some(2) && ended.stdout.is_empty(), &ended)?;
        ensure(ended.stderr.contains("HIRACE_LOG") && ended.stderr.contains(filter), &ended)?;
        ensure(!ended.stderr.contains("panicked"), &ended)?;
    }
    let format = check(folder, &["-v", "--log-format", "xml"], None)?;
    ensure(format.status == Some(2), &format)
}

fn rust(_: &Path) -> Result<(), Failed> {
    let mut command = hirace(&["check", "-v"]);
    let ended =
        run(command.arg(root().join("kernels/src/saxpy.rs")).env_remove("HIRACE_LOG"), LIMIT);
    ensure(ended.stderr.contains("front{language=\"Rust\""), &ended)
}

#[cfg(feature = "gpu")]
fn device(folder: &Path) -> Result<(), Failed> {
    let device = crate::device::device_name();
    let ended = check(folder, &["-vv", "--device", &device], None)?;
    for what in ["open{", "upload", "instrument", "compile{", "submit", "wait", "read back{"] {
        ensure(ended.stderr.contains(what), &ended)?;
    }
    ensure(ended.stderr.contains("dispatch{executor=\"wgpu\" grid=\"1\"}"), &ended)
}
