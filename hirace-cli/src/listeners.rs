//! The listeners of a check: the progress bar, the diagnostics on standard error, and the reporter.

use crate::args::{Format, ReportArgs};
use crate::progress::{Bar, Line};
use crate::reports::{self, Reports};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::event::{CheckResults, Event, Listener, Listeners, Results};
use hirace_core::facts::{NotChecked, NotCheckedReason, Verdict};
use hirace_core::report::document::{LaunchReport, Report};
use hirace_core::report::text::Style;
use hirace_core::report::{baseline, compose, github, html, json, sarif, text};
use hirace_core::shard::Shard;
use hirace_terminal::{Exit, Output};
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the listeners that the flags request. `part` is the shard that is run and a hash of the whole run.
/// `unwritten` is set if a report could not be written.
pub fn listeners<'a>(
    args: &'a ReportArgs,
    part: Option<(Shard, String)>,
    output: &'a Output,
    unwritten: &'a AtomicBool,
) -> Listeners<'a> {
    let bar = Bar::new(args.quiet);
    let line = bar.line();
    let mut all = Listeners::default();
    all.add(bar);
    all.add(Diagnostics { output, line, quiet: args.quiet, warnings: Vec::new() });
    all.add(Reporter { args, part, output, unwritten });
    all
}

/// Reports in all requested formats why nothing was checked. `files` is whether report files may be written.
pub fn refused(args: &ReportArgs, files: bool, error: &Diagnostic, output: &Output) -> Exit {
    output.error(error);
    let not_checked =
        [NotChecked { input: None, why: NotCheckedReason::Error(Box::new(error.clone())) }];
    let check = CheckResults { not_checked: &not_checked, ..CheckResults::default() };
    let document = compose::run(&check);
    // In text form it has been printed already.
    let printed = (args.format != Format::Text).then_some(args.format);
    let files = if files { &args.report[..] } else { &[] };
    let reports = Reports { printed, files, output };
    let rendered = |format, style| rendered(format, &document, style, false);
    let is_printed = reports.print(rendered);
    if reports.write(rendered) && is_printed { Exit::of(error) } else { Exit::Failed }
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
            Event::Error(error) => self.line.suspended(|| self.output.error(error)),
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
    args: &'a ReportArgs,
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
            document.of = Some(of.clone());
        }
        let ReportArgs { format, report, quiet, .. } = self.args;
        let reports = Reports { printed: Some(*format), files: report, output: self.output };
        self.note(reports.print(|format, style| rendered(format, &document, style, *quiet)));
        if *quiet
            && *format == Format::Text
            && let Some(why) = inconclusive(&document)
        {
            self.output.warning(&why);
        }
        self.note(reports.write(|format, style| rendered(format, &document, style, false)));
        if let Some(path) = &self.args.write_baseline {
            let baseline = baseline::baseline(check.launches).text();
            self.note(reports::write(path, &baseline, self.output));
        }
    }

    fn note(&self, is_written: bool) {
        self.unwritten.fetch_or(!is_written, Ordering::Relaxed);
    }
}

/// Renders the document in a format.
pub fn rendered(format: Format, report: &Report, style: Style, quiet: bool) -> String {
    match format {
        Format::Text if quiet => findings_alone(report, style),
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
    Some(Diagnostic::new(match open {
        Some(launch) => {
            let reason = launch.inconclusive.first().map_or("", String::as_str);
            format!("inconclusive: `{}` of {}: {reason}", launch.entry, launch.source)
        }
        None => "inconclusive: all findings are only possible".to_owned(),
    }))
}

fn findings_alone(report: &Report, style: Style) -> String {
    let of = |launch: &LaunchReport| {
        let findings = launch.findings.iter();
        findings.map(|f| text::finding(f, &launch.source_map, style)).collect::<Vec<_>>()
    };
    let findings = report.launches.iter().flat_map(of);
    findings.chain(text::stopped(report, style)).collect::<Vec<_>>().join("\n")
}
