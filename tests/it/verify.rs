//! Tests of exploration by `hirace verify`, from the point of view of its users.

mod assertions;
#[cfg(feature = "spirv")]
mod generated;
mod kernels;
#[cfg(feature = "spirv")]
mod memory_orders;
mod models;
pub mod programs;
mod replayed;

use crate::schema::is_of_schema;
use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A test with its own folder.
type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("verify::{name}"), move || {
            let folder = create_empty_folder(scratch("verify").join(name))?;
            test(&folder)
        })
    };
    let written =
        [assertions::TESTS, kernels::TESTS, models::TESTS, programs::TESTS, replayed::TESTS];
    let written = written.into_iter().flatten();
    let all = [
        written.map(trial).collect::<Vec<_>>(),
        #[cfg(feature = "spirv")]
        memory_orders::trials(),
        #[cfg(feature = "spirv")]
        generated::trials(),
    ];
    all.into_iter().flatten().collect()
}

/// Runs the verb on a text with these flags, and returns the JSON and the exit status.
fn verify(folder: &Path, file: &str, text: &str, flags: &[&str]) -> Result<(Value, i32), Failed> {
    let path = folder.join(file);
    fs::write(&path, text)?;
    verify_file(&path, flags)
}

/// Runs the verb on a file, and returns the JSON and the exit status.
fn verify_file(path: &Path, flags: &[&str]) -> Result<(Value, i32), Failed> {
    let ended = run_verify(path, flags);
    let json: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {}{}", ended.stdout, ended.stderr))?;
    is_of_schema("hirace.verify-1", &json)?;
    Ok((json, ended.status.ok_or("the run was killed")?))
}

fn run_verify(path: &Path, flags: &[&str]) -> ProgramOutput {
    let path = path.display().to_string();
    let arguments = [&["verify", &path, "--format", "json"], flags].concat();
    run(&mut hirace(&arguments), Duration::from_secs(120))
}

/// Returns the kinds of the findings without duplicates.
fn kinds(json: &Value) -> Vec<&str> {
    let programs = json["programs"].as_array().into_iter().flatten();
    let findings =
        programs.flat_map(|program| program["findings"].as_array().into_iter().flatten());
    let mut kinds: Vec<&str> = findings.filter_map(|finding| finding["kind"].as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
