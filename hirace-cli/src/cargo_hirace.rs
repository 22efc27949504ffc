//! `cargo hirace …`: runs `hirace`, which is looked up next to this program and then on PATH.
//!
//! Uses only the standard library, and replaces its process by `hirace` where the system supports it, so that exit
//! statuses and signals are those of `hirace`.

#![forbid(unsafe_code)]

mod program;

use std::env;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The exit status of `hirace` when something could not run.
const COULD_NOT_RUN: u8 = 3;

/// The environment variable that tells `hirace` the folder of the package, its default input.
const PACKAGE: &str = "HIRACE_PACKAGE";

fn main() -> ExitCode {
    // Cargo passes the name of the subcommand as the first argument; a direct call does not.
    let mut arguments = env::args_os().skip(1).peekable();
    arguments.next_if(|first| first == "hirace");
    let program = program::find_program("hirace");
    let mut command = Command::new(&program);
    if let Some(package) = package() {
        command.env(PACKAGE, package);
    }
    match program::hand_over(command.args(arguments)) {
        Ok(exit) => exit,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!(
                "error: `hirace` was not found next to `cargo-hirace` or on PATH\n  \
                 = help: install both: cargo install hirace-cli"
            );
            COULD_NOT_RUN.into()
        }
        Err(error) => {
            eprintln!("error: cannot run {}: {error}", program.display());
            COULD_NOT_RUN.into()
        }
    }
}

/// Returns the folder of the package that contains the current directory.
fn package() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).map(PathBuf::from)
}
