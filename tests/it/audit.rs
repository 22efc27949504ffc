//! Tests of `hirace audit`: its proposals were run, and have the effect that it states.

mod cargo;
mod proposals;
mod verb;

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = of("verb", verb::TESTS);
    trials.extend(cargo::trials());
    trials.extend(proposals::trials());
    trials
}

const LIMIT: Duration = Duration::from_secs(300);

type Test = fn(&Path) -> Result<(), Failed>;

fn of(module: &'static str, tests: &'static [(&'static str, Test)]) -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("audit::{module}::{name}"), move || test(&folder(module, name)?))
    };
    tests.iter().map(trial).collect()
}

/// Creates an empty folder.
fn folder(module: &str, name: &str) -> Result<std::path::PathBuf, Failed> {
    Ok(create_empty_folder(scratch("audit").join(module).join(name))?)
}

/// Runs a verb in a folder.
fn verb(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(arguments).current_dir(folder), LIMIT)
}

/// Returns the JSON that a verb prints.
fn json(folder: &Path, arguments: &[&str]) -> Result<Value, Failed> {
    let ended = verb(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {}\n{}", ended.stdout, ended.stderr).into())
}

/// Returns the advice of this kind in an audit.
fn advice<'a>(audit: &'a Value, kind: &str) -> Vec<&'a Value> {
    let all = audit["advice"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter(|advice| advice["action"]["kind"] == kind).collect()
}

fn ensure(holds: bool, what: impl std::fmt::Display) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what.to_string().into()) }
}
