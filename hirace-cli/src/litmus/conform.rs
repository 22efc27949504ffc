//! `hirace litmus conform`.

use super::campaign::{self, Format, StorageArgs};
use super::run_folder;
use super::select;
use super::settings::SettingsArgs;
use super::target::TargetArgs;
use crate::report::ReportArgs;
use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::campaign::{Campaign, Piece, TuningError, choices};
use hirace_litmus::environment::Environment;
use hirace_litmus::results::Verb;
use hirace_litmus::test::Test;
use hirace_terminal::{Exit, Output};
use std::path::PathBuf;

/// Run conformance tests in the environments that killed most of their mutants
///
/// Tests without mutants run in the environments that killed the most mutants of all tests.
///
/// Exits with status 1 if an outcome is observed that the memory model forbids.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus tune --report json=tuned.json
  hirace litmus conform --tuned tuned.json --iterations 1000")]
pub struct ConformArgs {
    /// Names of conformance tests
    #[arg(value_name = "TEST", default_value = "conformance")]
    tests: Vec<String>,
    /// Read tuning results of this device: a file written by `hirace litmus tune --report json=FILE`, the folder of a run,
    /// or a folder of runs, of which the newest is used
    #[arg(long, value_name = "FILE or FOLDER")]
    tuned: PathBuf,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    storage: StorageArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// Runs `hirace litmus conform`.
pub fn run(args: &ConformArgs, output: &Output) -> Result<Exit> {
    let tuned = run_folder::read_tuned(&args.tuned, output)?;
    let chosen = choices(
        &select::tests(&args.tests, args.settings.judge.specification)?,
        args.settings.judge.specification,
        &tuned,
    );
    let (chosen, left_out) = chosen.map_err(|error| {
        let help = match error {
            TuningError::NothingKilled => {
                "tune longer or with more stress: hirace litmus tune --environments 150"
            }
            TuningError::NoTimes => "tune without `--no-timing`",
        };
        Box::new(Diagnostic::new(error.to_string()).help(help))
    })?;
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        output.note(&format!("skipped tests without a killed mutant: {names}"));
    }
    let mut tests: Vec<Test> = Vec::new();
    let mut environments: Vec<Environment> = Vec::new();
    let pieces = chosen
        .into_iter()
        .map(|choice| Piece {
            environment: index(&mut environments, choice.environment),
            test: index(&mut tests, choice.test),
        })
        .collect();
    let campaign = Campaign {
        verb: Verb::Conform,
        tests,
        environments,
        pieces,
        settings: args.settings.settings(),
        specification: args.settings.judge.specification,
        shard: None,
        budget: None,
    };
    campaign::run(&campaign, &args.target, Some(&args.storage), &args.report, output)
}

/// Returns the index of an item, which is appended if it is missing.
fn index<T: PartialEq>(all: &mut Vec<T>, item: T) -> usize {
    all.iter().position(|known| *known == item).unwrap_or_else(|| {
        all.push(item);
        all.len() - 1
    })
}
