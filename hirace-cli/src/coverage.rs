//! A coverage in the forms that are asked for, and whether it is enough.

use crate::args::message;
use crate::outputs::{self, Written};
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum};
use hirace_adequacy::gate::{Gate, Gates};
use hirace_adequacy::report;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What is printed, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, annotated, json, lcov, cobertura or html
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    #[command(flatten)]
    pub gates: CoveredArgs,
    /// Print errors, and no table
    #[arg(long, short)]
    pub quiet: bool,
}

/// What has to be covered.
#[derive(Clone, Debug, Default, Args)]
pub struct CoveredArgs {
    /// Fail with status 1 if less of a hundred lines are covered, or if there are none
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_lines: Option<Gate>,
    /// The same of the arms of branches
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_branches: Option<Gate>,
    /// The same of the cases of loops: 0 turns, 1, more, and the boundary reached
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_loops: Option<Gate>,
    /// The same of barriers
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_barriers: Option<Gate>,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table, and what is missing
    #[default]
    Text,
    /// The sources, with counts
    Annotated,
    /// `hirace.cover/1`
    Json,
    /// A tracefile for genhtml and coverage services
    Lcov,
    /// Cobertura's XML
    Cobertura,
    /// A page
    Html,
}

impl ReportArgs {
    /// The files that reports go to.
    pub fn written(&self) -> Vec<Written<'_>> {
        outputs::of_reports(&self.report).collect()
    }

    fn reports<'a>(&'a self, output: &'a Output) -> Reports<'a, Format> {
        let is_unwanted = self.quiet && self.format == Format::Text;
        let printed = (!is_unwanted).then_some(self.format);
        Reports { printed, files: &self.report, output }
    }
}

impl CoveredArgs {
    /// The flags that are given.
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

/// Puts a coverage into all forms that are asked for, and says with what the run ends that ended so. What was `read` for
/// it is not written to, nor are the sources.
pub fn reported(
    args: &ReportArgs,
    coverage: &Coverage,
    mut read: Vec<(&'static str, PathBuf)>,
    exit: Exit,
    output: &Output,
) -> Exit {
    let sources = coverage.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a source that is covered", path)));
    let apart = outputs::apart(&args.written(), &read).inspect_err(|error| output.error(error));
    let reports = args.reports(output);
    let rendered = |format, style| rendered(format, coverage, style);
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

fn rendered(format: Format, coverage: &Coverage, style: Style) -> String {
    // What changed since is not shown as what ran.
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
        Format::Cobertura => report::cobertura::report(coverage, now()),
        Format::Html => report::html::report(coverage, &source),
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
