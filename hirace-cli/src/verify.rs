//! `hirace verify`: model checking of kernels and litmus tests.

use crate::args::{self, InputArgs, message};
use crate::files::{self, Input};
use crate::inputs::{InputPlan, InputsOutcome};
use crate::modules::PreprocessInputs;
use crate::progress::{Bar, Errors};
use crate::repairs::EditedFileParser;
use crate::report::{ReportArgs, ReportFormat, check_distinct};
use clap::{Args, ValueEnum, value_parser};
use hirace_core::check::Session;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{InputError, InputErrors, Listeners, Verb};
use hirace_core::exec;
use hirace_core::front::{self, Kind};
use hirace_core::postcondition::{self, Condition};
use hirace_core::report::text::Style;
use hirace_core::source_map::{SourceMap, Span};
use hirace_mc::explore::Reductions;
use hirace_mc::kernel::Bounds;
use hirace_mc::model::Model;
use hirace_mc::repair::CANDIDATES;
use hirace_mc::report::results::{Program, Results, Verdict};
use hirace_mc::report::{self as formats, dot, text};
use hirace_mc::verify::{self, LaunchOrigin, Launches, Settings};
use hirace_terminal::{Exit, Output, stop};
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::time::Instant;

/// The file extension of litmus tests.
const LITMUS: &str = "litmus";

/// Explore every execution of a small grid under a memory model, or of a litmus test
///
/// Finds data races, scope races, barrier divergence, failed assertions and invocations that wait forever, each with an
/// execution that shows it, or reports that this grid has none. Buffer contents that a launch does not give are zero,
/// except for numbers that control the kernel's flow.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace verify lock.wgsl --workgroups 2 --override SIZE=2
  hirace verify mp.litmus --model scoped-rc11
  hirace verify lock.wgsl --workgroups 2 --repair
  hirace verify sum.wgsl --workgroups 2 --assert 'sum[0] == 8'
  hirace verify lock.wgsl --report dot=lock.dot --report json=lock.json")]
pub struct VerifyArgs {
    #[command(flatten)]
    pub what: InputArgs,
    #[command(flatten)]
    explore: ExploreArgs,
    #[command(flatten)]
    repair: RepairArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

/// Arguments that control the exploration.
#[derive(Debug, Args)]
#[command(next_help_heading = "Exploring")]
struct ExploreArgs {
    /// Choose the memory model: wgsl, scoped-rc11 or sc
    #[arg(long, value_name = "MODEL", default_value = "wgsl", value_parser = message(model))]
    model: Model,
    /// Choose reductions that explore less with the same result: all, none, or a comma-separated list of awaiting,
    /// symmetry, values, updates and coherence
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = message(reductions))]
    reductions: Reductions,
    /// Assert a condition on memory after all invocations have ended (repeatable): `count[0] == 8`, `(0..4).all(|i|
    /// out[i].x >= 1)`, with `&& || ! + - * / %` and `out.len()`
    #[arg(long = "assert", value_name = "CONDITION")]
    ensured: Vec<String>,
    /// Limit the number of iterations of a loop that accesses shared memory
    #[arg(long, value_name = "N", default_value = "256", value_parser = value_parser!(u32).range(1..))]
    max_loop_iterations: u32,
    /// Limit the number of invocations of a grid
    #[arg(long, value_name = "N", default_value = "64", value_parser = value_parser!(u32).range(1..=1024))]
    max_invocations: u32,
    /// Stop after this many executions of a program
    #[arg(long, value_name = "N")]
    max_executions: Option<u64>,
    /// Continue after a violation was found
    #[arg(long)]
    no_fail_fast: bool,
    /// Set the number of parallel jobs [default: number of processors]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroU32>,
}

/// The flags of other verbs that `hirace verify` shares with them and rejects.
pub(crate) const REJECTED_FLAGS: [&str; 4] = ["device", "schedule", "schedules", "oracle"];

/// Arguments that control the search for repairs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Repair")]
struct RepairArgs {
    /// Search for the smallest change to the source that verifies, and print it as a patch: barriers inserted, moved or
    /// of another kind, and memory made atomic; in litmus tests, stronger orders and wider scopes
    #[arg(long)]
    repair: bool,
    /// Explore at most this many changed versions of a program
    #[arg(long, value_name = "N", default_value_t = CANDIDATES, requires = "repair")]
    max_candidates: u64,
}

/// An output format of `hirace verify`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Violations with executions, and a summary of the exploration
    #[default]
    Text,
    /// `hirace.verify/1`
    Json,
    /// The executions as Graphviz graphs
    Dot,
}

impl ReportFormat for Format {}

fn model(name: &str) -> Result<Model> {
    args::named("model", &Model::NAMED, name)
}

/// Parses the condition of an `--assert`. Returns it with its source text.
fn condition(text: &str) -> Result<(SourceMap, Condition)> {
    let source = SourceMap::new("--assert", text);
    let condition = postcondition::parse(&source)?;
    Ok((source, condition))
}

fn reductions(names: &str) -> Result<Reductions> {
    names.split(',').try_fold(Reductions::NONE, |made, name| {
        Ok(made | args::named("reduction", &Reductions::NAMED, name.trim())?)
    })
}

/// Runs `hirace verify`.
pub fn run(args: VerifyArgs, output: &Output) -> ExitCode {
    let ended = run_verify(&args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn run_verify(args: &VerifyArgs, output: &Output) -> Result<Exit> {
    let run = &args.what.run;
    let given =
        [run.device != exec::EMBEDDED, run.schedule.is_some(), run.schedules.is_some(), run.oracle];
    if let Some((flag, _)) = REJECTED_FLAGS.iter().zip(given).find(|(_, is_given)| *is_given) {
        let error = Diagnostic::new(format!("`--{flag}` does not apply to `hirace verify`"));
        return Err(Box::new(
            error.help("leave it out: every execution is explored, on no device"),
        ));
    }
    let ensured =
        args.explore.ensured.iter().map(|text| condition(text)).collect::<Result<Vec<_>>>()?;
    let (tests, mut planned) = planned(&args.what)?;
    let rereader = match &mut planned {
        Some(planned) if args.repair.repair => EditedFileParser::new(&args.what, planned)?,
        _ => EditedFileParser::default(),
    };
    let read = tests.iter().map(|test| ("a litmus test", test.on_disk()));
    let read = read.chain(
        planned
            .iter()
            .flat_map(|planned| &planned.inputs)
            .map(|input| ("a source", input.on_disk())),
    );
    check_distinct(&args.report.output_files(), &read.collect::<Vec<_>>())?;
    args.report.warn_unwritable(output);
    let start = Instant::now();
    let stop = stop::on_signal();
    let explore = &args.explore;
    let bounds = Bounds {
        invocations: explore.max_invocations,
        loop_iterations: explore.max_loop_iterations,
        ..Bounds::default()
    };
    let settings = Settings {
        model: explore.model,
        reductions: explore.reductions,
        bounds,
        executions: explore.max_executions,
        all: explore.no_fail_fast,
        threads: explore.jobs.map_or(0, |jobs| jobs.get() as usize),
        timeout: args.what.run.timeout,
        stop: Some(&stop),
        repair: args.repair.repair.then_some(args.repair.max_candidates),
        ensured: &ensured,
    };
    if let (Some(test), Some((source, _))) = (tests.first(), ensured.first()) {
        let whole = Span::new(0, source.text().len() as u32);
        let error = Diagnostic::at(source, whole, format!("`{}` is a litmus test", test.name()));
        return Err(Box::new(
            error.help("state the condition in the test itself: `forall (x == 8)`"),
        ));
    }
    let mut gathered =
        VerifyResults { output, programs: Vec::new(), errors: Vec::new(), fault: None };
    for test in &tests {
        let name = test.name();
        let explored = test.read().and_then(|bytes| {
            let text = front::decode(&name, &bytes)?.to_owned();
            verify::litmus(&SourceMap::new(name.as_str(), text), &settings)
        });
        gathered.add(&name, explored);
    }
    if let Some(planned) = planned {
        kernels(args, planned, &rereader, &settings, &mut gathered)?;
    }
    let VerifyResults { programs, errors, fault, .. } = gathered;
    let mut results = verify::results(&settings, programs, errors, start);
    results.timing = results.timing.filter(|_| output.has_timing());
    let is_written = reported(&args.report, &results, output);
    Ok(exit(&results, fault, is_written))
}

/// Splits the inputs into litmus tests and the files of kernels, if there are any.
fn planned(what: &InputArgs) -> Result<(Vec<Input>, Option<InputPlan>)> {
    if what.paths.is_empty() {
        return Ok((Vec::new(), Some(InputPlan::new(what)?)));
    }
    let endings: Vec<&str> = Kind::EXTENSIONS.iter().copied().chain([LITMUS]).collect();
    let inputs = files::expand_to(&what.paths, &endings)?;
    let is_test =
        |input: &Input| input.path.extension().is_some_and(|extension| extension == LITMUS);
    let (tests, kernels): (Vec<_>, Vec<_>) = inputs.into_iter().partition(is_test);
    let planned = if kernels.is_empty() { None } else { Some(InputPlan::of(what, kernels)?) };
    Ok((tests, planned))
}

/// Runs the launches of kernels once to record their inputs, then explores them.
fn kernels(
    args: &VerifyArgs,
    planned: InputPlan,
    rereader: &EditedFileParser,
    settings: &Settings<'_>,
    gathered: &mut VerifyResults<'_>,
) -> Result<()> {
    let preprocessing = PreprocessInputs::new(&args.what.preprocess, &planned.inputs)?;
    let executor = exec::open(exec::EMBEDDED)?;
    let launch = &args.what.launch;
    let is_grid_given = launch.workgroups.is_some() || !launch.dispatch.is_empty();
    let most = settings.bounds.invocations;
    let mut launches = Launches::new(most, is_grid_given, &launch.r#override);
    let mut errors = Vec::new();
    let mut listeners = Listeners::default();
    let bar = Bar::new(args.report.quiet);
    let line = bar.line();
    listeners.add(bar);
    listeners.add(Errors { output: gathered.output, line, quiet: args.report.quiet });
    listeners.add(InputErrors::new(&mut errors));
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(settings.stop)
        .without_memory()
        .without_explanation()
        .with_follower(Some(&mut launches));
    let InputsOutcome { ended, .. } =
        planned.run(Verb::Verify, &args.what, &preprocessing, session)?;
    drop(listeners);
    gathered.fault = gathered.fault.or(ended.fault.map(Exit::from));
    gathered.errors.extend(errors);
    let reread = |of: &LaunchOrigin<'_>, text: &str| rereader.read(of, text);
    launches.explore(settings, &reread, &mut |file, explored| gathered.add(file, explored));
    Ok(())
}

/// The results of the inputs explored so far.
struct VerifyResults<'a> {
    output: &'a Output,
    programs: Vec<Program>,
    errors: Vec<InputError>,
    fault: Option<Exit>,
}

impl VerifyResults<'_> {
    fn add(&mut self, file: &str, explored: Result<Program>) {
        match explored {
            Ok(program) => self.programs.push(program),
            Err(error) => {
                self.output.error(&error);
                self.errors.push(InputError::new(Some(file), &error));
                self.fault = Some(Exit::of(&error));
            }
        }
    }
}

/// Prints and writes the results in all requested formats. Returns whether that succeeded.
fn reported(report: &ReportArgs<Format>, results: &Results, output: &Output) -> bool {
    let render = |format, style: Style| match format {
        Format::Text => text::report(results, style),
        Format::Json => formats::json(results),
        Format::Dot => dot::report(results),
    };
    let is_printed = report.print(render, output);
    report.write(render, output) && is_printed
}

/// Returns the exit status of a run.
fn exit(results: &Results, fault: Option<Exit>, is_written: bool) -> Exit {
    match (results.verdict, fault) {
        _ if !is_written || results.stopped => Exit::Failed,
        (Verdict::Violation, _) if !results.programs.is_empty() => Exit::Findings,
        (_, Some(fault)) => fault,
        (Verdict::Verified, None) => Exit::Clean,
        _ => Exit::Inconclusive,
    }
}
