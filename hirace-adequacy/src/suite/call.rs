//! A recorded test call: the command, its folder and its environment, as cargo and scripts set them up. The test can
//! then be run many times without these.

use super::group;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::process_request::{self, ProcessRequest, Role};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The file in the folder of a test that stores the call.
const FILE: &str = "call";

/// A command that runs one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The test binary.
    pub binary: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
    environment: Vec<(String, String)>,
    /// Whether `hirace test` built the test, so that a finding in any dispatch fails the test's suite.
    pub is_checked: bool,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It exited with success.
    Passed,
    /// It exited with failure, as a failing test does.
    Failed,
    /// It ended abnormally, by a signal.
    Crashed,
    /// It ran out of memory.
    OutOfMemory,
    /// It exceeded its time limit.
    TimedOut,
    /// The run was stopped.
    Stopped,
}

/// The limits of a call.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The time limit.
    pub time: Duration,
    /// The memory limit in bytes; `None` for no limit.
    pub memory: Option<u64>,
    /// Set by another thread to stop it.
    pub stop: Option<&'a AtomicBool>,
}

impl Call {
    /// Records how this process, which has this request, would run `command`.
    pub fn of(command: &Command, request: &ProcessRequest) -> io::Result<Self> {
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
        let given = std::env::vars_os();
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            (name != process_request::VARIABLE).then_some((name, value))
        };
        let folder = std::env::current_dir()?;
        let binary = PathBuf::from(command.get_program());
        Ok(Self {
            binary: if binary.is_relative() { folder.join(binary) } else { binary },
            arguments: words.collect(),
            folder,
            environment: given.filter_map(text).collect(),
            is_checked: request.findings.is_some(),
        })
    }

    /// Writes the call into the folder of a test.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join(FILE), serde_json::to_string(self).map_err(io::Error::other)?)
    }

    /// Reads the call from the folder of a test.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(folder.join(FILE)).ok()?).ok()
    }

    /// Runs the call in this role, with its output in the file `log`. If `alone` is not set, it computes on one thread.
    /// Processes that it starts end with it.
    ///
    /// # Errors
    /// The call cannot be started, or the log cannot be written.
    pub fn run(
        &self,
        role: Role,
        alone: bool,
        log: &Path,
        limits: Limits<'_>,
    ) -> Result<CallOutcome> {
        let request = ProcessRequest { role: Some(role), findings: None }.to_value()?;
        self.run_with(request, alone, log, limits).map_err(cannot_run)
    }

    fn run_with(
        &self,
        request: String,
        alone: bool,
        log: &Path,
        limits: Limits<'_>,
    ) -> io::Result<CallOutcome> {
        let mut command = match limits.memory {
            Some(bytes) if cfg!(unix) => {
                // The limit is set by a shell, because the standard library has no safe function for it. The shell is
                // named by its path: with a changed environment, a search on PATH makes the standard library fork,
                // which copies this process's page tables.
                let mut command = Command::new("/bin/sh");
                let limit = format!("ulimit -v {} && exec \"$0\" \"$@\"", bytes / 1024);
                command.args(["-c", &limit]).arg(&self.binary);
                command
            }
            _ => Command::new(&self.binary),
        };
        let output = File::create(log)?;
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env(process_request::VARIABLE, request)
            // Backtraces are not read, and computing them takes longer than most tests.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stderr(output.try_clone()?)
            .stdout(output);
        if !alone {
            command.env("RAYON_NUM_THREADS", "1");
        }
        let mut child = group::spawn(&mut command)?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(500);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(ended(status, log));
            }
            if limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                group::kill(&mut child)?;
                return Ok(CallOutcome::Stopped);
            }
            if start.elapsed() > limits.time {
                group::kill(&mut child)?;
                return Ok(CallOutcome::TimedOut);
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// Returns the error of a test that cannot be run.
pub fn cannot_run(error: io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("tests cannot be run: {error}")).of_device())
}

fn ended(status: ExitStatus, log: &Path) -> CallOutcome {
    if status.success() {
        return CallOutcome::Passed;
    }
    // Rust's message before an abort for lack of memory.
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let is_full = said.contains("memory allocation of ") && said.contains(" bytes failed");
    match status.code() {
        None if is_full => CallOutcome::OutOfMemory,
        None => CallOutcome::Crashed,
        Some(_) => CallOutcome::Failed,
    }
}
