//! `hirace amplify`: schedule amplification of tests, and its reports.

use crate::args::{InputArgs, defaults, message, parse_order};
use crate::inputs::{InputPlan, InputsOutcome};
use crate::modules::PreprocessInputs;
use crate::output_folder::output_folder;
use crate::progress::{Bar, CountedBar, Errors};
use crate::report::{self, ProtectedFiles, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum, value_parser};
use hirace_adequacy::amplify::launches::Launches;
use hirace_adequacy::amplify::processes::{Processes, TestCall};
use hirace_adequacy::amplify::report::{github, json, text};
use hirace_adequacy::amplify::{self, TestStore};
use hirace_adequacy::suite::commands::{self, SuiteRun};
use hirace_core::amplify::families::{FAMILIES, find_family};
use hirace_core::amplify::record::ExploreSettings;
use hirace_core::amplify::results::{AmplifiedLaunch, Results};
use hirace_core::amplify::{DispatchOrder, ON_DEVICE, Outputs, Progress, Settings};
use hirace_core::check::Session;
use hirace_core::cover::hash;
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{InputError, InputErrors, Listeners, Verb};
use hirace_core::exec;
use hirace_core::folder::Folder;
use hirace_core::launch::spec;
use hirace_core::report::text::Style;
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output, stop};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

/// Run tests under schedules of workgroups and invocations that devices rarely choose, and report what depends on the
/// schedule
///
/// Tests are the launches of the flags or of hirace.toml; with a command after `--`, the tests that it runs. The
/// outputs of each schedule are compared with those of the serial schedule, or with what the test expects. A kernel
/// that does not terminate under some schedule is reported too, and so is a race that only some schedules reach. Each
/// finding has a schedule that reproduces it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace amplify scan.wgsl --workgroups 8 --buffer data=random:1024
  hirace amplify -- cargo test            the launches of a crate's tests
  hirace amplify --strategy target-first --schedules 100
  hirace amplify list.wgsl --as-set items --replay target-first:3
  hirace amplify --shard 2/3 --report json=2.json      then: hirace merge 1.json 2.json 3.json")]
pub struct AmplifyArgs {
    #[command(flatten)]
    pub what: InputArgs,
    #[command(flatten)]
    schedules: ScheduleArgs,
    #[command(flatten)]
    outputs: OutputArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The number of schedules of each strategy, unless `--schedules` is given.
const PER_STRATEGY: u32 = 20;

/// The maximum number of schedules of each strategy.
const MAX_PER_STRATEGY: u32 = 100_000;

/// Arguments that select the schedules to try.
#[derive(Debug, Args)]
#[command(next_help_heading = "Schedules")]
struct ScheduleArgs {
    /// Use only this strategy (repeatable): exhaustive, target-first, occupancy, seeded, random or pct; on a device:
    /// plain, target-first, remapped or in-place
    #[arg(long, value_name = "STRATEGY", value_parser = message(parse_strategy))]
    strategy: Vec<String>,
    /// Set the seed of randomized strategies
    #[arg(long, value_name = "N", default_value = "0", value_parser = message(spec::parse_seed))]
    schedule_seed: u64,
    /// Set the maximum bug depth for the pct strategy: the number of ordering constraints on steps that trigger a bug
    #[arg(long, value_name = "N", default_value = "3", value_parser = value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Run all step-level schedules of a dispatch if there are at most N
    #[arg(long, value_name = "N", default_value = "1000")]
    max_exhaustive: u64,
    /// Run only this schedule, as a report shows it
    #[arg(long, value_name = "SCHEDULE", value_parser = message(parse_order))]
    replay: Option<DispatchOrder>,
}

/// Arguments that control how outputs are compared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Outputs")]
struct OutputArgs {
    /// Compare only this buffer or texture (repeatable), unless a test in hirace.toml defines what to expect
    #[arg(long, value_name = "NAME")]
    compare: Vec<String>,
    /// Set the tolerance for floats: absolute, or relative to values above 1
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = message(parse_tolerance))]
    tolerance: f64,
    /// Compare this buffer as a set: the order of its elements does not matter (repeatable)
    #[arg(long, value_name = "NAME")]
    as_set: Vec<String>,
}

/// Arguments that select tests, and the folder that keeps their results.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tests")]
struct SelectArgs {
    /// Run only this test, by the name that reports show (repeatable)
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
    /// Run only part K of N, for example 1/3, 2/3 or 3/3; `hirace merge` joins the reports of all parts
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Set the number of parallel jobs [default: number of processors]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroU32>,
    /// Keep the state of the run in this folder, so that a stopped run can be resumed [default: a folder in
    /// target/hirace, or in .hirace outside a cargo package]
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
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

impl ReportFormat for Format {}

fn parse_strategy(name: &str) -> Result<String> {
    if find_family(name).is_some() || ON_DEVICE.iter().any(|(known, _)| *known == name) {
        return Ok(name.to_owned());
    }
    let error = Diagnostic::new(format!("no strategy is called `{name}`"));
    let embedded = FAMILIES.iter().map(|family| (family.name, family.about));
    let all = embedded.chain(ON_DEVICE.iter().copied());
    let all = all.map(|(name, about)| format!("{name}: {about}"));
    Err(Box::new(all.fold(error, Diagnostic::note)))
}

fn parse_tolerance(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => {
            let error = format!("expected a number that is not negative, got `{text}`");
            Err(Box::new(Diagnostic::new(error)))
        }
    }
}

impl AmplifyArgs {
    /// Returns the arguments for the schedule part of an audit: `schedules` of each strategy, results kept in `folder`.
    pub fn for_audit(what: InputArgs, schedules: u32, folder: PathBuf, quiet: bool) -> Self {
        let mut args: Self = defaults();
        (args.what, args.select.output) = (what, Some(folder));
        args.what.run.schedules = Some(schedules);
        args.report.quiet = quiet;
        args
    }

    /// Returns the number of schedules of each strategy.
    fn per_strategy(&self) -> u32 {
        self.what.run.schedules.unwrap_or(PER_STRATEGY)
    }

    fn settings(&self) -> Settings {
        let ScheduleArgs { strategy, schedule_seed, depth, max_exhaustive, replay } =
            &self.schedules;
        Settings {
            strategies: strategy.clone(),
            runs: self.per_strategy(),
            seed: *schedule_seed,
            depth: *depth,
            most: *max_exhaustive,
            replay: replay.clone(),
        }
    }

    fn outputs(&self) -> Outputs {
        let OutputArgs { compare, tolerance, as_set } = &self.outputs;
        Outputs {
            expect: Vec::new(),
            same: (!compare.is_empty()).then(|| compare.clone()),
            tolerance: *tolerance,
            as_set: as_set.clone(),
            is_flag: true,
        }
    }

    /// Returns whether the test with this name is selected.
    fn selects(&self, name: &str) -> bool {
        let SelectArgs { test, shard, .. } = &self.select;
        let is_named = test.is_empty() || test.iter().any(|wanted| wanted == name);
        is_named && shard.is_none_or(|shard| shard.has(&hash(name)))
    }

    /// Returns a key of all arguments that results depend on. Sources and tests are not part of it.
    fn key(&self) -> String {
        let Self { schedules, outputs, select, .. } = self;
        format!("{schedules:?} {} {outputs:?} {:?}", self.per_strategy(), select.test)
    }
}

/// Runs `hirace amplify`.
pub fn run(args: &AmplifyArgs, output: &Output) -> ExitCode {
    let ended = try_run(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn try_run(args: &AmplifyArgs, output: &Output) -> Result<Exit> {
    let schedules = args.per_strategy();
    if !(1..=MAX_PER_STRATEGY).contains(&schedules) {
        let error = format!("`--schedules {schedules}` is not in 1..={MAX_PER_STRATEGY}");
        return Err(Box::new(Diagnostic::new(error)));
    }
    args.report.warn_unwritable(output);
    let stop = stop::on_signal();
    let (results, exit) = match args.command.is_empty() {
        true => run_on_files(args, &stop, output)?,
        false => run_on_tests(args, &stop, output)?,
    };
    let missed = args.select.test.iter().filter(|name| {
        args.select.shard.is_none() && results.tests.iter().all(|test| test.name != **name)
    });
    for name in missed {
        if !results.stopped {
            let error = Diagnostic::new(format!("no test is called `{name}`"));
            return Err(Box::new(error.help("find the names of tests in a report: --format json")));
        }
    }
    Ok(report_results(&args.report, &results, Vec::new(), exit, output))
}

/// Known and new results, kept in a folder.
struct AmplifyStore {
    path: PathBuf,
    folder: Folder<amplify::TestResult>,
    counted: CountedBar,
}

impl TestStore for AmplifyStore {
    fn known(&self, name: &str) -> Option<&amplify::TestResult> {
        self.folder.known(&name.to_owned())
    }

    fn store(&mut self, result: &amplify::TestResult) -> Result<()> {
        self.counted.advance(&result.test.name);
        self.folder.store(result)
    }
}

impl AmplifyStore {
    fn open(args: &AmplifyArgs, run_id: &str, count: usize, output: &Output) -> Result<Self> {
        let path = output_folder(args.select.output.as_deref(), "amplify")?;
        let folder = Folder::open(&path, run_id)?;
        let quiet = args.report.quiet;
        if folder.count() > 0 && !quiet {
            let known = folder.count();
            output.note(&format!("{known} tests are already done, in {}", path.display()));
        }
        Ok(Self { path, folder, counted: CountedBar::new(count, quiet) })
    }

    /// Returns the results of a run, and stores them if all tests are done.
    fn results(
        self,
        args: &AmplifyArgs,
        run_id: &str,
        (done, errors): (Vec<amplify::TestResult>, Vec<InputError>),
        exit: Exit,
    ) -> Result<Results> {
        let settings = args.settings();
        let mut results = Results::new(settings.runs, settings.seed);
        run_id.clone_into(&mut results.run_id);
        results.shards = args.select.shard.iter().map(ToString::to_string).collect();
        results.stopped = exit == Exit::Failed;
        results.errors = errors;
        for amplify::TestResult { test, files } in done {
            results.tests.push(test);
            results.files.extend(files);
        }
        results.sort();
        if !results.stopped {
            self.folder.finish(&results, &[])?;
        }
        Ok(results)
    }
}

/// Amplifies the tests that a command runs.
fn run_on_tests(args: &AmplifyArgs, stop: &AtomicBool, output: &Output) -> Result<(Results, Exit)> {
    args.what.reject_with_command()?;
    let options = commands::Options { hits: true, stop: Some(stop), shard: None };
    let ran = commands::run(&args.command, crate::RUN_TESTS, options)?;
    run_on_suite(args, &ran, stop, output)
}

/// Amplifies the tests of a suite that already ran.
pub fn run_on_suite(
    args: &AmplifyArgs,
    ran: &SuiteRun,
    stop: &AtomicBool,
    output: &Output,
) -> Result<(Results, Exit)> {
    if ran.stopped {
        return Err(Box::new(Diagnostic::new("stopped before any schedule was run").of_device()));
    }
    if !ran.failed.is_empty() || !ran.has_succeeded {
        let error = match ran.failed.is_empty() {
            true => "the suite fails: its command exited with an error".to_owned(),
            false => {
                format!("the suite fails under the default schedule: {}", ran.failed.join(", "))
            }
        };
        let help = "fix the suite first: it must pass before other schedules can be judged";
        return Err(Box::new(Diagnostic::new(error).help(help).of_device()));
    }
    let launching_tests = ran.tests.iter().filter(|test| !test.coverage.files.is_empty());
    let tests: Vec<TestCall> = launching_tests
        .filter_map(|test| Some(TestCall { name: test.name.clone(), call: test.call.clone()? }))
        .collect();
    if tests.is_empty() {
        let error = Diagnostic::new("no test launches a kernel with the hirace crate");
        let help = "define launches in hirace.toml: kernels that tests submit to a device themselves are not observed";
        return Err(Box::new(error.help(help)));
    }
    let texts = ran.coverage.files.iter().map(|file| format!("{} {:?}", file.file, file.text));
    let names = tests.iter().map(|test| test.name.clone());
    let sources: Vec<String> = texts.chain(names).collect();
    let run_id = hash(&format!("{} {}", sources.join("\n"), args.key()));
    let tests: Vec<TestCall> = tests.into_iter().filter(|test| args.selects(&test.name)).collect();
    let count = tests.len();
    let mut store = AmplifyStore::open(args, &run_id, count, output)?;
    let all = available_parallelism().map_or(1, Into::into);
    let jobs = args.select.jobs.map_or(all, |jobs| jobs.get() as usize);
    let explore = ExploreSettings::new(&args.settings(), &args.outputs());
    let done = Processes::new(tests, explore, jobs, Some(stop))?.run(&mut store)?;
    let exit = if done.len() < count { report_stopped(&store.path, output) } else { Exit::Clean };
    Ok((store.results(args, &run_id, (done, Vec::new()), exit)?, exit))
}

/// Reports that the run was stopped before all schedules were run.
fn report_stopped(folder: &Path, output: &Output) -> Exit {
    let shown = folder.display();
    let error = Diagnostic::new("stopped before all schedules were run");
    let help = format!("run the same command to resume: the results so far are in {shown}");
    output.error(&error.help(help));
    Exit::Failed
}

/// Amplifies the launches of files.
pub fn run_on_files(
    args: &AmplifyArgs,
    stop: &AtomicBool,
    output: &Output,
) -> Result<(Results, Exit)> {
    let what = args.what.without_schedules();
    let mut planned = InputPlan::new(&what)?;
    let InputPlan { configs, inputs, .. } = &mut planned;
    report::check_inputs_distinct(&args.report.output_files(), &what, inputs, configs, None)?;
    let preprocessing = PreprocessInputs::new(&what.preprocess, &planned.inputs)?;
    let run_id = hash(&format!("{} {}", planned.key(&what, &preprocessing)?, args.key()));
    let executor = exec::open(&args.what.run.device)?;
    let mut store = AmplifyStore::open(args, &run_id, 0, output)?;
    let mut errors = Vec::new();
    let mut listeners = Listeners::default();
    let bar = Bar::new(args.report.quiet);
    let line = bar.line();
    listeners.add(bar);
    let shown = line.clone();
    let progress = Progress::new(move |what| shown.show(what));
    listeners.add(Errors { output, line, quiet: args.report.quiet });
    listeners.add(InputErrors::new(&mut errors));
    let selects = |name: &str| args.selects(name);
    let (settings, outputs) = (args.settings(), args.outputs());
    let mut launches =
        Launches::new(settings, outputs, &selects, &mut store, Some(stop)).with_progress(progress);
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(stop))
        .with_follower(Some(&mut launches));
    let InputsOutcome { ended, tests } =
        planned.run(Verb::Amplify, &what, &preprocessing, session)?;
    drop(listeners);
    let done = launches.finish()?;
    let failed: Vec<&str> =
        tests.iter().filter(|test| test.failed.is_some()).map(|test| &test.test.name[..]).collect();
    if !failed.is_empty() {
        let error = format!("the suite fails under the default schedule: {}", failed.join(", "));
        output.error(&Diagnostic::new(error));
    }
    let exit = match (ended.stopped, ended.fault) {
        (true, _) => report_stopped(&store.path, output),
        (false, _) if !failed.is_empty() => Exit::Failed,
        (false, Some(fault)) => fault.into(),
        (false, None) => Exit::Clean,
    };
    Ok((store.results(args, &run_id, (done, errors), exit)?, exit))
}

/// Prints and writes the results in all requested formats. Returns the exit status, given the status of the run.
pub fn report_results(
    report: &ReportArgs<Format>,
    results: &Results,
    mut read: ProtectedFiles,
    exit: Exit,
    output: &Output,
) -> Exit {
    let sources = results.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("the source file of a launch", path)));
    let render = |format, style| rendered(format, results, style);
    let is_written = match report.deliver(&read, render, output) {
        Ok(is_written) => is_written,
        Err(exit) => return exit,
    };
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
