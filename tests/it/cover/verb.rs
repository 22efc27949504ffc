//! Tests of `hirace cover` as its users run it.

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
use std::time::Duration;

const KERNEL: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (data[id.x] > 5u) {
        data[id.x] = 5u;
    }
    data[id.x] += 1u;
}
";

const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> last: u32;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3<u32>) { last = id.x; }
";

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("each_report_is_written_and_says_the_same", reports),
    ("an_unwritable_file_does_not_affect_other_outputs", unwritable),
    ("inputs_are_not_overwritten", overwritten),
    ("gates_fail_the_run", gates),
    ("hits_say_whether_and_not_how_often", hits),
    ("what_several_runs_counted_is_put_together", merged),
    ("tests_of_a_configuration_run", configured),
    ("a_test_that_fails_fails_the_suite", failing),
    ("what_hangs_on_the_schedule_is_not_golden", golden),
    ("a_test_that_expects_nothing_is_refused", nothing_expected),
    ("a_test_that_cannot_be_compared_fails_alone", incomparable),
    ("flags_of_launches_beside_a_command_are_refused", flags_beside_a_command),
    ("kernels_of_two_folders_stay_apart", two_folders),
    ("a_command_that_runs_no_tests_is_an_error", no_tests),
    ("a_command_that_is_not_there_is_an_error", no_command),
    ("a_kernel_without_progress_is_counted_until_its_end", cut_off),
];

pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("cover::verb::{name}"), move || {
            let folder = create_empty_folder(scratch("cover-verb").join(name))?;
            fs::write(folder.join("kernel.wgsl"), KERNEL)?;
            test(&folder)
        })
    };
    TESTS.iter().map(trial).collect()
}

const LAUNCH: [&str; 6] = ["cover", "kernel.wgsl", "--workgroups", "1", "--buffer", "data=iota:8"];

fn cover(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    let arguments = [&LAUNCH, arguments].concat();
    run(hirace(&arguments).current_dir(folder), Duration::from_secs(60))
}

/// Runs `hirace cover` without arguments, with this configuration in hirace.toml.
fn alone(folder: &Path, configuration: &str) -> Result<ProgramOutput, Failed> {
    let file = "[[file]]\npath = \"kernel.wgsl\"\n";
    fs::write(folder.join("hirace.toml"), file.to_owned() + configuration)?;
    Ok(run(hirace(&["cover"]).current_dir(folder), Duration::from_secs(60)))
}

fn is_json(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok()
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn reports(folder: &Path) -> Result<(), Failed> {
    let kinds = ["text", "annotated", "json", "lcov", "cobertura", "html"];
    let written: Vec<String> = kinds
        .iter()
        .flat_map(|kind| ["--report".to_owned(), format!("{kind}={kind}.out")])
        .collect();
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    let ended = cover(folder, &written);
    ensure(ended.status == Some(0), &ended)?;
    let read = |kind: &str| fs::read_to_string(folder.join(format!("{kind}.out")));
    ensure(read("text")? == ended.stdout, &ended)?;
    ensure(read("lcov")?.contains("DA:5,2"), &ended)?;
    ensure(read("cobertura")?.contains("<line number=\"5\" hits=\"2\""), &ended)?;
    ensure(read("html")?.starts_with("<!DOCTYPE html>"), &ended)?;
    ensure(read("annotated")?.contains("5|     2|"), &ended)?;
    let json: serde_json::Value = serde_json::from_str(&read("json")?)?;
    ensure(json["schema"] == "hirace.cover/1" && json["summary"]["lines"]["total"] == 3, &ended)
}

fn unwritable(folder: &Path) -> Result<(), Failed> {
    let ended = cover(folder, &["--report", "json=no/such.json", "--report", "lcov=good.info"]);
    ensure(ended.status == Some(3) && ended.stdout.contains("kernel.wgsl"), &ended)?;
    ensure(folder.join("good.info").exists(), &ended)
}

fn overwritten(folder: &Path) -> Result<(), Failed> {
    let ended = cover(folder, &["--report", "json=kernel.wgsl"]);
    ensure(ended.status == Some(2), &ended)?;
    ensure(fs::read_to_string(folder.join("kernel.wgsl"))? == KERNEL, &ended)
}

fn gates(folder: &Path) -> Result<(), Failed> {
    let met = cover(folder, &["--fail-under-lines", "100", "--fail-under-branches", "100"]);
    ensure(met.status == Some(0), &met)?;
    let few = ["cover", "kernel.wgsl", "--workgroups", "1", "--buffer", "data=fill:8:1"];
    let few = [&few[..], &["--fail-under-branches", "51"]].concat();
    let missed = run(hirace(&few).current_dir(folder), Duration::from_secs(60));
    ensure(missed.status == Some(1) && missed.stdout.contains("4:5 if: never true"), &missed)?;
    let none = cover(folder, &["--fail-under-barriers", "0"]);
    ensure(none.status == Some(1), &none)
}

fn hits(folder: &Path) -> Result<(), Failed> {
    let ended = cover(folder, &["--hits", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    let counts: Vec<u64> = json["files"][0]["lines"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|line| line["count"].as_u64())
        .collect();
    ensure(json["hits"] == true && counts == [1, 1, 1], &ended)
}

fn merged(folder: &Path) -> Result<(), Failed> {
    let few = ["cover", "kernel.wgsl", "--workgroups", "1", "--buffer", "data=fill:8:1"];
    for (launch, report) in [(&few[..], "json=1.json"), (&LAUNCH[..], "json=2.json")] {
        let arguments = [launch, &["-q", "--report", report]].concat();
        let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(60));
        ensure(ended.status == Some(0) && ended.stdout.is_empty(), &ended)?;
    }
    let merge = |files: &[&str]| {
        let arguments = [&["merge"], files, &["--format", "json"]].concat();
        run(hirace(&arguments).current_dir(folder), Duration::from_secs(60))
    };
    let ended = merge(&["1.json", "2.json"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    let file = &json["files"][0];
    let counts = [&file["lines"][0]["count"], &file["lines"][1]["count"]];
    ensure(counts == [16, 2] && file["kernels"][0]["dispatches"] == 2, &ended)?;
    fs::write(folder.join("kernel.wgsl"), KERNEL.replace("5u", "6u"))?;
    let arguments = [&LAUNCH[..], &["-q", "--report", "json=3.json"]].concat();
    run(hirace(&arguments).current_dir(folder), Duration::from_secs(60));
    let ended = merge(&["1.json", "3.json"]);
    ensure(
        ended.status == Some(2) && ended.stderr.contains("a different version of kernel.wgsl"),
        &ended,
    )?;
    let arguments = ["merge", "1.json", "--report", "lcov=1.json"];
    let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(60));
    ensure(ended.status == Some(2) && is_json(&folder.join("1.json")), &ended)?;
    let ended = merge(&["kernel.wgsl"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("is not a coverage report"), &ended)
}

fn configured(folder: &Path) -> Result<(), Failed> {
    let ended = alone(
        folder,
        "[[file.test]]
name = \"small numbers grow\"
launch = { workgroups = 1, buffers = { data = \"iota:8\" } }
expect = { data = [1, 2, 3, 4, 5, 6, 6, 6] }
[[file.test]]
name = \"none are left as they are\"
launch = { workgroups = 2, buffers = { data = \"zeros:16\" } }
golden = [\"data\"]
",
    )?;
    ensure(ended.status == Some(0) && ended.stdout.contains("3/3 100 %"), &ended)
}

fn failing(folder: &Path) -> Result<(), Failed> {
    let ended = alone(
        folder,
        "[[file.test]]
name = \"off by one\"
launch = { workgroups = 1, buffers = { data = \"zeros:8\" } }
expect = { data = \"zeros:8\" }
",
    )?;
    let said = "test `off by one`: number 0 of `data` is 1 after the launch, but 0 is expected";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    ensure(ended.stdout.contains("kernel.wgsl"), &ended)
}

fn golden(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("kernel.wgsl"), RACY)?;
    let ended = alone(
        folder,
        "[[file.test]]
name = \"the last\"
launch = { workgroups = 16, buffers = { last = \"zeros\" }, schedule = 1 }
golden = [\"last\"]
",
    )?;
    let said = "test `the last`: `last` cannot be golden: its contents depend on the schedule";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)
}

fn nothing_expected(folder: &Path) -> Result<(), Failed> {
    let ended = alone(folder, "[[file.test]]\nname = \"idle\"\nlaunch = { workgroups = 1 }\n")?;
    ensure(ended.status == Some(2) && ended.stderr.contains("hirace.toml:4:8"), &ended)
}

fn incomparable(folder: &Path) -> Result<(), Failed> {
    let launch = "launch = { workgroups = 1, buffers = { data = \"zeros:8\" } }";
    let test = |name: &str, expect: &str| {
        format!("[[file.test]]\nname = \"{name}\"\n{launch}\n{expect}\n")
    };
    let tests = [
        test("no such buffer", "expect = { dato = [1] }"),
        test("another length", "expect = { data = [1] }"),
        test("as it should be", "expect = { data = \"fill:8:1\" }"),
        test("another value", "expect = { data = \"fill:8:2\" }"),
    ];
    let ended = alone(folder, &tests.concat())?;
    let names = ["no such buffer", "another length", "another value"];
    let are_named = names.iter().all(|name| ended.stderr.contains(&format!("test `{name}`: ")));
    ensure(ended.status == Some(3) && are_named, &ended)?;
    ensure(!ended.stderr.contains("as it should be"), &ended)?;
    let other = "@compute @workgroup_size(1) fn other() { data[0] = 7u; }";
    fs::write(folder.join("kernel.wgsl"), KERNEL.to_owned() + other)?;
    let ended = alone(folder, &test("which", "golden = [\"data\"]"))?;
    ensure(ended.status == Some(3) && ended.stderr.contains("several entry points"), &ended)
}

fn flags_beside_a_command(folder: &Path) -> Result<(), Failed> {
    let flags: [&[&str]; 5] = [
        &["--device", "llvmpipe"],
        &["--entry", "main"],
        &["--schedules", "3"],
        &["--define", "X"],
        &["kernel.wgsl"],
    ];
    for flags in flags {
        let arguments = [&["cover"], flags, &["--", "rustc", "--version"]].concat();
        let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(60));
        let is_refused = ended.stderr.contains("cannot be combined with");
        ensure(ended.status == Some(2) && is_refused, &ended)?;
    }
    Ok(())
}

fn two_folders(folder: &Path) -> Result<(), Failed> {
    let text = |limit: u32| KERNEL.replace("5u", &format!("{limit}u"));
    for (name, limit) in [("a", 5), ("b", 9)] {
        fs::create_dir_all(folder.join(name))?;
        fs::write(folder.join(name).join("kernel.wgsl"), text(limit))?;
    }
    let arguments =
        ["cover", "a", "b", "--workgroups", "1", "--buffer", "data=iota:8", "--format", "json"];
    let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(60));
    let json: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    let counts = [0, 1].map(|file| json["files"][file]["lines"][1]["count"].clone());
    ensure(counts == [2, 0], &ended)
}

fn no_tests(folder: &Path) -> Result<(), Failed> {
    let ended = run(
        hirace(&["cover", "--", "rustc", "--version"]).current_dir(folder),
        Duration::from_secs(60),
    );
    ensure(ended.status == Some(2) && ended.stderr.contains("ran no tests"), &ended)
}

fn no_command(folder: &Path) -> Result<(), Failed> {
    let ended = run(
        hirace(&["cover", "--", "no-such-command"]).current_dir(folder),
        Duration::from_secs(60),
    );
    ensure(ended.status == Some(2) && ended.stderr.contains("cannot run `no-such-command`"), &ended)
}

fn cut_off(folder: &Path) -> Result<(), Failed> {
    let endless = KERNEL.replace("data[id.x] += 1u;", "loop { data[id.x] += 1u; }");
    fs::write(folder.join("kernel.wgsl"), endless)?;
    let ended = cover(folder, &["--max-steps", "1000"]);
    ensure(ended.stderr.contains("`main` was stopped before it ended"), &ended)?;
    ensure(ended.stdout.contains("3/3 100 %"), &ended)
}
