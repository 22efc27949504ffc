//! `hirace cover`: coverage of kernels by launches or tests, its reports and its thresholds.

use crate::args::{InputArgs, message};
use crate::inputs::{InputPlan, InputsOutcome};
use crate::modules::PreprocessInputs;
use crate::progress::{Bar, Errors};
use crate::report::{self, ProtectedFiles, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_adequacy::cover::part::ShardFollower;
use hirace_adequacy::gate::{Gate, Gates};
use hirace_adequacy::report as formats;
use hirace_adequacy::suite::commands;
use hirace_core::check::Session;
use hirace_core::cover::collect::Collector;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{InputErrors, Listeners, Verb};
use hirace_core::exec;
use hirace_core::report::text::Style;
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output, stop};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Measure which parts of kernels the launches or tests run: lines, functions, branches, loops and barriers
///
/// Launches come from the flags, else from hirace.toml; values that are not given are guessed. With a command after
/// `--`, the launches are those of the tests it runs, counted per test.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace cover scan.wgsl --workgroups 4 --buffer data=random:1024
  hirace cover                            the files and launches that hirace.toml names
  hirace cover -- cargo test              the kernels that a crate's tests launch with the hirace crate
  hirace cover --shard 2/3 --report json=2.json        then: hirace merge 1.json 2.json 3.json
  hirace cover shaders/ --report lcov=lcov.info --report html=coverage.html --fail-under-branches 80")]
pub struct CoverArgs {
    #[command(flatten)]
    pub what: InputArgs,
    /// Record only whether each part ran, not how often; faster on a device
    #[arg(long, help_heading = "Running")]
    hits: bool,
    /// Run only part K of N, for example 1/3, 2/3 or 3/3; `hirace merge` joins the reports of all parts
    #[arg(long, value_name = "K/N", help_heading = "Tests")]
    shard: Option<Shard>,
    #[command(flatten)]
    report: ReportArgs<Format>,
    #[command(flatten)]
    gates: CoverageGateArgs,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The thresholds for coverage.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Report")]
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

impl ReportFormat for Format {}

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

/// Runs `hirace cover`.
pub fn run(args: &CoverArgs, output: &Output) -> ExitCode {
    let ended = run_cover(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn run_cover(args: &CoverArgs, output: &Output) -> Result<Exit> {
    args.report.warn_unwritable(output);
    let (coverage, exit) = match args.command.is_empty() {
        true => run_on_files(args, output)?,
        false => run_on_tests(args, output)?,
    };
    let mut coverage = coverage.sorted();
    coverage.shards = args.shard.iter().map(ToString::to_string).collect();
    if args.what.preprocess.any() {
        // Hashes identify the files, whose texts are the same in all shards.
        coverage.files.iter_mut().for_each(|file| file.text = None);
    }
    resolve(&mut coverage);
    // A file known only in parts before may have its full text now.
    let coverage = coverage.sorted();
    Ok(reported(&args.report, &args.gates, &coverage, Vec::new(), exit, output))
}

/// Measures the coverage of the tests that a command runs.
fn run_on_tests(args: &CoverArgs, output: &Output) -> Result<(Coverage, Exit)> {
    args.what.reject_with_command()?;
    if args.what.run.schedules.is_some() {
        let error = Diagnostic::new("`--schedules` cannot be combined with a test command");
        return Err(Box::new(error.help("leave it out: the tests define their own schedules")));
    }
    let stop = stop::on_signal();
    let options = commands::Options { hits: args.hits, stop: Some(&stop), shard: args.shard };
    let mut ran = commands::run(&args.command, crate::RUN_TESTS, options)?;
    if args.shard.is_some() {
        ran.coverage.run_id = Some(hash(&format!("{:?} {}", ran.listed, args.hits)));
        ran.coverage.stopped = ran.stopped;
    }
    let idle = ran.coverage.tests.iter().filter(|test| test.launches == 0).count();
    // All tests of a shard may launch no kernel, or the shard may be empty.
    let is_all = args.shard.is_none();
    if is_all && idle == ran.coverage.tests.len() && ran.failed.is_empty() && !ran.stopped {
        let error = Diagnostic::new("no test launches a kernel with the hirace crate");
        let help = "define launches in hirace.toml: kernels that tests submit to a device themselves are not observed";
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
        output.error(&error.note("launches before the failure are counted"));
    } else if ran.stopped {
        output.error(&Diagnostic::new("the suite was stopped; launches until then are counted"));
    } else if !ran.has_succeeded {
        output.error(&Diagnostic::new("the suite fails: its command exited with an error"));
    }
    let exit = if ran.stopped || !ran.has_succeeded { Exit::Failed } else { Exit::Clean };
    Ok((ran.coverage, exit))
}

/// Measures the coverage of the launches of files.
fn run_on_files(args: &CoverArgs, output: &Output) -> Result<(Coverage, Exit)> {
    let mut planned = InputPlan::new(&args.what)?;
    let InputPlan { configs, inputs, .. } = &mut planned;
    report::check_inputs_distinct(&args.report.output_files(), &args.what, inputs, configs, None)?;
    let preprocessing = PreprocessInputs::new(&args.what.preprocess, &planned.inputs)?;
    let of = match args.shard {
        Some(_) => {
            Some(hash(&format!("{} {}", planned.key(&args.what, &preprocessing)?, args.hits)))
        }
        None => None,
    };
    let executor = exec::open(&args.what.run.device)?;
    let stop = stop::on_signal();
    let mut errors = Vec::new();
    let mut listeners = Listeners::default();
    let bar = Bar::new(args.report.quiet);
    let line = bar.line();
    listeners.add(bar);
    listeners.add(Errors { output, line, quiet: args.report.quiet });
    listeners.add(InputErrors::new(&mut errors));
    let mut part = ShardFollower::new(args.shard, Collector::new(args.hits, Some(&stop)));
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(&stop))
        .with_follower(Some(&mut part));
    let InputsOutcome { ended, tests } =
        planned.run(Verb::Cover, &args.what, &preprocessing, session)?;
    drop(listeners);
    let collector = part.follower;
    for (file, kernel) in &collector.cut_off {
        let warning = Diagnostic::new(format!("{file}: `{kernel}` was stopped before it ended"));
        let help = "run `hirace check` for the reason, or raise --max-steps; what ran until then is counted";
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
    coverage.stopped = of.is_some() && ended.stopped;
    coverage.run_id = of;
    coverage.errors = errors;
    Ok((coverage, exit))
}

/// Fills in the text of files that were known only in parts.
fn resolve(coverage: &mut Coverage) {
    for file in &mut coverage.files {
        if file.text.is_none() {
            file.text = text_of(Path::new(&file.file)).map(|text| hash(&text));
        }
    }
}

/// Prints and writes the coverage in all requested formats. Returns the exit status, given the status of the run. The
/// files in `read` and the sources are not overwritten.
pub fn reported(
    report: &ReportArgs<Format>,
    gates: &CoverageGateArgs,
    coverage: &Coverage,
    mut read: ProtectedFiles,
    exit: Exit,
    output: &Output,
) -> Exit {
    let sources = coverage.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a covered source", path)));
    let made = created(output);
    let render = |format, style| rendered(format, coverage, style, made);
    let is_written = match report.deliver(&read, render, output) {
        Ok(is_written) => is_written,
        Err(exit) => return exit,
    };
    let missed = gates.gates().missed(&coverage.summary);
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
        Format::Text => formats::text::table(coverage, style),
        Format::Annotated => formats::annotated::render_annotated(coverage, &source, style),
        Format::Json => formats::json::report(coverage),
        Format::Lcov => formats::lcov::report(coverage),
        Format::Cobertura => formats::cobertura::report(coverage, created),
        Format::Html => formats::html::report(coverage, &source),
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
