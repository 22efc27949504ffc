//! Who listens to a run: the progress bar, what is printed to standard error, and what reports the results.

use crate::args::{Format, ReportArgs};
use crate::progress::{Bar, Line};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::event::{CheckResults, Event, Listener, Listeners, Results};
use hirace_core::report::document::{LaunchReport, Report};
use hirace_core::report::text::Style;
use hirace_core::report::{baseline, compose, github, json, sarif, text};
use hirace_terminal::{Output, file};
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
        let ReportArgs { format, report: files, write_baseline, quiet, .. } = self.args;
        let document = compose::run(check);
        let coloured = self.output.style();
        let printed = self.output.print(&rendered(*format, &document, coloured, *quiet));
        self.note(printed.is_ok());
        let plain = Style { colour: false, ..coloured };
        for (format, path) in files {
            self.write(path, &rendered(*format, &document, plain, false));
        }
        if let Some(path) = write_baseline {
            self.write(path, &baseline::baseline(check.launches).text());
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
