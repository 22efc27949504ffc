//! Printing, with colors, closed pipes and full disks handled, and exit statuses.

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use hirace_core::check::run::Fault;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::{self, Style};
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// An exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Checked without findings.
    Clean = 0,
    /// Findings.
    Findings = 1,
    /// Bad usage or bad input.
    BadInput = 2,
    /// Could not run, was stopped, or could not write the results.
    Failed = 3,
    /// Ran, but without a conclusion.
    Inconclusive = 4,
}

impl Exit {
    /// Returns the exit status for an error, depending on whether the input or the device caused it.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        Fault::from_error(diagnostic).into()
    }
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Input => Self::BadInput,
            Fault::Device => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Use colors on a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Use colors always
    Always,
    /// Never use colors
    Never,
}

/// The standard streams with their styles.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    stdout: Style,
    stderr: Style,
    has_timing: bool,
}

impl Output {
    /// Creates an output with colors as `color` says.
    pub fn new(color: Color) -> Self {
        let asked = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                (terminal || set("CLICOLOR_FORCE")) && !set("NO_COLOR") && !dumb
            }
        };
        let style = |terminal| Style::default().with_color(asked(terminal));
        Self {
            stdout: style(std::io::stdout().is_terminal()),
            stderr: style(std::io::stderr().is_terminal()),
            has_timing: true,
        }
    }

    /// Returns the output with or without what differs between runs of the same command: times and memory use.
    pub fn with_timing(self, has_timing: bool) -> Self {
        Self { has_timing, ..self }
    }

    /// Returns whether reports contain times and memory use.
    pub fn has_timing(&self) -> bool {
        self.has_timing
    }

    /// Returns the style of text for standard output.
    pub fn style(&self) -> Style {
        self.stdout
    }

    /// Prints to standard output. A closed pipe (`| head`) is not an error.
    pub fn print(&self, text: &str) -> Result<(), Exit> {
        let mut out = AutoStream::new(std::io::stdout().lock(), choice(self.stdout));
        self.printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Prints a message of clap: help and versions to standard output, usage errors to standard error.
    pub fn usage(&self, said: &clap::Error) -> Exit {
        let printed = said.print().and_then(|()| std::io::stdout().lock().flush());
        match said.use_stderr() {
            true => Exit::BadInput,
            false => self.printed(printed).err().unwrap_or(Exit::Clean),
        }
    }

    fn printed(&self, printed: std::io::Result<()>) -> Result<(), Exit> {
        match printed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.error(&Diagnostic::new(format!("cannot write to standard output: {error}")));
                Err(Exit::Failed)
            }
            _ => Ok(()),
        }
    }

    /// Prints an error. If that fails too, only the exit status shows the error.
    pub fn error(&self, diagnostic: &Diagnostic) {
        self.print_to_stderr(&text::diagnostic(diagnostic, self.stderr));
    }

    /// Prints a line about progress.
    pub fn note(&self, line: &str) {
        self.print_to_stderr(line);
    }

    /// Prints a warning.
    pub fn warning(&self, diagnostic: &Diagnostic) {
        self.print_to_stderr(&text::warning(diagnostic, self.stderr));
    }

    fn print_to_stderr(&self, text: &str) {
        let mut err = AutoStream::new(std::io::stderr().lock(), choice(self.stderr));
        let _ = writeln!(err, "{text}");
    }
}

fn choice(style: Style) -> ColorChoice {
    match style.color {
        true => ColorChoice::Always,
        false => ColorChoice::Never,
    }
}
