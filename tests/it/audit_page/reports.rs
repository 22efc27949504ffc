//! Tests of the reports: each is written and has the same content, and no input file is overwritten.

use super::{KERNEL, LIMIT, SUITE, Test, audit, ensure};
use crate::schema::is_of_schema;
use crate::support::run;
use hirace_testing::Facility;
use hirace_testing::harness::Need;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

pub fn tests() -> Vec<(&'static str, Test, Option<Need>)> {
    let xmllint = Some(Need::program("xmllint", Facility::CoverageTools));
    vec![
        ("reports::each_is_written_and_says_the_same", written as Test, None),
        ("reports::inputs_are_not_overwritten", overwritten, None),
        ("reports::a_file_without_tests_has_a_page_too", untested, None),
        ("reports::xmllint_finds_nothing_wrong_with_them", linted, xmllint),
    ]
}

const ALL: [&str; 8] = [
    "--report",
    "html=audit.html",
    "--report",
    "badge=audit.svg",
    "--report",
    "json=audit.json",
    "--report",
    "text=audit.txt",
];

fn written(folder: &Path) -> Result<(), Failed> {
    let ended = audit(folder, &ALL);
    // The kernels contain a race.
    ensure(ended.status == Some(1), &ended)?;
    let read = |file: &str| fs::read_to_string(folder.join(file));
    ensure(read("audit.txt")? == ended.stdout, &ended)?;
    let json: Value = serde_json::from_str(&read("audit.json")?)?;
    is_of_schema("hirace.audit-1", &json)?;
    let advice = json["advice"].as_array().map(Vec::as_slice).unwrap_or_default();
    let kinds: Vec<&str> = advice.iter().filter_map(|one| one["action"]["kind"].as_str()).collect();
    ensure(kinds.contains(&"fix") && kinds.contains(&"add-test"), &ended)?;
    let page = read("audit.html")?;
    let has = |text: &str| page.contains(text);
    ensure(page.matches("<li id=\"a").count() == advice.len() && has("<title>"), &ended)?;
    // Each race has a picture.
    ensure(has("<figure class=\"race\">") && has(".race svg"), &ended)?;
    for (number, line) in (1..).zip(KERNEL.lines()) {
        let line = line.split('<').next().unwrap_or_default().replace('>', "&gt;");
        let (_, row) = page.split_once(&format!("<tr id=\"f1-{number}\"")).ok_or("no row")?;
        let row = row.split("</tr>").next().unwrap_or_default();
        ensure(row.contains(&line), &ended)?;
    }
    let statuses = json["mutants"]["summary"]["by_status"].as_array().ok_or("no statuses")?;
    let count = |wanted: fn(&str) -> bool| -> u64 {
        let of = statuses.iter().filter(|of| wanted(of[0].as_str().unwrap_or_default()));
        of.filter_map(|of| of[1].as_u64()).sum()
    };
    let all = count(|of| !matches!(of, "equivalent" | "skipped"));
    let percent = 100 * count(|of| matches!(of, "killed" | "timeout" | "out-of-memory")) / all;
    ensure(has(&format!("<b>{percent} %</b> mutants detected")), &ended)?;
    let badge = format!("aria-label=\"kernels tested: {percent} %\"");
    ensure(read("audit.svg")?.contains(&badge), &ended)?;
    let printed = audit(folder, &["--format", "html", "--test-language", "rust"]);
    ensure(printed.stdout.contains("<details open><summary>The test in Rust"), &printed)
}

fn overwritten(folder: &Path) -> Result<(), Failed> {
    for (file, text) in [("kernel.wgsl", KERNEL), ("hirace.toml", SUITE)] {
        let ended = audit(folder, &["--report", &format!("html={file}")]);
        ensure(ended.status == Some(2) && ended.stderr.contains("would overwrite"), &ended)?;
        ensure(fs::read_to_string(folder.join(file))? == text, &ended)?;
    }
    let twice = audit(folder, &["--report", "badge=a", "--report", "html=a"]);
    ensure(twice.status == Some(2) && twice.stderr.contains("write the same file"), &twice)
}

/// The page proposes the first test of kernels that have none.
fn untested(folder: &Path) -> Result<(), Failed> {
    fs::remove_file(folder.join("hirace.toml"))?;
    let ended = audit(folder, &["kernel.wgsl", "--report", "html=a", "--report", "badge=b"]);
    let [page, badge] = ["a", "b"].map(|file| fs::read_to_string(folder.join(file)));
    let page = page?;
    let has = |text: &str| page.contains(text);
    ensure(has("<b>2</b> kernels") && has("Add a test of <code>clip</code>"), &ended)?;
    ensure(has("<tr id=\"f1-1\"") && badge?.contains("kernels tested: "), &ended)
}

/// xmllint knows HTML up to version 4, so it may complain only about elements that were added later.
fn linted(folder: &Path) -> Result<(), Failed> {
    let ended = audit(folder, &ALL);
    ensure(ended.status == Some(1), &ended)?;
    let lint = |arguments: &[&str]| {
        run(Command::new("xmllint").arg("--nonet").args(arguments).current_dir(folder), LIMIT)
    };
    let page = lint(&["--html", "--noout", "audit.html"]);
    let errors = page.stderr.lines().filter(|line| line.starts_with("audit.html:"));
    let is_new =
        |line: &&str| line.contains(": HTML parser error : Tag ") && line.ends_with(" invalid");
    ensure(errors.filter(|line| !is_new(line)).count() == 0 && page.status.is_some(), &page)?;
    let badge = lint(&["--noout", "audit.svg"]);
    ensure(badge.status == Some(0) && badge.stderr.is_empty(), &badge)
}
