//! What became of mutants, in the forms that are asked for, and whether it is enough.

use crate::args::message;
use crate::outputs::{self, Written};
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum};
use hirace_adequacy::gate::Gate;
use hirace_adequacy::mutate::report::{github, html, json, junit, sarif, stryker, text};
use hirace_adequacy::mutate::results::{Mutant, Results};
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};

/// What is printed, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json, stryker, html, sarif, junit or github
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    #[command(flatten)]
    pub gates: FoundArgs,
    /// Also print a line for each mutant that is killed
    #[arg(long)]
    pub killed: bool,
    /// Print errors, and nothing of mutants
    #[arg(long, short)]
    pub quiet: bool,
}

/// What has to be found.
#[derive(Clone, Debug, Default, Args)]
pub struct FoundArgs {
    /// Fail with status 1 if less of a hundred mutants are found, or if there are none
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under: Option<Gate>,
    /// The same of mutants that an assertion on outputs finds
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_strict: Option<Gate>,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table, and what survived
    #[default]
    Text,
    /// `hirace.mutate/1`
    Json,
    /// The JSON of Stryker's reports
    Stryker,
    /// A page that shows it
    Html,
    /// Survivors for code scanning
    Sarif,
    /// A test case for each mutant
    Junit,
    /// GitHub annotations of survivors
    Github,
}

impl ReportArgs {
    /// The files that reports go to.
    pub fn written(&self) -> Vec<Written<'_>> {
        outputs::of_reports(&self.report).collect()
    }
}

impl FoundArgs {
    /// The flags that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let flags =
            [("--fail-under", self.fail_under), ("--fail-under-strict", self.fail_under_strict)];
        flags.into_iter().filter_map(|(flag, gate)| gate.map(|_| flag))
    }

    /// What misses the gates. Where a diff changes no kernel there is nothing to miss them.
    fn missed(&self, results: &Results) -> Vec<Diagnostic> {
        let summary = &results.summary;
        let gates = [
            (self.fail_under, summary.score, "are found"),
            (self.fail_under_strict, summary.strict_score, "are found by assertions on outputs"),
        ];
        let missed = gates.into_iter().filter_map(|(gate, score, what)| {
            let gate = gate?;
            match score {
                Some(score) if gate.is_met(score) => None,
                None if results.unchanged => None,
                // Never rounded up to what it is not.
                Some(score) => Some(format!(
                    "{:.2} % of mutants {what}, and {gate} % have to be",
                    (score * 100.0).floor() / 100.0
                )),
                None => {
                    Some(format!("there are no mutants, and {gate} % of them have to be found"))
                }
            }
        });
        missed.map(Diagnostic::new).collect()
    }
}

/// What is not written to.
type Kept = Vec<(&'static str, PathBuf)>;

/// Puts results into all forms that are asked for, and says with what the run ends that ended so.
pub fn reported(
    args: &ReportArgs,
    results: &Results,
    read: Kept,
    exit: Exit,
    output: &Output,
) -> Exit {
    let render = |format, style| rendered(format, results, style);
    let is_written = match put(args, results, read, &render, output) {
        Ok(is_written) => is_written,
        Err(error) => {
            output.error(&error);
            return Exit::BadInput;
        }
    };
    let missed = args.gates.missed(results);
    missed.iter().for_each(|error| output.error(error));
    let holds = |mutant: &Mutant| mutant.directive.as_ref().is_none_or(|says| says.holds);
    let is_enough = missed.is_empty() && results.mutants.iter().all(holds);
    match (exit, is_written, is_enough) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, false) => Exit::Findings,
        (exit, ..) => exit,
    }
}

/// Names mutants, a line each where a table would be. Nothing is judged, and so no gate is asked.
pub fn listed(args: &ReportArgs, results: &Results, read: Kept, output: &Output) -> Exit {
    let lines = || results.mutants.iter().map(|mutant| format!("{}\n", text::line(mutant)));
    let render = |format, style| match format {
        Format::Text => lines().collect(),
        format => rendered(format, results, style),
    };
    match put(args, results, read, &render, output) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Failed,
        Err(error) => {
            output.error(&error);
            Exit::BadInput
        }
    }
}

/// Prints and writes what is rendered. Whether that could be done.
fn put(
    args: &ReportArgs,
    results: &Results,
    mut read: Kept,
    render: &dyn Fn(Format, Style) -> String,
    output: &Output,
) -> Result<bool> {
    let sources = results.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a source that is mutated", path)));
    let is_unwanted = args.quiet && args.format == Format::Text;
    let printed = (!is_unwanted).then_some(args.format);
    let reports = Reports { printed, files: &args.report, output };
    let is_printed = reports.print(render);
    outputs::apart(&args.written(), &read)?;
    Ok(reports.write(render) && is_printed)
}

fn rendered(format: Format, results: &Results, style: Style) -> String {
    let source = |name: &str| text_of(Path::new(name));
    match format {
        Format::Text => text::report(results, style),
        Format::Json => json::report(results),
        Format::Stryker => {
            let here = std::env::current_dir().ok();
            let here = here.as_ref().and_then(|here| here.to_str());
            stryker::report(results, &source, here)
        }
        Format::Html => html::report(results, &source),
        Format::Sarif => sarif::report(results),
        Format::Junit => junit::report(results),
        Format::Github => github::report(results),
    }
}
