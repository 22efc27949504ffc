//! Tests of the outputs of a run: exit statuses, gates and reports.

use super::schema::is_of_schema;
use super::{KERNEL, SUITE, Test, ensure, mutate, results};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("each_report_is_written_and_each_format_is_printed", reports),
    ("gates_fail_the_run", gates),
    ("gates_fail_without_mutants", gates_of_nothing),
    ("an_unwritable_file_does_not_affect_other_outputs", unwritable),
    ("inputs_are_not_overwritten", overwritten),
    ("quiet_runs_print_only_errors", quiet),
    ("killed_mutants_are_listed_on_request", killed),
];

const KINDS: [&str; 7] = ["text", "json", "stryker", "html", "sarif", "junit", "github"];

fn reports(folder: &Path) -> Result<(), Failed> {
    let written =
        KINDS.iter().flat_map(|kind| ["--report".to_owned(), format!("{kind}={kind}.out")]);
    let written: Vec<String> = written.collect();
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    let ended = mutate(folder, &written);
    ensure(ended.status == Some(0), &ended)?;
    let read = |kind: &str| fs::read_to_string(folder.join(format!("{kind}.out")));
    let json = |kind: &str| -> Result<Value, Failed> { Ok(serde_json::from_str(&read(kind)?)?) };
    ensure(read("text")? == ended.stdout && ended.stdout.contains("survived (1)"), &ended)?;
    is_of_schema(&json("json")?)?;
    ensure(json("json")?["schema"] == "hirace.mutate/1", &ended)?;
    ensure(json("stryker")?["files"]["kernel.wgsl"]["source"] == KERNEL, &ended)?;
    ensure(json("sarif")?["runs"][0]["results"].as_array().map(Vec::len) == Some(1), &ended)?;
    ensure(read("html")?.starts_with("<!DOCTYPE html>"), &ended)?;
    ensure(read("junit")?.starts_with("<?xml"), &ended)?;
    ensure(read("github")?.contains("file=kernel.wgsl,line=3"), &ended)?;
    for kind in KINDS {
        let ended = mutate(folder, &["--format", kind, "-q"]);
        let is_printed = ended.stdout.is_empty() == (kind == "text");
        ensure(ended.status == Some(0) && is_printed && ended.stderr.is_empty(), &ended)?;
    }
    Ok(())
}

fn gates(folder: &Path) -> Result<(), Failed> {
    let (_, json) = results(folder, &[])?;
    let score = |of: &str| json["summary"][of].as_f64().unwrap_or_default();
    for (flag, of) in [("--fail-under", "score"), ("--fail-under-strict", "strict_score")] {
        let exact = score(of).to_string();
        let met = mutate(folder, &[flag, &exact]);
        ensure(met.status == Some(0), &met)?;
        let above = (score(of) + 0.001).to_string();
        let missed = mutate(folder, &[flag, &above, "--report", "json=report.json"]);
        ensure(
            missed.status == Some(1) && missed.stderr.contains("% of mutants are detected"),
            &missed,
        )?;
        // The gate is reported, and the reports are written nevertheless.
        ensure(missed.stdout.contains("score") && folder.join("report.json").exists(), &missed)?;
        fs::remove_file(folder.join("report.json"))?;
    }
    let wrong = mutate(folder, &["--fail-under", "101"]);
    ensure(wrong.status == Some(2), &wrong)
}

fn gates_of_nothing(folder: &Path) -> Result<(), Failed> {
    let text = "@compute @workgroup_size(1) fn main() { }\n";
    fs::write(folder.join("kernel.wgsl"), text)?;
    fs::remove_file(folder.join("hirace.toml"))?;
    let alone = ["kernel.wgsl", "--workgroups", "1", "--skip-operator", "gpu"];
    let without = mutate(folder, &alone);
    ensure(without.status == Some(0), &without)?;
    for flag in ["--fail-under", "--fail-under-strict"] {
        let ended = mutate(folder, &[&alone[..], &[flag, "0"]].concat());
        let said = "there are no mutants, but a score of 0 % is required";
        ensure(ended.status == Some(1) && ended.stderr.contains(said), &ended)?;
    }
    Ok(())
}

fn unwritable(folder: &Path) -> Result<(), Failed> {
    let ended = mutate(folder, &["--report", "json=no/such.json", "--report", "junit=good.xml"]);
    ensure(ended.status == Some(3) && ended.stdout.contains("score"), &ended)?;
    ensure(ended.stderr.contains("no/such.json") && folder.join("good.xml").exists(), &ended)
}

fn overwritten(folder: &Path) -> Result<(), Failed> {
    for (file, text) in [("kernel.wgsl", KERNEL), ("hirace.toml", SUITE)] {
        for list in [&[][..], &["--list"]] {
            let report = format!("html={file}");
            let ended = mutate(folder, &[list, &["--report", &report]].concat());
            ensure(ended.status == Some(2) && ended.stderr.contains("would overwrite"), &ended)?;
            ensure(fs::read_to_string(folder.join(file))? == text, &ended)?;
        }
    }
    let twice = mutate(folder, &["--report", "json=a", "--report", "html=a"]);
    ensure(twice.status == Some(2) && twice.stderr.contains("write the same file"), &twice)
}

fn quiet(folder: &Path) -> Result<(), Failed> {
    let ended = mutate(folder, &["-q", "--report", "json=report.json"]);
    let is_quiet = ended.stdout.is_empty() && ended.stderr.is_empty();
    ensure(ended.status == Some(0) && is_quiet && folder.join("report.json").exists(), &ended)?;
    // Errors are printed.
    let missed = mutate(folder, &["-q", "--fail-under", "100"]);
    ensure(missed.status == Some(1) && missed.stdout.is_empty(), &missed)?;
    ensure(missed.stderr.contains("100 % are required"), &missed)
}

fn killed(folder: &Path) -> Result<(), Failed> {
    let said = "killed      kernel.wgsl:10:36: replace + with - in main";
    let without = mutate(folder, &[]);
    ensure(without.status == Some(0) && !without.stderr.contains(said), &without)?;
    let with = mutate(folder, &["--killed"]);
    ensure(with.status == Some(0) && with.stderr.contains(said), &with)
}
