//! A line on the terminal that says how far a long check is.

use hirace_core::check::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shown on standard error if that is a terminal, once the check has taken a while.
pub struct Bar {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl Bar {
    /// A bar for a check of `files` files.
    pub fn new(files: usize, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let bar = shown.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
            let style = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}");
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self { bar, started: Instant::now() }
    }

    /// A launch is about to run.
    pub fn launch(&self, progress: &Progress<'_>) {
        let Progress { source, entry, workgroups: [x, y, z], number, of } = progress;
        self.say(&format!("{source}: {entry}, {x}x{y}x{z} workgroups ({number} of {of})"));
    }

    /// What is being done.
    pub fn say(&self, what: &str) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        bar.set_message(what.to_owned());
    }

    /// A file is done.
    pub fn file_done(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
