//! Printing: colours, and readers that go away.

use clap::ValueEnum;
use hirace_core::check::run::Fault;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::{self, Style};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// The exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Checked, and nothing found.
    Clean = 0,
    /// Findings.
    Findings = 1,
    /// Bad usage or bad input.
    BadInput = 2,
    /// Could not run, or was stopped.
    Failed = 3,
    /// Ran, but nothing may be concluded.
    Inconclusive = 4,
}

impl Exit {
    /// The status after an error: whether the input is at fault or the device.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        Fault::of(diagnostic).into()
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

/// Where things are printed, and how.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    stdout: Style,
    stderr: Style,
}

impl Output {
    /// Output that is coloured as `color` says.
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
        let style = |terminal| Style { colour: asked(terminal), ..Style::default() };
        Self {
            stdout: style(std::io::stdout().is_terminal()),
            stderr: style(std::io::stderr().is_terminal()),
        }
    }

    /// How text for standard output looks.
    pub fn style(&self) -> Style {
        self.stdout
    }

    /// Prints to standard output. That the reader has had enough (`| head`) is no failure.
    pub fn print(&self, text: &str) -> Result<(), Exit> {
        let mut out = anstream::AutoStream::new(std::io::stdout().lock(), self.choice());
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.error(&Diagnostic::new(format!("cannot write to standard output: {error}")));
                Err(Exit::Failed)
            }
            _ => Ok(()),
        }
    }

    /// Prints an error. If even that cannot be written, the exit status says it.
    pub fn error(&self, diagnostic: &Diagnostic) {
        self.complain(&text::diagnostic(diagnostic, self.stderr));
    }

    /// Prints what is to be known and is no error.
    pub fn warning(&self, diagnostic: &Diagnostic) {
        self.complain(&text::warning(diagnostic, self.stderr));
    }

    /// Writes a file.
    pub fn write(&self, path: &Path, text: &str) -> Result<(), Exit> {
        std::fs::write(path, text).map_err(|error| {
            let message = format!("cannot write {}: {error}", path.display());
            self.error(&Diagnostic::new(message));
            Exit::Failed
        })
    }

    fn choice(&self) -> anstream::ColorChoice {
        match self.stdout.colour {
            true => anstream::ColorChoice::Always,
            false => anstream::ColorChoice::Never,
        }
    }

    fn complain(&self, text: &str) {
        let choice = match self.stderr.colour {
            true => anstream::ColorChoice::Always,
            false => anstream::ColorChoice::Never,
        };
        let mut err = anstream::AutoStream::new(std::io::stderr().lock(), choice);
        let _ = writeln!(err, "{text}");
    }
}
