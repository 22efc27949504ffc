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

/// Show a test: its threads, the classification of its outcomes, its definition or its shaders
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus show mp-fences
  hirace litmus show mp-fences --format json > mine.json      a definition, to be changed
  hirace litmus show mine.json --format wgsl --preset stress")]
pub struct ShowArgs {
    /// Names of tests, or files with definitions
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<String>,
    /// Choose the output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    environment: EnvironmentArgs,
}

/// An output format of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The threads and the outcomes
    #[default]
    Text,
    /// The definition, in the format of definition files
    Json,
    /// The testing shader and the counting shader for the environment
    Wgsl,
}

/// Runs `hirace litmus show`.
pub fn run(args: &ShowArgs, output: &Output) -> Result<Exit> {
    let tests = select::tests(&args.tests, Specification::default())?;
    if let (Format::Json, [_, _, ..]) = (args.format, &tests[..]) {
        return Err(Box::new(Diagnostic::new("`--format json` needs exactly one test")));
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
