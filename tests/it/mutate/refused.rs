//! Tests of what cannot be judged, and of the messages in that case.

use super::{KERNEL, SUITE, Test, ensure, mutate};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("a_suite_that_fails_without_a_mutant_judges_none", failing),
    ("a_test_that_hangs_on_the_schedule_judges_none", flaky),
    ("a_kernel_that_does_not_compile_is_an_error", broken),
    #[cfg(unix)]
    ("a_diff_without_end_is_refused", endless),
    ("a_file_that_is_not_there_is_an_error", missing),
    ("spirv_has_no_text_to_mutate", spirv),
    ("files_and_flags_of_launches_beside_a_command_are_refused", beside_a_command),
    ("a_command_that_fails_or_runs_no_tests_is_an_error", commands),
];

fn failing(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("hirace.toml"), SUITE.replace("[1, 2,", "[7, 2,"))?;
    let ended = mutate(folder, &["--report", "json=report.json"]);
    let said = "`small numbers grow` fails on the unmutated kernels";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    ensure(!ended.stderr.contains("replace"), &ended)?;
    // Nothing was judged, so there is no report.
    ensure(!folder.join("report.json").exists(), &ended)?;
    // A failing test that judges no selected mutant does not matter; a missing buffer does.
    fs::write(folder.join("hirace.toml"), SUITE.replace("expect = { data", "expect = { dato"))?;
    let ended = mutate(folder, &[]);
    ensure(matches!(ended.status, Some(2 | 3)) && ended.stderr.contains("dato"), &ended)
}

fn flaky(folder: &Path) -> Result<(), Failed> {
    let last = "@group(0) @binding(0) var<storage, read_write> last: u32;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3<u32>) { last = id.x + 1u; }
";
    fs::write(folder.join("kernel.wgsl"), last)?;
    let test = "[[file]]\npath = \"kernel.wgsl\"\n[[file.test]]\nname = \"the last\"\nlaunch = { workgroups = 16, buffers = { last = \"zeros\" } }\n";
    for expect in ["golden = [\"last\"]", "expect = { last = [16] }"] {
        fs::write(folder.join("hirace.toml"), format!("{test}{expect}\n"))?;
        let ended = mutate(folder, &[]);
        let said = "`the last` fails on the unmutated kernels";
        ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
        ensure(
            ended.stderr.contains("it passes under the default schedule but fails under"),
            &ended,
        )?;
        // With a single schedule it passes.
        let once = mutate(folder, &["--schedules", "0"]);
        ensure(once.status == Some(0), &once)?;
    }
    Ok(())
}

#[cfg(unix)]
fn endless(folder: &Path) -> Result<(), Failed> {
    let ended = mutate(folder, &["--in-diff", "/dev/zero"]);
    let said = "cannot read /dev/zero: it is larger than the diff limit of 256 MiB";
    ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)
}

fn broken(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("kernel.wgsl"), KERNEL.replace("return a;", "return b;"))?;
    for list in [&[][..], &["--list"]] {
        let ended = mutate(folder, list);
        ensure(ended.status == Some(2) && ended.stderr.contains("kernel.wgsl:6:12"), &ended)?;
    }
    Ok(())
}

fn missing(folder: &Path) -> Result<(), Failed> {
    let ended = mutate(folder, &["no.wgsl"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("no.wgsl"), &ended)?;
    fs::remove_file(folder.join("hirace.toml"))?;
    let ended = mutate(folder, &[]);
    ensure(ended.status == Some(2) && ended.stderr.contains("no file"), &ended)
}

fn spirv(folder: &Path) -> Result<(), Failed> {
    let words: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 1, 0];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(folder.join("kernel.spv"), bytes)?;
    for list in [&[][..], &["--list"]] {
        let ended = mutate(folder, &[&["kernel.spv"], list].concat());
        let said = "kernel.spv is SPIR-V, which has no text to mutate";
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
    }
    Ok(())
}

fn beside_a_command(folder: &Path) -> Result<(), Failed> {
    let flags: [&[&str]; 3] = [&["--entry", "main"], &["--max-steps", "3"], &["kernel.wgsl"]];
    for flags in flags {
        let ended = mutate(folder, &[flags, &["--", "rustc", "--version"]].concat());
        let said = "a test command cannot be combined with files or launch flags";
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
    }
    Ok(())
}

fn commands(folder: &Path) -> Result<(), Failed> {
    let none = mutate(folder, &["--", "rustc", "--version"]);
    ensure(none.status == Some(2) && none.stderr.contains("ran no tests"), &none)?;
    let absent = mutate(folder, &["--", "no-such-command"]);
    let said = "cannot run `no-such-command`";
    ensure(absent.status == Some(2) && absent.stderr.contains(said), &absent)?;
    ensure(absent.stderr.contains("use a command that runs tests: cargo test"), &absent)?;
    let fails = mutate(folder, &["--", "rustc", "--no-such-flag"]);
    ensure(fails.status == Some(3), &fails)
}
