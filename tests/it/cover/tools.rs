//! Tests that the tools for the LCOV and Cobertura formats accept the reports.

use super::arms::IN_WGSL;
use crate::support::{ProgramOutput, hirace, root, run, scratch};
use hirace_testing::Facility;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

type Test = fn() -> Result<(), Failed>;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, &'static str, Test); 2] = [
        ("genhtml_takes_a_tracefile_without_a_warning", "genhtml", genhtml),
        ("xmllint_finds_xml_of_cobertura_valid", "xmllint", xmllint),
    ];
    let trial = |(name, tool, test): (&str, &'static str, Test)| {
        let need = Need::program(tool, Facility::CoverageTools);
        Trial::test(format!("cover::tools::{name}"), test).needs(need)
    };
    tests.into_iter().map(trial).collect()
}

/// Creates a folder with a kernel that has every kind of arm, and its coverage as `kind`.
fn covered(kind: &str) -> Result<PathBuf, Failed> {
    let folder = scratch("cover-tools").join(kind);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("shaders <&> 'more'"))?;
    fs::write(folder.join("shaders <&> 'more'/arms.wgsl"), IN_WGSL)?;
    let report = format!("{kind}=report");
    let arguments =
        ["cover", ".", "--workgroups", "1", "--buffer", "out=zeros:8", "-q", "--report", &report];
    let ended = run(hirace(&arguments).current_dir(&folder), Duration::from_secs(60));
    match ended.status {
        Some(0) => Ok(folder),
        _ => Err(format!("{ended:#?}").into()),
    }
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn genhtml() -> Result<(), Failed> {
    let folder = covered("lcov")?.canonicalize()?;
    let mut command = Command::new("genhtml");
    command.args(["--branch-coverage", "-o", "html", "report"]).current_dir(&folder);
    let ended = run(&mut command, Duration::from_secs(60));
    let said = [&*ended.stdout, &*ended.stderr].concat();
    ensure(ended.status == Some(0), &ended)?;
    ensure(!said.contains("WARNING") && !said.contains("ERROR"), &ended)?;
    // All lines run, as the counts show.
    ensure(said.contains("100.0%") && said.contains("branches"), &ended)
}

fn xmllint() -> Result<(), Failed> {
    let folder = covered("cobertura")?;
    let rules = root().join("hirace-adequacy/src/report/tests/coverage-04.dtd");
    let xml = fs::read_to_string(folder.join("report"))?;
    // The local DTD is used: nothing is fetched.
    let url = "http://cobertura.sourceforge.net/xml/coverage-04.dtd";
    if !xml.contains(url) || !xml.contains("shaders &lt;&amp;&gt;") {
        return Err(xml.into());
    }
    fs::write(folder.join("coverage.xml"), xml.replace(url, &rules.to_string_lossy()))?;
    let mut command = Command::new("xmllint");
    command.args(["--nonet", "--noout", "--valid", "coverage.xml"]).current_dir(&folder);
    let ended = run(&mut command, Duration::from_secs(60));
    ensure(ended.status == Some(0) && ended.stderr.is_empty(), &ended)
}
