//! `hirace litmus conform`.

use super::campaign::{self, ReportArgs};
use super::select;
use super::settings::SettingsArgs;
use super::target::TargetArgs;
use clap::Args;
use hirace_core::bounded::REPORT;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::campaign::{Campaign, Piece, choices};
use hirace_litmus::environment::Environment;
use hirace_litmus::results::{self, Document, Verb};
use hirace_litmus::test::Test;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};

/// Run conformance tests in the environments that killed most of their mutants
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
    /// Read tuning results of this device from a file written by `hirace litmus tune --report json=FILE`
    #[arg(long, value_name = "FILE")]
    tuned: PathBuf,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Keep the campaign in this folder
    #[arg(long, value_name = "FOLDER", default_value = "hirace-litmus")]
    output: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs `hirace litmus conform`.
pub fn run(args: &ConformArgs, output: &Output) -> Result<Exit> {
    let tuned = read(&args.tuned)?;
    let chosen = choices(
        &select::tests(&args.tests, args.settings.judge.specification)?,
        args.settings.judge.specification,
        &tuned,
    );
    let (chosen, left_out) = chosen.map_err(|error| {
        let help = "tune longer or with more stress: hirace litmus tune --environments 150";
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
    campaign::run(&campaign, &args.target, Some(&args.output), &args.report, output)
}

/// Returns the index of an item, which is appended if it is missing.
fn index<T: PartialEq>(all: &mut Vec<T>, item: T) -> usize {
    all.iter().position(|known| *known == item).unwrap_or_else(|| {
        all.push(item);
        all.len() - 1
    })
}

fn read(path: &Path) -> Result<Document> {
    let text = REPORT.text(path)?;
    results::read(&text).map_err(|error| {
        let message = format!("{} is not a report of litmus tests: {error}", path.display());
        let help = "give a file written by `hirace litmus tune --report json=FILE`";
        Box::new(Diagnostic::new(message).help(help))
    })
}
