//! Handing over to another program, which lies beside this one or else where programs are looked for. It needs nothing but the
//! standard library.

use std::env::{self, consts::EXE_SUFFIX};
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Where a program is.
pub fn place(name: &str) -> PathBuf {
    beside(name).unwrap_or_else(|| name.into())
}

/// The one in the folder of this program.
fn beside(name: &str) -> Option<PathBuf> {
    let own = env::current_exe().ok()?;
    let program = own.with_file_name(format!("{name}{EXE_SUFFIX}"));
    program.is_file().then_some(program)
}

/// Runs `command` in the place of this program, so that exit statuses and signals are those of that.
#[cfg(unix)]
pub fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs `command` and ends as it does. An interrupt goes to both, and ends this one first.
#[cfg(not(unix))]
pub fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    /// The exit status where something could not run.
    const COULD_NOT_RUN: u8 = 3;
    let status = command.status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(COULD_NOT_RUN).into())
}
