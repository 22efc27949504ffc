//! Who listens to a run: the progress bar, what is printed to standard error, and a reporter for each form
//! of the report that is asked for.

use crate::args::{Format, ReportArgs};
use crate::output::{Exit, Output};
use crate::progress::{Bar, Line};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::event::{AtEnd, Event, Listener, Listeners, Results};
use hirace_core::report::document::{LaunchReport, Report};
use hirace_core::report::text::Style;
use hirace_core::report::{self, compose, github, json, sarif, text};
use std::sync::atomic::{AtomicBool, Ordering};

/// The listeners that the flags ask for. `unwritten` is set if one of them could not write its report.
pub fn listeners<'a>(
    args: &'a ReportArgs,
    output: &'a Output,
    unwritten: &'a AtomicBool,
) -> Listeners<'a> {
    let note = |written: Result<(), Exit>| {
        unwritten.fetch_or(written.is_err(), Ordering::Relaxed);
    };
    let coloured = output.style();
    let plain = Style { colour: false, ..coloured };
    let bar = Bar::new(args.quiet);
    let line = bar.line();
    let mut all = Listeners::default();
    all.add(bar);
    all.add(Diagnostics { output, line, quiet: args.quiet, warnings: Vec::new() });
    for (format, path) in &args.report {
        let write = move |text: &str| note(output.write(path, text));
        all.add(AtEnd::new(reporter(*format, plain, false), write));
    }
    if let Some(path) = &args.write_baseline {
        let write = move |text: &str| note(output.write(path, text));
        all.add(AtEnd::new(baseline, write));
    }
    let print = move |text: &str| note(output.print(text));
    all.add(AtEnd::new(reporter(args.format, coloured, args.quiet), print));
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

/// What makes the text of this form.
fn reporter(format: Format, style: Style, quiet: bool) -> impl Fn(&Results<'_>) -> String {
    move |results| {
        let Results::Check(launches) = results;
        let report = compose::report(launches);
        match format {
            Format::Text if quiet => findings_alone(&report, style),
            Format::Text => text::report(&report, style),
            Format::Json => json::report(&report),
            Format::Sarif => sarif::report(&report),
            Format::Github => github::report(&report),
        }
    }
}

fn baseline(results: &Results<'_>) -> String {
    match results {
        Results::Check(launches) => report::baseline::baseline(launches).text(),
    }
}

fn findings_alone(report: &Report, style: Style) -> String {
    let of = |launch: &LaunchReport| {
        let findings = launch.findings.iter();
        findings.map(|f| text::finding(f, &launch.source_map, style)).collect::<Vec<_>>()
    };
    report.launches.iter().flat_map(of).collect::<Vec<_>>().join("\n")
}
