//! Replaces this process with another program, which is searched for next to this one and then on PATH. Uses only the
//! standard library.

use std::env::{self, consts::EXE_SUFFIX};
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Returns the path of a program next to this one, or its bare name if there is none. A bare name is searched for on PATH.
pub fn find_program(name: &str) -> PathBuf {
    find_sibling(name).unwrap_or_else(|| name.into())
}

/// Returns the path of a program in the folder of this one, if it exists there.
fn find_sibling(name: &str) -> Option<PathBuf> {
    let own = env::current_exe().ok()?;
    let program = own.with_file_name(format!("{name}{EXE_SUFFIX}"));
    program.is_file().then_some(program)
}

/// Replaces this process by `command`, so that exit statuses and signals are those of the command.
#[cfg(unix)]
pub fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs `command` and exits with its status. An interrupt reaches both processes and ends this one first.
#[cfg(not(unix))]
pub fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    /// The exit status when a program could not run.
    const COULD_NOT_RUN: u8 = 3;
    let status = command.status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(COULD_NOT_RUN).into())
}
