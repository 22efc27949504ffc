//! tint, the WGSL compiler of Chrome, takes what the monitor pass makes of what it takes.

use crate::support::scratch;
use hirace::raw::front::wgsl;
use hirace::raw::pass::monitor::{Options, monitor};
use hirace::raw::program::Program;
use hirace::raw::shadow::plan::Table;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::process::Command;

/// Every kind of access and barrier. Lines that tint does not know are marked.
const EVERYTHING: &str =
    include_str!("../../hirace-program/src/pass/monitor/tests/everything.wgsl");

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let installed = is_installed();
    let name = if installed {
        "tint takes every instrumented access"
    } else {
        "tint takes every instrumented access (tint is not installed)"
    };
    vec![Trial::test(name, takes_every_access).with_ignored_flag(!installed)]
}

/// Whether there is a tint to ask.
pub fn is_installed() -> bool {
    Command::new("tint").arg("--version").output().is_ok()
}

fn takes_every_access() -> Result<(), Failed> {
    let lines = EVERYTHING.lines().filter(|line| !line.ends_with("// naga only"));
    let text = lines.collect::<Vec<_>>().join("\n");
    takes(&text)?;
    let explain =
        |error: Box<hirace::raw::diagnostic::Diagnostic>| format!("{error} {:?}", error.notes);
    let parsed = wgsl::parse("everything.wgsl", &text).map_err(explain)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(explain)?;
    for table in [Table::Buffer, Table::Private, Table::Constant] {
        for workgroup_memory in [32768, 0] {
            let options =
                Options { table, workgroup_memory, watch_all: true, ..Options::default() };
            let monitored = monitor(&program, &options).map_err(explain)?;
            takes(&monitored.wgsl().map_err(explain)?)?;
        }
    }
    Ok(())
}

/// What tint says against a text.
pub fn takes(text: &str) -> Result<(), Failed> {
    let file = scratch("tint").join("everything.wgsl");
    std::fs::write(&file, text)?;
    let output = Command::new("tint").args(["--format", "wgsl"]).arg(&file).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{text}", String::from_utf8_lossy(&output.stderr)).into())
}
