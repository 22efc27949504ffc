//! A command and all that it starts, which end together.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long those have who are asked to end.
const PATIENCE: Duration = Duration::from_secs(3);

/// Starts a command in a group of its own.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Ends a command that was started so, and what it started.
pub fn end(child: &mut Child) -> io::Result<ExitStatus> {
    signal(child, "-TERM");
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            // What it started may take no notice.
            signal(child, "-KILL");
            return Ok(status);
        }
        sleep(Duration::from_millis(20));
    }
    signal(child, "-KILL");
    child.kill()?;
    child.wait()
}

/// Ends a command that was started so, and what it started, without asking.
pub fn kill(child: &mut Child) -> io::Result<ExitStatus> {
    signal(child, "-KILL");
    child.kill()?;
    child.wait()
}

/// Sends a signal to the group. There is no safe call for that in the standard library, and a command everywhere.
fn signal(child: &Child, signal: &str) {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args([signal, "--", &group])
            .stderr(std::process::Stdio::null())
            .status();
    }
}
