//! Tasks for people who work on hirace. `cargo xtask test` is the one command that tests it.

mod binaries;
mod run;
mod slowest;
mod test;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tasks for people who work on hirace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build and run the tests of the project.
    Test(test::Arguments),
}

fn main() -> ExitCode {
    let Arguments { task: Task::Test(arguments) } = Arguments::parse();
    match test::run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
