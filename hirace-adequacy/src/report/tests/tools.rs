//! The tools that LCOV's and Cobertura's forms are for take them.
//!
//! Where they are not installed these pass; with `HIRACE_REQUIRE_COVERAGE_TOOLS=1` they fail.

use super::edge::odd;
use super::several;
use crate::report::{cobertura, lcov};
use hirace_core::cover::Coverage;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether `tool` can be run.
fn is_there(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    let required = std::env::var_os("HIRACE_REQUIRE_COVERAGE_TOOLS").is_some();
    assert!(found || !required, "{tool} is not installed");
    found
}

/// What a tool says, all that it says.
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

#[test]
fn xmllint_finds_xml_of_cobertura_valid() {
    if !is_there("xmllint") {
        return;
    }
    let dtd = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/tests/coverage-04.dtd");
    for coverage in [several(), odd(), Coverage::default()] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("coverage.xml");
        // The rules are those beside this: nothing is fetched.
        let url = "http://cobertura.sourceforge.net/xml/coverage-04.dtd";
        let xml = cobertura::report(&coverage, 0).replace(url, &dtd.to_string_lossy());
        fs::write(&file, xml).unwrap();
        let mut command = Command::new("xmllint");
        command.args(["--nonet", "--noout", "--valid"]).arg(&file);
        assert_eq!(said(&mut command), "");
    }
}

#[test]
fn genhtml_takes_a_tracefile_without_a_warning() {
    if !is_there("genhtml") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("shaders")).unwrap();
    fs::write(folder.path().join("shaders/tiles.wgsl"), super::TILES).unwrap();
    fs::write(folder.path().join("fill.wgsl"), super::FILL).unwrap();
    fs::write(folder.path().join("coverage.info"), lcov::report(&several())).unwrap();
    let path = folder.path().canonicalize().unwrap();
    let mut command = Command::new("genhtml");
    command.args(["--branch-coverage", "-o", "html", "--prefix"]).arg(&path);
    command.arg("coverage.info").current_dir(&path);
    let said = said(&mut command);
    assert!(!said.contains("WARNING") && !said.contains("ERROR"), "{said}");
    assert!(said.contains("(19 of 25 lines)"), "{said}");
    assert!(said.contains("(13 of 19 branches)"), "{said}");
    let page = fs::read_to_string(folder.path().join("html/shaders/tiles.wgsl.gcov.html")).unwrap();
    assert!(page.contains("workgroupBarrier"), "{page}");
}
