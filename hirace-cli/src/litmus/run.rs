//! `hirace litmus run`.

use super::campaign::{self, Format};
use super::environment::EnvironmentArgs;
use super::remote;
use super::select;
use super::settings::SettingsArgs;
use super::target::TargetArgs;
use crate::report::ReportArgs;
use clap::Args;
use hirace_core::diagnostic::Result;
use hirace_litmus::campaign::Campaign;
use hirace_litmus::results::Verb;
use hirace_terminal::{Exit, Output};

/// Run tests in one environment and count their outcomes
///
/// Exits with status 1 if an outcome is observed that the memory model forbids.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus run
  hirace litmus run mp-two-locations
  hirace litmus run conformance --preset stress --device llvmpipe --set workgroupSize=32
  hirace litmus run sb-two-locations --layout single --iterations 300
  hirace litmus run --server http://127.0.0.1:7878 --campaign first-round")]
pub struct RunArgs {
    /// Names of tests, or files with definitions; all, conformance, mutants and observations select all tests of a kind
    #[arg(value_name = "TEST", default_value = "conformance", conflicts_with = "server")]
    tests: Vec<String>,
    /// Work on a campaign of this service, together with other workers, until it is complete; the campaign defines what
    /// is run
    #[arg(long, value_name = "URL", conflicts_with_all = ["EnvironmentArgs", "iterations", "timeout", "seed", "specification"])]
    server: Option<String>,
    /// Choose a campaign of the service [default: the newest open campaign]
    #[arg(long, value_name = "NAME", requires = "server")]
    campaign: Option<String>,
    #[command(flatten)]
    service: remote::ServiceArgs,
    #[command(flatten)]
    environment: EnvironmentArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// Runs `hirace litmus run`.
pub fn run(args: &RunArgs, output: &Output) -> Result<Exit> {
    if let Some(url) = &args.server {
        let name = args.campaign.as_deref();
        return remote::run(url, name, &args.service, &args.target, &args.report, output);
    }
    let tests = select::tests(&args.tests, args.settings.judge.specification)?;
    let campaign = Campaign {
        verb: Verb::Run,
        pieces: Campaign::product(tests.len(), 1),
        tests,
        environments: vec![args.environment.environment(output)?],
        settings: args.settings.settings(),
        specification: args.settings.judge.specification,
        shard: None,
        budget: None,
    };
    campaign::run(&campaign, &args.target, None, &args.report, output)
}
