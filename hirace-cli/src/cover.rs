//! `hirace cover`.

use crate::args::WhatArgs;
use crate::coverage::{ReportArgs, reported};
use crate::inputs::{Done, Planned};
use crate::modules::Preprocessing;
use crate::outputs;
use crate::progress::{Bar, Errors};
use clap::Args;
use hirace_adequacy::cover::part::Part;
use hirace_adequacy::suite::commands;
use hirace_core::check::Session;
use hirace_core::cover::collect::Collector;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{InputErrors, Listeners, Verb};
use hirace_core::exec;
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output, stop};
use std::path::Path;
use std::process::ExitCode;

/// Say what of kernels their launches or tests run: lines, functions, branches, loops, barriers
///
/// Launches are those of the flags, else those of hirace.toml; what is left out is guessed. With a command after `--`,
/// they are those of the tests that it runs, each test by itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace cover scan.wgsl --workgroups 4 --buffer data=random:1024
  hirace cover                            the files and launches that hirace.toml names
  hirace cover -- cargo test              what the tests of a crate launch with the crate hirace
  hirace cover --shard 2/3 --report json=2.json        then: hirace merge 1.json 2.json 3.json
  hirace cover shaders/ --report lcov=lcov.info --report html=coverage.html --fail-under-branches 80")]
pub struct CoverArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// Say whether something ran, and not how often: faster on a device
    #[arg(long, help_heading = "Running")]
    hits: bool,
    /// One of several parts: 1/3, 2/3 or 3/3
    #[arg(long, value_name = "K/N", help_heading = "Tests")]
    shard: Option<Shard>,
    #[command(flatten)]
    report: ReportArgs,
    /// The command that runs the tests: cargo test, with its own flags
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
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
    outputs::foresee(&args.report.written(), output);
    let (coverage, exit) = match args.command.is_empty() {
        true => of_files(args, output)?,
        false => of_tests(args, output)?,
    };
    let mut coverage = coverage.in_order();
    coverage.shards = args.shard.iter().map(ToString::to_string).collect();
    if args.what.preprocess.any() {
        // What ran is made of the files: their lines are the same.
        coverage.files.iter_mut().for_each(|file| file.text = None);
    }
    resolve(&mut coverage);
    // Of what is known in parts, the text may be known now.
    let coverage = coverage.in_order();
    Ok(reported(&args.report, &coverage, Vec::new(), exit, output))
}

/// What the tests run that a command runs.
fn of_tests(args: &CoverArgs, output: &Output) -> Result<(Coverage, Exit)> {
    args.what.refused_beside_a_command()?;
    let stop = stop::on_signal();
    let options = commands::Options { hits: args.hits, stop: Some(&stop), shard: args.shard };
    let mut ran = commands::run(&args.command, crate::RUN_TESTS, options)?;
    if args.shard.is_some() {
        ran.coverage.of = Some(hash(&format!("{:?} {}", ran.listed, args.hits)));
        ran.coverage.stopped = ran.stopped;
    }
    let idle = ran.coverage.tests.iter().filter(|test| test.launches == 0).count();
    // The tests of a shard may be such; or it has none.
    let is_all = args.shard.is_none();
    if is_all && idle == ran.coverage.tests.len() && ran.failed.is_empty() && !ran.stopped {
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
    let Planned { configs, inputs, .. } = &mut planned;
    outputs::distinct(&args.report.written(), &args.what, inputs, configs, None)?;
    let preprocessing = Preprocessing::new(&args.what.preprocess, &planned.inputs)?;
    let of = match args.shard {
        Some(_) => Some(hash(&format!("{} {}", planned.key(&args.what)?, args.hits))),
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
    let mut part = Part::new(args.shard, Collector::new(args.hits, Some(&stop)));
    let session = Session::new(executor.as_ref())
        .with_listener(&mut listeners)
        .with_stop(Some(&stop))
        .with_follower(Some(&mut part));
    let Done { ended, tests } = planned.run(Verb::Cover, &args.what, &preprocessing, session)?;
    drop(listeners);
    let collector = part.follower;
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
    coverage.stopped = of.is_some() && ended.stopped;
    coverage.of = of;
    coverage.errors = errors;
    Ok((coverage, exit))
}

/// Notes the texts of files of which only parts were known.
fn resolve(coverage: &mut Coverage) {
    for file in &mut coverage.files {
        if file.text.is_none() {
            file.text = text_of(Path::new(&file.file)).map(|text| hash(&text));
        }
    }
}
