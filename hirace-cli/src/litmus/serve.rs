//! `hirace litmus serve`: hands over to `hirace-litmus-service`. So nobody who checks shaders builds a web server.

use crate::handover;
use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "hirace-litmus-service";

/// Collect results, run tests in browsers, and analyse what comes: a service with a page
///
/// It is a program of its own, `hirace-litmus-service`, which all arguments go to: `hirace litmus serve --help` is its help.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct ServeArgs {
    /// What goes to the service
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Runs the verb.
pub fn run(args: &ServeArgs) -> Result<ExitCode> {
    let program = handover::place(PROGRAM);
    let mut command = Command::new(&program);
    handover::hand_over(command.args(&args.arguments)).map_err(|error| {
        let error = match error.kind() {
            ErrorKind::NotFound => {
                let error = format!(
                    "`{PROGRAM}` lies neither beside `hirace` nor where programs are looked for"
                );
                Diagnostic::new(error).help(format!("install it: cargo install {PROGRAM}"))
            }
            _ => Diagnostic::new(format!("cannot run {}: {error}", program.display())),
        };
        Box::new(error.of_device())
    })
}
