//! The coverage report in the requested formats, and its thresholds.

use crate::args::message;
use crate::outputs::{self, OutputFile};
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum};
use hirace_adequacy::gate::{Gate, Gates};
use hirace_adequacy::report;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Arguments that control the report and where it goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Choose the format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, annotated, json, lcov, cobertura or html
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    #[command(flatten)]
    pub gates: CoverageGateArgs,
    /// Print errors, but no table
    #[arg(long, short)]
    pub quiet: bool,
}

/// The thresholds for coverage.
#[derive(Clone, Debug, Default, Args)]
pub struct CoverageGateArgs {
    /// Fail with status 1 if line coverage is below PERCENT, or if there are no lines
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_lines: Option<Gate>,
    /// Fail if branch coverage is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_branches: Option<Gate>,
    /// Fail if loop coverage is below PERCENT; the cases of a loop are 0, 1 and more iterations, and reaching its bound
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_loops: Option<Gate>,
    /// Fail if barrier coverage is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_barriers: Option<Gate>,
}

/// An output format of `hirace cover`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table and a list of what is missing
    #[default]
    Text,
    /// The sources with counts
    Annotated,
    /// `hirace.cover/1`
    Json,
    /// An LCOV tracefile for genhtml and coverage services
    Lcov,
    /// Cobertura XML
    Cobertura,
    /// An HTML page
    Html,
}

impl ReportArgs {
    /// Returns the report files to write.
    pub fn written(&self) -> Vec<OutputFile<'_>> {
        outputs::of_reports(&self.report).collect()
    }

    fn reports<'a>(&'a self, output: &'a Output) -> Reports<'a, Format> {
        let is_unwanted = self.quiet && self.format == Format::Text;
        let printed = (!is_unwanted).then_some(self.format);
        Reports { printed, files: &self.report, output }
    }
}

impl CoverageGateArgs {
    /// Returns the names of the threshold flags that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let flags = [
            ("--fail-under-lines", self.fail_under_lines),
            ("--fail-under-branches", self.fail_under_branches),
            ("--fail-under-loops", self.fail_under_loops),
            ("--fail-under-barriers", self.fail_under_barriers),
        ];
        flags.into_iter().filter_map(|(flag, gate)| gate.map(|_| flag))
    }

    fn gates(&self) -> Gates {
        Gates {
            lines: self.fail_under_lines,
            branches: self.fail_under_branches,
            loops: self.fail_under_loops,
            barriers: self.fail_under_barriers,
        }
    }
}

/// Prints and writes the coverage in all requested formats. Returns the exit status, given the status of the run. The
/// files in `read` and the sources are not overwritten.
pub fn reported(
    args: &ReportArgs,
    coverage: &Coverage,
    mut read: Vec<(&'static str, PathBuf)>,
    exit: Exit,
    output: &Output,
) -> Exit {
    let sources = coverage.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a covered source", path)));
    let apart =
        outputs::check_distinct(&args.written(), &read).inspect_err(|error| output.error(error));
    let reports = args.reports(output);
    let made = created(output);
    let rendered = |format, style| rendered(format, coverage, style, made);
    let is_printed = reports.print(rendered);
    if apart.is_err() {
        return Exit::BadInput;
    }
    let is_written = reports.write(rendered) && is_printed;
    let missed = args.gates.gates().missed(&coverage.summary);
    missed.iter().for_each(|error| output.error(error));
    match (exit, is_written, missed.is_empty()) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, false) => Exit::Findings,
        (exit, ..) => exit,
    }
}

fn rendered(format: Format, coverage: &Coverage, style: Style, created: u64) -> String {
    // A file that has changed since the run is not shown.
    let source = |name: &str| {
        let text = text_of(Path::new(name))?;
        let known = coverage.files.iter().find(|file| file.file == name)?;
        known.text.as_ref().is_none_or(|known| *known == hash(&text)).then_some(text)
    };
    match format {
        Format::Text => report::text::table(coverage, style),
        Format::Annotated => report::annotated::annotated(coverage, &source, style),
        Format::Json => report::json::report(coverage),
        Format::Lcov => report::lcov::report(coverage),
        Format::Cobertura => report::cobertura::report(coverage, created),
        Format::Html => report::html::report(coverage, &source),
    }
}

/// Returns the creation time of a report in milliseconds since 1970: the time in `SOURCE_DATE_EPOCH` if that is set, 0 for reports
/// without timing, else the current time.
fn created(output: &Output) -> u64 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let created = match given {
        Some(seconds) => Duration::from_secs(seconds),
        None if output.has_timing() => now(),
        None => Duration::ZERO,
    };
    u64::try_from(created.as_millis()).unwrap_or(u64::MAX)
}
