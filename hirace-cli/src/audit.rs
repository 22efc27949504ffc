//! `hirace audit`: coverage, mutation and schedules in one report, with proposed tests.

use crate::amplify::{self, AmplifyArgs};
use crate::args::{InputArgs, message};
use crate::inputs::InputPlan;
use crate::modules::PreprocessInputs;
use crate::mutate::{self, JudgeArgs, MutateArgs};
use crate::output_folder::output_folder;
use crate::progress::Bar;
use crate::report::{self, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum, value_parser};
use hirace_adequacy::audit::advise::{self, Facts};
use hirace_adequacy::audit::report::html::Diagrams;
use hirace_adequacy::audit::report::text::TestLanguage;
use hirace_adequacy::audit::report::{badge, html, json, text};
use hirace_adequacy::audit::results::{AdviceKind, Audit};
use hirace_adequacy::gate::Gate;
use hirace_adequacy::mutate::launch_test::LaunchTest;
use hirace_adequacy::mutate::launches::Launches;
use hirace_adequacy::mutate::plan;
use hirace_adequacy::mutate::source::Source;
use hirace_adequacy::suite::commands;
use hirace_core::amplify::results::Results as Schedules;
use hirace_core::check::Options;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec;
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::report::finding_summary::finding_summaries_with_pictures;
use hirace_core::report::html::picture;
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output, stop};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Assess the tests of kernels and report what to improve, with proposed tests that are ready to paste
///
/// Tests are the launches of the flags or of hirace.toml; with a command after `--`, the tests that it runs. An audit
/// measures their coverage, judges mutants, and runs their launches under other schedules. Then it searches for
/// launches that reach code no test reaches, or that detect a mutant no test detects.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace audit -- cargo test              the tests of a crate
  hirace audit                            the tests in hirace.toml
  hirace audit scan.wgsl                  a file without tests: proposes the first ones
  hirace audit --report html=audit.html --report badge=audit.svg --fail-under 80 -- cargo test")]
pub struct AuditArgs {
    #[command(flatten)]
    pub what: InputArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    audit: OwnArgs,
    #[command(flatten)]
    report: AuditReportArgs,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The number of schedules of each strategy, unless `--schedules` says otherwise.
const PER_STRATEGY: u32 = 5;

/// Arguments that control the audit.
#[derive(Debug, Args)]
#[command(next_help_heading = "Audit")]
struct OwnArgs {
    /// Skip the kernels and functions of this name (repeatable)
    #[arg(long, value_name = "NAME")]
    skip_function: Vec<String>,
}

/// Arguments that control the report.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
struct AuditReportArgs {
    #[command(flatten)]
    reports: ReportArgs<Format>,
    /// Print this many pieces of advice
    #[arg(long, value_name = "N", default_value = "5", value_parser = value_parser!(u32))]
    advice: u32,
    /// Choose the language of proposed tests [default: rust for the tests of a command, else toml]
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    test_language: Option<Language>,
    /// Fail with status 1 if the mutation score is below PERCENT, or if no mutant counts toward it
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under: Option<Gate>,
}

/// An output format of `hirace audit`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The quality of each kernel's tests, and advice
    #[default]
    Text,
    /// `hirace.audit/1`
    Json,
    /// An HTML page
    Html,
    /// An SVG badge with the mutation score
    Badge,
}

impl ReportFormat for Format {}

/// A language of proposed tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Tables for hirace.toml
    Toml,
    /// Rust functions
    Rust,
}

/// Runs `hirace audit`.
pub fn run(args: &AuditArgs, output: &Output) -> ExitCode {
    let ended = run_audit(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn run_audit(args: &AuditArgs, output: &Output) -> Result<Exit> {
    args.report.reports.warn_unwritable(output);
    let stop = stop::on_signal();
    let mut pictures = Diagrams { style: picture::STYLE.to_owned(), ..Diagrams::default() };
    let (audit, exit) = match args.command.is_empty() {
        true => run_on_files(args, &mut pictures, &stop, output)?,
        false => run_on_tests(args, &stop, output)?,
    };
    let tests = match args.command.is_empty() {
        true => TestLanguage::Toml,
        false => TestLanguage::Rust,
    };
    Ok(reported(&args.report, &audit, (tests, &pictures), exit, output))
}

impl AuditArgs {
    /// Returns the folder that keeps the state of the run.
    fn folder(&self) -> Result<PathBuf> {
        output_folder(self.judge.output.as_deref(), "audit")
    }

    fn mutate(&self, folder: &Path) -> MutateArgs {
        let mut judge = self.judge.clone();
        judge.output = Some(folder.to_owned());
        let without = self.audit.skip_function.clone();
        MutateArgs::for_audit(self.what.clone(), judge, without, true)
    }

    fn amplify(&self, folder: &Path) -> Option<AmplifyArgs> {
        let folder = folder.join("schedules");
        let schedules = self.what.run.schedules.unwrap_or(PER_STRATEGY);
        (schedules > 0).then(|| AmplifyArgs::for_audit(self.what.clone(), schedules, folder, true))
    }

    fn wants(&self, kernel: &str) -> bool {
        !self.audit.skip_function.iter().any(|name| name == kernel)
    }

    /// Computes the audit from these facts, with a progress line for the search for launches.
    fn audit(&self, sources: &[Source], facts: Facts, stop: &AtomicBool) -> Result<Audit> {
        let line = Bar::new(self.report.reports.quiet).line();
        let wants = |kernel: &str| self.wants(kernel);
        advise::audit(sources, facts, &wants, Some(stop), &|what| line.show(what))
    }
}

/// Audits the tests that a command runs.
fn run_on_tests(args: &AuditArgs, stop: &AtomicBool, output: &Output) -> Result<(Audit, Exit)> {
    args.what.reject_with_command()?;
    let folder = args.folder()?;
    let options = commands::Options { hits: true, stop: Some(stop), shard: None };
    let ran = commands::run(&args.command, crate::RUN_TESTS, options)?;
    let mut mutate = args.mutate(&folder);
    mutate.command.clone_from(&args.command);
    let mutate::MutationRun { results: mutants, exit } =
        mutate::run_on_suite(&mutate, &ran, stop, output)?;
    let (schedules, ordered) = match args.amplify(&folder).filter(|_| exit == Exit::Clean) {
        Some(amplify) => amplify::run_on_suite(&amplify, &ran, stop, output)?,
        None => (Schedules::new(0, 0), Exit::Clean),
    };
    let (sources, _) = plan::sources(&ran.coverage)?;
    let reached = ran.tests.iter().map(|test| (test.name.clone(), test.coverage.clone()));
    let facts = Facts {
        reached: reached.collect(),
        found: ran.found.iter().filter(|found| args.wants(&found.kernel)).cloned().collect(),
        coverage: ran.coverage.clone(),
        mutants,
        schedules,
        launches: BTreeMap::new(),
    };
    let audit = args.audit(&sources, facts, stop)?;
    Ok((audit, if exit == Exit::Clean { ordered } else { exit }))
}

/// Audits launches of files. Races found in them get diagrams from `pictures`.
fn run_on_files(
    args: &AuditArgs,
    pictures: &mut Diagrams,
    stop: &AtomicBool,
    output: &Output,
) -> Result<(Audit, Exit)> {
    if args.what.run.device != exec::EMBEDDED {
        let error = Diagnostic::new("an audit runs only on the embedded executor");
        let help = "leave out --device, or run the verbs that accept it: cover, mutate, amplify";
        return Err(Box::new(error.help(help)));
    }
    let (folder, what) = (args.folder()?, args.what.without_schedules());
    let mut planned = InputPlan::new(&what)?;
    let InputPlan { configs, inputs, .. } = &mut planned;
    let written = args.report.reports.output_files();
    report::check_inputs_distinct(&written, &what, inputs, configs, None)?;
    let preprocessing = PreprocessInputs::new(&what.preprocess, &planned.inputs)?;
    let (mut sources, mut tests, mut given) = (Vec::new(), Vec::new(), BTreeMap::new());
    let quiet = args.report.reports.quiet;
    let all = mutate::all_launched(planned, &preprocessing, &what, quiet, output)?;
    for (source, mut of_source) in all {
        // A guessed launch is not a test.
        of_source.retain(|test| test.options.launches.iter().all(LaunchSpec::has_any_setting));
        let specs = of_source.iter().flat_map(|test| test.options.launches.clone());
        let specs: Vec<LaunchSpec> = specs.collect();
        given.insert(source.file.clone(), specs);
        sources.push(source);
        tests.extend(of_source);
    }
    let is_tested = !tests.is_empty();
    let launches = Launches::new(&Embedded, &sources, tests.clone(), Some(stop));
    let (mut coverage, mut reached, mut all) = (Coverage::default(), Vec::new(), BTreeSet::new());
    for (number, test) in launches.tests.iter().enumerate() {
        let of_test = launches.coverage(number)?;
        coverage.add(of_test.clone());
        reached.push((test.name.clone(), of_test));
        let LaunchTest { source, options, .. } = test;
        let options: &Options = options;
        for (found, racy) in
            finding_summaries_with_pictures(&launches.explain(*source, options)?.launches)
        {
            if let Some(racy) = racy {
                pictures.of.insert(found.clone(), picture::fragment(&racy));
            }
            all.insert(found);
        }
    }
    drop(launches);
    let mutate::MutationRun { results: mutants, exit } =
        mutate::of_launches(&args.mutate(&folder), &sources, tests, &Embedded, stop, output)?;
    let (schedules, ordered) =
        match args.amplify(&folder).filter(|_| is_tested && exit == Exit::Clean) {
            Some(amplify) => amplify::run_on_files(&amplify, stop, output)?,
            None => (Schedules::new(0, 0), Exit::Clean),
        };
    let found = all.into_iter().filter(|found| args.wants(&found.kernel)).collect();
    let facts =
        Facts { coverage: coverage.sorted(), mutants, schedules, found, reached, launches: given };
    let audit = args.audit(&sources, facts, stop)?;
    Ok((audit, if exit == Exit::Clean { ordered } else { exit }))
}

/// Prints and writes an audit in all requested formats, with race diagrams in those that have them. Returns the exit
/// status, given the status of the run.
fn reported(
    args: &AuditReportArgs,
    audit: &Audit,
    (tests, pictures): (TestLanguage, &html::Diagrams),
    exit: Exit,
    output: &Output,
) -> Exit {
    let tests = match args.test_language {
        Some(Language::Toml) => TestLanguage::Toml,
        Some(Language::Rust) => TestLanguage::Rust,
        None => tests,
    };
    let most = usize::try_from(args.advice).unwrap_or(usize::MAX);
    let source = |name: &str| text_of_audited(audit, name);
    let untimed = (!output.has_timing())
        .then(|| Audit { mutants: audit.mutants.without_timing(), ..audit.clone() });
    let audit = untimed.as_ref().unwrap_or(audit);
    let render = |format, style: Style| match format {
        Format::Text => text::report(audit, tests, most, style),
        Format::Json => json::report(audit),
        Format::Html => html::report(
            audit,
            &html::PageContext { tests, source: &source, pictures: Some(pictures) },
        ),
        Format::Badge => badge::report(audit),
    };
    let mutated = audit.mutants.files.iter().map(|file| &file.file);
    let sources = audit.coverage.files.iter().map(|file| &file.file).chain(mutated);
    let sources = sources.map(|file| ("an audited source", PathBuf::from(file)));
    let is_written = match args.reports.deliver(&sources.collect::<Vec<_>>(), render, output) {
        Ok(is_written) => is_written,
        Err(exit) => return exit,
    };
    let is_wrong =
        |what: &AdviceKind| matches!(what, AdviceKind::Fix { .. } | AdviceKind::Order { .. });
    let summary = &audit.mutants.summary;
    let missed = args
        .fail_under
        .and_then(|gate| gate.missed_score(summary.score, summary.total, "are detected"));
    if let Some(error) = &missed {
        output.error(error);
    }
    let fails = missed.is_some() || audit.advice.iter().any(|advice| is_wrong(&advice.action));
    match (exit, is_written, fails) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, _) if audit.stopped => Exit::Failed,
        (Exit::Clean, true, true) => Exit::Findings,
        (exit, ..) => exit,
    }
}

/// Returns the text of a file, or `None` if the file has changed since the audit.
fn text_of_audited(audit: &Audit, name: &str) -> Option<String> {
    let text = text_of(Path::new(name))?;
    let covered = audit.coverage.files.iter().find(|file| file.file == name);
    let mutated = audit.mutants.files.iter().find(|file| file.file == name);
    let known = covered.and_then(|file| file.text.as_ref()).or(mutated.map(|file| &file.text));
    known.is_none_or(|known| *known == hash(&text)).then_some(text)
}
