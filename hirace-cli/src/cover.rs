//! `hirace cover`.

use crate::args::{WhatArgs, message};
use crate::inputs::{Done, Planned};
use crate::modules::Preprocessing;
use crate::outputs::{self, Written};
use crate::progress::{Bar, Line};
use clap::{Args, ValueEnum};
use hirace_adequacy::gate::{Gate, Gates};
use hirace_adequacy::report;
use hirace_adequacy::suite::commands;
use hirace_core::bounded::SOURCE;
use hirace_core::check::Session;
use hirace_core::cover::collect::Collector;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{Event, Listener, Listeners, Verb};
use hirace_core::exec;
use hirace_core::report::text::Style;
use hirace_terminal::file;
use hirace_terminal::{Exit, Output, stop};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// The verb that cargo is told to run test binaries with.
const RUN_TESTS: &str = "run-tests";

/// Say what of kernels their launches or tests run: lines, functions, branches, loops, barriers
///
/// Launches are those of the flags, else those of hirace.toml; what is left out is guessed. With a command after `--`,
/// they are those of the tests that it runs, each test by itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace cover scan.wgsl --workgroups 4 --buffer data=random:1024
  hirace cover                            the files and launches that hirace.toml names
  hirace cover -- cargo test              what the tests of a crate launch with the crate hirace
  hirace cover shaders/ --report lcov=lcov.info --report html=coverage.html --fail-under-branches 80")]
pub struct CoverArgs {
    #[command(flatten)]
    what: WhatArgs,
    /// Say whether something ran, and not how often: faster on a device
    #[arg(long, help_heading = "Running")]
    hits: bool,
    #[command(flatten)]
    report: ReportArgs,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// What is printed, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
struct ReportArgs {
    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Also write a report to a file (repeatable): text, annotated, json, lcov, cobertura or html
    #[arg(long, value_name = "KIND=FILE", value_parser = message(parse_report))]
    report: Vec<(Format, PathBuf)>,
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
    /// Print errors, and no table
    #[arg(long, short)]
    quiet: bool,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
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

/// Reads `KIND=FILE`.
fn parse_report(text: &str) -> Result<(Format, PathBuf)> {
    let parsed = text.split_once('=').and_then(|(kind, file)| {
        let kind = Format::from_str(kind.trim(), true).ok()?;
        (!file.is_empty()).then(|| (kind, PathBuf::from(file)))
    });
    parsed.ok_or_else(|| {
        let error = Diagnostic::new(format!("expected KIND=FILE, got `{text}`"));
        Box::new(error.help("KIND is text, annotated, json, lcov, cobertura or html"))
    })
}

/// Put together what several runs of `hirace cover` counted
///
/// They may be of other tests, devices and machines, as long as the sources are the same.
#[derive(Debug, Args)]
#[command(after_help = "Example: hirace merge 1.json 2.json --report html=coverage.html")]
pub struct MergeArgs {
    /// Reports in JSON, as `--report json=FILE` writes them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs `hirace merge`.
pub fn merge(args: &MergeArgs, output: &Output) -> ExitCode {
    let ended = merged(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn merged(args: &MergeArgs, output: &Output) -> Result<Exit> {
    let mut coverage = Coverage::default();
    let mut read: Vec<(&'static str, PathBuf)> = Vec::new();
    for path in &args.files {
        read.push(("a file that is merged", path.clone()));
        let shown = path.display();
        let merged = Coverage::read(&SOURCE.text(path)?).map_err(|error| {
            let message = format!("{shown} is no coverage: {error}");
            let help = "give what `hirace cover --report json=FILE` wrote";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        if merged.schema != coverage.schema {
            let message = format!("{shown} is `{}`, and no `{}`", merged.schema, coverage.schema);
            return Err(Box::new(Diagnostic::new(message)));
        }
        coverage.add(merged);
        if let Some(file) = coverage.of_several_texts().first() {
            let message = format!("{shown} is of another text of {file}");
            return Err(Box::new(
                Diagnostic::new(message).help("cover the same sources everywhere"),
            ));
        }
    }
    outputs::foresee(&written(&args.report), output);
    Ok(reported(&args.report, &coverage, read, Exit::Clean, output))
}

/// Runs the verb.
pub fn run(args: &CoverArgs, output: &Output) -> ExitCode {
    let ended = covered(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn covered(args: &CoverArgs, output: &Output) -> Result<Exit> {
    outputs::foresee(&written(&args.report), output);
    let (mut coverage, exit) = match args.command.is_empty() {
        true => of_files(args, output)?,
        false => of_tests(args, output)?,
    };
    if args.what.preprocess.any() {
        // What ran is made of the files: their lines are the same.
        coverage.files.iter_mut().for_each(|file| file.text = None);
    }
    resolve(&mut coverage);
    Ok(reported(&args.report, &coverage, Vec::new(), exit, output))
}

/// Puts a coverage into all forms that are asked for, and says with what the run ends that ended so.
fn reported(
    args: &ReportArgs,
    coverage: &Coverage,
    mut read: Vec<(&'static str, PathBuf)>,
    exit: Exit,
    output: &Output,
) -> Exit {
    let sources = coverage.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a source that is covered", path)));
    if let Err(error) = outputs::apart(&written(args), &read) {
        output.error(&error);
        let ReportArgs { format, quiet, .. } = args;
        if !(*quiet && *format == Format::Text) {
            let _ = output.print(&rendered(*format, coverage, output.style()));
        }
        return Exit::BadInput;
    }
    let is_written = write_all(args, coverage, output);
    let missed = gates(args).missed(&coverage.summary);
    missed.iter().for_each(|error| output.error(error));
    match (exit, is_written, missed.is_empty()) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, false) => Exit::Findings,
        (exit, ..) => exit,
    }
}

/// What the tests run that a command runs.
fn of_tests(args: &CoverArgs, output: &Output) -> Result<(Coverage, Exit)> {
    if args.what.says_anything() {
        let error = Diagnostic::new("a command is given, and files or flags of launches beside it");
        return Err(Box::new(error.help("tests say themselves what they launch, and on what")));
    }
    let stop = stop::on_signal();
    let options = commands::Options { hits: args.hits, stop: Some(&stop) };
    let ran = commands::run(&args.command, RUN_TESTS, options)?;
    let idle = ran.coverage.tests.iter().filter(|test| test.launches == 0).count();
    if idle == ran.coverage.tests.len() && ran.failed.is_empty() && !ran.stopped {
        let error = Diagnostic::new("no test launches a kernel by the crate hirace");
        let help = "nothing is seen of what tests hand to a device themselves: name launches in hirace.toml";
        output.error(&error.note(format!("{idle} tests ran")).help(help));
        return Ok((ran.coverage, Exit::BadInput));
    }
    if idle > 0 && !args.report.quiet {
        let launch = if idle == 1 { "launches" } else { "launch" };
        let note = format!("{idle} of {} tests {launch} no kernel", ran.coverage.tests.len());
        output.warning(&Diagnostic::new(note));
    }
    if !ran.failed.is_empty() {
        let error = Diagnostic::new(format!("the suite fails: {}", ran.failed.join(", ")));
        output.error(&error.note("what its tests launched before they failed is counted"));
    } else if ran.stopped {
        output.error(&Diagnostic::new("the suite was stopped: what ran until then is counted"));
    } else if !ran.succeeded {
        output.error(&Diagnostic::new("the suite fails: its command ended with an error"));
    }
    let exit = if ran.stopped || !ran.succeeded { Exit::Failed } else { Exit::Clean };
    Ok((ran.coverage, exit))
}

/// What the launches of files run.
fn of_files(args: &CoverArgs, output: &Output) -> Result<(Coverage, Exit)> {
    let mut planned = Planned::new(&args.what)?;
    let Planned { configs, inputs } = &mut planned;
    outputs::distinct(&written(&args.report), &args.what, inputs, configs, None)?;
    let preprocessing = Preprocessing::new(&args.what.preprocess, &planned.inputs)?;
    let executor = exec::open(&args.what.run.device)?;
    let stop = stop::on_signal();
    let mut listeners = Listeners::default();
    let bar = Bar::new(args.report.quiet);
    let line = bar.line();
    listeners.add(bar);
    listeners.add(Errors { output, line, quiet: args.report.quiet });
    let mut collector = Collector::new(args.hits, Some(&stop));
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(&stop))
        .with_follower(Some(&mut collector));
    let Done { ended, tests } = planned.run(Verb::Cover, &args.what, &preprocessing, session)?;
    drop(listeners);
    for (file, kernel) in &collector.cut_off {
        let warning = Diagnostic::new(format!("{file}: `{kernel}` was cut off before its end"));
        let help = "what it had run until then is counted; `hirace check` says why, --step-limit gives it more steps";
        output.warning(&warning.help(help));
    }
    let exit = match (ended.stopped, ended.fault) {
        (true, _) => Exit::Failed,
        (false, Some(fault)) => fault.into(),
        (false, None) => Exit::Clean,
    };
    let failed: Vec<&str> =
        tests.iter().filter(|test| test.failed.is_some()).map(|test| &test.test.name[..]).collect();
    let exit = match failed[..] {
        [] => exit,
        _ => {
            output.error(&Diagnostic::new(format!("the suite fails: {}", failed.join(", "))));
            Exit::Failed
        }
    };
    let mut coverage = collector.coverage;
    coverage.tests = tests.into_iter().map(|outcome| outcome.test).collect();
    Ok((coverage, exit))
}

/// The files that reports go to.
fn written(args: &ReportArgs) -> Vec<Written<'_>> {
    args.report.iter().map(|(_, path)| ("--report", path.as_path())).collect()
}

/// Prints errors, and warnings unless nobody wants them.
struct Errors<'a> {
    output: &'a Output,
    line: Line,
    quiet: bool,
}

impl Listener for Errors<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Error(error) => self.line.suspended(|| self.output.error(error)),
            Event::Warning(warning) if !self.quiet => {
                self.line.suspended(|| self.output.warning(warning));
            }
            _ => {}
        }
    }
}

/// Notes the texts of files of which only parts were known.
fn resolve(coverage: &mut Coverage) {
    for file in &mut coverage.files {
        if file.text.is_none() {
            file.text = text_of(Path::new(&file.file)).map(|text| hash(&text));
        }
    }
}

fn gates(report: &ReportArgs) -> Gates {
    Gates {
        lines: report.fail_under_lines,
        branches: report.fail_under_branches,
        loops: report.fail_under_loops,
        barriers: report.fail_under_barriers,
    }
}

/// Prints and writes the reports. Whether all of it could be.
fn write_all(args: &ReportArgs, coverage: &Coverage, output: &Output) -> bool {
    let ReportArgs { format, quiet, report, .. } = args;
    let mut written = true;
    if !(*quiet && *format == Format::Text) {
        written &= output.print(&rendered(*format, coverage, output.style())).is_ok();
    }
    let plain = Style { colour: false, ..output.style() };
    for (format, path) in report {
        if let Err(error) = file::write(path, rendered(*format, coverage, plain).as_bytes()) {
            let message = format!("cannot write {}: {error}", path.display());
            output.error(&Diagnostic::new(message));
            written = false;
        }
    }
    written
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
