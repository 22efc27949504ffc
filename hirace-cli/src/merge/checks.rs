//! Merging of the reports of `hirace check`.

use super::{InputReport, MergeArgs, completeness_exit, formats, inputs, refuse, what};
use crate::check::{self, Format, rendered};
use crate::report::{ReportArgs, check_distinct};
use hirace_adequacy::schema::{self, Kind};
use hirace_core::check::run::{Fault, RunOutcome};
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::report::document::{Cause, LaunchReport, Report};
use hirace_core::report::{json, merge};
use hirace_core::source_map::SourceMap;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};

/// The value of `schema` in reports of checks.
const SCHEMA: &str = "hirace.check/2";

pub fn merged(args: &MergeArgs, all: &[InputReport<'_>], output: &Output) -> Result<Exit> {
    let what = what(Kind::Check);
    refuse(args.covered.given(), what, "a coverage report")?;
    refuse(args.found.given(), what, "mutants")?;
    let reports: ReportArgs<Format> = formats::report_args(&args.report, what)?;
    let mut merged = merge::ReportMerger::default();
    for read in all {
        let shown = read.shown();
        let schema = schema::name(&read.text).unwrap_or_default();
        if schema != SCHEMA {
            let message = format!("{shown} is `{schema}`, not `{SCHEMA}`");
            return Err(Box::new(Diagnostic::new(message)));
        }
        let report = json::read(&read.text).map_err(|error| {
            let message = format!("{shown} is not a report of a check: {error}");
            let help = "give a file written by `hirace check --report json=FILE`";
            Box::new(Diagnostic::new(message).help(help))
        })?;
        merged.add(report, &shown)?;
    }
    let Some(mut report) = merged.report() else { return Ok(Exit::BadInput) };
    report.launches.iter_mut().for_each(find_texts);
    let exit = completeness_exit(report.stopped, &merge::missing(&report), &[], output);
    reports.warn_unwritable(output);
    let mut kept = inputs(all);
    let sources = report.launches.iter().map(|launch| PathBuf::from(&launch.source));
    kept.extend(sources.map(|path| ("a checked source", path)));
    let text = rendered(reports.format, &report, output.style(), reports.quiet);
    let is_printed = output.print(&text).is_ok();
    check_distinct(&reports.output_files(), &kept)?;
    let render = |form, style| rendered(form, &report, style, false);
    let is_written = reports.write(render, output);
    Ok(match (exit, is_printed && is_written) {
        (Exit::Clean, true) => check::exit(ended(&report), false),
        (Exit::Clean, false) => Exit::Failed,
        (exit, _) => exit,
    })
}

/// Returns how the run with this document ended.
fn ended(report: &Report) -> RunOutcome {
    let fault = |cause| match cause {
        Cause::Input => Fault::Input,
        Cause::Device => Fault::Device,
    };
    let fault = report.errors.iter().map(|error| fault(error.cause)).max();
    let verdict = report.verdict;
    RunOutcome { verdict, strict_verdict: verdict, fault, stopped: report.stopped }
}

/// Fills in the source texts of the findings of a launch, for files that exist here.
fn find_texts(launch: &mut LaunchReport) {
    let allowed = launch.allowed.iter().map(|allowed| &allowed.finding);
    let findings = launch.findings.iter().chain(allowed);
    let mut names = vec![launch.source.clone()];
    for place in findings.flat_map(|finding| &finding.accesses) {
        if !names.contains(&place.file) {
            names.push(place.file.clone());
        }
    }
    let text = |name: &String| text_of(Path::new(name)).unwrap_or_default();
    let texts: Vec<(String, String)> =
        names.iter().map(|name| (name.clone(), text(name))).collect();
    launch.source_map = match &texts[..] {
        [(name, text)] => SourceMap::new(name.as_str(), text.as_str()),
        texts => {
            let files = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            SourceMap::of_files(launch.source.as_str(), files)
        }
    };
}
