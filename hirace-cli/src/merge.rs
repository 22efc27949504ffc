//! `hirace merge`: combines the reports of several runs.

#[cfg(feature = "litmus")]
mod campaigns;
mod checks;
mod formats;

use crate::cover::CoverageGateArgs;
use crate::mutate::report::MutationGateArgs;
use crate::report::{ProtectedFiles, ReportArgs};
use crate::{amplify, cover, mutate};
use clap::Args;
use formats::MergedFormat;
use hirace_adequacy::mutate::merge::MutationMerger;
use hirace_adequacy::mutate::results::Results;
use hirace_adequacy::schema::{self, Kind};
use hirace_adequacy::{amplify as schedules, cover as coverages};
use hirace_core::bounded::REPORT;
use hirace_core::cover::Coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Merge the JSON reports of several runs of `hirace cover`, `hirace mutate`, `hirace amplify`, `hirace check` or
/// `hirace litmus tune`
///
/// The runs may use other tests, devices, machines and shards, but must have the same sources.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace merge 1.json 2.json --report html=coverage.html
  hirace merge 1.json 2.json 3.json --fail-under 80       the shards of a run of hirace mutate
  hirace merge 1.json 2.json --report json=all.json       the same for hirace amplify, hirace check or hirace litmus tune")]
pub struct MergeArgs {
    /// JSON reports, as `--report json=FILE` writes them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportArgs<MergedFormat>,
    #[command(flatten)]
    covered: CoverageGateArgs,
    #[command(flatten)]
    found: MutationGateArgs,
}

/// Runs `hirace merge`.
pub fn run(args: &MergeArgs, output: &Output) -> ExitCode {
    let exit = merge(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    exit.into()
}

/// An input report.
struct InputReport<'a> {
    path: &'a Path,
    text: String,
    kind: Kind,
}

impl<'a> InputReport<'a> {
    fn new(path: &'a Path) -> Result<Self> {
        let text = REPORT.text(path)?;
        let kind = schema::kind(&text);
        Ok(Self { path, text, kind })
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

fn merge(args: &MergeArgs, output: &Output) -> Result<Exit> {
    let reports =
        args.files.iter().map(|path| InputReport::new(path)).collect::<Result<Vec<_>>>()?;
    let mut recognized = reports.iter().filter(|report| report.kind != Kind::Other);
    let Some(first) = recognized.next() else { return merge_coverage(args, &reports, output) };
    if let Some(other) = recognized.find(|report| report.kind != first.kind) {
        let (one, two) = (what(first.kind), what(other.kind));
        let error = format!("{} is {one}, but {} is {two}", first.shown(), other.shown());
        return Err(Box::new(Diagnostic::new(error).help("merge each kind separately")));
    }
    match first.kind {
        Kind::Mutants => merge_mutants(args, &reports, output),
        Kind::Schedules => merge_schedules(args, &reports, output),
        Kind::Check => checks::merged(args, &reports, output),
        #[cfg(feature = "litmus")]
        Kind::Litmus => campaigns::merged(args, &reports, output),
        #[cfg(not(feature = "litmus"))]
        Kind::Litmus => {
            let error = format!("{} is {}", first.shown(), what(first.kind));
            let help = "use a hirace built with the feature `litmus`";
            Err(Box::new(Diagnostic::new(error).help(help)))
        }
        Kind::Coverage | Kind::Other => merge_coverage(args, &reports, output),
    }
}

/// Returns the noun phrase for a kind of report.
fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Mutants => "a report of mutants",
        Kind::Schedules => "a report of schedules",
        Kind::Check => "a report of a check",
        Kind::Litmus => "a report of litmus tests",
        Kind::Coverage | Kind::Other => "a coverage report",
    }
}

/// Returns the input files, which no report may overwrite.
fn inputs(reports: &[InputReport<'_>]) -> ProtectedFiles {
    reports.iter().map(|report| ("an input file", report.path.to_owned())).collect()
}

/// Rejects threshold flags that belong to another kind of report.
fn refuse(mut given: impl Iterator<Item = &'static str>, what: &str, other: &str) -> Result<()> {
    match given.next() {
        Some(flag) => {
            let error = Diagnostic::new(format!("`{flag}` applies to {other}, but this is {what}"));
            Err(Box::new(error))
        }
        None => Ok(()),
    }
}

/// Returns whether all shards are present and complete, as an exit status. `wholes` are the files of unsharded runs.
fn completeness_exit(stopped: bool, missing: &[Shard], wholes: &[String], output: &Output) -> Exit {
    let error = match (stopped, missing) {
        (false, []) => return Exit::Clean,
        (true, []) => Diagnostic::new("a run was stopped before it was complete"),
        (_, missing) => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            let error = format!("these shards are missing: {}", missing.join(", "));
            let unsharded_note = |whole: &String| {
                format!(
                    "{whole} is of an unsharded run, which cannot be merged with shards of the same run"
                )
            };
            wholes.iter().map(unsharded_note).fold(Diagnostic::new(error), Diagnostic::note)
        }
    };
    output.error(&error.help("let each shard run to completion, then merge"));
    Exit::Failed
}

fn merge_coverage(args: &MergeArgs, reports: &[InputReport<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Coverage);
    refuse(args.found.given(), what, "mutants")?;
    let report = formats::report_args(&args.report, what)?;
    let mut merger = coverages::merge::CoverageMerger::default();
    let mut wholes = Vec::new();
    for input in reports {
        let shown = input.shown();
        let coverage = Coverage::read(&input.text).map_err(|error| {
            let message = format!("{shown} is not a coverage report: {error}");
            let help = "give a file written by `hirace cover --report json=FILE` or `hirace mutate --report json=FILE`";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        if coverage.shards.is_empty() {
            wholes.push(shown.clone());
        }
        merger.add(coverage, &shown)?;
    }
    let coverage = merger.coverage();
    let missing = coverages::merge::missing(&coverage);
    let exit = completeness_exit(coverage.stopped, &missing, &wholes, output);
    report.warn_unwritable(output);
    Ok(cover::reported(&report, &args.covered, &coverage, inputs(reports), exit, output))
}

fn merge_mutants(args: &MergeArgs, reports: &[InputReport<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Mutants);
    refuse(args.covered.given(), what, "a coverage report")?;
    let report = formats::report_args(&args.report, what)?;
    let mut merger = MutationMerger::default();
    for input in reports {
        let shown = input.shown();
        let results = Results::read(&input.text).map_err(|error| {
            let message = format!("{shown} is not a report of mutants: {error}");
            let help = "give a file written by `hirace mutate --report json=FILE`";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        merger.add(results, &shown)?.iter().for_each(|difference| output.warning(difference));
    }
    let results = merger.results();
    // The exit status is that of a single run with this report.
    let exit = match results.stopped {
        true => {
            let open = results.mutants.iter().filter(|mutant| mutant.status.is_none()).count();
            let error = format!("{open} mutants are not judged because a run was stopped");
            output.error(&Diagnostic::new(error).help("let it run to completion, then merge"));
            Exit::Failed
        }
        false => Exit::Clean,
    };
    report.warn_unwritable(output);
    Ok(mutate::report::reported(&report, &args.found, &results, inputs(reports), exit, output))
}

fn merge_schedules(args: &MergeArgs, reports: &[InputReport<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Schedules);
    refuse(args.covered.given(), what, "a coverage report")?;
    refuse(args.found.given(), what, "mutants")?;
    let report = formats::report_args(&args.report, what)?;
    let mut merger = schedules::merge::ScheduleMerger::default();
    for input in reports {
        let shown = input.shown();
        let results = schedules::merge::read(&input.text).map_err(|error| {
            let message = format!("{shown} is not a report of schedules: {error}");
            let help = "give a file written by `hirace amplify --report json=FILE`";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        merger.add(results, &shown)?;
    }
    let results = merger.results();
    let missing = schedules::merge::missing(&results).unwrap_or_default();
    let exit = completeness_exit(results.stopped, &missing, &[], output);
    report.warn_unwritable(output);
    Ok(amplify::report_results(&report, &results, inputs(reports), exit, output))
}
