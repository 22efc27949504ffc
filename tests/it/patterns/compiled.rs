//! Tests that the templates make Rust: rustc checks every kernel in a crate that contains them all, as it checks a user's crate.

use crate::support::{run, scratch, target_folder, write_package};
use hirace_bench::pattern::{Data, Variant};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The time limit on a busy machine, including all dependencies of `hirace`: half a minute on an idle one.
const LIMIT: Duration = Duration::from_secs(1200);

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    // The test builds hirace for a separate crate.
    vec![Trial::test("patterns::rustc_takes_every_kernel", takes).in_tier(Tier::Full)]
}

fn takes() -> Result<(), Failed> {
    let folder = scratch("patterns");
    let source = folder.join("src");
    std::fs::create_dir_all(&source)?;
    let mut modules = "#![deny(warnings)]\n".to_owned();
    for (number, variant) in Data::ALL.into_iter().flat_map(Variant::all).enumerate() {
        let file = format!("{variant}.rs");
        write(&source.join(&file), &variant.render().text)?;
        writeln!(modules, "#[path = \"{file}\"]\nmod kernel_{number};")?;
    }
    write(&source.join("lib.rs"), &modules)?;
    write_package(&folder, "patterns")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--quiet", "--color=never"]).current_dir(&folder);
    let ended = run(cargo.env("CARGO_TARGET_DIR", target_folder()), LIMIT);
    match ended.status {
        Some(0) => Ok(()),
        _ => Err(format!("rustc rejects the kernels:\n{}", ended.stderr).into()),
    }
}

/// Writes a file if its text changed, because cargo rebuilds what was written.
fn write(path: &Path, text: &str) -> Result<(), Failed> {
    if std::fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    Ok(std::fs::write(path, text)?)
}
