//! Tests of `hirace mutate`, from the point of view of its users.
//!
//! - `selected`: which mutants exist, and how they are selected;
//! - `judged`: the outcomes of mutants under the tests of hirace.toml and under launches;
//! - `directives`: comments that are directives for mutants;
//! - `outputs`: exit statuses, gates and reports;
//! - `refused`: what cannot be judged;
//! - `kept`: the folder of a run, which is locked, and may be on a full disk;
//! - `stopped`: runs that are stopped at any moment and resumed (where there are signals);
//! - `merged`: shards that are merged;
//! - `cargo`: the tests of a crate;
//! - `schema`: the schema of the JSON.

mod cargo;
mod directives;
mod judged;
mod kept;
mod merged;
mod outputs;
mod refused;
mod schema;
mod selected;
#[cfg(unix)]
mod stopped;

use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = of("selected", selected::TESTS);
    trials.extend(of("judged", judged::TESTS));
    trials.extend(of("outputs", outputs::TESTS));
    trials.extend(of("refused", refused::TESTS));
    trials.extend(of_long("directives", directives::TESTS));
    trials.extend(of_long("kept", kept::TESTS));
    trials.extend(of_long("merged", merged::TESTS));
    #[cfg(unix)]
    trials.extend(of_long("stopped", stopped::TESTS));
    trials.extend(cargo::trials());
    trials
}

type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the trials of tests that run in a folder with [`KERNEL`] and [`SUITE`].
fn of(module: &'static str, tests: &'static [(&'static str, Test)]) -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("mutate::{module}::{name}"), in_folder(module, name, test))
    };
    tests.iter().map(trial).collect()
}

/// Returns the trials of the ci tier: whole campaigns, whose parts have their own tests.
fn of_long(module: &'static str, tests: &'static [(&'static str, Test)]) -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::ci(format!("mutate::{module}::{name}"), in_folder(module, name, test))
    };
    tests.iter().map(trial).collect()
}

fn in_folder(
    module: &'static str,
    name: &'static str,
    test: Test,
) -> impl FnOnce() -> Result<(), Failed> + Send {
    move || {
        let folder = create_empty_folder(scratch("mutate").join(module).join(name))?;
        fs::write(folder.join("kernel.wgsl"), KERNEL)?;
        fs::write(folder.join("hirace.toml"), SUITE)?;
        test(&folder)
    }
}

/// A kernel whose `>` may be a `>=`.
const KERNEL: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn least(a: u32) -> u32 {
    if (a > 5u) {
        return 5u;
    }
    return a;
}
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = least(data[id.x]) + 1u;
}
";

/// The tests of the kernel.
const SUITE: &str = "\
[[file]]
path = \"kernel.wgsl\"
[[file.test]]
name = \"small numbers grow\"
launch = { workgroups = 1, buffers = { data = \"iota:8\" } }
expect = { data = [1, 2, 3, 4, 5, 6, 6, 6] }
[[file.test]]
name = \"none are left as they are\"
launch = { workgroups = 2, buffers = { data = \"zeros:16\" } }
golden = [\"data\"]
";

/// A time limit well above what anything in this module takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

/// Runs `hirace mutate` with these arguments in a folder.
fn mutate(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&[&["mutate"], arguments].concat()).current_dir(folder), LIMIT)
}

/// Runs `hirace mutate` with JSON output, and returns the results.
fn results(folder: &Path, arguments: &[&str]) -> Result<(ProgramOutput, Value), Failed> {
    let ended = mutate(folder, &[arguments, &["--format", "json"]].concat());
    let json =
        serde_json::from_str(&ended.stdout).map_err(|error| format!("{error}: {ended:#?}"))?;
    Ok((ended, json))
}

/// Returns the mutants of the results.
fn mutants(results: &Value) -> &[Value] {
    results["mutants"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the statuses of the mutants of an operator.
fn statuses<'r>(results: &'r Value, operator: &str) -> Vec<&'r str> {
    let own = mutants(results).iter().filter(|mutant| mutant["operator"] == operator);
    own.map(|mutant| mutant["status"].as_str().unwrap_or("none")).collect()
}

/// Returns the results without durations, which differ in every run.
fn timeless(mut results: Value) -> Value {
    if let Some(results) = results.as_object_mut() {
        results.remove("timing");
    }
    results
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

/// Fails with the results unless `condition` holds.
fn holds(condition: bool, results: &Value) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{results:#}").into()) }
}
