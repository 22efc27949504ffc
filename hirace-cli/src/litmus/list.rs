//! `hirace litmus list`.

use super::select;
use super::settings::SpecificationArgs;
use crate::report::{ProtectedFiles, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::Result;
use hirace_litmus::report::{Listing, list};
use hirace_terminal::{Exit, Output};

/// List the tests: the purpose, the threads and the target outcome of each
///
/// S is a store, L a load, X an exchange, A an addition, R an addition of 0, F a fence and B a barrier.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus list mutants
  hirace litmus list conformance --specification wgsl-2022
  hirace litmus list --format json")]
pub struct ListArgs {
    /// Names of tests, or files with definitions; all, conformance, mutants and observations select all tests of a kind
    #[arg(value_name = "TEST", default_value = "all")]
    tests: Vec<String>,
    #[command(flatten)]
    specification: SpecificationArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// An output format of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per test
    #[default]
    Text,
    /// `hirace.litmus-tests/1`
    Json,
}

impl ReportFormat for Format {}

/// Runs `hirace litmus list`.
pub fn run(args: &ListArgs, output: &Output) -> Result<Exit> {
    let specification = args.specification.specification;
    let tests = select::tests(&args.tests, specification)?;
    let render = |format, _| match format {
        Format::Text => list(&tests, specification),
        Format::Json => Listing::new(&tests, specification).json(),
    };
    let read: ProtectedFiles = args.tests.iter().map(|test| ("a test", test.into())).collect();
    Ok(match args.report.deliver(&read, render, output) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Failed,
        Err(exit) => exit,
    })
}
