//! `hirace run` and `hirace test`: `cargo run` and `cargo test` of an application with a patched wgpu whose instances
//! are monitored. No file of the application changes.
//!
//! `patched` creates the patched wgpu, in the version that the application uses; `lock` restores Cargo.lock; `found`
//! reads what the processes found.

mod findings;
mod lock;
mod patched_wgpu;

use crate::output_folder;
use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::process_request::{self, ProcessRequest};
use hirace_terminal::{Exit, Output, stop};
use lock::Lock;
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Build and run an application with every compute dispatch checked: `cargo run` with a patched wgpu of the same
/// version
///
/// The application is not modified; the build goes to a folder of its own. Environment variables select what is
/// checked, see docs/book/guide/applications.md. Exits with the status of the application, or with 1 if that is 0 and
/// something was found.
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    cargo: CargoArgs,
}

/// Build and run the tests of an application with every compute dispatch checked: `cargo test` with a patched wgpu of
/// the same version
///
/// Works as `hirace run`, but for `cargo test`.
#[derive(Args, Debug)]
pub struct TestArgs {
    #[command(flatten)]
    cargo: CargoArgs,
}

#[derive(Args, Debug)]
struct CargoArgs {
    /// Arguments for cargo: --release, --test NAME, -- ARGUMENTS
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    _arguments: Vec<OsString>,
}

/// The workspace that contains the application, as cargo reports it.
struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

pub fn run(_: &RunArgs, output: &Output) -> ExitCode {
    ended(of_cargo("run", output), output)
}

pub fn test(_: &TestArgs, output: &Output) -> ExitCode {
    ended(of_cargo("test", output), output)
}

/// Returns the arguments after the verb. Clap drops a leading `--` and takes options for itself.
fn arguments(verb: &str) -> Vec<OsString> {
    env::args_os().skip_while(|argument| argument != verb).skip(1).collect()
}

fn ended(exit: Result<ExitCode>, output: &Output) -> ExitCode {
    exit.unwrap_or_else(|error| {
        output.error(&error);
        Exit::Failed.into()
    })
}

/// Runs a cargo command with the patched wgpu.
fn of_cargo(verb: &str, output: &Output) -> Result<ExitCode> {
    let arguments = arguments(verb);
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let manifest = manifest_path(&arguments[..end]);
    let workspace = Workspace::here(&manifest)?;
    let folder = workspace.target.join(output_folder::IN_TARGET);
    let failed = |what: &str, error: std::io::Error| {
        Box::new(Diagnostic::new(format!("cannot {what} {}: {error}", folder.display())))
    };
    std::fs::create_dir_all(&folder).map_err(|error| failed("make the folder", error))?;
    // Another run at the same time would restore files that are patched for this run.
    let running =
        File::create(folder.join("running")).map_err(|error| failed("write to", error))?;
    running.lock().map_err(|error| failed("wait for another run in", error))?;
    let mut lock = Lock::keep(&workspace.root, &folder)?;
    let wgpu = wgpu(&manifest)?;
    let patched = patched_wgpu::make(&wgpu, &folder.join("wgpu"))?;
    lock.remove_wgpu_versions(&patched_wgpu::FAMILY)?;
    let inherited = ProcessRequest::of_process()?;
    let found = folder.join("found");
    findings::begin(&found).map_err(|error| failed("make a folder for findings in", error))?;
    // The child process receives an interrupt itself and ends; then the lock is restored.
    let _stop = stop::on_signal();
    let request = ProcessRequest { findings: Some(found.clone()), ..inherited.clone() };
    let mut cargo = cargo();
    cargo
        .arg("--config")
        .arg(format!("patch.crates-io.wgpu.path={}", quoted(&patched)))
        .arg(verb)
        .arg("--target-dir")
        .arg(folder.join("target"))
        .args(arguments)
        .env(process_request::VARIABLE, request.to_value()?);
    if env::var_os("HIRACE_SHADERS").is_none_or(|given| given.is_empty()) {
        // Tests run in the folders of their packages.
        cargo.env("HIRACE_SHADERS", folder.join("shaders"));
    }
    let status = cargo.status().map_err(|error| not_run(&error))?;
    drop(lock);
    let code = status.code().map(|code| u8::try_from(code).unwrap_or(u8::MAX));
    if inherited.suite().is_some() {
        // The suite fails only if its tests do. `hirace cover` or `hirace mutate`, which runs it, reads what tests recorded.
        return Ok(code.unwrap_or(Exit::Failed as u8).into());
    }
    Ok(match (code, findings::has_findings(&found)) {
        (Some(0), None) => {
            output.note("nothing was checked: no dispatch of a wgpu instance was submitted");
            Exit::Clean.into()
        }
        (Some(0), Some(true)) => Exit::Findings.into(),
        (Some(code), _) => code.into(),
        (None, _) => Exit::Failed.into(),
    })
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn not_run(error: &std::io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot run cargo: {error}")))
}

/// Returns a path as a TOML string.
fn quoted(path: &Path) -> String {
    toml::Value::String(path.display().to_string()).to_string()
}

/// Returns the arguments that tell cargo the manifest.
fn manifest_path(arguments: &[OsString]) -> Vec<OsString> {
    let mut given = arguments.iter();
    let mut path = Vec::new();
    while let Some(argument) = given.next() {
        let text = argument.to_string_lossy();
        if text == "--manifest-path" {
            path.push(argument.clone());
            path.extend(given.next().cloned());
        } else if text.starts_with("--manifest-path=") {
            path.push(argument.clone());
        }
    }
    path
}

/// Runs `cargo metadata` and returns its output.
fn metadata(manifest: &[OsString], how: &[&str]) -> Result<Value> {
    let mut cargo = cargo();
    cargo.args(["metadata", "--format-version", "1"]).args(how).args(manifest);
    let said = cargo.stderr(Stdio::inherit()).output().map_err(|error| not_run(&error))?;
    match serde_json::from_slice(&said.stdout) {
        Ok(said) => Ok(said),
        Err(_) => Err(Box::new(Diagnostic::new("cargo found no package here (see above)"))),
    }
}

impl Workspace {
    /// Returns the workspace of the current directory or manifest. Dependencies are not resolved, so that no file is
    /// written.
    fn here(manifest: &[OsString]) -> Result<Self> {
        let metadata = metadata(manifest, &["--no-deps"])?;
        let path = |name: &str| PathBuf::from(metadata[name].as_str().unwrap_or_default());
        Ok(Self { root: path("workspace_root"), target: path("target_directory") })
    }
}

/// Returns the version of the wgpu that the application depends on, with any of its features, and the folder with its
/// source.
fn wgpu(manifest: &[OsString]) -> Result<(String, PathBuf)> {
    let metadata = metadata(manifest, &["--all-features"])?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let all: Vec<&Value> = packages.iter().filter(|package| package["name"] == "wgpu").collect();
    let version = |package: &Value| package["version"].as_str().unwrap_or_default().to_owned();
    let is_wanted =
        |package: &&Value| version(package).split('.').next() == Some(patched_wgpu::MAJOR);
    let Some(package) = all.iter().copied().find(is_wanted) else {
        return Err(Box::new(no_wgpu(
            &all.iter().map(|package| version(package)).collect::<Vec<_>>(),
        )));
    };
    let is_published = package["source"].as_str().is_some_and(|at| at.starts_with("registry+"));
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    match manifest.parent() {
        Some(folder) if is_published => Ok((version(package), folder.to_owned())),
        _ => {
            let error = format!(
                "the application's wgpu does not come from a registry: {}",
                manifest.display()
            );
            let error = Diagnostic::new(error);
            Err(Box::new(
                error.help("create the instance with hirace_wgpu::instance(descriptor) instead"),
            ))
        }
    }
}

fn no_wgpu(versions: &[String]) -> Diagnostic {
    let error = match versions.is_empty() {
        true => "the package here does not depend on wgpu".to_owned(),
        false => format!("the package here depends on wgpu {}", versions.join(" and ")),
    };
    Diagnostic::new(error)
        .help(format!("hirace watches applications with wgpu {}", patched_wgpu::MAJOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_named_in_one_word_or_in_two() {
        let of =
            |words: &[&str]| manifest_path(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(
            of(&["--release", "--manifest-path", "a/Cargo.toml"]),
            ["--manifest-path", "a/Cargo.toml"]
        );
        assert_eq!(of(&["--manifest-path=a/Cargo.toml"]), ["--manifest-path=a/Cargo.toml"]);
        assert!(of(&["--bin", "a"]).is_empty());
    }
}
