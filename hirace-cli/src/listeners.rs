//! Who listens to a run: the progress bar, what is printed to standard error, and what reports the results.

use crate::args::{Format, ReportArgs};
use crate::progress::{Bar, Line};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::event::{CheckResults, Event, Listener, Listeners, Results};
use hirace_core::facts::{NotChecked, Why};
use hirace_core::report::document::{LaunchReport, Report};
use hirace_core::report::text::Style;
use hirace_core::report::{baseline, compose, github, json, sarif, text};
use hirace_terminal::{Exit, Output, file};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The listeners that the flags ask for. `unwritten` is set if a report could not be written.
pub fn listeners<'a>(
    args: &'a ReportArgs,
    output: &'a Output,
    unwritten: &'a AtomicBool,
) -> Listeners<'a> {
    let bar = Bar::new(args.quiet);
    let line = bar.line();
    let mut all = Listeners::default();
    all.add(bar);
    all.add(Diagnostics { output, line, quiet: args.quiet, warnings: Vec::new() });
    all.add(Reports { args, output, unwritten });
    all
}

/// Says why nothing was checked, in all forms that are asked for: whoever reads one of them learns it there. `files`:
/// whether they may be written to.
pub fn refused(args: &ReportArgs, files: bool, error: &Diagnostic, output: &Output) -> Exit {
    output.error(error);
    let unwritten = AtomicBool::new(false);
    let not_checked = [NotChecked { input: None, why: Why::Error(Box::new(error.clone())) }];
    let check = CheckResults { not_checked: &not_checked, ..CheckResults::default() };
    let reports = Reports { args, output, unwritten: &unwritten };
    let document = compose::run(&check);
    // As text that is said already.
    if args.format != Format::Text {
        reports.print(&document);
    }
    if files {
        reports.write_all(&document);
    }
    if unwritten.into_inner() { Exit::Failed } else { Exit::of(error) }
}

/// Prints errors as they come, and warnings when the run is over.
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

/// Puts the results into words when the run is over, and those into all forms that are asked for. What one of them
/// comes to is nothing to the others; standard output is the first.
struct Reports<'a> {
    args: &'a ReportArgs,
    output: &'a Output,
    unwritten: &'a AtomicBool,
}

impl Listener for Reports<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::RunEnded { results: Results::Check(check) } = event {
            self.report(check);
        }
    }
}

impl Reports<'_> {
    fn report(&self, check: &CheckResults<'_>) {
        let document = compose::run(check);
        self.print(&document);
        self.write_all(&document);
        if let Some(path) = &self.args.write_baseline {
            self.write(path, &baseline::baseline(check.launches).text());
        }
    }

    fn print(&self, document: &Report) {
        let ReportArgs { format, quiet, .. } = self.args;
        let text = rendered(*format, document, self.output.style(), *quiet);
        self.note(self.output.print(&text).is_ok());
    }

    fn write_all(&self, document: &Report) {
        let plain = Style { colour: false, ..self.output.style() };
        for (format, path) in &self.args.report {
            self.write(path, &rendered(*format, document, plain, false));
        }
    }

    fn write(&self, path: &Path, text: &str) {
        let written = file::write(path, text.as_bytes());
        self.note(written.is_ok());
        if let Err(error) = written {
            let message = format!("cannot write {}: {error}", path.display());
            self.output.error(&Diagnostic::new(message));
        }
    }

    fn note(&self, is_written: bool) {
        self.unwritten.fetch_or(!is_written, Ordering::Relaxed);
    }
}

fn rendered(format: Format, report: &Report, style: Style, quiet: bool) -> String {
    match format {
        Format::Text if quiet => findings_alone(report, style),
        Format::Text => text::report(report, style),
        Format::Json => json::report(report),
        Format::Sarif => sarif::report(report),
        Format::Github => github::report(report),
    }
}

fn findings_alone(report: &Report, style: Style) -> String {
    let of = |launch: &LaunchReport| {
        let findings = launch.findings.iter();
        findings.map(|f| text::finding(f, &launch.source_map, style)).collect::<Vec<_>>()
    };
    let findings = report.launches.iter().flat_map(of);
    findings.chain(text::stopped(report, style)).collect::<Vec<_>>().join("\n")
}
