//! `hirace mutate`: mutation testing of kernels.

mod judging;
pub mod report;

use crate::args::{InputArgs, defaults, message};
use crate::inputs::{InputFile, InputPlan};
use crate::modules::PreprocessInputs;
use crate::report::{ReportArgs, check_inputs_distinct};
use clap::Args;
use hirace_adequacy::mutate::launch_test::LaunchTest;
use hirace_adequacy::mutate::launches::Launches;
use hirace_adequacy::mutate::plan::{self, Plan, Repeats};
use hirace_adequacy::mutate::processes::Processes;
use hirace_adequacy::mutate::results::Results;
use hirace_adequacy::mutate::select::{ChangedLines, Place, Selection, Selector};
use hirace_adequacy::mutate::source::Source;
use hirace_adequacy::suite::commands::{self, SingleTest, SuiteRun};
use hirace_core::bounded::DIFF;
use hirace_core::check::run;
use hirace_core::cover::Coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::{self, Executor};
use hirace_core::front::{self, Kind};
use hirace_core::launch::spec;
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output, stop};
use judging::MutantJudging;
use report::{Format, MutationGateArgs, listed, reported};
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

/// Mutate kernels, one mutation at a time, and report the mutants that the tests do not detect
///
/// Tests are the launches of the flags or of hirace.toml; with a command after `--`, the tests that it runs. Nothing is
/// rebuilt for a mutant: it is created when a test loads the kernel. A test whose result does not depend on the
/// schedule runs once per mutant, other tests under as many schedules as --schedules says. Without --schedules, tests
/// of a command run once per mutant if two runs without a mutant have the same result.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace mutate -- cargo test             the mutants that a crate's tests do not detect
  hirace mutate                           the same for the tests in hirace.toml
  hirace mutate --list scan.wgsl          the mutants of a file
  hirace mutate --in-diff changes.diff --fail-under 80 -- cargo test
  hirace mutate --shard 2/3 --report json=2.json -- cargo test      then: hirace merge 1.json 2.json 3.json")]
pub struct MutateArgs {
    #[command(flatten)]
    pub what: InputArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
    #[command(flatten)]
    gates: MutationGateArgs,
    /// Also print a line for each killed mutant
    #[arg(long, help_heading = "Report")]
    killed: bool,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The minimum step limit of a subgroup, however few steps a test takes without a mutant.
const MIN_STEPS: u64 = 100_000;

/// The number of schedules besides the serial one that a test whose result differs between runs runs under, unless
/// `--schedules` says otherwise.
const OTHER_SCHEDULES: u32 = 19;

/// Arguments that select the mutants to judge.
#[derive(Debug, Args)]
#[command(next_help_heading = "Mutants")]
struct SelectArgs {
    /// List the mutants without judging them
    #[arg(long)]
    list: bool,
    /// Use only mutants of this class or operator (repeatable): relational, less-to-less-equal, gpu.id-plus-one
    #[arg(long, value_name = "OPERATOR", value_parser = message(Selector::parse))]
    operator: Vec<Selector>,
    /// Use no mutants of this class or operator (repeatable)
    #[arg(long, value_name = "OPERATOR", value_parser = message(Selector::parse))]
    skip_operator: Vec<Selector>,
    /// Use only mutants in this file, or in these lines of it (repeatable)
    #[arg(long, value_name = "FILE[:LINE[-LINE]]")]
    at: Vec<Place>,
    /// Use only mutants in this function (repeatable)
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// Use no mutants in this function (repeatable)
    #[arg(long, value_name = "NAME")]
    skip_function: Vec<String>,
    /// Use only the mutant with this id, as reports show it (repeatable)
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// Use only mutants on lines that this diff adds or changes; - for standard input
    #[arg(long, value_name = "FILE")]
    in_diff: Option<PathBuf>,
    /// Run only part K of N, for example 1/3, 2/3 or 3/3; `hirace merge` joins the reports of all parts
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
}

/// Arguments that control how mutants are judged.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Judging")]
pub struct JudgeArgs {
    /// Set the number of parallel jobs [default: number of processors]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroU32>,
    /// Set the time and step limit of a test to N times what it takes without a mutant
    #[arg(long, value_name = "N", default_value = "10")]
    timeout_multiplier: NonZeroU32,
    /// Give each test at least this many seconds, whatever --timeout-multiplier allows
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = message(spec::parse_seconds))]
    min_timeout: Duration,
    /// Limit the address space of a test process to this many GiB; 0 for no limit
    #[arg(long, value_name = "GIB", default_value = "16")]
    max_memory: u32,
    /// Keep the state of the run in this folder, so that a stopped run can be resumed [default: a folder in
    /// target/hirace, or in .hirace outside a cargo package]
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

impl JudgeArgs {
    fn jobs(&self) -> usize {
        let all = available_parallelism().map_or(1, Into::into);
        self.jobs.map_or(all, |jobs| jobs.get() as usize)
    }

    fn time(&self, seconds: f64) -> Duration {
        let most = seconds * f64::from(self.timeout_multiplier.get());
        Duration::try_from_secs_f64(most).unwrap_or(Duration::MAX).max(self.min_timeout)
    }

    /// Returns the step limit for a test that took `taken` steps without a mutant, or `None` if steps were not counted.
    fn steps(&self, taken: u64) -> Option<u64> {
        let most = taken.saturating_mul(u64::from(self.timeout_multiplier.get()));
        (taken > 0).then(|| most.saturating_add(MIN_STEPS))
    }

    fn memory(&self) -> Option<u64> {
        (self.max_memory > 0).then(|| u64::from(self.max_memory) << 30)
    }
}

impl SelectArgs {
    fn selection(&self) -> Result<Selection> {
        let changed = self.in_diff.as_deref().map(diff).transpose()?;
        Ok(Selection {
            operators: self.operator.clone(),
            without: self.skip_operator.clone(),
            places: self.at.clone(),
            functions: self.function.clone(),
            without_functions: self.skip_function.clone(),
            ids: self.id.clone(),
            changed,
            shard: self.shard,
        })
    }
}

fn diff(path: &Path) -> Result<ChangedLines> {
    let read = match path.as_os_str() == "-" {
        true => DIFF.read(std::io::stdin().lock()),
        false => DIFF.file(path),
    };
    let shown = path.display().to_string();
    let cannot = |error| Box::new(Diagnostic::new(format!("cannot read {shown}: {error}")));
    let bytes = read.map_err(cannot)?;
    ChangedLines::parse(front::decode(&shown, &bytes)?)
}

/// Runs `hirace mutate`.
pub fn run(args: &MutateArgs, output: &Output) -> ExitCode {
    let ended = mutated(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

impl MutateArgs {
    /// Returns how often a test whose result may depend on the schedule runs per mutant.
    fn repeats(&self) -> Repeats {
        let given = self.what.run.schedules;
        // Tests that are processes take long, and a launch of a file shows all that it depends on.
        let are_chosen = given.is_none() && !self.command.is_empty();
        Repeats { most: given.unwrap_or(OTHER_SCHEDULES) + 1, are_chosen }
    }

    /// Returns the arguments for the mutation part of an audit.
    pub fn for_audit(what: InputArgs, judge: JudgeArgs, without: Vec<String>, quiet: bool) -> Self {
        let mut args: Self = defaults();
        (args.what, args.judge, args.report.quiet) = (what, judge, quiet);
        args.select.skip_function = without;
        args
    }
}

/// The results of a mutation run, with its exit status.
pub struct MutationRun {
    pub results: Results,
    pub exit: Exit,
}

fn mutated(args: &MutateArgs, output: &Output) -> Result<Exit> {
    args.report.warn_unwritable(output);
    let stop = stop::on_signal();
    let MutationRun { results, exit } = match args.command.is_empty() {
        true => run_on_files(args, &stop, output)?,
        false => run_on_tests(args, &stop, output)?,
    };
    let diff = args.select.in_diff.iter().map(|path| ("the diff", path.clone())).collect();
    Ok(match args.select.list {
        true => listed(&args.report, &results, diff, output),
        false => reported(&args.report, &args.gates, &results, diff, exit, output),
    })
}

/// Judges mutants by the tests that a command runs.
fn run_on_tests(args: &MutateArgs, stop: &AtomicBool, output: &Output) -> Result<MutationRun> {
    args.what.reject_with_command()?;
    let options = commands::Options { hits: true, stop: Some(stop), shard: None };
    let ran = commands::run(&args.command, crate::RUN_TESTS, options)?;
    run_on_suite(args, &ran, stop, output)
}

/// Judges mutants by the tests of a suite that already ran.
pub fn run_on_suite(
    args: &MutateArgs,
    ran: &SuiteRun,
    stop: &AtomicBool,
    output: &Output,
) -> Result<MutationRun> {
    let selection = args.select.selection()?;
    if ran.stopped {
        return Err(Box::new(Diagnostic::new("stopped before any mutant was created").of_device()));
    }
    if !ran.failed.is_empty() || !ran.has_succeeded {
        let error = match ran.failed.is_empty() {
            true => "the suite fails: its command exited with an error".to_owned(),
            false => format!("the suite fails on the unmutated kernels: {}", ran.failed.join(", ")),
        };
        let help = "fix the suite first: it must pass before it can judge mutants";
        return Err(Box::new(Diagnostic::new(error).help(help).of_device()));
    }
    let tests: Vec<&SingleTest> = ran.tests.iter().filter(|test| test.call.is_some()).collect();
    let coverages: Vec<&Coverage> = tests.iter().map(|test| &test.coverage).collect();
    let (sources, unread) = plan::sources(&ran.coverage)?;
    if sources.is_empty() {
        let error = Diagnostic::new("no test launches a kernel whose source file is available");
        let help = "launch kernels of Rust files or shaders with the hirace crate, or define launches in hirace.toml";
        return Err(Box::new(error.help(help)));
    }
    if !unread.is_empty() && !args.report.quiet {
        let note = format!("{} have no source file, so they have no mutants", unread.join(", "));
        output.warning(&Diagnostic::new(note));
    }
    let plan = Plan::new(&sources, &coverages, &selection)?;
    let may_be_embedded =
        ran.device.as_ref().is_some_and(|device| device.beyond_embedded.is_empty());
    if may_be_embedded && !args.report.quiet && !args.select.list {
        output.note("the tests use a device: they may be faster with HIRACE_BACKEND=embedded, which needs no driver");
    }
    let names: Vec<String> = tests.iter().map(|test| test.name.clone()).collect();
    let calls = tests.iter().filter_map(|test| test.call.clone()).collect();
    let mut processes = Processes::new(calls, args.judge.jobs(), Some(stop))?;
    processes.memory = args.judge.memory();
    let key = processes.calls.iter().map(|call| stamp(&call.binary)).collect();
    let sources = &sources[..];
    MutantJudging { args, stop, output, sources, names, key }.run(plan, &processes)
}

/// Judges mutants by launches of files.
pub fn run_on_files(args: &MutateArgs, stop: &AtomicBool, output: &Output) -> Result<MutationRun> {
    let what = args.what.without_schedules();
    let mut planned = InputPlan::new(&what)?;
    let InputPlan { configs, inputs, .. } = &mut planned;
    check_inputs_distinct(&args.report.output_files(), &what, inputs, configs, None)?;
    let preprocessing = PreprocessInputs::new(&what.preprocess, &planned.inputs)?;
    let executor = exec::open(&args.what.run.device)?;
    let (mut sources, mut tests) = (Vec::new(), Vec::new());
    let quiet = args.report.quiet;
    for (source, of_source) in all_launched(planned, &preprocessing, &what, quiet, output)? {
        tests.extend(of_source);
        sources.push(source);
    }
    of_launches(args, &sources, tests, executor.as_ref(), stop, output)
}

/// Judges mutants of sources by launches of these sources.
pub fn of_launches(
    args: &MutateArgs,
    sources: &[Source],
    tests: Vec<LaunchTest>,
    executor: &(dyn Executor + Send + Sync),
    stop: &AtomicBool,
    output: &Output,
) -> Result<MutationRun> {
    let selection = args.select.selection()?;
    let key = sources.iter().map(|source| source.hash.clone());
    let key = key.chain(tests.iter().map(|test| format!("{test:?}"))).collect();
    let mut launches = Launches::new(executor, sources, tests, Some(stop));
    let names: Vec<String> = launches.tests.iter().map(|test| test.name.clone()).collect();
    let coverage = |test| match args.select.list {
        true => Ok(Coverage::default()),
        false => launches.coverage(test),
    };
    let ran = (0..names.len()).map(coverage).collect::<Result<Vec<_>>>()?;
    let coverages: Vec<&Coverage> = ran.iter().collect();
    let mut plan = Plan::new(sources, &coverages, &selection)?;
    // A file with the same text is still another source.
    for subject in &mut plan.subjects {
        subject.reached.retain(|test| launches.tests[*test].source == subject.source);
    }
    launches.enable_schemata(&plan.subjects);
    MutantJudging { args, stop, output, sources, names, key }.run(plan, &launches)
}

/// Returns all files as sources, with the tests of each. A file that was found in a folder and has no kernel of its
/// own, or no text to mutate, is skipped with a warning, as in all verbs.
///
/// # Errors
/// A file cannot be read, a file that was named has no text to mutate, or no file remains.
pub fn all_launched(
    planned: InputPlan,
    preprocessing: &PreprocessInputs,
    what: &InputArgs,
    quiet: bool,
    output: &Output,
) -> Result<Vec<(Source, Vec<LaunchTest>)>> {
    let all = planned.gather(what)?;
    let count = all.len();
    let (mut launches, mut warnings) = (Vec::new(), Vec::new());
    for gathered in all {
        let (name, found) = (gathered.input.name(), gathered.input.found);
        let input = run::Input { name: &name, found, is_host: gathered.input.is_host() };
        let launched = launched(&gathered, launches.len(), preprocessing, what);
        let no_kernel = match &launched {
            Ok((source, _)) if input.may_be_skipped(count) => source.no_kernel(),
            Err(error) if found => Some(error.clone()),
            _ => None,
        };
        match no_kernel {
            None => launches.push(launched?),
            Some(why) => warnings.extend(input.skip_warning(*why)),
        }
    }
    if launches.is_empty() && count > 0 {
        return Err(Box::new(run::no_kernel(warnings)));
    }
    if !quiet {
        warnings.iter().for_each(|warning| output.warning(warning));
    }
    Ok(launches)
}

/// Returns a file as the source with this number, and its tests.
///
/// # Errors
/// The file has no text to mutate.
fn launched(
    gathered: &InputFile,
    number: usize,
    preprocessing: &PreprocessInputs,
    what: &InputArgs,
) -> Result<(Source, Vec<LaunchTest>)> {
    let name = gathered.input.name();
    let Some(source) = Source::new(&name, &gathered.text) else {
        let error = Diagnostic::new(format!("{name} is SPIR-V, which has no text to mutate"));
        return Err(Box::new(error.help("mutate the source that it was compiled from")));
    };
    let preprocessing = preprocessing.with_configured(&gathered.preprocessing);
    // GLSL may include files of its folder.
    let is_glsl = Kind::of(&name, gathered.text.as_bytes()) == Kind::Glsl;
    let is_preprocessed = what.preprocess.any() || !gathered.preprocessing.is_empty();
    let source = if source.is_host() {
        source.with_strings(preprocessing.defines())
    } else if is_glsl || is_preprocessed {
        let input = gathered.input.clone();
        let key = preprocessing.key(&input, gathered.text.as_bytes());
        source.read_by(key, move |text| preprocessing.parse(&input, text.as_bytes()))
    } else {
        source
    };
    let configured = |test| LaunchTest::configured(test, number, &gathered.options);
    let mut tests: Vec<LaunchTest> = gathered.tests.iter().map(configured).collect();
    if tests.is_empty() {
        for (nth, launch) in (1..).zip(&gathered.options.launches) {
            let launches = vec![launch.clone()];
            let options = hirace_core::check::Options { launches, ..gathered.options.clone() };
            let name = format!("{name}: launch {nth}");
            tests.push(LaunchTest::launch(name, number, options));
        }
    }
    Ok((source, tests))
}

/// Returns a text that identifies the version of a file: its path, size and modification time. Verdicts hold only while
/// it is unchanged.
fn stamp(path: &Path) -> String {
    let known = fs::metadata(path).and_then(|about| Ok((about.len(), about.modified()?)));
    format!("{} {known:?}", path.display())
}
