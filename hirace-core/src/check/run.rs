//! A run of `check`: checks inputs one after another and makes one report of them all.
//!
//! The caller provides the inputs, and a function that checks one. The run does what is common to all of them: it emits
//! matching start and end events, goes on after an input that fails, and skips files of a folder that are not kernels.

use super::{CheckOutcome, Session};
use crate::diagnostic::{Cause, Diagnostic, Result};
use crate::event::{CheckResults, Event, InputEnd, Results, Verb};
use crate::facts::{LaunchFacts, NotChecked, NotCheckedReason, Verdict};
use crate::finding::verdict;
use crate::source_map::Span;

/// An input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The name that reports use.
    pub name: &'a str,
    /// Whether it was found in a folder. Such a file is skipped if it is not a kernel by itself.
    pub found: bool,
    /// Whether it is a program, in Rust or another language. Most have no kernels and are skipped without a warning.
    pub is_host: bool,
}

impl Input<'_> {
    /// Returns whether the input, one of `inputs` in the run, may be skipped if it is not a kernel: it was found in a
    /// folder, or is one of several programs, as a shell expands `src/*.rs`.
    pub fn may_be_skipped(self, inputs: usize) -> bool {
        self.found || self.is_host && inputs > 1
    }

    /// Returns the warning that the input was skipped for this reason; `None` for a program without kernels.
    pub fn skip_warning(self, why: Diagnostic) -> Option<Diagnostic> {
        if self.is_host {
            return (!why.labels.is_empty()).then_some(why);
        }
        Some(Diagnostic::new(format!("{} was skipped: {}", self.name, why.message)))
    }
}

/// The reason why something could not be checked, in ascending order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The input is wrong.
    Input,
    /// The device failed, or there is none.
    Device,
}

impl Fault {
    /// Returns the kind of fault of an error.
    pub fn from_error(error: &Diagnostic) -> Self {
        match error.cause {
            Cause::Device | Cause::Unsupported => Self::Device,
            Cause::Input | Cause::NoKernel | Cause::Undefined => Self::Input,
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// The verdict over everything that was checked.
    pub verdict: Verdict,
    /// The same if warnings count as errors.
    pub strict_verdict: Verdict,
    /// The most severe cause that something could not be checked, if any.
    pub fault: Option<Fault>,
    /// Whether the run was stopped before it was complete.
    pub stopped: bool,
}

/// A run of several inputs; see the [module](self).
pub struct Run<'a> {
    session: Session<'a>,
    inputs: usize,
    passed_over: usize,
    launches: Vec<LaunchFacts>,
    warnings: Vec<Diagnostic>,
    not_checked: Vec<NotChecked>,
    /// The name of the input that is being checked.
    input: Option<String>,
    fault: Option<Fault>,
}

impl<'a> Run<'a> {
    /// Starts a run of this number of inputs for `verb`.
    pub fn start(verb: Verb, inputs: usize, mut session: Session<'a>) -> Self {
        session.emit(&Event::RunStarted { verb, inputs });
        Self {
            session,
            inputs,
            passed_over: 0,
            launches: Vec::new(),
            warnings: Vec::new(),
            not_checked: Vec::new(),
            input: None,
            fault: None,
        }
    }

    /// Returns the session in which inputs are checked.
    pub fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    /// Returns whether the run was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.session.is_stopped()
    }

    /// Checks `input` with `check`. If the run was stopped, only records that the input was not checked.
    pub fn input(
        &mut self,
        input: Input<'_>,
        check: impl FnOnce(&mut Self) -> Result<CheckOutcome>,
    ) {
        let name = Some(input.name.to_owned());
        if self.is_stopped() {
            self.not_checked.push(NotChecked { input: name, why: NotCheckedReason::StoppedBefore });
            return;
        }
        let _span = tracing::info_span!("input", file = input.name).entered();
        self.input.clone_from(&name);
        self.session.emit(&Event::InputStarted { input: input.name });
        let end = match check(self) {
            Ok(checked) => {
                self.launches.extend(checked.launches);
                checked.warnings.into_iter().for_each(|warning| self.warn(warning));
                checked.failures.iter().for_each(|failure| self.error(failure));
                match self.is_stopped() {
                    false => InputEnd::Done,
                    true => {
                        self.not_checked
                            .push(NotChecked { input: name, why: NotCheckedReason::StoppedWithin });
                        InputEnd::Stopped
                    }
                }
            }
            Err(why) if input.may_be_skipped(self.inputs) && why.cause == Cause::NoKernel => {
                self.passed_over += 1;
                input.skip_warning(*why).into_iter().for_each(|warning| self.warn(warning));
                InputEnd::Skipped
            }
            Err(error) => {
                self.error(&error);
                InputEnd::Refused
            }
        };
        self.input = None;
        self.session.emit(&Event::InputEnded { input: input.name, end });
    }

    /// Emits a warning and keeps it.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.session.emit(&Event::Warning(&warning));
        self.warnings.push(warning);
    }

    /// Emits an error and records that its input was not checked.
    pub fn error(&mut self, error: &Diagnostic) {
        self.fault = self.fault.max(Some(Fault::from_error(error)));
        let why = NotCheckedReason::Error(Box::new(error.clone()));
        self.not_checked.push(NotChecked { input: self.input.clone(), why });
        self.session.emit(&Event::Error(error));
    }

    /// Ends the run and emits its results.
    ///
    /// # Errors
    /// None of the inputs is a kernel.
    pub fn end(mut self) -> Result<RunOutcome> {
        if self.passed_over == self.inputs && self.fault.is_none() && !self.is_stopped() {
            return Err(Box::new(no_kernel(self.warnings)));
        }
        let (launches, not_checked) = (&self.launches[..], &self.not_checked[..]);
        // A request to stop that comes after everything was checked has no effect.
        let stopped =
            self.not_checked.iter().any(|left| !matches!(left.why, NotCheckedReason::Error(_)));
        let results = CheckResults { launches, not_checked, stopped };
        self.session.emit(&Event::RunEnded { results: Results::Check(results) });
        Ok(RunOutcome {
            verdict: verdict::run_verdict(launches, not_checked),
            strict_verdict: verdict::strict_run_verdict(launches, not_checked),
            fault: self.fault,
            stopped,
        })
    }
}

/// Returns the error for a run in which all inputs were skipped for these reasons.
pub fn no_kernel(reasons: Vec<Diagnostic>) -> Diagnostic {
    let mut error = Diagnostic::new("none of the files is a kernel by itself");
    error.help = reasons.iter().find_map(|reason| reason.help.clone());
    let notes = reasons.into_iter().flat_map(|reason| {
        let place = |(span, label): (Span, String)| {
            let Some(source) = &reason.source_map else { return label };
            let (file, at) = (source.file(span.start), source.position(span.start));
            let label = if label.is_empty() { "here" } else { &label };
            format!("{file}:{}:{}: {label}", at.line, at.column)
        };
        let labels: Vec<String> = reason.labels.into_iter().map(place).collect();
        std::iter::once(reason.message).chain(labels)
    });
    notes.fold(error, Diagnostic::note)
}
