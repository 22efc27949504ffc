//! `hirace litmus explore`.

use super::campaign::{self, Format};
use super::environment::RandomEnvironmentArgs;
use super::select;
use super::settings::SettingsArgs;
use super::target::TargetArgs;
use crate::args::message;
use crate::report::ReportArgs;
use clap::Args;
use hirace_core::diagnostic::Result;
use hirace_core::launch::spec;
use hirace_litmus::campaign::Campaign;
use hirace_litmus::results::Verb;
use hirace_terminal::{Exit, Output};
use std::time::Duration;

/// The maximum number of environments.
const MAX_ENVIRONMENTS: u32 = 10_000;

/// Run tests in one environment after another for a time, and report which environment shows the target outcome most
/// often
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus explore mp-two-locations --max-time 60
  hirace litmus explore sb-two-locations --max-time 300 --report json=sb.json")]
pub struct ExploreArgs {
    /// Names of tests
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<String>,
    /// Start no test after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = message(spec::parse_seconds))]
    max_time: Duration,
    #[command(flatten)]
    drawn: RandomEnvironmentArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// Runs `hirace litmus explore`.
pub fn run(args: &ExploreArgs, output: &Output) -> Result<Exit> {
    let tests = select::tests(&args.tests, args.settings.judge.specification)?;
    let environments = args.drawn.environments(&args.settings.seed, MAX_ENVIRONMENTS);
    let campaign = Campaign {
        verb: Verb::Explore,
        pieces: Campaign::product(tests.len(), environments.len()),
        tests,
        environments,
        settings: args.settings.settings(),
        specification: args.settings.judge.specification,
        shard: None,
        budget: Some(args.max_time),
    };
    campaign::run(&campaign, &args.target, None, &args.report, output)
}
