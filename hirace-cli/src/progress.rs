//! Progress display of long runs, as a line on the terminal.

use hirace_core::event::{Event, LaunchId, Listener};
use hirace_terminal::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use tracing_subscriber::filter::LevelFilter;

/// The time before progress is shown.
const SHOW_DELAY: Duration = Duration::from_millis(500);

/// A progress bar on standard error. It is shown only on a terminal, after the run has taken a while, and not together
/// with a log, which uses standard error too and is more detailed.
pub struct Bar {
    line: Line,
    /// Position and length of the enclosing work, outermost first.
    outer: Vec<(u64, u64)>,
}

/// The line that a [`Bar`] is drawn on.
#[derive(Clone)]
pub struct Line {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl Line {
    fn new(bar: Option<ProgressBar>) -> Self {
        Self { bar, started: Instant::now() }
    }

    /// Sets the message. The bar is drawn once the work has taken a while.
    pub fn show(&self, what: &str) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() && self.started.elapsed() > SHOW_DELAY {
            show(bar);
        }
        bar.set_message(what.to_owned());
    }

    /// Hides the bar while `print` writes to the terminal.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

fn show(bar: &ProgressBar) {
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.enable_steady_tick(Duration::from_millis(100));
}

/// Shows the bar once the work has taken a while, even without further events: a single launch may take long.
fn show_later(bar: &ProgressBar) {
    let bar = bar.downgrade();
    std::thread::spawn(move || {
        std::thread::sleep(SHOW_DELAY);
        if let Some(bar) = bar.upgrade()
            && bar.is_hidden()
            && !bar.is_finished()
        {
            show(&bar);
        }
    });
}

/// Returns a bar with this template, or `None` if no bar is to be shown.
fn bar(quiet: bool, template: &str) -> Option<ProgressBar> {
    let logging = LevelFilter::current() != LevelFilter::OFF;
    let shown = !quiet && !logging && std::io::stderr().is_terminal();
    shown.then(|| {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    })
}

/// A progress bar that counts `len` items and estimates the remaining time.
pub struct CountedBar(Line);

impl CountedBar {
    /// Creates a bar for `count` items.
    pub fn new(count: usize, quiet: bool) -> Self {
        Self::with(count, bar(quiet, "{spinner} {pos}/{len}, about {eta} remaining: {wide_msg}"))
    }

    /// Creates a bar whose message has several lines.
    #[cfg(feature = "litmus")]
    pub fn lines(count: usize, quiet: bool) -> Self {
        Self::with(count, bar(quiet, "{spinner} {pos}/{len}, about {eta} remaining: {msg}"))
    }

    /// Sets the message.
    #[cfg(feature = "litmus")]
    pub fn say(&self, what: &str) {
        self.0.show(what);
    }

    fn with(count: usize, bar: Option<ProgressBar>) -> Self {
        if let Some(bar) = &bar {
            bar.set_length(count as u64);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self(Line::new(bar))
    }

    /// Counts one more item as done and sets the message.
    pub fn advance(&self, what: &str) {
        if let Some(bar) = &self.0.bar {
            bar.set_message(what.to_owned());
            bar.inc(1);
        }
    }

    /// Hides the bar while `print` writes to the terminal.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }
}

impl Drop for CountedBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0.bar {
            bar.finish_and_clear();
        }
    }
}

impl Bar {
    /// Creates a bar without a length.
    pub fn new(quiet: bool) -> Self {
        let bar = bar(quiet, "{spinner} {pos}/{len} {wide_msg}");
        if let Some(bar) = &bar {
            show_later(bar);
        }
        Self { line: Line::new(bar), outer: Vec::new() }
    }

    /// Returns the line that the bar is drawn on.
    pub fn line(&self) -> Line {
        self.line.clone()
    }

    /// Starts counting to `count`, nested in the current work.
    fn begin(&mut self, count: usize) {
        if let Some(bar) = &self.line.bar {
            self.outer.push((bar.position(), bar.length().unwrap_or(0)));
            bar.set_position(0);
            bar.set_length(count as u64);
        }
    }

    /// Returns to the enclosing count.
    fn end(&mut self) {
        let Some(bar) = &self.line.bar else { return };
        if let Some((position, length)) = self.outer.pop() {
            bar.set_position(position);
            bar.set_length(length);
        }
        if self.outer.is_empty() {
            bar.finish_and_clear();
        }
    }

    fn advance(&self) {
        if let Some(bar) = &self.line.bar {
            bar.inc(1);
        }
    }
}

impl Listener for Bar {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::RunStarted { inputs: count, .. } | Event::WorkStarted { count, .. } => {
                self.begin(count);
            }
            Event::LaunchStarted(launch) => {
                let LaunchId { source, entry, workgroups: [x, y, z], number, of } = launch;
                let said = format!("{source}: {entry}, {x}x{y}x{z} workgroups ({number} of {of})");
                self.line.show(&said);
            }
            Event::WorkAdvanced { done } => {
                self.line.show(done);
                self.advance();
            }
            Event::InputEnded { .. } => self.advance(),
            Event::WorkEnded | Event::RunEnded { .. } => self.end(),
            _ => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.line.bar {
            bar.finish_and_clear();
        }
    }
}

/// Prints errors, and warnings unless the run is quiet.
pub struct Errors<'a> {
    pub output: &'a Output,
    pub line: Line,
    pub quiet: bool,
}

impl Listener for Errors<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Error(error) => self.line.suspend(|| self.output.error(error)),
            Event::Warning(warning) if !self.quiet => {
                self.line.suspend(|| self.output.warning(warning));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::event::{InputEnd, Unit, Verb};

    #[test]
    fn work_within_an_input_is_counted_by_itself() {
        let shown = ProgressBar::hidden();
        let line = Line::new(Some(shown.clone()));
        let mut bar = Bar { line, outer: Vec::new() };
        let at = || (shown.position(), shown.length());
        let ended = Event::InputEnded { input: "a.wgsl", end: InputEnd::Done };
        bar.event(&Event::RunStarted { verb: Verb::Check, inputs: 3 });
        bar.event(&ended);
        bar.event(&Event::WorkStarted { unit: Unit::Launch, count: 20 });
        bar.event(&Event::WorkAdvanced { done: "one" });
        bar.event(&Event::WorkAdvanced { done: "two" });
        assert_eq!((at(), shown.message()), ((2, Some(20)), "two".to_owned()));
        bar.event(&Event::WorkEnded);
        assert_eq!(at(), (1, Some(3)));
        bar.event(&ended);
        assert_eq!(at(), (2, Some(3)));
    }
}
