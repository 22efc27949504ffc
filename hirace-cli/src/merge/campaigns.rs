//! Merging of litmus campaigns.

use super::{InputReport, MergeArgs, completeness_exit, formats, inputs, refuse, what};
use crate::litmus::campaign::reported;
use crate::report::check_distinct;
use hirace_adequacy::schema::Kind;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::results::{ResultMerger, missing, read};
use hirace_terminal::{Exit, Output};

/// Merges the reports of litmus campaigns.
pub fn merged(args: &MergeArgs, all: &[InputReport<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Litmus);
    refuse(args.covered.given(), what, "a coverage report")?;
    refuse(args.found.given(), what, "mutants")?;
    let report = formats::report_args(&args.report, what)?;
    let mut merged = ResultMerger::default();
    for one in all {
        let shown = one.shown();
        let document = read(&one.text).map_err(|error| {
            let message = format!("{shown} is not a report of litmus tests: {error}");
            let help = "give a file written by `hirace litmus tune --report json=FILE`";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        merged.add(document).map_err(|unlike| {
            let error = Diagnostic::new(format!("{shown} is of another campaign: {unlike}"));
            Box::new(
                error.help("give all shards of one campaign: the same tests, flags and device"),
            )
        })?;
    }
    let Some(document) = merged.document() else { return Ok(Exit::BadInput) };
    let shards = missing(&document).unwrap_or_default();
    let exit = completeness_exit(document.stopped, &shards, &[], output);
    report.warn_unwritable(output);
    check_distinct(&report.output_files(), &inputs(all))?;
    let ended = reported(&report, &document, None, output);
    Ok(if exit == Exit::Clean { ended } else { exit })
}
