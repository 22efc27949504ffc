//! Runs the command on an input.

use crate::support::{bounded_command, run};
use std::path::Path;
use std::time::Duration;

/// The time after which a check counts as hanging: it has its own limits of steps and seconds, and a machine may be busy.
const LIMIT: Duration = Duration::from_secs(120);
/// The maximum memory for an input.
pub const MEMORY: u64 = 1 << 30;
/// The time limit of a check whose arguments may ask for any duration.
const LIMIT_OF_REQUESTED: Duration = Duration::from_secs(30);

/// The time that a check may take.
#[derive(Clone, Copy)]
pub enum TimeLimit {
    /// This much more than the usual limit.
    Extended(Duration),
    /// Any time: its arguments give the duration, which need not be sensible.
    Unlimited,
}

/// Returns whether `hirace` with these arguments, in this folder, accepts its input. Also returns `true` if it could not run, because on a
/// busy machine it may reach its own time limit. It must not panic, must end in its time, and must not take more than [`MEMORY`].
pub fn command(folder: &Path, arguments: &[&str], time: TimeLimit) -> Result<bool, String> {
    let mut command = bounded_command(Path::new(env!("CARGO_BIN_EXE_hirace")), arguments);
    let (limit, long) = match time {
        TimeLimit::Extended(more) => (LIMIT + more, false),
        TimeLimit::Unlimited => (LIMIT_OF_REQUESTED, true),
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
