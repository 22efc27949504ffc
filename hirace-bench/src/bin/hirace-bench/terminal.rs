//! What the command says to the terminal and to whoever started it: colours, errors, exit statuses, Ctrl-C.

use clap::ValueEnum;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::{self, Style};
use std::io::{ErrorKind, Write};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing is wrong.
    Right = 0,
    /// `hirace` was wrong somewhere.
    Wrong = 1,
    /// Bad usage or bad input.
    BadInput = 2,
    /// Could not run, or was stopped.
    Failed = 3,
}

impl Exit {
    /// The status after an error: whether the input is at fault or the device.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        if diagnostic.is_of_device() { Self::Failed } else { Self::BadInput }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Has all that is printed from now on follow this choice.
    pub fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Prints to standard output. That the reader has had enough (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), Exit> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            self::error(&Diagnostic::new(message));
            Err(Exit::Failed)
        }
        _ => Ok(()),
    }
}

/// Prints an error. If even that cannot be written, the exit status says it.
pub fn error(diagnostic: &Diagnostic) {
    let text = text::diagnostic(diagnostic, Style { colour: true, ..Style::default() });
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// A flag that the first Ctrl-C sets; the second ends the process.
pub fn on_interrupt() -> Arc<AtomicBool> {
    /// The exit status of a process that a Ctrl-C ends.
    const INTERRUPTED: i32 = 130;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Where Ctrl-C cannot be caught, it ends the process as ever.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED);
        }
    });
    stop
}
