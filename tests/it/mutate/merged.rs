//! Tests of merged shards.

use super::schema::is_of_schema;
use super::{KERNEL, LIMIT, SUITE, Test, ensure, holds, mutants, mutate, results, timeless};
use crate::support::{ProgramOutput, hirace, run};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("shards_are_together_what_one_run_is", shards),
    ("reports_and_gates_are_those_of_mutate", reports),
    ("of_two_accounts_of_a_mutant_the_worse_is_kept", accounts),
    ("what_does_not_belong_together_is_refused", refused),
    ("forms_and_gates_of_coverage_are_refused", forms),
    ("what_was_stopped_is_not_whole", stopped),
    ("a_diff_that_changes_no_kernel_passes_in_each_shard", unchanged),
];

fn merge(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&[&["merge"], arguments].concat()).current_dir(folder), LIMIT)
}

/// Returns the merged results of the shards of a run, each of which `judge` runs with additional flags in a separate folder.
pub fn merged_results_of_shards(
    folder: &Path,
    count: usize,
    judge: &dyn Fn(&[&str]) -> ProgramOutput,
) -> Result<Value, Failed> {
    let mut files = Vec::new();
    for number in 1..=count {
        let name = format!("{number}-of-{count}");
        let (shard, kept) = (format!("{number}/{count}"), format!("kept/{name}"));
        let report = format!("json={name}.json");
        let flags = ["--shard", &shard, "--output", &kept, "--report", &report, "-q"];
        let ended = judge(&flags);
        ensure(ended.status == Some(0), &ended)?;
        files.push(format!("{name}.json"));
    }
    // The order of the files does not matter.
    files.reverse();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let ended = merge(folder, &[&files[..], &["--format", "json"]].concat());
    ensure(ended.status == Some(0) && ended.stderr.is_empty(), &ended)?;
    Ok(timeless(serde_json::from_str(&ended.stdout)?))
}

/// Writes a suite that includes a kernel whose race is expected, and one with an output that depends on the schedule and that no
/// test compares.
fn suite(folder: &Path) -> Result<(), Failed> {
    let racy = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = 3u + 4u;
    data[1u + atomicAdd(&next, 1u)] = 5u * 1u;
}
";
    fs::write(folder.join("racy.wgsl"), racy)?;
    let test = "[[file]]\npath = \"racy.wgsl\"\n[[file.test]]\nname = \"seven\"\nlaunch = { workgroups = 2, buffers = { data = \"zeros:17\", next = \"zeros\" } }\nexpect = { data = [7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5] }\n";
    Ok(fs::write(folder.join("hirace.toml"), SUITE.to_owned() + test)?)
}

fn shards(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let (ended, json) = results(folder, &["--output", "kept/all"])?;
    ensure(ended.status == Some(0), &ended)?;
    let whole = timeless(json);
    is_of_schema(&whole)?;
    holds(whole["known_findings"].is_array(), &whole)?;
    for count in [1, 2, 7] {
        let merged = merged_results_of_shards(folder, count, &|flags| mutate(folder, flags))?;
        if merged != whole {
            return Err(format!("{count} shards:\n{merged:#}\none run:\n{whole:#}").into());
        }
    }
    Ok(())
}

fn reports(folder: &Path) -> Result<(), Failed> {
    merged_results_of_shards(folder, 2, &|flags| mutate(folder, flags))?;
    let files = ["1-of-2.json", "2-of-2.json"];
    let all = ["text", "json", "stryker", "html", "sarif", "junit", "github"];
    let written = all.iter().flat_map(|kind| ["--report".to_owned(), format!("{kind}={kind}.out")]);
    let written: Vec<String> = written.collect();
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    let ended = merge(folder, &[&files[..], &written[..]].concat());
    ensure(ended.status == Some(0) && ended.stdout.contains("survived (1)"), &ended)?;
    let one = mutate(folder, &["--report", "html=one.html"]);
    ensure(one.stdout == ended.stdout, &ended)?;
    ensure(fs::read_to_string(folder.join("html.out"))?.starts_with("<!DOCTYPE html>"), &ended)?;
    for kind in all {
        ensure(fs::metadata(folder.join(format!("{kind}.out")))?.len() > 0, &ended)?;
    }
    let met = merge(folder, &[&files[..], &["--fail-under", "90"]].concat());
    ensure(met.status == Some(0), &met)?;
    let missed = merge(folder, &[&files[..], &["--fail-under", "99", "-q"]].concat());
    ensure(missed.status == Some(1) && missed.stdout.is_empty(), &missed)?;
    ensure(missed.stderr.contains("of mutants are detected, but 99 % are required"), &missed)?;
    let before = fs::read_to_string(folder.join("1-of-2.json"))?;
    for file in ["1-of-2.json", "kernel.wgsl"] {
        let onto = merge(folder, &[&files[..], &["--report", &format!("html={file}")]].concat());
        ensure(onto.status == Some(2) && onto.stderr.contains("would overwrite"), &onto)?;
    }
    ensure(fs::read_to_string(folder.join("1-of-2.json"))? == before, &ended)
}

fn accounts(folder: &Path) -> Result<(), Failed> {
    let all = mutate(folder, &["-q", "--report", "json=all.json"]);
    ensure(all.status == Some(0), &all)?;
    // A suite that finds fewer mutants.
    let weak = &SUITE[..SUITE.find("expect").unwrap_or(0)];
    let weak = weak.replace("iota:8", "fill:8:5");
    let weak = weak + "expect = { data = \"fill:8:6\" }\n";
    fs::write(folder.join("hirace.toml"), weak)?;
    let few = mutate(folder, &["-q", "--report", "json=few.json"]);
    ensure(few.status == Some(0), &few)?;
    let statuses = |name: &str| -> Result<Vec<Value>, Failed> {
        let json: Value = serde_json::from_str(&fs::read_to_string(folder.join(name))?)?;
        Ok(mutants(&json).iter().map(|mutant| mutant["status"].clone()).collect())
    };
    let (strong, weak) = (statuses("all.json")?, statuses("few.json")?);
    let differing = strong.iter().zip(&weak).filter(|(one, other)| one != other).count();
    for files in [["all.json", "few.json"], ["few.json", "all.json"]] {
        let ended = merge(folder, &[&files[..], &["--format", "json"]].concat());
        ensure(ended.status == Some(0), &ended)?;
        let said = ended.stderr.matches("kept as survived").count();
        ensure(differing > 0 && said == differing, &ended)?;
        let json: Value = serde_json::from_str(&ended.stdout)?;
        let merged: Vec<Value> = mutants(&json).iter().map(|of| of["status"].clone()).collect();
        holds(merged == weak && json["tests"].as_array().map(Vec::len) == Some(2), &json)?;
    }
    Ok(())
}

fn refused(folder: &Path) -> Result<(), Failed> {
    let one = mutate(folder, &["-q", "--report", "json=one.json"]);
    ensure(one.status == Some(0), &one)?;
    let cover =
        run(hirace(&["cover", "-q", "--report", "json=cover.json"]).current_dir(folder), LIMIT);
    ensure(cover.status == Some(0), &cover)?;
    let (of_mutants, of_coverage) =
        ("one.json is a report of mutants", "cover.json is a coverage report");
    for (files, said) in [
        (["one.json", "cover.json"], format!("{of_mutants}, but {of_coverage}")),
        (["cover.json", "one.json"], format!("{of_coverage}, but {of_mutants}")),
    ] {
        let mixed = merge(folder, &files);
        ensure(mixed.status == Some(2) && mixed.stderr.contains(&said), &mixed)?;
    }
    let text = fs::read_to_string(folder.join("one.json"))?;
    fs::write(folder.join("two.json"), text.replace("hirace.mutate/1", "hirace.mutate/2"))?;
    for files in [&["one.json", "two.json"][..], &["two.json"]] {
        let newer = merge(folder, files);
        let said = "two.json is `hirace.mutate/2`, not `hirace.mutate/1`";
        ensure(newer.status == Some(2) && newer.stderr.contains(said), &newer)?;
    }
    fs::write(folder.join("half.json"), &text[..text.len() / 2])?;
    fs::write(folder.join("other.json"), text.replace("\"repeats\"", "\"repeat\""))?;
    for file in ["half.json", "other.json", "kernel.wgsl"] {
        let wrong = merge(folder, &["one.json", file]);
        ensure(wrong.status == Some(2) && wrong.stderr.contains(file), &wrong)?;
    }
    fs::write(folder.join("kernel.wgsl"), KERNEL.replace("5u", "6u"))?;
    fs::write(folder.join("hirace.toml"), SUITE.replace("5, 6, 6, 6", "5, 6, 7, 7"))?;
    let edited = mutate(folder, &["-q", "--report", "json=edited.json"]);
    ensure(edited.status == Some(0), &edited)?;
    let ended = merge(folder, &["one.json", "edited.json"]);
    let said = "edited.json has a different version of kernel.wgsl";
    ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
    let missing = merge(folder, &["one.json", "missing.json"]);
    ensure(missing.status == Some(2) && missing.stderr.contains("missing.json"), &missing)
}

fn forms(folder: &Path) -> Result<(), Failed> {
    let one = mutate(folder, &["-q", "--report", "json=one.json"]);
    ensure(one.status == Some(0), &one)?;
    let cover =
        run(hirace(&["cover", "-q", "--report", "json=cover.json"]).current_dir(folder), LIMIT);
    ensure(cover.status == Some(0), &cover)?;
    let wrong: [(&[&str], &str); 6] = [
        (&["one.json", "--format", "lcov"], "a report of mutants has no format `lcov`"),
        (&["one.json", "--report", "cobertura=a"], "a report of mutants has no format `cobertura`"),
        (&["one.json", "--fail-under-lines", "1"], "`--fail-under-lines` applies to a coverage"),
        (&["cover.json", "--format", "sarif"], "a coverage report has no format `sarif`"),
        (&["cover.json", "--report", "stryker=a"], "a coverage report has no format `stryker`"),
        (&["cover.json", "--fail-under", "1"], "`--fail-under` applies to mutants"),
    ];
    for (arguments, said) in wrong {
        let ended = merge(folder, arguments);
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
        ensure(ended.stdout.is_empty() && !folder.join("a").exists(), &ended)?;
    }
    Ok(())
}

fn stopped(folder: &Path) -> Result<(), Failed> {
    let (_, mut json) = results(folder, &[])?;
    fs::write(folder.join("whole.json"), json.to_string())?;
    json["stopped"] = true.into();
    if let Some(mutant) = json["mutants"][0].as_object_mut() {
        mutant.remove("status");
    }
    fs::write(folder.join("part.json"), json.to_string())?;
    let part = merge(folder, &["part.json"]);
    ensure(part.status == Some(3) && part.stderr.contains("1 mutants are not judged"), &part)?;
    let both = merge(folder, &["part.json", "whole.json"]);
    ensure(both.status == Some(0) && both.stderr.is_empty(), &both)
}

fn unchanged(folder: &Path) -> Result<(), Failed> {
    let diff = "--- a/kernel.wgsl\n+++ b/kernel.wgsl\n@@ -1 +1 @@\n-old\n+new\n";
    fs::write(folder.join("none.diff"), diff)?;
    let gated = ["--in-diff", "none.diff", "--fail-under", "100"];
    merged_results_of_shards(folder, 2, &|flags| mutate(folder, &[&gated[..], flags].concat()))?;
    let files = ["1-of-2.json", "2-of-2.json", "--fail-under", "100"];
    let ended = merge(folder, &files);
    ensure(ended.status == Some(0), &ended)
}
