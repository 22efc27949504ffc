//! `hirace check`: the arguments, the run, and its reports.

use crate::args::{InputArgs, message, parse_order};
use crate::config::Configs;
use crate::explain_static::StaticExplanation;
use crate::files;
use crate::fix::{self, Confirmation, FixableResults, Fixer};
use crate::inputs::{InputPlan, InputsOutcome};
use crate::modules::PreprocessInputs;
use crate::progress::{Bar, Line};
use crate::report::{self, OutputFile, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_core::check::run::RunOutcome;
use hirace_core::check::{Follower, Session};
use hirace_core::cover::hash;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{CheckResults, Event, Listener, Listeners, Results, Verb};
use hirace_core::exec;
use hirace_core::facts::{DispatchOrder, NotChecked, NotCheckedReason, Severity, Verdict};
use hirace_core::finding::baseline::Baseline;
use hirace_core::limits::Limits;
use hirace_core::report::document::{Finding, Report};
use hirace_core::report::text::Style;
use hirace_core::report::{baseline, compose, github, html, json, sarif, text};
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output, stop};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Check shaders for data races, barrier divergence, out-of-bounds accesses and endless loops
///
/// A file alone is enough: hirace proves that every launch is safe, or prints conditions under which a launch is proved
/// safe. It also runs launches whose grids, buffer lengths and contents it guesses, and lists the guesses. A finding
/// that depends on guessed contents is `possible` and does not fail the check; give the contents to decide it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace check shader.wgsl
  hirace check shaders/
  hirace check src/kernels.rs --entry block_sum --override N=64
  hirace check blur.wgsl --entry main --workgroups 16,16 \\
      --buffer input=@image.npy --buffer params=640,480 --buffer output=zeros:307200
  hirace check scan.wgsl --dispatch scan:4 --dispatch add:4 --buffer data=random:1024
  hirace check light.wgsl --preprocess --define TILE=16 --module shaders/shared
  hirace check shaders/ --format sarif > report.sarif
  hirace check --schedules 100000 --shard 2/3 --report json=2.json      then: hirace merge 1.json 2.json 3.json")]
pub struct CheckArgs {
    #[command(flatten)]
    pub what: InputArgs,
    /// Run only part K of N, for example 1/3, 2/3 or 3/3; `hirace merge` joins the reports of all parts
    #[arg(long, value_name = "K/N", help_heading = "Running")]
    pub shard: Option<Shard>,
    /// Require kernels to fit within these limits; `webgpu` is what WebGPU guarantees on every device. Exceeding a
    /// limit is an error
    #[arg(long, value_name = "LIMITS", value_parser = message(str::parse::<Limits>), help_heading = "Running")]
    pub limits: Option<Limits>,
    /// Run a dispatch under this schedule, as `hirace verify` and `hirace amplify` print it, so that the same invocation
    /// executes each step
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "shard", value_parser = message(parse_order),
          help_heading = "Running")]
    pub replay: Option<DispatchOrder>,
    /// List the accesses to shared, written memory: those proved race-free, with the reason, and those that are
    /// monitored
    #[arg(long)]
    pub explain_static: bool,
    /// Write the suggestions that were checked to the WGSL files, after asking; `yes` writes without asking. The report
    /// describes the files before the change, and the exit status those after it
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "ask",
          conflicts_with_all = ["shard", "replay", "write_baseline"], help_heading = "Running")]
    pub fix: Option<Confirmation>,
    #[command(flatten)]
    pub report: CheckReportArgs,
}

/// Arguments that control the report, and the findings that it omits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct CheckReportArgs {
    #[command(flatten)]
    reports: ReportArgs<Format>,
    /// Suppress the findings listed in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Fail unless all is proved or clean: exit with 1 if a proof has conditions or a finding is a warning, and with 4 if
    /// entry points were not proved
    #[arg(long, conflicts_with = "shard")]
    strict: bool,
    /// Write the findings to this file, so that later runs can suppress them with --baseline
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
}

impl CheckReportArgs {
    /// Returns the files to write.
    fn output_files(&self) -> Vec<OutputFile<'_>> {
        let baseline = self.write_baseline.iter().map(|path| ("--write-baseline", path.as_path()));
        self.reports.output_files().into_iter().chain(baseline).collect()
    }
}

/// An output format of `hirace check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable text
    #[default]
    Text,
    /// `hirace.check/2`
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations
    Github,
    /// A page with the source and a diagram of each race
    Html,
}

impl ReportFormat for Format {
    const QUIET: &'static str = "Print findings and errors only";
}

/// Runs `hirace check`.
pub fn run(args: CheckArgs, output: &Output) -> ExitCode {
    let refused =
        |files: bool, error: &Diagnostic| report_refusal(&args.report, files, error, output);
    match CheckContext::new(&args) {
        Ok(checking) => {
            run_check(&args, checking, output).unwrap_or_else(|error| refused(true, &error))
        }
        // The input files are unknown in this case, so writing a report file could overwrite one of them.
        Err(error) => refused(false, &error),
    }
    .into()
}

/// The validated inputs of a run. No output file is also an input.
struct CheckContext {
    planned: InputPlan,
    baseline: Option<PathBuf>,
    preprocessing: PreprocessInputs,
}

impl CheckContext {
    fn new(args: &CheckArgs) -> Result<Self> {
        if let Some(confirmation) = args.fix {
            fix::check_arguments(&args.what, confirmation)?;
        }
        if args.replay.is_some() && args.what.run.device != exec::EMBEDDED {
            let error = Diagnostic::new("a schedule cannot be replayed on a device");
            return Err(Box::new(
                error.help("leave out --device: only the embedded executor replays schedules"),
            ));
        }
        let (limits, order) = (args.limits, args.replay.clone());
        let mut planned = InputPlan { limits, order, ..InputPlan::new(&args.what)? };
        let InputPlan { configs, inputs, .. } = &mut planned;
        let baseline = baseline_path(args, configs)?;
        let written = args.report.output_files();
        report::check_inputs_distinct(&written, &args.what, inputs, configs, baseline.as_deref())?;
        let preprocessing = PreprocessInputs::new(&args.what.preprocess, inputs)?;
        Ok(Self { planned, baseline, preprocessing })
    }
}

fn run_check(args: &CheckArgs, checking: CheckContext, output: &Output) -> Result<Exit> {
    let CheckContext { planned, baseline, preprocessing } = checking;
    report::warn_unwritable(&args.report.output_files(), output);
    let mut planned = planned;
    let mut known = baseline.as_deref().map(files::baseline).transpose()?;
    let part = match args.shard {
        Some(shard) => {
            let key = planned.key(&args.what, &preprocessing)? + &args.what.key();
            let baseline_text = known.as_ref().map(Baseline::text);
            Some((shard, hash(&format!("{key} {baseline_text:?}"))))
        }
        None => None,
    };
    let executor = exec::open(&args.what.run.device)?;
    // Signals are caught from here on. Before, there is no partial result to lose, so a signal ends the process.
    let stop = stop::on_signal();
    let unwritten = AtomicBool::new(false);
    let mut fixable = FixableResults::default();
    let mut listeners = listeners(&args.report, part, output, &unwritten);
    if args.fix.is_some() {
        listeners.add(|event: &Event<'_>| fixable.event(event));
    }
    let inputs = planned.inputs.clone();
    let mut explained = StaticExplanation::default();
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(&stop))
        .without_memory()
        .with_contracts()
        .with_shard(args.shard)
        .with_follower(args.explain_static.then_some(&mut explained as &mut dyn Follower))
        .with_baseline(known.as_mut());
    let InputsOutcome { mut ended, .. } =
        planned.run(Verb::Check, &args.what, &preprocessing, session)?;
    drop(listeners);
    if let Some(confirmation) = args.fix
        && !ended.stopped
    {
        let (executor, baseline) = (executor.as_ref(), baseline.as_deref());
        let stop = &stop;
        let (args, limits) = (&args.what, args.limits);
        let fixer = Fixer { args, limits, confirmation, inputs, executor, stop, baseline, output };
        ended = fixer.fix(fixable)?.unwrap_or(ended);
    }
    if args.explain_static {
        explained.lines(args.what.run.shortcuts).for_each(|line| output.note(&line));
    }
    Ok(if unwritten.into_inner() { Exit::Failed } else { exit(ended, args.report.strict) })
}

/// Returns the path of the baseline from the flags or from hirace.toml.
fn baseline_path(args: &CheckArgs, configs: &mut Configs) -> Result<Option<PathBuf>> {
    let configured = configs.of(PathBuf::from("."))?.and_then(|config| config.baseline());
    Ok(args.report.baseline.clone().or(configured))
}

/// Returns the exit status for the outcome of a run. If `strict` is true, a run succeeds only if everything is proved or clean, and
/// warnings count as errors.
pub fn exit(ended: RunOutcome, strict: bool) -> Exit {
    if ended.stopped {
        return Exit::Failed;
    }
    let verdict = if strict { ended.strict_verdict } else { ended.verdict };
    match (verdict, ended.fault.map(Exit::from)) {
        (_, Some(Exit::Failed)) => Exit::Failed,
        (Verdict::Findings, _) => Exit::Findings,
        (_, Some(failure)) => failure,
        (Verdict::ProvedIf, None) if strict => Exit::Findings,
        (Verdict::NoFindings, None) if strict => Exit::Inconclusive,
        (verdict, None) if verdict.is_success() => Exit::Clean,
        // Inconclusive, like a verdict that this command does not know.
        (_, None) => Exit::Inconclusive,
    }
}

/// Returns the listeners that the flags request. `part` is the shard that is run and a hash of the whole run.
/// `unwritten` is set if a report could not be written.
fn listeners<'a>(
    args: &'a CheckReportArgs,
    part: Option<(Shard, String)>,
    output: &'a Output,
    unwritten: &'a AtomicBool,
) -> Listeners<'a> {
    let quiet = args.reports.quiet;
    let bar = Bar::new(quiet);
    let line = bar.line();
    let mut all = Listeners::default();
    all.add(bar);
    all.add(Diagnostics { output, line, quiet, warnings: Vec::new() });
    all.add(Reporter { args, part, output, unwritten });
    all
}

/// Reports in all requested formats why nothing was checked. `files` is whether report files may be written.
pub fn report_refusal(
    args: &CheckReportArgs,
    files: bool,
    error: &Diagnostic,
    output: &Output,
) -> Exit {
    let reports = &args.reports;
    output.error(error);
    let not_checked =
        [NotChecked { input: None, why: NotCheckedReason::Error(Box::new(error.clone())) }];
    let check = CheckResults { not_checked: &not_checked, ..CheckResults::default() };
    let document = compose::run(&check);
    let rendered = |format, style| rendered(format, &document, style, false);
    // In text form it has been printed already.
    let is_printed = reports.format == Format::Text || reports.print(rendered, output);
    let is_written = !files || reports.write(rendered, output);
    if is_written && is_printed { Exit::of(error) } else { Exit::Failed }
}

/// Prints errors when they occur, and warnings at the end of the run.
struct Diagnostics<'a> {
    output: &'a Output,
    line: Line,
    quiet: bool,
    warnings: Vec<Diagnostic>,
}

impl Listener for Diagnostics<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Error(error) => self.line.suspend(|| self.output.error(error)),
            Event::Warning(warning) if !self.quiet => self.warnings.push(warning.clone()),
            Event::RunEnded { .. } => {
                self.warnings.iter().for_each(|warning| self.output.warning(warning));
            }
            _ => {}
        }
    }
}

/// Renders the results at the end of the run in all requested formats. A failure in one format does not affect the
/// others. Standard output comes first.
struct Reporter<'a> {
    args: &'a CheckReportArgs,
    part: Option<(Shard, String)>,
    output: &'a Output,
    unwritten: &'a AtomicBool,
}

impl Listener for Reporter<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::RunEnded { results: Results::Check(check) } = event {
            self.report(check);
        }
    }
}

impl Reporter<'_> {
    fn report(&self, check: &CheckResults<'_>) {
        let mut document = compose::run(check);
        if let Some((shard, of)) = &self.part {
            document.shards = vec![shard.to_string()];
            document.run_id = Some(of.clone());
        }
        let reports = &self.args.reports;
        let ReportArgs { format, quiet, .. } = *reports;
        let printed = rendered(format, &document, self.output.style(), quiet);
        self.note(self.output.print(&printed).is_ok());
        if quiet
            && format == Format::Text
            && let Some(why) = inconclusive(&document)
        {
            self.output.warning(&why);
        }
        let render = |format, style| rendered(format, &document, style, false);
        self.note(reports.write(render, self.output));
        if let Some(path) = &self.args.write_baseline {
            let baseline = baseline::baseline(check.launches).text();
            self.note(report::write(path, &baseline, self.output));
        }
    }

    fn note(&self, is_written: bool) {
        self.unwritten.fetch_or(!is_written, Ordering::Relaxed);
    }
}

/// Renders the document in a format.
pub fn rendered(format: Format, report: &Report, style: Style, quiet: bool) -> String {
    match format {
        Format::Text if quiet => text::findings(report, style),
        Format::Text => text::report(report, style),
        Format::Json => json::report(report),
        Format::Sarif => sarif::report(report),
        Format::Github => github::report(report),
        Format::Html => html::report(report),
    }
}

/// Returns the first reason why a run is inconclusive, for a report that prints only findings.
fn inconclusive(report: &Report) -> Option<Diagnostic> {
    if report.verdict != Verdict::Inconclusive {
        return None;
    }
    let open = report.launches.iter().find(|launch| !launch.inconclusive.is_empty());
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let has_findings = report.launches.iter().any(|launch| launch.findings.iter().any(is_error));
    Some(Diagnostic::new(match open {
        Some(launch) => {
            let reason = launch.inconclusive.first().map_or("", String::as_str);
            format!("inconclusive: `{}` of {}: {reason}", launch.entry, launch.source)
        }
        None if has_findings => "inconclusive: all findings are only possible".to_owned(),
        // The errors say why.
        None => return None,
    }))
}
