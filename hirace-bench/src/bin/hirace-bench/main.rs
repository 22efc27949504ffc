//! The `hirace-bench` command: measures how well `hirace` does. It is a binary of its own, so that building `hirace`
//! builds none of it.
//!
//! Exit status: 0 nothing is wrong, 1 `hirace` was wrong somewhere, 2 bad usage or bad input, 3 could not run or was
//! stopped.

#![forbid(unsafe_code)]

mod detect;
mod print;

use clap::{Parser, Subcommand};
use hirace_terminal::{Color, Exit, Output};
use std::process::ExitCode;

/// Measure hirace on programs with known races
#[derive(Debug, Parser)]
#[command(
    name = "hirace-bench",
    version,
    propagate_version = true,
    after_help = "Exit status: 0 nothing is wrong, 1 hirace was wrong somewhere, 2 bad usage or bad input, \
                  3 could not run or was stopped."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// When to colour what is printed
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Detect(detect::DetectArgs),
}

fn main() -> ExitCode {
    let Cli { verb, color } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(said) => return Output::new(Color::Auto).usage(&said).into(),
    };
    let output = Output::new(color);
    let Verb::Detect(args) = verb;
    let exit = match detect::run(&args) {
        Ok((text, exit)) => output.print(&text).err().unwrap_or(exit),
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::of(&diagnostic)
        }
    };
    exit.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn detect(arguments: &str) -> Result<(String, Exit), Exit> {
        let arguments = format!("hirace-bench detect {arguments}");
        let Cli { verb: Verb::Detect(args), .. } = Cli::parse_from(arguments.split_whitespace());
        detect::run(&args).map_err(|diagnostic| Exit::of(&diagnostic))
    }

    #[test]
    fn the_arguments_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_row_for_each_graph_and_one_for_all() {
        let kernels = "--graph DAG_5n_5e --kernel push_block_*Bug* --sample 6 --format csv";
        let (csv, exit) = detect(kernels).expect("it runs");
        assert_eq!(exit, Exit::Clean);
        let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
        assert_eq!(rows[0][..3], ["executor", "input", "launches"]);
        assert_eq!(rows[1][1..3], ["DAG_5n_5e", "6"]);
        assert_eq!(rows[2][1..3], ["all", "6"]);
    }

    #[test]
    fn what_there_is_not_is_bad_input() {
        assert_eq!(detect("--graph no_such_graph"), Err(Exit::BadInput));
        assert_eq!(detect("--kernel no_such_kernel"), Err(Exit::BadInput));
    }

    #[test]
    fn a_device_that_is_not_there_could_not_be_run_on() {
        let kernels = "--graph DAG_5n_5e --kernel push_block_*Bug* --sample 1";
        let ran = detect(&format!("{kernels} --device no-such-device"));
        assert!(matches!(ran, Err(Exit::BadInput | Exit::Failed)), "{ran:?}");
    }
}
