//! Tests of hirace.toml tests, which state the expected contents themselves.

use super::{Test, amplify, ensure, findings, holds, results};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("what_a_test_expects_is_judged_first", expected),
    ("what_a_test_leaves_open_is_left_open", open),
    ("what_is_golden_may_not_hang_on_the_order", golden),
    ("a_test_that_fails_by_itself_fails_the_run", failing),
    ("tests_are_run_by_name", named),
];

fn suite(folder: &Path, test: &str) -> Result<(), Failed> {
    let launch =
        "launch = { workgroups = 3, buffers = { items = \"zeros:8\", count = \"zeros\" } }";
    let text = format!(
        "[[file]]\npath = \"list.wgsl\"\n[[file.test]]\nname = \"appends\"\n{launch}\n{test}\n"
    );
    Ok(fs::write(folder.join("hirace.toml"), text)?)
}

fn expected(folder: &Path) -> Result<(), Failed> {
    suite(folder, "expect = { items = [0, 2, 4, 6, 8, 10, 0, 0] }")?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(1), &ended)?;
    let found = findings(&json);
    holds(!found.is_empty() && found.iter().all(|found| found["test"] == "fails"), &json)?;
    let ended = amplify(folder, &[]);
    ensure(ended.stdout.contains("it is 0 as the test expects, but "), &ended)?;
    ensure(ended.stdout.contains("the test fails under this schedule"), &ended)
}

fn open(folder: &Path) -> Result<(), Failed> {
    suite(folder, "expect = { count = 6 }")?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(findings(&json).is_empty() && json["tests"][0]["name"] == "appends", &json)
}

fn golden(folder: &Path) -> Result<(), Failed> {
    suite(folder, "golden = [\"items\"]")?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(1), &ended)?;
    holds(findings(&json)[0]["test"] == "fails", &json)
}

fn failing(folder: &Path) -> Result<(), Failed> {
    suite(folder, "expect = { count = 7 }")?;
    let ended = amplify(folder, &[]);
    let said = "the suite fails under the default schedule: appends";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)
}

fn named(folder: &Path) -> Result<(), Failed> {
    suite(
        folder,
        "golden = [\"items\"]\n[[file.test]]\nname = \"counts\"\nlaunch = { workgroups = 2, buffers = { items = \"zeros:8\", count = \"zeros\" } }\nexpect = { count = 4 }",
    )?;
    let (ended, json) = results(folder, &["--test", "counts"])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(json["tests"].as_array().map(Vec::len) == Some(1), &json)?;
    let ended = amplify(folder, &["--test", "none"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("no test is called `none`"), &ended)
}
