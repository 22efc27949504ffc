//! The report of schedule amplification in the requested formats.

use crate::args::message;
use crate::outputs::{self, OutputFile};
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum};
use hirace_adequacy::amplify::report::{github, json, text};
use hirace_core::amplify::results::{AmplifiedLaunch, Results};
use hirace_core::cover::located::text_of;
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};

/// Arguments that control the report and where it goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Choose the format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json or github
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// An output format of `hirace amplify`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The findings and a table of the schedules tried
    #[default]
    Text,
    /// `hirace.amplify/1`
    Json,
    /// GitHub Actions annotations
    Github,
}

impl ReportArgs {
    /// Returns the report files to write.
    pub fn written(&self) -> Vec<OutputFile<'_>> {
        outputs::of_reports(&self.report).collect()
    }
}

/// Prints and writes the results in all requested formats. Returns the exit status, given the status of the run.
pub fn reported(
    args: &ReportArgs,
    results: &Results,
    mut read: Vec<(&'static str, PathBuf)>,
    exit: Exit,
    output: &Output,
) -> Exit {
    let sources = results.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a launched source", path)));
    let render = |format, style| rendered(format, results, style);
    let is_unwanted = args.quiet && args.format == Format::Text;
    let printed = (!is_unwanted).then_some(args.format);
    let reports = Reports { printed, files: &args.report, output };
    let is_printed = reports.print(render);
    if let Err(error) = outputs::check_distinct(&args.written(), &read) {
        output.error(&error);
        return Exit::BadInput;
    }
    let is_written = reports.write(render) && is_printed;
    let counts = results
        .findings()
        .any(|(_, launched, _, finding)| finding.counts() && launched.guessed.is_empty());
    let launches = || results.tests.iter().flat_map(|test| &test.launches);
    let is_known = launches().all(AmplifiedLaunch::is_known);
    match (exit, is_written, counts) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, true) => Exit::Findings,
        (Exit::Clean, true, false) if !is_known => Exit::Inconclusive,
        (exit, ..) => exit,
    }
}

fn rendered(format: Format, results: &Results, style: Style) -> String {
    let source = |name: &str| text_of(Path::new(name));
    match format {
        Format::Text => text::report(results, &source, style),
        Format::Json => json::report(results),
        Format::Github => github::report(results),
    }
}
