//! A run of `check`: inputs one after another, and one report of them all.
//!
//! What is an input and where it comes from is for the caller to say; it is checked by a function that the
//! caller gives. Here is what happens to all of them: what starts ends, what goes wrong with one does not
//! keep the others from being checked, and what was found in a folder and is no kernel is passed over.

use super::{Checked, Session};
use crate::diagnostic::{Cause, Diagnostic, Result};
use crate::event::{CheckResults, Event, InputEnd, Results, Verb};
use crate::facts::{LaunchFacts, NotChecked, Verdict, Why};
use crate::finding::verdict;

/// An input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What reports call it.
    pub name: &'a str,
    /// Whether it was found in a folder: then what is no kernel by itself is passed over.
    pub found: bool,
    /// Whether it is Rust, of which most files hold no kernels: those are passed over in silence.
    pub is_rust: bool,
}

impl Input<'_> {
    /// Returns whether it need not be a kernel, as one of so many inputs: it was found in a folder, or is one of several files of
    /// Rust, as a shell names them for `src/*.rs`.
    pub fn may_be_passed_over(self, inputs: usize) -> bool {
        self.found || self.is_rust && inputs > 1
    }

    /// Returns the warning that it was passed over for this reason, unless it is one of the many files of Rust that hold no kernels.
    pub fn passed_over(self, why: Diagnostic) -> Option<Diagnostic> {
        if self.is_rust {
            return (!why.labels.is_empty()).then_some(why);
        }
        Some(Diagnostic::new(format!("{} was passed over: {}", self.name, why.message)))
    }
}

/// Why something could not be checked. The greater is the graver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The input is wrong.
    Input,
    /// The device failed, or there is none.
    Device,
}

impl Fault {
    /// Who is at fault by this error.
    pub fn of(error: &Diagnostic) -> Self {
        match error.cause {
            Cause::Device => Self::Device,
            Cause::Input | Cause::NoKernel => Self::Input,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The verdict over all that was checked.
    pub verdict: Verdict,
    /// The gravest reason why something was not.
    pub fault: Option<Fault>,
    /// Whether it was stopped before it was done.
    pub stopped: bool,
}

/// See the [module](self).
pub struct Run<'a> {
    session: Session<'a>,
    inputs: usize,
    passed_over: usize,
    launches: Vec<LaunchFacts>,
    warnings: Vec<Diagnostic>,
    not_checked: Vec<NotChecked>,
    /// The input that is being checked.
    input: Option<String>,
    fault: Option<Fault>,
}

impl<'a> Run<'a> {
    /// Begins a run of so many inputs, for this verb.
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

    /// What inputs are checked in.
    pub fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    /// Whether somebody wants it to end.
    pub fn stopped(&self) -> bool {
        self.session.stopped()
    }

    /// Checks `input`, by `check`; if the run was stopped, it is only noted.
    pub fn input(&mut self, input: Input<'_>, check: impl FnOnce(&mut Self) -> Result<Checked>) {
        let name = Some(input.name.to_owned());
        if self.stopped() {
            self.not_checked.push(NotChecked { input: name, why: Why::StoppedBefore });
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
                match self.stopped() {
                    false => InputEnd::Done,
                    true => {
                        self.not_checked.push(NotChecked { input: name, why: Why::StoppedWithin });
                        InputEnd::Stopped
                    }
                }
            }
            Err(why) if input.may_be_passed_over(self.inputs) && why.cause == Cause::NoKernel => {
                self.passed_over += 1;
                input.passed_over(*why).into_iter().for_each(|warning| self.warn(warning));
                InputEnd::PassedOver
            }
            Err(error) => {
                self.error(&error);
                InputEnd::Refused
            }
        };
        self.input = None;
        self.session.emit(&Event::InputEnded { input: input.name, end });
    }

    /// Something is to be known, and is no error.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.session.emit(&Event::Warning(&warning));
        self.warnings.push(warning);
    }

    /// Something cannot be checked.
    pub fn error(&mut self, error: &Diagnostic) {
        self.fault = self.fault.max(Some(Fault::of(error)));
        let why = Why::Error(Box::new(error.clone()));
        self.not_checked.push(NotChecked { input: self.input.clone(), why });
        self.session.emit(&Event::Error(error));
    }

    /// Ends the run.
    ///
    /// # Errors
    /// No input is a kernel.
    pub fn end(mut self) -> Result<Ended> {
        if self.passed_over == self.inputs && self.fault.is_none() && !self.stopped() {
            return Err(Box::new(no_kernel(self.warnings)));
        }
        let (launches, not_checked) = (&self.launches[..], &self.not_checked[..]);
        // What is asked of it after all was checked comes too late to stop anything.
        let stopped = self.not_checked.iter().any(|left| !matches!(left.why, Why::Error(_)));
        let results = CheckResults { launches, not_checked, stopped };
        self.session.emit(&Event::RunEnded { results: Results::Check(results) });
        Ok(Ended { verdict: verdict::of_run(launches, not_checked), fault: self.fault, stopped })
    }
}

/// Returns the error where all inputs were passed over, with these warnings.
pub fn no_kernel(reasons: Vec<Diagnostic>) -> Diagnostic {
    let error = Diagnostic::new("none of the files is a kernel by itself");
    let notes = reasons.into_iter().flat_map(|reason| {
        let labels = reason.labels.into_iter().map(|(_, label)| label);
        std::iter::once(reason.message).chain(labels)
    });
    notes.fold(error, Diagnostic::note)
}
