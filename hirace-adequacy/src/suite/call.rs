//! How a test is run: by which command, where, and in what environment. What cargo and a user's scripts set up for it is
//! written down, so that the test can be run many times without them.

use super::{group, runner};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The file of a test's folder that it is written to.
const FILE: &str = "call";

/// A command that runs one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The test binary.
    pub binary: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
    environment: Vec<(String, String)>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with success.
    Passed,
    /// By itself, as tests do that fail.
    Failed,
    /// As tests do not: by a signal.
    Crashed,
    /// There was no memory left.
    OutOfMemory,
    /// It took too long.
    TooLong,
    /// Somebody stopped it.
    Stopped,
}

/// What a call may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Time.
    pub time: Duration,
    /// Bytes of memory; nothing, for as much as there is.
    pub memory: Option<u64>,
    /// Set by somebody else to stop it.
    pub stop: Option<&'a AtomicBool>,
}

impl Call {
    /// How this process would run `command`.
    pub fn of(command: &Command) -> io::Result<Self> {
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
        let given = std::env::vars_os();
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            // Tests that run cargo themselves are followed by nobody.
            let is_ours = name == runner::SUITE || name == runner::SHARD;
            (!is_ours).then_some((name, value))
        };
        let folder = std::env::current_dir()?;
        let binary = PathBuf::from(command.get_program());
        Ok(Self {
            binary: if binary.is_relative() { folder.join(binary) } else { binary },
            arguments: words.collect(),
            folder,
            environment: given.filter_map(text).collect(),
        })
    }

    /// Writes it down in the folder of a test.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join(FILE), serde_json::to_string(self).map_err(io::Error::other)?)
    }

    /// What was written down in the folder of a test.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(folder.join(FILE)).ok()?).ok()
    }

    /// Runs it, with `more` in its environment, and what it prints in the file `log`. What it starts ends with it.
    ///
    /// # Errors
    /// It cannot be started, or the log not be written.
    pub fn run(
        &self,
        more: &[(&str, String)],
        log: &Path,
        limits: Limits<'_>,
    ) -> io::Result<Ended> {
        let mut command = match limits.memory {
            Some(bytes) if cfg!(unix) => {
                // There is no safe call for that in the standard library, and a shell everywhere. By its path: to look for it
                // in another environment's, the standard library forks, and copies the tables of all of our memory.
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
            .envs(more.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stderr(output.try_clone()?)
            .stdout(output);
        let mut child = group::spawn(&mut command)?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(500);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(ended(status, log));
            }
            if limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                group::kill(&mut child)?;
                return Ok(Ended::Stopped);
            }
            if start.elapsed() > limits.time {
                group::kill(&mut child)?;
                return Ok(Ended::TooLong);
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

fn ended(status: ExitStatus, log: &Path) -> Ended {
    if status.success() {
        return Ended::Passed;
    }
    // What Rust says before it aborts.
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let is_full = said.contains("memory allocation of ") && said.contains(" bytes failed");
    match status.code() {
        None if is_full => Ended::OutOfMemory,
        None => Ended::Crashed,
        Some(_) => Ended::Failed,
    }
}
