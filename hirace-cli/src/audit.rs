//! `hirace audit`: coverage, mutation and schedules in one report, with proposed tests.

use crate::amplify::{self, AmplifyArgs};
use crate::args::InputArgs;
use crate::audit_report::{ReportArgs, reported};
use crate::inputs::InputPlan;
use crate::modules::Preprocessing;
use crate::mutate::{self, JudgeArgs, MutateArgs};
use crate::outputs;
use crate::progress::Bar;
use clap::{Args, value_parser};
use hirace_adequacy::audit::advise::{self, Facts};
use hirace_adequacy::audit::report::html::Diagrams;
use hirace_adequacy::audit::report::text::TestLanguage;
use hirace_adequacy::audit::results::Audit;
use hirace_adequacy::mutate::launch_test::LaunchTest;
use hirace_adequacy::mutate::launches::Launches;
use hirace_adequacy::mutate::plan;
use hirace_adequacy::mutate::source::Source;
use hirace_adequacy::suite::commands;
use hirace_core::amplify::results::Results as Schedules;
use hirace_core::check::Options;
use hirace_core::cover::Coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec;
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::report::finding_summary::finding_summaries_with_pictures;
use hirace_core::report::html::picture;
use hirace_terminal::{Exit, Output, stop};
use std::collections::{BTreeMap, BTreeSet};
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
    report: ReportArgs,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Arguments that control the audit.
#[derive(Debug, Args)]
#[command(next_help_heading = "Audit")]
struct OwnArgs {
    /// Skip the kernels and functions of this name (repeatable)
    #[arg(long, value_name = "NAME")]
    skip_function: Vec<String>,
    /// Set the number of runs per strategy and dispatch; 0 to run no other schedules
    #[arg(long, value_name = "N", default_value = "5", value_parser = value_parser!(u32).range(0..=100_000))]
    runs: u32,
}

/// Runs `hirace audit`.
pub fn run(args: &AuditArgs, output: &Output) -> ExitCode {
    let ended = audited(args, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    ended.into()
}

fn audited(args: &AuditArgs, output: &Output) -> Result<Exit> {
    outputs::warn_unwritable(&args.report.written(), output);
    let stop = stop::on_signal();
    let mut pictures = Diagrams { style: picture::STYLE.to_owned(), ..Diagrams::default() };
    let (audit, exit) = match args.command.is_empty() {
        true => of_files(args, &mut pictures, &stop, output)?,
        false => of_tests(args, &stop, output)?,
    };
    let tests = match args.command.is_empty() {
        true => TestLanguage::Toml,
        false => TestLanguage::Rust,
    };
    Ok(reported(&args.report, &audit, (tests, &pictures), exit, output))
}

impl AuditArgs {
    fn mutate(&self) -> MutateArgs {
        let without = self.audit.skip_function.clone();
        MutateArgs::of_audit(self.what.clone(), self.judge.clone(), without, true)
    }

    fn amplify(&self) -> Option<AmplifyArgs> {
        let folder = self.judge.output.join("schedules");
        let runs = self.audit.runs;
        (runs > 0).then(|| AmplifyArgs::of_audit(self.what.clone(), runs, folder, true))
    }

    fn wants(&self, kernel: &str) -> bool {
        !self.audit.skip_function.iter().any(|name| name == kernel)
    }

    /// Computes the audit from these facts, with a progress line for the search for launches.
    fn audit(&self, sources: &[Source], facts: Facts, stop: &AtomicBool) -> Result<Audit> {
        let line = Bar::new(self.report.quiet).line();
        let wants = |kernel: &str| self.wants(kernel);
        advise::audit(sources, facts, &wants, Some(stop), &|what| line.say(what))
    }
}

/// Audits the tests that a command runs.
fn of_tests(args: &AuditArgs, stop: &AtomicBool, output: &Output) -> Result<(Audit, Exit)> {
    args.what.reject_with_command()?;
    let options = commands::Options { hits: true, stop: Some(stop), shard: None };
    let ran = commands::run(&args.command, crate::RUN_TESTS, options)?;
    let mutate::MutationRun { results: mutants, exit } =
        mutate::of_suite(&args.mutate(), &ran, stop, output)?;
    let (schedules, ordered) = match args.amplify().filter(|_| exit == Exit::Clean) {
        Some(amplify) => amplify::of_suite(&amplify, &ran, stop, output)?,
        None => (Schedules::new(0, 0), Exit::Clean),
    };
    let (sources, _) = plan::sources(&ran.coverage);
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
fn of_files(
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
    let mut planned = InputPlan::new(&args.what)?;
    let InputPlan { configs, inputs, .. } = &mut planned;
    outputs::check_inputs_distinct(&args.report.written(), &args.what, inputs, configs, None)?;
    let preprocessing = Preprocessing::new(&args.what.preprocess, &planned.inputs)?;
    let (mut sources, mut tests, mut given) = (Vec::new(), Vec::new(), BTreeMap::new());
    let quiet = args.report.quiet;
    let all = mutate::all_launched(planned, &preprocessing, &args.what, quiet, output)?;
    for (source, mut of_source) in all {
        // A guessed launch is not a test.
        of_source.retain(|test| test.options.launches.iter().all(LaunchSpec::says_anything));
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
            finding_summaries_with_pictures(&launches.explained(*source, options)?.launches)
        {
            if let Some(racy) = racy {
                pictures.of.insert(found.clone(), picture::fragment(&racy));
            }
            all.insert(found);
        }
    }
    drop(launches);
    let mutate::MutationRun { results: mutants, exit } =
        mutate::of_launches(&args.mutate(), &sources, tests, &Embedded, stop, output)?;
    let (schedules, ordered) = match args.amplify().filter(|_| is_tested && exit == Exit::Clean) {
        Some(amplify) => amplify::of_files(&amplify, stop, output)?,
        None => (Schedules::new(0, 0), Exit::Clean),
    };
    let found = all.into_iter().filter(|found| args.wants(&found.kernel)).collect();
    let facts = Facts {
        coverage: coverage.in_order(),
        mutants,
        schedules,
        found,
        reached,
        launches: given,
    };
    let audit = args.audit(&sources, facts, stop)?;
    Ok((audit, if exit == Exit::Clean { ordered } else { exit }))
}
