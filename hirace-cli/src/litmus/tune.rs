//! `hirace litmus tune`.

use super::campaign::{self, Format, StorageArgs};
use super::environment::RandomEnvironmentArgs;
use super::select;
use super::settings::SettingsArgs;
use super::target::TargetArgs;
use crate::args::message;
use crate::report::ReportArgs;
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_core::launch::spec;
use hirace_core::shard::Shard;
use hirace_litmus::campaign::Campaign;
use hirace_litmus::results::Verb;
use hirace_terminal::{Exit, Output};
use std::time::Duration;

/// Run tests in many random environments and report in which of them mutants are killed
///
/// The campaign is kept in a folder of its own, so that a stopped campaign can be resumed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus tune --report json=tuned.json
  hirace litmus tune mutants conformance --environments 150 --percentages always
  hirace litmus tune --max-workgroups 32 --max-workgroup-size 32      for a device that runs on the CPU
  hirace litmus tune --shard 2/3 --report json=2.json      then: hirace merge 1.json 2.json 3.json")]
pub struct TuneArgs {
    /// Names of tests, or files with definitions; all, conformance, mutants and observations select all tests of a kind
    #[arg(value_name = "TEST", default_value = "mutants")]
    tests: Vec<String>,
    /// Set the number of environments
    #[arg(long, value_name = "N", default_value = "50", value_parser = value_parser!(u32).range(1..=100_000))]
    environments: u32,
    #[command(flatten)]
    drawn: RandomEnvironmentArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Start no test after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    max_time: Option<Duration>,
    /// Run only part K of N, for example 1/3, 2/3 or 3/3; `hirace merge` joins the reports of all parts
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    storage: StorageArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// Runs `hirace litmus tune`.
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
        budget: args.max_time,
    };
    campaign::run(&campaign, &args.target, Some(&args.storage), &args.report, output)
}
