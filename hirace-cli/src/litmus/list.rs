//! `hirace litmus list`.

use super::select;
use super::settings::SpecificationArgs;
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::Result;
use hirace_litmus::report::{Listing, list};
use hirace_terminal::{Exit, Output};

/// List the tests: what each is for, what its threads do, and what is looked for
///
/// S is a store, L a load, X an exchange, A an addition, R an addition of 0, F a fence and B a barrier.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus list mutants
  hirace litmus list conformance --specification wgsl-2022
  hirace litmus list --format json")]
pub struct ListArgs {
    /// Tests by their names, or files of definitions; all, conformance, mutants and observations are all of a kind
    #[arg(value_name = "TEST", default_value = "all")]
    tests: Vec<String>,
    #[command(flatten)]
    specification: SpecificationArgs,
    /// What to print
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

/// A form of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line a test
    #[default]
    Text,
    /// `hirace.litmus-tests/1`
    Json,
}

/// Runs the verb.
pub fn run(args: &ListArgs, output: &Output) -> Result<Exit> {
    let specification = args.specification.specification;
    let tests = select::tests(&args.tests, specification)?;
    let text = match args.format {
        Format::Text => list(&tests, specification),
        Format::Json => Listing::new(&tests, specification).json(),
    };
    Ok(output.print(&text).err().unwrap_or(Exit::Clean))
}
