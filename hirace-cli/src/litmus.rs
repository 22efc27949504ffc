//! `hirace litmus`, with a module per verb.

mod analyze;
pub mod campaign;
mod conform;
mod environment;
mod explore;
mod generated;
mod list;
mod locks;
mod prefix_sum;
mod race_bounds;
mod remote;
mod run;
mod run_folder;
mod select;
mod serve;
mod settings;
mod show;
mod target;
mod tune;

use clap::{Args, Subcommand};
use hirace_core::diagnostic::Result;
use hirace_terminal::{Exit, Output};
use std::process::ExitCode;

/// Test whether a device keeps the memory model, and how well a testing environment would detect violations
#[derive(Debug, Args)]
pub struct LitmusArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Run(run::RunArgs),
    Tune(tune::TuneArgs),
    Conform(conform::ConformArgs),
    Explore(explore::ExploreArgs),
    Locks(locks::LocksArgs),
    PrefixSum(prefix_sum::PrefixSumArgs),
    RaceBounds(race_bounds::RaceBoundsArgs),
    Analyze(analyze::AnalyzeArgs),
    Submit(remote::SubmitArgs),
    Serve(serve::ServeArgs),
}

/// Runs `hirace litmus`.
pub fn run(args: LitmusArgs, output: &Output) -> ExitCode {
    let result: Result<ExitCode> = match args.verb {
        Verb::List(args) => list::run(&args, output).map(ExitCode::from),
        Verb::Show(args) => show::run(&args, output).map(ExitCode::from),
        Verb::Run(args) => run::run(&args, output).map(ExitCode::from),
        Verb::Tune(args) => tune::run(&args, output).map(ExitCode::from),
        Verb::Conform(args) => conform::run(&args, output).map(ExitCode::from),
        Verb::Explore(args) => explore::run(&args, output).map(ExitCode::from),
        Verb::Locks(args) => locks::run(&args, output).map(ExitCode::from),
        Verb::PrefixSum(args) => prefix_sum::run(&args, output).map(ExitCode::from),
        Verb::RaceBounds(args) => race_bounds::run(&args, output).map(ExitCode::from),
        Verb::Analyze(args) => analyze::run(&args, output).map(ExitCode::from),
        Verb::Submit(args) => remote::submit(&args, output).map(ExitCode::from),
        Verb::Serve(args) => serve::run(&args, output),
    };
    result.unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error).into()
    })
}
