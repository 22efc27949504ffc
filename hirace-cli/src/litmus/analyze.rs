//! `hirace litmus analyze`.

use super::run_folder::results_file;
use super::settings;
use crate::args::message;
use crate::files::{self, Input};
use crate::report::{ReportArgs, ReportFormat, check_distinct};
use clap::{Args, ValueEnum};
use hirace_adequacy::schema::{self, Kind};
use hirace_core::bounded::REPORT;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::report::text::Style;
use hirace_litmus::analysis::{self, Options, Source, analyze};
use hirace_litmus::results;
use hirace_litmus::results::published::PublishedResults;
use hirace_litmus::results::table::Side;
use hirace_litmus::score::interval::Confidence;
use hirace_litmus::score::reproducibility::Budget;
use hirace_litmus::test::Specification;
use hirace_terminal::{Exit, Output};
use std::path::PathBuf;

/// Analyze published or stored results: how well environments detect bugs, and how devices compare
///
/// Results are files written by `hirace litmus tune --report json=FILE`, or files in the format that MC Mutants and
/// GPUHarbor published. A folder named site, pte, site_baseline, pte_baseline or correlation_analysis determines how
/// the results below it were run. If a file does not name its device, its file name is used.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus analyze results/
  hirace litmus analyze target/hirace/litmus            the newest campaign
  hirace litmus analyze pte/ site/ --report html=scores.html
  hirace litmus analyze results.json --budget 4 --format json")]
pub struct AnalyzeArgs {
    /// Result files, folders of them, or folders of campaigns, of which the newest complete run is analyzed
    #[arg(required = true, value_name = "FILE or FOLDER")]
    paths: Vec<PathBuf>,
    /// Set the confidence level of intervals, above 0 and below 1
    #[arg(long, value_name = "LEVEL", default_value = "0.95")]
    confidence: Confidence,
    /// Set the time in which each test must reproduce its outcome
    #[arg(long, value_name = "SECONDS", default_value = "64")]
    budget: Budget,
    /// Choose the version of the specification that determines the conformance tests: wgsl or wgsl-2022 [default: that
    /// of each file; wgsl-2022 for published files]
    #[arg(long, value_name = "VERSION", value_parser = message(settings::specification))]
    specification: Option<Specification>,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// An output format of `hirace litmus analyze`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables
    #[default]
    Text,
    /// `hirace.litmus-analysis/1`
    Json,
    /// An HTML page with plots
    Html,
}

impl ReportFormat for Format {}

/// Runs `hirace litmus analyze`.
pub fn run(args: &AnalyzeArgs, output: &Output) -> Result<Exit> {
    let of_run = |path: &PathBuf| Ok(results_file(path, output)?.unwrap_or_else(|| path.clone()));
    let paths = args.paths.iter().map(of_run).collect::<Result<Vec<_>>>()?;
    let inputs = files::expand_to(&paths, &["json"])?;
    args.report.warn_unwritable(output);
    let read = inputs.iter().map(|input| ("an input file", input.on_disk()));
    check_distinct(&args.report.output_files(), &read.collect::<Vec<_>>())?;
    let sources: Vec<Source> =
        inputs.iter().map(|input| source(input, args.specification)).collect::<Result<_>>()?;
    let options = Options { confidence: args.confidence, budget: args.budget };
    let analysis = analyze(&sources, options);
    let render = |format, _: Style| match format {
        Format::Text => analysis::text::report(&analysis),
        Format::Json => analysis::json(&analysis),
        Format::Html => analysis::html::report(&analysis),
    };
    let is_printed = args.report.print(render, output);
    let is_written = args.report.write(render, output);
    Ok(if is_printed && is_written { Exit::Clean } else { Exit::Failed })
}

fn source(input: &Input, specification: Option<Specification>) -> Result<Source> {
    let path = input.on_disk();
    let file = input.name();
    let text = REPORT.text(&path)?;
    let side = Side::of_path(&path);
    if schema::kind(&text) == Kind::Litmus {
        let document = results::read(&text).map_err(|error| {
            Diagnostic::new(format!("{file} is not a report of litmus tests: {error}"))
        })?;
        return Source::of_campaign(file, &document, side, specification);
    }
    let published = PublishedResults::parse(&file, &text)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Source::of_published(file, &published, &name, side, specification)
}
