//! Tests of the HTML report, `--report html=FILE`.

use crate::support::{ProgramOutput, hirace, root, run, scratch};
use hirace_testing::Facility;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("pages::each_finding_stands_there_and_each_race_has_its_picture", complete),
        Trial::test("pages::a_page_can_be_printed", printed),
        Trial::test("pages::xmllint_finds_nothing_wrong_with_them", xmllint)
            .needs(Need::program("xmllint", Facility::CoverageTools)),
    ]
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

/// Checks all kernels that break a rule, and writes the page and the JSON into a separate folder.
fn pages(name: &str) -> Result<PathBuf, Failed> {
    let folder = scratch("pages").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let to = |kind: &str| format!("{kind}={}", folder.join(format!("report.{kind}")).display());
    let rules = root().join("kernels/rules");
    let mut kernels: Vec<PathBuf> = fs::read_dir(&rules)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(".racy.wgsl"))
        .collect();
    kernels.sort();
    let (html, json) = (to("html"), to("json"));
    let mut command = hirace(&["check", "-q", "--report", &html, "--report", &json]);
    let ended = run(command.args(kernels), LIMIT);
    ensure(ended.status == Some(1), &ended)?;
    Ok(folder)
}

fn complete() -> Result<(), Failed> {
    let folder = pages("complete")?;
    let page = fs::read_to_string(folder.join("report.html"))?;
    let report: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
    let launches = report["launches"].as_array().ok_or("no launches")?;
    let findings: Vec<&Value> =
        launches.iter().filter_map(|launch| launch["findings"].as_array()).flatten().collect();
    let with_two = findings.iter().filter(|finding| !finding["hazard"].is_null()).count();
    let count = |text: &str| page.matches(text).count();
    let have = [count("<article>"), count("<svg "), count("<figure "), count("<section>")];
    let wanted = [findings.len(), with_two, with_two, launches.len()];
    if have != wanted || with_two < 10 || !page.starts_with("<!DOCTYPE html>\n") {
        return Err(format!("{have:?} and not {wanted:?}").into());
    }
    // Where the JSON has these accesses in words, at least one of them races.
    for finding in findings {
        let Some(touches) = finding["words"]["touches"].as_array() else { continue };
        let racing = touches.iter().filter(|touch| touch["races"] == true);
        if racing.count() == 0 {
            return Err(format!("{finding:#}").into());
        }
    }
    let cells = page.matches("<g class=\"cell racing\"><title>").count();
    if cells < with_two { Err(format!("only {cells} cells").into()) } else { Ok(()) }
}

fn printed() -> Result<(), Failed> {
    let kernel = Path::new("kernels/examples/block_sum.wgsl");
    let ended = run(hirace(&["check", "--format", "html"]).arg(kernel), LIMIT);
    let is_page =
        ended.stdout.starts_with("<!DOCTYPE html>") && ended.stdout.ends_with("</html>\n");
    ensure(ended.status == Some(1) && is_page, &ended)
}

/// xmllint knows HTML up to version 4, so it may complain only about elements that were added later.
fn xmllint() -> Result<(), Failed> {
    let folder = pages("xmllint")?;
    let mut command = Command::new("xmllint");
    command.args(["--nonet", "--html", "--noout", "report.html"]).current_dir(&folder);
    let ended = run(&mut command, LIMIT);
    let errors = ended.stderr.lines().filter(|line| line.starts_with("report.html:"));
    let is_new =
        |line: &&str| line.contains(": HTML parser error : Tag ") && line.ends_with(" invalid");
    let wrong: Vec<&str> = errors.filter(|line| !is_new(line)).collect();
    match wrong.is_empty() && ended.status.is_some() {
        true => Ok(()),
        false => Err(format!("{wrong:#?}").into()),
    }
}
