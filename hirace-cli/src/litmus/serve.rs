//! `hirace litmus serve`: runs the separate program `hirace-litmus-service`, so that users of other verbs need not
//! build a web server.

use crate::program;
use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_terminal::{Exit, Output};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "hirace-litmus-service";
const MISSING: &str = "`hirace-litmus-service` was not found next to `hirace` or on PATH";
const INSTALL: &str = "cargo install hirace-litmus-service";

/// Run a service with a web page that collects results, runs tests in browsers, and analyzes what it receives
///
/// The service is a separate program, `hirace-litmus-service`, which receives all arguments: `hirace litmus serve
/// --help` prints its help if it is installed.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct ServeArgs {
    /// Arguments for the service
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Runs `hirace litmus serve`.
pub fn run(args: &ServeArgs, output: &Output) -> Result<ExitCode> {
    let program = program::find_program(PROGRAM);
    let mut command = Command::new(&program);
    let error = match program::hand_over(command.args(&args.arguments)) {
        Ok(exit) => return Ok(exit),
        Err(error) => error,
    };
    let wants_help = args.arguments.iter().any(|argument| argument == "--help" || argument == "-h");
    let error = match error.kind() {
        ErrorKind::NotFound if wants_help => {
            let help = ServeArgs::augment_args(clap::Command::new("hirace litmus serve"))
                .disable_version_flag(true)
                .after_help(format!("{MISSING}\nInstall it: {INSTALL}"))
                .render_long_help();
            return Ok(output.print(&help.to_string()).err().unwrap_or(Exit::Clean).into());
        }
        ErrorKind::NotFound => Diagnostic::new(MISSING).help(format!("install it: {INSTALL}")),
        _ => Diagnostic::new(format!("cannot run {}: {error}", program.display())),
    };
    Err(Box::new(error.of_device()))
}
