//! `hirace litmus show`.

use super::campaign::with_timing_if_wanted;
use super::environment::EnvironmentArgs;
use super::run_folder::{read, results_file};
use super::select;
use crate::report::{ProtectedFiles, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::environment::Environment;
use hirace_litmus::report;
use hirace_litmus::run::Shaders;
use hirace_litmus::test::definition::Definition;
use hirace_litmus::test::{Specification, Test};
use hirace_terminal::{Exit, Output};
use std::path::Path;

/// Show a test: its threads, the classification of its outcomes, its definition or its shaders; or the results of a campaign
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus show mp-fences
  hirace litmus show mp-fences --format json > mine.json      a definition, to be changed
  hirace litmus show mine.json --format wgsl --preset stress
  hirace litmus show target/hirace/litmus                     the results of the newest campaign")]
pub struct ShowArgs {
    /// Names of tests, files with definitions, or the folder of a campaign, or of several, of which the newest is shown
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<String>,
    #[command(flatten)]
    report: ReportArgs<Format>,
    #[command(flatten)]
    environment: EnvironmentArgs,
}

/// An output format of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The threads and the outcomes
    #[default]
    Text,
    /// The definition, in the format of definition files
    Json,
    /// The testing shader and the counting shader for the environment
    Wgsl,
}

impl ReportFormat for Format {}

/// Runs `hirace litmus show`.
pub fn run(args: &ShowArgs, output: &Output) -> Result<Exit> {
    if let [path] = &args.tests[..]
        && Path::new(path).is_dir()
    {
        return campaign(args, Path::new(path), output);
    }
    let tests = select::tests(&args.tests, Specification::default())?;
    let wants = |format| args.report.formats().any(|wanted| wanted == format);
    if tests.len() > 1 && wants(Format::Json) {
        return Err(Box::new(Diagnostic::new("`--format json` needs exactly one test")));
    }
    let shaders: Vec<String> = match wants(Format::Wgsl) {
        true => {
            let environment = args.environment.environment(output)?;
            tests.iter().map(|test| shaders(test, &environment)).collect::<Result<_>>()?
        }
        false => Vec::new(),
    };
    deliver(args, output, |format| match format {
        Format::Text => tests.iter().map(report::show).collect::<Vec<_>>().join("\n"),
        Format::Json => {
            tests.iter().map(|test| Definition::from(test).text()).collect::<Vec<_>>().join("\n")
        }
        Format::Wgsl => shaders.join("\n"),
    })
}

/// Shows the results of the newest campaign in a folder.
fn campaign(args: &ShowArgs, folder: &Path, output: &Output) -> Result<Exit> {
    if args.report.formats().any(|wanted| wanted == Format::Wgsl) {
        return Err(Box::new(Diagnostic::new("the results of a campaign have no format `wgsl`")));
    }
    let Some(file) = results_file(folder, output)? else {
        let error = Diagnostic::new(format!("{} contains no campaign", folder.display()));
        let help = "name a test, or a folder that `hirace litmus tune` wrote";
        return Err(Box::new(error.help(help)));
    };
    let document = read(&file)?;
    let document = with_timing_if_wanted(&document, output);
    deliver(args, output, |format| match format {
        Format::Json => report::json(&*document),
        _ => report::report(&document),
    })
}

fn deliver(args: &ShowArgs, output: &Output, render: impl Fn(Format) -> String) -> Result<Exit> {
    let read: ProtectedFiles = args.tests.iter().map(|test| ("a test", test.into())).collect();
    Ok(match args.report.deliver(&read, |format, _| render(format), output) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Failed,
        Err(exit) => exit,
    })
}

fn shaders(test: &Test, environment: &Environment) -> Result<String> {
    let shaders = Shaders::new(test, environment.layout, &environment.parameters);
    let Shaders { test, count } =
        shaders.map_err(|unsuitable| Box::new(Diagnostic::new(unsuitable.to_string())))?;
    Ok(format!("// Tests and stresses:\n\n{test}\n// Counts outcomes:\n\n{count}"))
}
