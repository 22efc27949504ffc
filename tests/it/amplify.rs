//! Tests of `hirace amplify`, from the point of view of its users.
//!
//! - `found`: what is and is not found in launches of files;
//! - `suite`: tests of hirace.toml, which state the expected contents;
//! - `refused`: what cannot be run;
//! - `study`: the kernels of the page that compares with a study;
//! - `merged`: shards that are merged, and shards that are killed;
//! - `cargo`: the tests of a crate.

mod cargo;
mod found;
#[cfg(unix)]
mod killed;
mod merged;
mod refused;
mod study;
mod suite;

use crate::schema;
use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = of("found", found::TESTS);
    trials.extend(of("suite", suite::TESTS));
    trials.extend(of("refused", refused::TESTS));
    trials.extend(of("merged", merged::TESTS));
    #[cfg(unix)]
    trials.extend(of("killed", killed::TESTS));
    trials.extend(study::trials());
    trials.extend(cargo::trials());
    trials
}

type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the trials of tests that run in a folder with [`LIST`], [`SUM`] and [`CHAIN`].
fn of(module: &'static str, tests: &'static [(&'static str, Test)]) -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("amplify::{module}::{name}"), move || {
            let folder = create_empty_folder(scratch("amplify").join(module).join(name))?;
            for (name, text) in [("list.wgsl", LIST), ("sum.wgsl", SUM), ("chain.wgsl", CHAIN)] {
                fs::write(folder.join(name), text)?;
            }
            test(&folder)
        })
    };
    tests.iter().map(trial).collect()
}

/// A kernel that appends to a list, in the order in which invocations run.
pub const LIST: &str = "\
@group(0) @binding(0) var<storage, read_write> items: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(4)
fn append(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x % 2u == 0u) {
        items[atomicAdd(&count, 1u)] = id.x;
    }
}
";

/// A kernel that sums by a tree: the result does not depend on the order.
pub const SUM: &str = "\
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4)
fn sum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = group.x + lane;
    workgroupBarrier();
    if (lane < 2u) { tile[lane] += tile[lane + 2u]; }
    workgroupBarrier();
    if (lane == 0u) { sums[group.x] = tile[0] + tile[1]; }
}
";

/// A kernel in which each workgroup waits for the one before it.
const CHAIN: &str = "\
@group(0) @binding(0) var<storage, read_write> ready: array<atomic<u32>>;
@compute @workgroup_size(1)
fn chain(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x > 0u) {
        while (atomicLoad(&ready[group.x - 1u]) == 0u) {}
    }
    atomicStore(&ready[group.x], 1u);
}
";

/// A time limit well above what anything in this module takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

const LISTED: [&str; 7] =
    ["list.wgsl", "--workgroups", "3", "--buffer", "items=zeros:8", "--buffer", "count=0"];

/// Runs `hirace amplify` with these arguments in a folder.
fn amplify(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&[&["amplify"], arguments].concat()).current_dir(folder), LIMIT)
}

/// Runs `hirace amplify` with JSON output, and checks the results against the schema.
fn results(folder: &Path, arguments: &[&str]) -> Result<(ProgramOutput, Value), Failed> {
    let ended = amplify(folder, &[arguments, &["--format", "json"]].concat());
    let json =
        serde_json::from_str(&ended.stdout).map_err(|error| format!("{error}: {ended:#?}"))?;
    schema::is_of_schema("hirace.amplify-1", &json)?;
    Ok((ended, json))
}

/// Returns all findings.
pub fn findings(results: &Value) -> Vec<&Value> {
    let tests = results["tests"].as_array().into_iter().flatten();
    let launches = tests.flat_map(|test| test["launches"].as_array().into_iter().flatten());
    let dispatches = launches.flat_map(|of| of["dispatches"].as_array().into_iter().flatten());
    dispatches.flat_map(|of| of["findings"].as_array().into_iter().flatten()).collect()
}

fn ensure(condition: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

/// Fails with the results unless `condition` holds.
pub fn holds(condition: bool, results: &Value) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{results:#}").into()) }
}
