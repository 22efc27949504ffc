//! Runs commands that run tests. Cargo starts the [`runner`] of this program in place of each test binary.

use super::call::Call;
use super::{group, runner, sources};
use hirace_core::cover::coverage::{Kernel, LaunchedKernel, Test};
use hirace_core::cover::record::DeviceUse;
use hirace_core::cover::{Coverage, record};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::process_mutation::reject_selected_mutant;
use hirace_core::process_request::{self, ProcessRequest, Role, SuiteRequest};
use hirace_core::report::finding_summary::FindingSummary;
use hirace_core::shard::Shard;
use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The results of a suite.
#[derive(Debug, Default)]
pub struct SuiteRun {
    /// The coverage of all tests, with their names.
    pub coverage: Coverage,
    /// The tests that failed.
    pub failed: Vec<String>,
    /// The folders of the packages with tests that ran.
    pub packages: BTreeSet<PathBuf>,
    /// Whether the command was stopped.
    pub stopped: bool,
    /// Whether the command succeeded.
    pub has_succeeded: bool,
    /// The results per test.
    pub tests: Vec<SingleTest>,
    /// The names of all tests, including those of other shards.
    pub listed: BTreeSet<String>,
    /// The findings on launches of all tests.
    pub found: BTreeSet<FindingSummary>,
    /// What applications in the tests use of devices that have a driver; `None` if they use none.
    pub device: Option<DeviceUse>,
}

/// A test that ran.
#[derive(Debug)]
pub struct SingleTest {
    /// The name in its suite.
    pub name: String,
    /// The coverage.
    pub coverage: Coverage,
    /// The call that re-runs it, if known.
    pub call: Option<Call>,
}

/// The settings of a suite run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Whether to record only hits, not counts.
    pub hits: bool,
    /// Set by another thread to stop the run.
    pub stop: Option<&'a AtomicBool>,
    /// The part of the tests to run; `None` for all.
    pub shard: Option<Shard>,
}

/// Runs `command`. Cargo runs each test binary through the subcommand `verb` of this program.
///
/// # Errors
/// The command cannot be run, or runs no tests.
pub fn run(command: &[String], verb: &str, options: Options<'_>) -> Result<SuiteRun> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Box::new(Diagnostic::new("there is no command after `--`")));
    };
    reject_selected_mutant("the tests of a suite")?;
    let folder = tempfile::Builder::new().prefix("hirace-suite").tempdir().map_err(|error| {
        Box::new(
            Diagnostic::new(format!("cannot make a folder to run tests in: {error}")).of_device(),
        )
    })?;
    let this = runner_path(&folder)?;
    let mut child = Command::new(program_path(program));
    // Standard output is reserved for the report.
    let output = Stdio::from(std::io::stderr());
    let suite = SuiteRequest {
        folder: folder.path().to_owned(),
        hits: options.hits,
        shard: options.shard.map(|shard| shard.to_string()),
    };
    let request = ProcessRequest { role: Some(Role::Suite(suite)), findings: None }.to_value()?;
    child.args(arguments).stdin(Stdio::null()).stdout(output);
    child.env(process_request::VARIABLE, request);
    for target in targets(arguments) {
        let name = target.to_uppercase().replace(['-', '.'], "_");
        child.env(format!("CARGO_TARGET_{name}_RUNNER"), format!("{this} {verb}"));
    }
    let cannot = |error| {
        let error = Diagnostic::new(format!("cannot run `{program}`: {error}"));
        Box::new(error.help("use a command that runs tests: cargo test"))
    };
    let mut child = group::spawn(&mut child).map_err(cannot)?;
    let is_stopped = || options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let status = loop {
        match child.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None if is_stopped() => break group::end(&mut child).map_err(cannot)?,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let stopped = is_stopped();
    let mut ran = gathered(folder.path())?;
    (ran.stopped, ran.has_succeeded) = (stopped, status.success());
    let has_tests = match options.shard {
        // A shard may be empty.
        Some(_) => !ran.listed.is_empty(),
        None => !ran.coverage.tests.is_empty(),
    };
    if !has_tests && !stopped {
        let shown = command.join(" ");
        let error = Diagnostic::new(format!("`{shown}` ran no tests through cargo"));
        let help = "use a command that makes cargo run at least one test";
        return Err(Box::new(match status.success() {
            true => error.help(help),
            false => error.note(format!("it ended with {status}")).of_device(),
        }));
    }
    match options.shard {
        Some(_) => sources::assign_shard_names(&mut ran.coverage),
        None => {
            ran.coverage.launched.clear();
            sources::assign_names(&mut ran.coverage);
        }
    }
    sources::add_unlaunched(&mut ran.coverage, &ran.packages)?;
    Ok(ran)
}

/// Returns the path of a command's program. `hirace` is this program, so that both have one version and PATH does not matter.
fn program_path(program: &str) -> PathBuf {
    let this = env::current_exe()
        .ok()
        .filter(|this| program == "hirace" && this.file_stem().is_some_and(|name| name == program));
    this.unwrap_or_else(|| PathBuf::from(program))
}

/// Reads the results that tests wrote into the folder of a suite.
fn gathered(folder: &Path) -> Result<SuiteRun> {
    let unreadable = |error: std::io::Error| {
        Box::new(Diagnostic::new(format!("cannot read what tests recorded: {error}")).of_device())
    };
    let mut ran = SuiteRun::default();
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|of| of == runner::LISTED) {
            let text = std::fs::read_to_string(path).map_err(unreadable)?;
            ran.listed.extend(text.lines().map(str::to_owned));
        }
    }
    folders.sort();
    for folder in folders {
        let result = std::fs::read_to_string(folder.join(runner::RESULT)).unwrap_or_default();
        let (said, package) = result.split_once('\n').unwrap_or((&result, ""));
        let (passed, name) = match said.split_once(' ') {
            Some((word, name)) => (word == "passed", name),
            None => (true, "a test that was stopped"),
        };
        if !package.is_empty() {
            ran.packages.insert(PathBuf::from(package));
        }
        let mut coverage = record::read(&folder).map_err(unreadable)?;
        coverage.tests.iter_mut().for_each(|test| name.clone_into(&mut test.name));
        coverage.unobserved.iter_mut().for_each(|unseen| name.clone_into(&mut unseen.test));
        if coverage.tests.is_empty() {
            let (launches, kernels) = (0, Vec::new());
            let name = name.to_owned();
            coverage.tests.push(Test { name, launches, kernels });
        }
        if !passed {
            ran.failed.push(name.to_owned());
        }
        ran.found.extend(record::read_found(&folder).map_err(unreadable)?);
        if let Some(device) = record::read_device(&folder).map_err(unreadable)? {
            ran.device.get_or_insert_default().add(device);
        }
        let call = Call::read(&folder);
        ran.tests.push(SingleTest { name: name.to_owned(), coverage: coverage.clone(), call });
        ran.coverage.add(coverage);
    }
    // If any test launches a kernel through hirace, the kernel counts as observed in all tests.
    let Coverage { files, launched: seen, .. } = &mut ran.coverage;
    for file in files.iter() {
        let of = |kernel: &Kernel| LaunchedKernel {
            file: file.file.clone(),
            kernel: kernel.name.clone(),
        };
        seen.extend(file.kernels.iter().map(of));
    }
    seen.sort_unstable();
    seen.dedup();
    ran.coverage.remove_launched();
    ran.failed.sort();
    ran.tests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ran)
}

/// Returns this program's path in a form that cargo accepts: cargo splits a runner at spaces.
fn runner_path(folder: &TempDir) -> Result<String> {
    let failed = |error: std::io::Error| {
        Box::new(Diagnostic::new(format!("cannot find this program: {error}")).of_device())
    };
    let is_a_word =
        |path: &Path| path.to_str().is_some_and(|path| !path.contains(char::is_whitespace));
    let this = env::current_exe().map_err(failed)?;
    if is_a_word(&this) {
        return Ok(this.display().to_string());
    }
    let path = folder.path().join("hirace");
    if !is_a_word(&path) {
        let shown = (this.display(), folder.path().display());
        let error =
            format!("cargo does not support runner paths with spaces: {} and {}", shown.0, shown.1);
        let error = Diagnostic::new(error).help("set TMPDIR to a folder without spaces");
        return Err(Box::new(error.of_device()));
    }
    std::fs::hard_link(&this, &path)
        .or_else(|_| std::fs::copy(&this, &path).map(drop))
        .map_err(failed)?;
    Ok(path.display().to_string())
}

/// Returns the compilation targets that the arguments or the environment name, or the host if they name none.
fn targets(arguments: &[String]) -> Vec<String> {
    let mut targets = Vec::new();
    let mut left = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = left.next() {
        match argument.strip_prefix("--target=") {
            Some(target) => targets.push(target.to_owned()),
            None if argument == "--target" => targets.extend(left.next().cloned()),
            None => {}
        }
    }
    targets.extend(env::var("CARGO_BUILD_TARGET").ok());
    if targets.is_empty() {
        targets.extend(host());
    }
    targets
}

fn host() -> Option<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_that_cargo_is_given() {
        let of = |text: &str| targets(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("test --target a-b-c"), ["a-b-c"]);
        assert_eq!(of("test --target=x --target y -- --target=z"), ["x", "y"]);
        assert_eq!(of("test").len(), 1);
    }
}
