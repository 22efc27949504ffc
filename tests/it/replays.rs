//! Tests that each command that a report prints to reproduce a finding shows the same finding again, in whichever way the program
//! and its launch were given.

use crate::support::{hirace, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("replays::of_files_show_the_finding", files),
        Trial::test("replays::of_standard_input_show_the_finding", standard_input),
        Trial::test("replays::of_flags_show_the_finding", flags),
        Trial::test("replays::of_verify_show_the_finding", verified),
    ]
}

/// A race between the lines 5 and 6.
const RACY: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
override N: u32 = 1u;
var<workgroup> t: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  t[l] = l;
  out[l] = t[(l + N) % 64u];
}
";

/// Two words that each of two workgroups increments.
const SUM: &str = "@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let old = atomicLoad(&sum);
  atomicStore(&sum, old + values[id.x]);
}
";

/// Runs hirace in a folder with this standard input, and returns what it prints.
fn run(folder: &Path, arguments: &[String], input: &str) -> Result<String, Failed> {
    let mut command = hirace(arguments);
    command.current_dir(folder).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // A program that does not read its input may end before all is written.
    let _ = child.stdin.take().ok_or("a pipe")?.write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok(text(&output.stdout) + &text(&output.stderr))
}

/// Returns the words of a command as a shell splits them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.iter_mut().last().into_iter().for_each(|word| word.push(c)),
        }
    }
    words
}

/// Returns what identifies the findings of a report, without the launch: their headings and their places.
fn findings(report: &str) -> Vec<&str> {
    let is_heading =
        |line: &&str| line.starts_with("error") || line.trim_start().starts_with("--> ");
    report.lines().filter(is_heading).collect()
}

/// Asserts that the first command of the report of this run shows the first finding of the report.
fn assert_replayed(folder: &Path, arguments: &[&str], input: &str) -> Result<(), Failed> {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let report = run(folder, &arguments, input)?;
    let command = report.lines().find_map(|line| line.split_once("replay: hirace "));
    let (_, command) = command.ok_or_else(|| format!("no command: {arguments:?}\n{report}"))?;
    let again = run(folder, &words(command), input)?;
    let (found, found_again) = (findings(&report), findings(&again));
    let is_same = found.len() >= 2 && found_again.get(..2) == found.get(..2);
    match is_same {
        true => Ok(()),
        false => Err(format!("{arguments:?}\n{report}\nhirace {command}\n{again}").into()),
    }
}

/// Writes files into an empty folder.
fn folder(name: &str, files: &[(&str, &str)]) -> Result<std::path::PathBuf, Failed> {
    let folder = crate::support::create_empty_folder(scratch("replays").join(name))?;
    for (file, text) in files {
        std::fs::write(folder.join(file), text)?;
    }
    Ok(folder)
}

fn files() -> Result<(), Failed> {
    let second = RACY.replace("fn main", "fn second");
    let two = format!("{RACY}{}", &second[second.find("@compute").ok_or("an entry point")?..]);
    let host = format!("const shader = `{RACY}`;\nuse(shader);\n");
    let rust = "#[hirace::monitor(workgroup_size(64))]
fn main(#[builtin(local_invocation_index)] l: u32, #[workgroup] t: &mut [u32; 64], out: &mut [u32; 64]) {
    t[l] = l;
    out[l] = t[l ^ 1];
}
";
    let glsl = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
shared uint tile[64];
void main() {
    tile[gl_LocalInvocationIndex] = 1u;
    data[gl_LocalInvocationIndex] = tile[gl_LocalInvocationIndex ^ 1u];
}
";
    let files = [
        ("racy.wgsl", RACY),
        ("with space.wgsl", RACY),
        ("two.wgsl", &two),
        ("plain.ts", &host),
        ("kernel.rs", rust),
        ("racy.comp", glsl),
    ];
    let folder = folder("files", &files)?;
    let is_supported = |file: &str| match file.rsplit('.').next() {
        Some("ts") => cfg!(feature = "host"),
        Some("comp") => cfg!(feature = "glsl"),
        _ => true,
    };
    for (file, _) in files.into_iter().filter(|(file, _)| is_supported(file)) {
        assert_replayed(&folder, &["check", file], "")?;
    }
    assert_replayed(&folder, &["check", "two.wgsl", "--entry", "second"], "")?;
    assert_replayed(
        &folder,
        &["check", "two.wgsl", "--dispatch", "main:1", "--dispatch", "second:2"],
        "",
    )
}

fn standard_input() -> Result<(), Failed> {
    let folder = folder("standard_input", &[])?;
    assert_replayed(&folder, &["check", "-"], RACY)?;
    assert_replayed(&folder, &["check", "-", "--workgroups", "2", "--override", "N=3"], RACY)?;
    let asserted = ["--workgroups", "2", "--buffer", "values=3,4", "--buffer", "sum=0"];
    assert_replayed(
        &folder,
        &[&["verify", "-", "--assert", "sum == 7"], &asserted[..]].concat(),
        SUM,
    )
}

fn flags() -> Result<(), Failed> {
    let defined =
        RACY.replace("t[l] = l;", "t[l] = l;\n#ifndef RACY\n  workgroupBarrier();\n#endif");
    let folder = folder("flags", &[("racy.wgsl", RACY), ("defined.wgsl", &defined)])?;
    let given: [&[&str]; 7] = [
        &["--override", "N=3"],
        &["--oracle"],
        &["--subgroup-size", "8"],
        &["--strict"],
        &["--schedules", "2"],
        &["--seed", "3", "--buffer", "out=random:64"],
        &["--max-steps", "10000"],
    ];
    for flags in given {
        assert_replayed(&folder, &[&["check", "racy.wgsl"], flags].concat(), "")?;
    }
    if !cfg!(feature = "preprocess") {
        return Ok(());
    }
    assert_replayed(&folder, &["check", "defined.wgsl", "--define", "RACY=true"], "")
}

fn verified() -> Result<(), Failed> {
    let folder = folder("verified", &[("sum.wgsl", SUM)])?;
    let launch = ["--workgroups", "2", "--buffer", "values=3,4", "--buffer", "sum=0"];
    let verify = |flags: &[&str]| {
        assert_replayed(&folder, &[&["verify", "sum.wgsl"], &launch[..], flags].concat(), "")
    };
    verify(&["--assert", "sum == 7"])?;
    verify(&["--assert", "sum == 7", "--model", "sc"])?;
    verify(&["--assert", "sum < 100", "--assert", "sum == 7", "--max-invocations", "2"])
}
