//! `hirace litmus serve`: runs the separate program `hirace-litmus-service`, so that users of other verbs need not
//! build a web server.

use crate::program;
use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "hirace-litmus-service";

/// Run a service with a web page that collects results, runs tests in browsers, and analyzes what it receives
///
/// The service is a separate program, `hirace-litmus-service`, which receives all arguments: `hirace litmus serve
/// --help` prints its help.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct ServeArgs {
    /// Arguments for the service
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Runs `hirace litmus serve`.
pub fn run(args: &ServeArgs) -> Result<ExitCode> {
    let program = program::find_program(PROGRAM);
    let mut command = Command::new(&program);
    program::hand_over(command.args(&args.arguments)).map_err(|error| {
        let error = match error.kind() {
            ErrorKind::NotFound => {
                let error = format!("`{PROGRAM}` was not found next to `hirace` or on PATH");
                Diagnostic::new(error).help(format!("install it: cargo install {PROGRAM}"))
            }
            _ => Diagnostic::new(format!("cannot run {}: {error}", program.display())),
        };
        Box::new(error.of_device())
    })
}
