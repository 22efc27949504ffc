//! Process groups: a command and all processes that it starts, which end together.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time that processes get to end after a request.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts a command in its own process group.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Asks a command and its process group to end, and kills the group after a while.
pub fn end(child: &mut Child) -> io::Result<ExitStatus> {
    signal(child, "-TERM");
    let start = Instant::now();
    while start.elapsed() < TERMINATION_TIMEOUT {
        if let Some(status) = child.try_wait()? {
            // Processes that it started may ignore the request.
            signal(child, "-KILL");
            return Ok(status);
        }
        sleep(Duration::from_millis(20));
    }
    signal(child, "-KILL");
    child.kill()?;
    child.wait()
}

/// Kills a command and its process group.
pub fn kill(child: &mut Child) -> io::Result<ExitStatus> {
    signal(child, "-KILL");
    child.kill()?;
    child.wait()
}

/// Sends a signal to the group, by the `kill` command, because the standard library has no safe function for this.
fn signal(child: &Child, signal: &str) {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args([signal, "--", &group])
            .stderr(std::process::Stdio::null())
            .status();
    }
}
