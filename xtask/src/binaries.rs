//! Builds the test binaries, and lists them as cargo does.

use serde_json::Value;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One process that runs tests.
pub struct Job {
    /// The name of the target, for example `it`.
    pub name: String,
    pub package: String,
    pub program: PathBuf,
    /// Arguments before those of the user.
    pub arguments: Vec<String>,
    /// The variables that cargo sets for a test that it runs. The doctests' cargo sets them itself.
    pub variables: Vec<(&'static str, OsString)>,
    /// The folder that it runs in: that of its package.
    pub folder: PathBuf,
}

impl Job {
    /// Makes the job that compiles and runs doctests.
    pub fn doctests(selection: &[&str]) -> Self {
        let arguments = ["test", "--locked", "--doc", "--quiet"].iter().chain(selection);
        Self {
            name: "doctests".to_owned(),
            package: "workspace".to_owned(),
            program: cargo(),
            arguments: arguments.map(|argument| (*argument).to_owned()).collect(),
            variables: Vec::new(),
            folder: root().to_path_buf(),
        }
    }
}

/// What was built.
pub struct Built {
    pub jobs: Vec<Job>,
    /// The folder of the profile below cargo's target folder.
    pub target: PathBuf,
}

/// Returns the path of the cargo that runs this program.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// Creates a command without the variables that `cargo run` sets about xtask. If cargo had them, build scripts that depend on them,
/// such as ring's, would run again, and what depends on those crates would be compiled again.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let is_of_package = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if is_of_package {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the tests of the packages that are selected.
///
/// # Errors
/// Cargo cannot be started, or fails.
pub fn build(selection: &[&str]) -> Result<Built, String> {
    let mut command = command(&cargo());
    command.args(["test", "--locked", "--no-run", "--message-format=json-render-diagnostics"]);
    command.args(selection).current_dir(root()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cargo: {error}"))?;
    let output = child.stdout.take().ok_or("cargo has no output")?;
    let mut jobs = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| format!("cargo: {error}"))?;
        jobs.extend(serde_json::from_str(&line).ok().as_ref().and_then(job));
    }
    let status = child.wait().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("the tests cannot be built".to_owned());
    }
    // Cargo puts test binaries into `deps` in the folder of the profile.
    let target =
        jobs.first().and_then(|job: &Job| Some(job.program.parent()?.parent()?.to_owned()));
    Ok(Built { jobs, target: target.ok_or("there are no tests")? })
}

/// Reads the message about a test binary.
fn job(message: &Value) -> Option<Job> {
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let program = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    let folder = manifest.parent()?.to_owned();
    let package = package_name(message["package_id"].as_str()?);
    Some(Job {
        name: message["target"]["name"].as_str()?.to_owned(),
        program: program.into(),
        arguments: Vec::new(),
        variables: vec![
            ("CARGO", cargo().into()),
            ("CARGO_MANIFEST_DIR", folder.clone().into()),
            ("CARGO_PKG_NAME", package.clone().into()),
            ("CARGO_PKG_VERSION", env!("CARGO_PKG_VERSION").into()),
        ],
        package,
        folder,
    })
}

/// Returns the name in a package id: `path+file:///a/hirace-core#0.1.0`, or `path+file:///a/testing#hirace-testing@0.1.0` where the
/// folder has another name.
fn package_name(id: &str) -> String {
    let (path, fragment) = id.rsplit_once('#').unwrap_or((id, ""));
    match fragment.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => path.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_package_ids() {
        assert_eq!(package_name("path+file:///a/hirace-core#0.1.0"), "hirace-core");
        assert_eq!(package_name("path+file:///a/testing#hirace-testing@0.1.0"), "hirace-testing");
    }

    #[test]
    fn only_test_binaries_are_jobs() {
        let message = |test: bool, executable: Value| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": "path+file:///a/b#0.1.0",
                "manifest_path": "/a/b/Cargo.toml", "target": { "name": "it" },
                "profile": { "test": test }, "executable": executable,
            })
        };
        let found = job(&message(true, "/t/debug/deps/it-1".into())).unwrap();
        assert_eq!((&*found.name, &*found.package), ("it", "b"));
        assert_eq!(found.folder, PathBuf::from("/a/b"));
        assert!(job(&message(false, "/t/debug/hirace".into())).is_none());
        assert!(job(&message(true, Value::Null)).is_none());
    }
}
