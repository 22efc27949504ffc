//! `hirace merge`.

use crate::coverage::{ReportArgs, reported};
use crate::outputs;
use clap::Args;
use hirace_core::bounded::SOURCE;
use hirace_core::cover::Coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_terminal::{Exit, Output};
use std::path::PathBuf;
use std::process::ExitCode;

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

/// Runs the verb.
pub fn run(args: &MergeArgs, output: &Output) -> ExitCode {
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
    outputs::foresee(&args.report.written(), output);
    Ok(reported(&args.report, &coverage, read, Exit::Clean, output))
}
