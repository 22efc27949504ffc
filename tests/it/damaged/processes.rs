//! Runs the command `hirace` on a damaged input.

use crate::support::{bounded_command, run};
use std::path::Path;
use std::time::Duration;

/// The time after which a check counts as hanging. It is long, because a check has its own limits on steps and seconds, and the
/// machine may be busy.
const LIMIT: Duration = Duration::from_secs(120);
/// The maximum memory for an input.
pub const MEMORY: u64 = 1 << 30;
/// The time after which a check that may run for any duration is stopped.
const STOP_UNLIMITED_AFTER: Duration = Duration::from_secs(30);

/// The time that a check may take.
#[derive(Clone, Copy)]
pub enum TimeLimit {
    /// This much more than the usual limit.
    Extended(Duration),
    /// Any time: the arguments set the duration, which may be arbitrarily long.
    Unlimited,
}

/// Returns whether `hirace`, run with these arguments in this folder, accepts its input. Also returns `true` if `hirace` could not
/// run, because it may reach its own time limit on a busy machine.
///
/// # Errors
/// `hirace` panics, exceeds the time limit, takes more than [`MEMORY`], or ends with an unexpected status.
pub fn command(folder: &Path, arguments: &[&str], time: TimeLimit) -> Result<bool, String> {
    let mut command = bounded_command(Path::new(env!("CARGO_BIN_EXE_hirace")), arguments);
    let (limit, long) = match time {
        TimeLimit::Extended(more) => (LIMIT + more, false),
        TimeLimit::Unlimited => (STOP_UNLIMITED_AFTER, true),
    };
    let ended = run(command.current_dir(folder), limit);
    match ended.status {
        // Panics of threads other than the main one do not change the status: the standard library's message is the only sign of
        // them.
        _ if ended.stderr.contains("panicked at") => {}
        _ if ended.peak_memory > MEMORY => {
            return Err(format!("takes {} MiB of memory", ended.peak_memory >> 20));
        }
        _ if ended.timed_out && long => return Ok(true),
        _ if ended.timed_out => return Err("hangs".into()),
        Some(0 | 1 | 3 | 4) => return Ok(true),
        Some(2) => return Ok(false),
        _ => {}
    }
    Err(format!("status {:?}\n{}", ended.status, ended.stderr))
}
