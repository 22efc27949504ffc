//! What the templates make is Rust: rustc checks every kernel in a crate that has them all, as a user's would.

use crate::support::{root, run, scratch};
use hirace_bench::pattern::{Data, Variant};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// On a busy machine, with all that `hirace` depends on: half a minute on one that is not.
const LIMIT: Duration = Duration::from_secs(1200);

const MANIFEST: &str = r#"[package]
name = "patterns"
edition = "2024"

[dependencies]
hirace = { path = 'HIRACE' }

[workspace]
"#;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![Trial::ci("patterns::rustc_takes_every_kernel", takes)]
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
    let hirace = root().canonicalize()?;
    write(&folder.join("Cargo.toml"), &MANIFEST.replace("HIRACE", &hirace.display().to_string()))?;
    std::fs::copy(hirace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--quiet", "--color=never"]).current_dir(&folder);
    let ended = run(cargo.env("CARGO_TARGET_DIR", folder.join("target")), LIMIT);
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
