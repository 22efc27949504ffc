//! `hirace litmus tune`.

use super::campaign::{self, ReportArgs};
use super::environment::DrawnArgs;
use super::select;
use super::settings::SettingsArgs;
use super::target::TargetArgs;
use crate::args::message;
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_core::launch::spec;
use hirace_core::shard::Shard;
use hirace_litmus::campaign::Campaign;
use hirace_litmus::results::Verb;
use hirace_terminal::{Exit, Output};
use std::path::PathBuf;
use std::time::Duration;

/// Run tests in many environments that are drawn at random, and say in which of them mutants die
///
/// A campaign is kept in a folder: one that is ended early goes on where it was.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus tune --report json=tuned.json
  hirace litmus tune mutants conformance --environments 150 --percentages always
  hirace litmus tune --max-workgroups 32 --max-workgroup-size 32      for a device that is a processor
  hirace litmus tune --shard 2/3 --report json=2.json      then: hirace merge 1.json 2.json 3.json")]
pub struct TuneArgs {
    /// Tests by their names, or files of definitions; all, conformance, mutants and observations are all of a kind
    #[arg(value_name = "TEST", default_value = "mutants")]
    tests: Vec<String>,
    /// How many environments are drawn
    #[arg(long, value_name = "N", default_value = "50", value_parser = value_parser!(u32).range(1..=100_000))]
    environments: u32,
    #[command(flatten)]
    drawn: DrawnArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    /// How long all of it may take: no test begins later
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    budget: Option<Duration>,
    /// One of several parts: 1/3, 2/3 or 3/3
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// The folder that the campaign is kept in
    #[arg(long, value_name = "FOLDER", default_value = "hirace-litmus")]
    output: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the verb.
pub fn run(args: &TuneArgs, output: &Output) -> Result<Exit> {
    let tests = select::tests(&args.tests, args.settings.judge.specification)?;
    let environments = args.drawn.environments(&args.settings.seed, args.environments);
    let campaign = Campaign {
        verb: Verb::Tune,
        pieces: Campaign::product(tests.len(), environments.len()),
        tests,
        environments,
        settings: args.settings.settings(),
        specification: args.settings.judge.specification,
        shard: args.shard,
        budget: args.budget,
    };
    campaign::run(&campaign, &args.target, Some(&args.output), &args.report, output)
}
