//! `hirace merge`.

#[cfg(feature = "litmus")]
mod campaigns;
mod checks;
mod forms;

use crate::args::message;
use crate::reports;
use crate::{coverage, mutants, outputs, schedules};
use clap::Args;
use forms::Form;
use hirace_adequacy::mutate::merge::Merged;
use hirace_adequacy::mutate::results::Results;
use hirace_adequacy::schema::{self, Kind};
use hirace_adequacy::{amplify, cover};
use hirace_core::bounded::REPORT;
use hirace_core::cover::Coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Put together what several runs of `hirace cover` counted, of `hirace mutate` judged, of `hirace amplify` or
/// `hirace check` found, of `hirace litmus tune` ran
///
/// They may be of other tests, devices, machines and shards, as long as the sources are the same.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace merge 1.json 2.json --report html=coverage.html
  hirace merge 1.json 2.json 3.json --fail-under 80       the shards of a run of hirace mutate
  hirace merge 1.json 2.json --report json=all.json       the same of a run of hirace amplify, hirace check or hirace litmus tune")]
pub struct MergeArgs {
    /// Reports in JSON, as `--report json=FILE` writes them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

/// What is printed, and where, of either kind of report.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
struct ReportArgs {
    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Form,
    /// Also write a report to a file (repeatable): a form as --format has them
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Form>))]
    report: Vec<(Form, PathBuf)>,
    #[command(flatten)]
    covered: coverage::CoveredArgs,
    #[command(flatten)]
    found: mutants::FoundArgs,
    /// Print errors, and no table
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the verb.
pub fn run(args: &MergeArgs, output: &Output) -> ExitCode {
    let ended = merged(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

/// A file that is merged.
struct Read<'a> {
    path: &'a Path,
    text: String,
    kind: Kind,
}

impl<'a> Read<'a> {
    fn new(path: &'a Path) -> Result<Self> {
        let text = REPORT.text(path)?;
        let kind = schema::kind(&text);
        Ok(Self { path, text, kind })
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

fn merged(args: &MergeArgs, output: &Output) -> Result<Exit> {
    let all = args.files.iter().map(|path| Read::new(path)).collect::<Result<Vec<_>>>()?;
    let mut known = all.iter().filter(|read| read.kind != Kind::Other);
    let Some(first) = known.next() else { return of_coverages(args, &all, output) };
    if let Some(other) = known.find(|read| read.kind != first.kind) {
        let (one, two) = (what(first.kind), what(other.kind));
        let error = format!("{} is {one}, and {} is {two}", first.shown(), other.shown());
        return Err(Box::new(Diagnostic::new(error).help("merge each kind by itself")));
    }
    match first.kind {
        Kind::Mutants => of_mutants(args, &all, output),
        Kind::Schedules => of_schedules(args, &all, output),
        Kind::Check => checks::merged(args, &all, output),
        #[cfg(feature = "litmus")]
        Kind::Litmus => campaigns::merged(args, &all, output),
        #[cfg(not(feature = "litmus"))]
        Kind::Litmus => {
            let error = format!("{} is {}", first.shown(), what(first.kind));
            let help = "merge it with a hirace that was built with the feature `litmus`";
            Err(Box::new(Diagnostic::new(error).help(help)))
        }
        Kind::Coverage | Kind::Other => of_coverages(args, &all, output),
    }
}

/// What a report is called.
fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Mutants => "a report of mutants",
        Kind::Schedules => "a report of schedules",
        Kind::Check => "a report of a check",
        Kind::Litmus => "a report of litmus tests",
        Kind::Coverage | Kind::Other => "a coverage",
    }
}

/// What reports must not be written to.
fn inputs(all: &[Read<'_>]) -> Vec<(&'static str, PathBuf)> {
    all.iter().map(|read| ("a file that is merged", read.path.to_owned())).collect()
}

/// Refuses gates of the other kind.
fn refuse(mut given: impl Iterator<Item = &'static str>, what: &str, other: &str) -> Result<()> {
    match given.next() {
        Some(flag) => {
            let error = Diagnostic::new(format!("`{flag}` is of {other}, and this is {what}"));
            Err(Box::new(error))
        }
        None => Ok(()),
    }
}

/// How a merge ends by whether these are all shards, each with all that it was to do. `wholes` are files of whole runs.
fn whole(stopped: bool, missing: &[Shard], wholes: &[String], output: &Output) -> Exit {
    let error = match (stopped, missing) {
        (false, []) => return Exit::Clean,
        (true, []) => Diagnostic::new("a run was stopped before all of it was done"),
        (_, missing) => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            let error = format!("these shards are missing: {}", missing.join(", "));
            let beside = |whole: &String| {
                format!("{whole} is of a whole run: no shard of that is to be given beside it")
            };
            wholes.iter().map(beside).fold(Diagnostic::new(error), Diagnostic::note)
        }
    };
    output.error(&error.help("let each shard go on to its end, and merge then"));
    Exit::Failed
}

fn of_coverages(args: &MergeArgs, all: &[Read<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Coverage);
    refuse(args.report.found.given(), what, "mutants")?;
    let report = coverage::ReportArgs {
        format: args.report.format.of(what)?,
        report: forms::all(&args.report.report, what)?,
        gates: args.report.covered.clone(),
        quiet: args.report.quiet,
    };
    let mut merged = cover::merge::Merged::default();
    let mut wholes = Vec::new();
    for read in all {
        let shown = read.shown();
        let coverage = Coverage::read(&read.text).map_err(|error| {
            let message = format!("{shown} is no coverage: {error}");
            let help = "give what `hirace cover` or `hirace mutate` wrote for `--report json=FILE`";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        if coverage.shards.is_empty() {
            wholes.push(shown.clone());
        }
        merged.add(coverage, &shown)?;
    }
    let coverage = merged.coverage();
    let missing = cover::merge::missing(&coverage);
    let exit = whole(coverage.stopped, &missing, &wholes, output);
    outputs::foresee(&report.written(), output);
    Ok(coverage::reported(&report, &coverage, inputs(all), exit, output))
}

fn of_mutants(args: &MergeArgs, all: &[Read<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Mutants);
    refuse(args.report.covered.given(), what, "a coverage")?;
    let report = mutants::ReportArgs {
        format: args.report.format.of(what)?,
        report: forms::all(&args.report.report, what)?,
        gates: args.report.found.clone(),
        killed: false,
        quiet: args.report.quiet,
    };
    let mut merged = Merged::default();
    for read in all {
        let shown = read.shown();
        let results = Results::read(&read.text).map_err(|error| {
            let message = format!("{shown} is no report of mutants: {error}");
            let help = "give what `hirace mutate --report json=FILE` wrote";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        merged.add(results, &shown)?.iter().for_each(|differs| output.warning(differs));
    }
    let results = merged.results();
    // As the run ended whose report it is.
    let exit = match results.stopped {
        true => {
            let open = results.mutants.iter().filter(|mutant| mutant.status.is_none()).count();
            let error = format!("{open} mutants are not judged: a run was stopped before");
            output.error(&Diagnostic::new(error).help("let it go on to its end, and merge then"));
            Exit::Failed
        }
        false => Exit::Clean,
    };
    outputs::foresee(&report.written(), output);
    Ok(mutants::reported(&report, &results, inputs(all), exit, output))
}

fn of_schedules(args: &MergeArgs, all: &[Read<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Schedules);
    refuse(args.report.covered.given(), what, "a coverage")?;
    refuse(args.report.found.given(), what, "mutants")?;
    let report = schedules::ReportArgs {
        format: args.report.format.of(what)?,
        report: forms::all(&args.report.report, what)?,
        quiet: args.report.quiet,
    };
    let mut merged = amplify::merge::Merged::default();
    for read in all {
        let shown = read.shown();
        let results = amplify::merge::read(&read.text).map_err(|error| {
            let message = format!("{shown} is no report of schedules: {error}");
            let help = "give what `hirace amplify --report json=FILE` wrote";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        merged.add(results, &shown)?;
    }
    let results = merged.results();
    let missing = amplify::merge::missing(&results).unwrap_or_default();
    let exit = whole(results.stopped, &missing, &[], output);
    outputs::foresee(&report.written(), output);
    Ok(schedules::reported(&report, &results, inputs(all), exit, output))
}
