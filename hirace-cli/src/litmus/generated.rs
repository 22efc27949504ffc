//! The shared parts of `hirace litmus locks` and `hirace litmus prefix-sum`. Each of their tests is a generated shader, which runs
//! on a device or is printed.

#[cfg(feature = "gpu")]
use crate::progress::CountedBar;
use crate::report::{ReportArgs, ReportFormat};
use hirace_core::diagnostic::{Diagnostic, Result};
#[cfg(feature = "gpu")]
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the test whose shader is to be printed, or `None` if tests are to run. `wgsl` is the format of a printed shader, `kind`
/// is the word for a test in messages, and `example` is a command that prints a shader.
///
/// # Errors
/// `--format wgsl` is given with a `--report` or without exactly one test.
pub fn test_to_print<T: Copy, F: ReportFormat>(
    report: &ReportArgs<F>,
    wgsl: F,
    chosen: &[T],
    kind: &str,
    example: &str,
) -> Result<Option<T>> {
    match (report.format == wgsl, chosen) {
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
