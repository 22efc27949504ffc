//! Tests of an audit of a crate's tests: the proposals are Rust that compiles, passes and raises the score.

use super::{LIMIT, advice, ensure, folder};
use crate::support::{self, run, write_package};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    // The test builds hirace for a separate crate.
    let name = "audit::cargo::a_crate_follows_its_advice";
    vec![Trial::test(name, followed).in_tier(Tier::Full)]
}

const KERNELS: &str = "\
use hirace::prelude::*;

#[hirace::monitor(workgroup_size(32))]
pub fn clip(
    #[builtin(global_invocation_id)] id: UVec3,
    #[uniform] limit: i32,
    input: &[i32],
    output: &mut [i32],
) {
    if id.x >= output.len() {
        return;
    }
    let value = input[id.x];
    if value > limit {
        output[id.x] = limit;
    } else {
        output[id.x] = value;
    }
}
";

const TESTS: &str = r#"
use clipping::clip;
use hirace::{Launch, Result, check};

#[test]
fn small_values_stay() -> Result<()> {
    let launch = Launch::new()
        .workgroups(1)
        .buffer("limit", &10i32)
        .buffer("input", &[1i32; 32])
        .zeros("output", 32);
    let checked = check(&clip::kernel(), launch)?;
    checked.assert_clean();
    assert_eq!(checked.buffer::<Vec<i32>>("output")?, [1; 32]);
    Ok(())
}
"#;

/// Runs `cargo hirace audit` without arguments.
fn audit(folder: &Path) -> Result<Value, Failed> {
    let program = Path::new(env!("CARGO_BIN_EXE_hirace")).with_file_name("cargo-hirace");
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", support::target_folder())
        .env("CARGO_NET_OFFLINE", "true");
    let ended = run(command.args(["hirace", "audit", "--format", "json"]), LIMIT * 6);
    serde_json::from_str(&ended.stdout).map_err(|error| format!("{error}: {ended:?}").into())
}

fn followed() -> Result<(), Failed> {
    let folder = folder("cargo", "clipping")?;
    for inner in ["src", "tests"] {
        fs::create_dir_all(folder.join(inner))?;
    }
    write_package(&folder, "clipping")?;
    fs::write(folder.join("src/lib.rs"), KERNELS)?;
    fs::write(folder.join("tests/clip.rs"), TESTS)?;
    let score = |audit: &Value| audit["mutants"]["summary"]["score"].as_f64().unwrap_or(-1.0);
    let tests = |audit: &Value| audit["kernels"][0]["tests"].as_array().map_or(0, Vec::len);
    let before = audit(&folder)?;
    ensure(tests(&before) == 1, &before["kernels"])?;
    let proposed = advice(&before, "add-test");
    let texts = proposed.iter().filter_map(|one| one["action"]["test"]["rust"].as_str());
    let texts: Vec<&str> = texts.collect();
    ensure(!texts.is_empty(), &before["advice"])?;
    fs::write(folder.join("src/lib.rs"), format!("{KERNELS}\n{}", texts.join("\n")))?;
    let after = audit(&folder)?;
    ensure(tests(&after) == 1 + texts.len(), &after["kernels"])?;
    ensure(score(&after) > score(&before) + 20.0, format!("{} {}", score(&before), score(&after)))
}
