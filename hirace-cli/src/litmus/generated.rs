//! The shared parts of `hirace litmus locks`, `prefix-sum` and `race-bounds`. Each of their tests is a generated shader, which runs
//! on a device or is printed.

#[cfg(feature = "gpu")]
use crate::progress::CountedBar;
use crate::report::{ReportArgs, ReportFormat};
use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};
#[cfg(feature = "gpu")]
use hirace_terminal::{Exit, Output};
#[cfg(feature = "gpu")]
use std::sync::atomic::{AtomicBool, Ordering};

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table with one row per test
    #[default]
    Text,
    /// The counts as JSON
    Json,
    /// The shader of one test; nothing runs
    Wgsl,
}

impl ReportFormat for Format {
    fn is_report(self) -> bool {
        self != Self::Wgsl
    }
}

/// Returns the test whose shader is to be printed, or `None` if tests are to run. `kind` is the word for a test in messages, and
/// `example` is a command that prints a shader.
///
/// # Errors
/// `--format wgsl` is given with a `--report` or without exactly one test.
pub fn test_to_print<T: Copy>(
    report: &ReportArgs<Format>,
    chosen: &[T],
    kind: &str,
    example: &str,
) -> Result<Option<T>> {
    match (report.format == Format::Wgsl, chosen) {
        (true, [test]) if report.report.is_empty() => Ok(Some(*test)),
        (true, _) => {
            let message = format!("`--format wgsl` needs exactly one {kind} and no --report");
            Err(Box::new(Diagnostic::new(message).help(format!("name one: {example}"))))
        }
        _ => Ok(None),
    }
}

/// Runs the chosen tests, or all if none is chosen, with a progress bar. Returns whether the run was stopped.
#[cfg(feature = "gpu")]
pub fn run_each<T: Copy>(
    all: &[(&str, T)],
    chosen: &[T],
    name: impl Fn(T) -> &'static str,
    quiet: bool,
    stop: &AtomicBool,
    mut run: impl FnMut(T, &CountedBar),
) -> bool {
    let all: Vec<T> = all.iter().map(|(_, test)| *test).collect();
    let tests = if chosen.is_empty() { &all } else { chosen };
    let bar = CountedBar::lines(tests.len(), quiet);
    for &test in tests {
        bar.say(name(test));
        run(test, &bar);
        if stop.load(Ordering::Relaxed) {
            return true;
        }
        bar.advance(name(test));
    }
    false
}

/// What a run shows about the device.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug)]
pub struct Conclusion {
    /// Whether the device broke a test.
    pub is_broken: bool,
    /// Whether a test failed to run, or the run was stopped.
    pub is_incomplete: bool,
    /// Whether invocations gave up, so that a result is missing.
    pub has_missing_results: bool,
}

/// Writes the reports of a run, and returns the exit status. `text` and `json` render the results.
#[cfg(feature = "gpu")]
pub fn deliver(
    report: &ReportArgs<Format>,
    text: impl Fn() -> String,
    json: impl Fn() -> String,
    conclusion: Conclusion,
    output: &Output,
) -> Exit {
    let render = |format, _| match format {
        Format::Json => json(),
        _ => text(),
    };
    match report.deliver(&[], render, output) {
        Err(exit) => exit,
        Ok(_) if conclusion.is_broken => Exit::Findings,
        Ok(is_written) if !is_written || conclusion.is_incomplete => Exit::Failed,
        Ok(_) if conclusion.has_missing_results => Exit::Inconclusive,
        Ok(_) => Exit::Clean,
    }
}
