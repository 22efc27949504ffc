//! `hirace run` and `hirace test`: cargo's, of an application whose wgpu is another: its instances watch. No file of the
//! application changes.
//!
//! `patched` makes that wgpu, of the version that the application has; `lock` puts Cargo.lock back as it was; `found` reads
//! what the processes found.

mod found;
mod lock;
mod patched;

use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_terminal::{Exit, Output, stop};
use lock::Lock;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The folder below cargo's target folder in which all of this is.
const FOLDER: &str = "hirace";

/// Build and run an application with every compute dispatch of its wgpu checked: `cargo run`, with a wgpu of the same
/// version whose instances watch
///
/// Nothing of the application changes; what is built goes to a folder of its own. Variables of the environment say what
/// is watched: docs/applications.md. It exits as the application does; with 1, if that is 0 and something was found.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// What cargo is given: --release, --bin NAME, -- ARGUMENTS
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

/// Build and run the tests of an application with every compute dispatch of its wgpu checked: `cargo test`, with a wgpu
/// of the same version whose instances watch
///
/// As `hirace run`, of `cargo test`.
#[derive(Args, Debug)]
pub struct TestArgs {
    /// What cargo is given: --release, --test NAME, -- ARGUMENTS
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

/// What cargo says of the workspace it stands in.
pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
    /// The wgpu that it depends on: its version, and the folder with its source.
    pub wgpu: (String, PathBuf),
}

pub fn run(args: &RunArgs, output: &Output) -> ExitCode {
    ended(of_cargo("run", &args.arguments), output)
}

pub fn test(args: &TestArgs, output: &Output) -> ExitCode {
    ended(of_cargo("test", &args.arguments), output)
}

fn ended(exit: Result<ExitCode>, output: &Output) -> ExitCode {
    exit.unwrap_or_else(|error| {
        output.error(&error);
        Exit::Failed.into()
    })
}

/// Runs a verb of cargo's with the patched wgpu.
fn of_cargo(verb: &str, arguments: &[String]) -> Result<ExitCode> {
    let (own, after) = arguments.split_at(
        arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len()),
    );
    let workspace = Workspace::here(own)?;
    let folder = workspace.target.join(FOLDER);
    let patched = patched::make(&workspace.wgpu, &folder.join("wgpu"))?;
    let lock = Lock::keep(&workspace.root, &folder, &patched::FAMILY)?;
    let found = folder.join("found");
    found::begin(&found).map_err(|error| {
        let error = format!("cannot make the folder {}: {error}", found.display());
        Box::new(Diagnostic::new(error))
    })?;
    // The child hears an interrupt by itself, and ends; then the lock is put back.
    let _stop = stop::on_signal();
    let mut cargo = cargo();
    cargo
        .arg("--config")
        .arg(format!("patch.crates-io.wgpu.path={}", quoted(&patched)))
        .arg(verb)
        .arg("--target-dir")
        .arg(folder.join("target"))
        .args(own)
        .args(after)
        .env("HIRACE_REPORT", found::reports(&found));
    let status = cargo.status().map_err(|error| not_run(&error))?;
    drop(lock);
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(match code {
        Some(0) if found::is_something(&found) => Exit::Findings.into(),
        Some(code) => code.into(),
        None => Exit::Failed.into(),
    })
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn not_run(error: &std::io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot run cargo: {error}")))
}

/// A path as TOML has it.
fn quoted(path: &Path) -> String {
    toml::Value::String(path.display().to_string()).to_string()
}

impl Workspace {
    /// The one that cargo means by these arguments.
    fn here(arguments: &[String]) -> Result<Self> {
        let mut cargo = cargo();
        cargo.args(["metadata", "--format-version", "1"]);
        let mut given = arguments.iter();
        while let Some(argument) = given.next() {
            if argument == "--manifest-path" {
                cargo.arg(argument).args(given.next());
            } else if argument.starts_with("--manifest-path=") {
                cargo.arg(argument);
            }
        }
        let said = cargo.stderr(Stdio::inherit()).output().map_err(|error| not_run(&error))?;
        let metadata: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
        let text = |name: &str| metadata[name].as_str().map(PathBuf::from);
        let (Some(root), Some(target)) = (text("workspace_root"), text("target_directory")) else {
            return Err(Box::new(Diagnostic::new(
                "cargo does not know a package here (see above)",
            )));
        };
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let all: Vec<(String, PathBuf)> = packages
            .iter()
            .filter(|package| package["name"] == "wgpu")
            .filter_map(|package| {
                let manifest = Path::new(package["manifest_path"].as_str()?);
                Some((package["version"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
            })
            .collect();
        let major = |version: &str| version.split('.').next().map(str::to_owned);
        let wanted = Some(patched::MAJOR.to_owned());
        match all.iter().find(|(version, _)| major(version) == wanted) {
            Some(wgpu) => Ok(Self { root, target, wgpu: wgpu.clone() }),
            None => Err(Box::new(no_wgpu(&all))),
        }
    }
}

fn no_wgpu(others: &[(String, PathBuf)]) -> Diagnostic {
    let versions: Vec<&str> = others.iter().map(|(version, _)| version.as_str()).collect();
    let error = match versions.is_empty() {
        true => "the package here does not depend on wgpu".to_owned(),
        false => format!("the package here depends on wgpu {}", versions.join(" and ")),
    };
    Diagnostic::new(error).help(format!("hirace watches applications with wgpu {}", patched::MAJOR))
}
