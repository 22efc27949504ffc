//! Tests of what rust-analyzer sees in kernels: the expansion of the attribute, which has no line information of its own. All
//! kernels, including those that use items of another crate, are free of errors there; a kernel with a mistake is not.

use crate::support::{self, root, run, scratch};
use hirace_testing::harness::{Need, Trial};
use hirace_testing::{Facility, Tier};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1200);

const WORKSPACE: &str = r#"[workspace]
members = ["kernels", "kernels/shared", "mistaken"]
resolver = "3"

[workspace.package]
version = "0.0.0"
edition = "2024"
rust-version = "1.95"
license = "MIT"

[workspace.lints]

[workspace.dependencies]
half = "2.7"
hirace = { path = "ROOT" }
hirace-testing = { path = "ROOT/testing" }
proc-macro2 = { version = "1", features = ["span-locations"] }
syn = { version = "2", features = ["full"] }

"#;

const MISTAKEN: &str = r#"[package]
name = "mistaken"
version = "0.0.0"
edition = "2024"

[dependencies]
hirace.workspace = true
"#;

/// A kernel whose index is not an error, though it would be one in plain Rust, and whose stored value is one.
const KERNEL: &str = "//! A mistake.

/// Writes a value that is not a number.
#[hirace::monitor(workgroup_size(8))]
pub fn fill(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {
    out[lane] = true;
}
";

pub fn trials() -> Vec<Trial> {
    let name = "editor::rust_analyzer_sees_kernels_without_errors";
    let need = Need::new(Facility::RustAnalyzer, || {
        // rustup installs a proxy of this name on the path even if the component is not installed.
        let version = Command::new("rust-analyzer").arg("--version").output();
        let runs = version.is_ok_and(|output| output.status.success());
        (!runs).then(|| "rust-analyzer is not installed".to_owned())
    });
    // The test builds hirace for rust-analyzer.
    vec![Trial::test(name, seen).in_tier(Tier::Full).needs(need)]
}

fn seen() -> Result<(), Failed> {
    let folder = scratch("editor");
    let root = root().canonicalize()?;
    fs::remove_dir_all(&folder)?;
    for package in ["kernels", "kernels/shared"] {
        copied(&root.join(package).join("src"), &folder.join(package).join("src"))?;
        fs::copy(root.join(package).join("Cargo.toml"), folder.join(package).join("Cargo.toml"))?;
    }
    fs::create_dir_all(folder.join("mistaken/src"))?;
    fs::write(folder.join("mistaken/Cargo.toml"), MISTAKEN)?;
    fs::write(folder.join("mistaken/src/lib.rs"), KERNEL)?;
    let manifest = WORKSPACE.replace("ROOT", &root.display().to_string());
    fs::write(folder.join("Cargo.toml"), manifest + &support::profiles()?)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;

    let mut command = Command::new("rust-analyzer");
    command.args(["diagnostics", "--severity", "error", "."]).current_dir(&folder);
    let ended = run(command.env("CARGO_TARGET_DIR", support::target_folder()), LIMIT);
    // rust-analyzer draws its progress with backspaces.
    let lines: Vec<&str> = ended.stdout.split(['\n', '\r', '\u{8}']).collect();
    let processed = |file: &str| lines.iter().any(|line| line.contains(file));
    for file in ["constructs/sizes.rs", "shared/src/shapes.rs", "mistaken/src/lib.rs"] {
        if !processed(file) {
            return Err(format!("{file} was not read: {ended:#?}").into());
        }
    }
    let errors: Vec<&str> =
        lines.iter().filter_map(|line| Some(line.split_once("at crate ")?.1)).collect();
    let (planted, others): (Vec<&str>, Vec<&str>) =
        errors.into_iter().partition(|error| error.starts_with("mistaken,"));
    let at_the_token = planted.iter().all(|error| error.contains("{ line: 5, col: 16 }"));
    let ours = planted.iter().any(|error| error.contains("macro-error"));
    match others.is_empty() && at_the_token && ours {
        true => Ok(()),
        false => Err(format!("planted: {planted:#?}\nothers: {others:#?}").into()),
    }
}

/// Copies a folder recursively.
fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => copied(&from, &to)?,
            false => drop(fs::copy(from, to)?),
        }
    }
    Ok(())
}
