//! `hirace litmus show`.

use super::environment::EnvironmentArgs;
use super::select;
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::report;
use hirace_litmus::run::Shaders;
use hirace_litmus::test::definition::Definition;
use hirace_litmus::test::{Specification, Test};
use hirace_terminal::{Exit, Output};

/// Show a test: its threads, what is said of each outcome, its definition, its shaders
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus show mp-fences
  hirace litmus show mp-fences --format json > mine.json      a definition, to be changed
  hirace litmus show mine.json --format wgsl --preset stress")]
pub struct ShowArgs {
    /// Tests by their names, or files of definitions
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    environment: EnvironmentArgs,
}

/// A form of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Its threads, and its outcomes
    #[default]
    Text,
    /// A definition, as files of tests have it
    Json,
    /// The shader that tests and the one that counts, in the environment
    Wgsl,
}

/// Runs the verb.
pub fn run(args: &ShowArgs, output: &Output) -> Result<Exit> {
    let tests = select::tests(&args.tests, Specification::default())?;
    if let (Format::Json, [_, _, ..]) = (args.format, &tests[..]) {
        return Err(Box::new(Diagnostic::new("a file has the definition of one test")));
    }
    let mut texts = Vec::new();
    for test in &tests {
        texts.push(match args.format {
            Format::Text => report::show(test),
            Format::Json => Definition::from(test).text(),
            Format::Wgsl => shaders(test, args)?,
        });
    }
    Ok(output.print(&texts.join("\n")).err().unwrap_or(Exit::Clean))
}

fn shaders(test: &Test, args: &ShowArgs) -> Result<String> {
    let environment = args.environment.environment()?;
    let shaders = Shaders::new(test, environment.layout, &environment.parameters);
    let Shaders { test, count } =
        shaders.map_err(|unsuitable| Box::new(Diagnostic::new(unsuitable.to_string())))?;
    Ok(format!("// Tests and stresses:\n\n{test}\n// Counts outcomes:\n\n{count}"))
}
