//! `cargo hirace …`: hands over to `hirace`, which lies beside this program or else where programs are looked for.
//!
//! It needs nothing but the standard library, and becomes `hirace` where systems can do that, so that exit statuses
//! and signals are those of `hirace`.

#![forbid(unsafe_code)]

mod handover;

use std::env;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The exit status of `hirace` where something could not run.
const COULD_NOT_RUN: u8 = 3;

/// The environment variable by which `hirace` knows that it is of a package: where nothing is named, that is meant.
const PACKAGE: &str = "HIRACE_PACKAGE";

fn main() -> ExitCode {
    // Cargo gives the name of the subcommand first; whoever calls this program by itself does not.
    let mut arguments = env::args_os().skip(1).peekable();
    arguments.next_if(|first| first == "hirace");
    let program = handover::place("hirace");
    let mut command = Command::new(&program);
    if let Some(package) = package() {
        command.env(PACKAGE, package);
    }
    match handover::hand_over(command.args(arguments)) {
        Ok(exit) => exit,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!(
                "error: `hirace` lies neither beside `cargo-hirace` nor where programs are looked for\n  \
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

/// The folder of the package that this runs in.
fn package() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).map(PathBuf::from)
}
