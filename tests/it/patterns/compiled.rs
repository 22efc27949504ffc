//! What the templates make is Rust: rustc checks every kernel in a crate that has them all, as a user's would.

use crate::support::{package, run, scratch, target};
use hirace_bench::pattern::{Data, Variant};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// On a busy machine, with all that `hirace` depends on: half a minute on one that is not.
const LIMIT: Duration = Duration::from_secs(1200);

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    // It builds hirace for a crate of its own.
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
    package(&folder, "patterns")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--quiet", "--color=never"]).current_dir(&folder);
    let ended = run(cargo.env("CARGO_TARGET_DIR", target()), LIMIT);
    match ended.status {
        Some(0) => Ok(()),
        _ => Err(format!("rustc does not take them:\n{}", ended.stderr).into()),
    }
}

/// Writes what is new: cargo checks anew what was written.
fn write(path: &Path, text: &str) -> Result<(), Failed> {
    if std::fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    Ok(std::fs::write(path, text)?)
}
