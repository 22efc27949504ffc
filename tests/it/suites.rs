//! Suites that run as commands: what the command, the runner of test binaries and the tests say to one another. The commands
//! and the tests are scripts, because cargo would only be slower.

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A test, which gets an empty folder.
type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let tests: [(&'static str, Test); 7] = [
        ("commands_at_the_same_time_record_for_themselves", at_the_same_time),
        ("settings_of_users_are_not_part_of_requests", settings),
        ("requests_of_other_versions_are_refused", versions),
        ("selected_mutants_are_refused", selected_mutants),
        ("hirace_in_a_suite_is_this_program", hirace_without_path),
        ("a_suite_of_hirace_test_fails_only_if_its_tests_do", hirace_test),
        ("cases_that_constants_exclude_miss_no_threshold", thresholds),
    ];
    let trial = |(name, test): (&'static str, Test)| {
        Trial::test(format!("suites::{name}"), move || {
            test(&create_empty_folder(scratch("suites").join(name))?)
        })
    };
    tests.map(trial).into()
}

const LIMIT: Duration = Duration::from_secs(120);

/// A script that acts as cargo: it runs a test binary with its runner, and describes a package that depends on wgpu.
const CARGO: &str = r#"#!/bin/sh
if [ "$1" = metadata ]; then cat metadata.json; exit; fi
runner=$(env | sed -n 's/^CARGO_TARGET_[A-Z0-9_]*_RUNNER=//p' | head -n 1)
$runner ./tests || exit 101
"#;

/// A test binary with one test. It takes a moment, records coverage and a finding, and exits with a given status.
const TESTS: &str = r#"#!/bin/sh
folder() { printf %s "$HIRACE_PROCESS_REQUEST" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
case "$*" in
    *--ignored*) ;;
    *--list*) echo "finds: test" ;;
    *)
        sleep "$(cat seconds)"
        if [ -n "$(folder folder)" ]; then cp recorded.json "$(folder folder)/1.json"; fi
        if [ -n "$(folder findings)" ]; then cp report.json "$(folder findings)/1.json"; fi
        exit "$(cat status)" ;;
esac
"#;

const KERNEL: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var k = 0u; k < 4u; k++) { data[0] += lane; }
}
";

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn hirace_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = hirace(arguments);
    command.current_dir(folder).env("CARGO", folder.join("cargo"));
    command
}

/// Writes the scripts and what they need into a folder.
fn suite(folder: &Path) -> Result<(), Failed> {
    for (name, text) in [("cargo", CARGO), ("tests", TESTS)] {
        fs::write(folder.join(name), text)?;
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755))?;
    }
    for (name, text) in [("kernel.wgsl", KERNEL), ("seconds", "0"), ("status", "0")] {
        fs::write(folder.join(name), text)?;
    }
    let launch = ["kernel.wgsl", "--workgroups", "1", "--buffer", "data=zeros:4", "--format"];
    let checked =
        run(&mut hirace_in(folder, &[&["check"], &launch[..], &["json"]].concat()), LIMIT);
    ensure(checked.status == Some(1), &checked)?;
    fs::write(folder.join("report.json"), checked.stdout)?;
    let covered =
        run(&mut hirace_in(folder, &[&["cover"], &launch[..], &["json"]].concat()), LIMIT);
    ensure(covered.status == Some(0), &covered)?;
    let mut coverage: Value = serde_json::from_str(&covered.stdout)?;
    coverage["tests"] = json!([{ "name": "", "launches": 1, "kernels": ["main"] }]);
    fs::write(folder.join("recorded.json"), coverage.to_string())?;
    Ok(())
}

const COVER: [&str; 5] = ["cover", "--format", "json", "--", "./cargo"];

/// Runs `hirace cover` on the suite, whose only test must be counted once.
fn covered(command: &mut Command) -> Result<String, Failed> {
    let ended = run(command, LIMIT);
    ensure(ended.status == Some(0), &ended)?;
    let coverage: Value = serde_json::from_str(&ended.stdout)?;
    let is_one = coverage["tests"].as_array().is_some_and(|tests| tests.len() == 1)
        && coverage["tests"][0]["launches"] == 1
        && coverage["files"][0]["file"] == "kernel.wgsl";
    ensure(is_one, &ended)?;
    Ok(ended.stdout)
}

fn at_the_same_time(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let alone = covered(&mut hirace_in(folder, &COVER))?;
    fs::write(folder.join("seconds"), "0.5")?;
    let mut others = Vec::new();
    for _ in 0..3 {
        let mut command = hirace_in(folder, &COVER);
        others.push(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    }
    for other in others {
        let output = other.wait_with_output()?;
        let shown = String::from_utf8_lossy(&output.stdout);
        if shown != alone {
            return Err(format!("{shown}\ninstead of\n{alone}").into());
        }
    }
    Ok(())
}

fn settings(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let alone = covered(&mut hirace_in(folder, &COVER))?;
    for (name, value) in [
        ("HIRACE_COVER", "unused"),
        ("HIRACE_FOUND", "unused"),
        ("HIRACE_MUTANT", "unused"),
        ("HIRACE_SUITE", "unused"),
        ("HIRACE", "cover"),
    ] {
        let with = covered(hirace_in(folder, &COVER).env(name, value))?;
        if with != alone || folder.join("unused").exists() {
            return Err(format!("{name}={value}: {with}").into());
        }
    }
    Ok(())
}

fn versions(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for (request, error) in [
        (r#"{"version":2,"request":{}}"#, "the request has version 2, but version 1 is supported"),
        ("unused", "HIRACE_PROCESS_REQUEST is malformed"),
        (
            r#"{"version":1,"request":{"role":{"suite":{"folder":"f","hits":true,"shard":"4/3"}},"findings":null}}"#,
            "expected K/N",
        ),
    ] {
        let mut command = hirace_in(folder, &["run-tests", "./tests"]);
        let ended = run(command.env("HIRACE_PROCESS_REQUEST", request), LIMIT);
        ensure(ended.status == Some(101) && ended.stderr.contains(error), &ended)?;
    }
    // A process without a request is not part of a suite.
    let ended = run(&mut hirace_in(folder, &["run-tests", "./tests"]), LIMIT);
    ensure(ended.status == Some(0), &ended)
}

fn selected_mutants(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for (arguments, by) in [
        (&COVER[..], "`hirace cover`"),
        (&["mutate", "--", "./cargo"], "`hirace mutate`"),
        (&["mutate", "kernel.wgsl"], "`hirace mutate`"),
        (&["check", "kernel.wgsl"], "`hirace check`"),
        (&["audit", "kernel.wgsl"], "`hirace audit`"),
        (&["amplify", "kernel.wgsl"], "`hirace amplify`"),
        (&["verify", "kernel.wgsl"], "`hirace verify`"),
        (&["test"], "`hirace test`"),
        (&["run"], "`hirace run`"),
    ] {
        let ended = run(hirace_in(folder, arguments).env("HIRACE", "mutant=1f-2"), LIMIT);
        let error = format!("HIRACE=mutant=1f-2 has no effect on {by}");
        let is_refused = ended.status.is_some_and(|status| status >= 2);
        ensure(is_refused && ended.stderr.contains(&error), &ended)?;
    }
    Ok(())
}

fn hirace_without_path(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let arguments = ["cover", "--", "hirace", "explain", "HR001"];
    // The folders of the system have a shell, and no hirace.
    let ended = run(hirace_in(folder, &arguments).env("PATH", "/usr/bin:/bin"), LIMIT);
    ensure(ended.stderr.contains("`hirace explain HR001` ran no tests through cargo"), &ended)
}

/// Writes the description of a package that depends on a wgpu of few lines.
fn depend_on_wgpu(folder: &Path) -> Result<(), Failed> {
    let wgpu = folder.join("wgpu-source");
    let instance =
        "impl Instance {\n    pub fn new(desc: InstanceDescriptor) -> Self {\n    }\n}\n";
    let manifest = "[package]\nname = \"wgpu\"\n[features]\ncustom = []\nnaga-ir = []\nnoop = []\n[dependencies]\n";
    fs::create_dir_all(wgpu.join("src/api"))?;
    for (name, text) in
        [("Cargo.toml", manifest), ("src/lib.rs", ""), ("src/api/instance.rs", instance)]
    {
        fs::write(wgpu.join(name), text)?;
    }
    let package = json!({
        "name": "wgpu",
        "version": "30.0.1",
        "source": "registry+elsewhere",
        "manifest_path": wgpu.join("Cargo.toml"),
    });
    let target: PathBuf = folder.join("target");
    let metadata =
        json!({ "workspace_root": folder, "target_directory": target, "packages": [package] });
    Ok(fs::write(folder.join("metadata.json"), metadata.to_string())?)
}

fn hirace_test(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    depend_on_wgpu(folder)?;
    // By itself, the command fails if something is found.
    let alone = run(&mut hirace_in(folder, &["test"]), LIMIT);
    ensure(alone.status == Some(1), &alone)?;
    let this = env!("CARGO_BIN_EXE_hirace");
    covered(&mut hirace_in(folder, &["cover", "--format", "json", "--", this, "test"]))?;
    // A suite whose tests fail still fails.
    fs::write(folder.join("status"), "1")?;
    let failed = run(&mut hirace_in(folder, &["cover", "--", this, "test"]), LIMIT);
    let is_named = failed.stderr.contains("the suite fails: tests finds");
    ensure(failed.status == Some(3) && is_named, &failed)
}

fn thresholds(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let launch = ["--workgroups", "1", "--buffer", "data=zeros:4", "--fail-under-loops", "100"];
    let met =
        run(&mut hirace_in(folder, &[&["cover", "kernel.wgsl"], &launch[..]].concat()), LIMIT);
    ensure(met.status == Some(0) && met.stdout.contains("2/2 100 %"), &met)?;
    // Without a constant bound, all cases can occur.
    fs::write(folder.join("open.wgsl"), KERNEL.replace("k < 4u", "k < data[1]"))?;
    let missed =
        run(&mut hirace_in(folder, &[&["cover", "open.wgsl"], &launch[..]].concat()), LIMIT);
    ensure(missed.status == Some(1) && missed.stdout.contains("2/4"), &missed)
}
