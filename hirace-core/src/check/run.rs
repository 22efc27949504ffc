//! A run of `check`: inputs one after another, and one report of them all.
//!
//! What is an input and where it comes from is for the caller to say; it is checked by a function that the
//! caller gives. Here is what happens to all of them: what starts ends, what goes wrong with one does not
//! keep the others from being checked, and what was found in a folder and is no kernel is passed over.

use super::{Checked, Session};
use crate::diagnostic::{Cause, Diagnostic, Result};
use crate::event::{Event, InputEnd, Results, Verb};
use crate::facts::{LaunchFacts, Verdict};
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
    fault: Option<Fault>,
}

impl<'a> Run<'a> {
    /// Begins a run of so many inputs.
    pub fn start(inputs: usize, mut session: Session<'a>) -> Self {
        session.emit(&Event::RunStarted { verb: Verb::Check, inputs });
        let (launches, warnings) = (Vec::new(), Vec::new());
        Self { session, inputs, passed_over: 0, launches, warnings, fault: None }
    }

    /// What inputs are checked in.
    pub fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    /// Whether somebody wants it to end.
    pub fn stopped(&self) -> bool {
        self.session.stopped()
    }

    /// Checks `input`, by `check`.
    pub fn input(&mut self, input: Input<'_>, check: impl FnOnce(&mut Self) -> Result<Checked>) {
        let _span = tracing::info_span!("input", file = input.name).entered();
        self.session.emit(&Event::InputStarted { input: input.name });
        let end = match check(self) {
            Ok(checked) => {
                self.launches.extend(checked.launches);
                checked.warnings.into_iter().for_each(|warning| self.warn(warning));
                checked.failures.iter().for_each(|failure| self.error(failure));
                InputEnd::Done
            }
            Err(why) if input.found && why.cause == Cause::NoKernel => {
                self.pass_over(input, *why);
                InputEnd::PassedOver
            }
            Err(error) => {
                self.error(&error);
                InputEnd::Refused
            }
        };
        self.session.emit(&Event::InputEnded { input: input.name, end });
    }

    fn pass_over(&mut self, input: Input<'_>, why: Diagnostic) {
        self.passed_over += 1;
        if !input.is_rust {
            let why = format!("{} was passed over: {}", input.name, why.message);
            self.warn(Diagnostic::new(why));
        } else if !why.labels.is_empty() {
            self.warn(why);
        }
    }

    /// Something is to be known, and is no error.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.session.emit(&Event::Warning(&warning));
        self.warnings.push(warning);
    }

    /// Something cannot be checked.
    pub fn error(&mut self, error: &Diagnostic) {
        self.fault = self.fault.max(Some(Fault::of(error)));
        self.session.emit(&Event::Error(error));
    }

    /// Ends the run.
    ///
    /// # Errors
    /// No input is a kernel.
    pub fn end(mut self) -> Result<Ended> {
        if self.passed_over == self.inputs && self.fault.is_none() {
            return Err(Box::new(no_kernel(self.warnings)));
        }
        let (results, stopped) = (Results::Check(&self.launches), self.session.stopped());
        self.session.emit(&Event::RunEnded { results, stopped });
        // Somebody may have lost patience while the report was written.
        let stopped = self.session.stopped();
        Ok(Ended { verdict: verdict::of_all(&self.launches), fault: self.fault, stopped })
    }
}

/// What to say where all was passed over, for these reasons.
fn no_kernel(reasons: Vec<Diagnostic>) -> Diagnostic {
    let error = Diagnostic::new("none of the files is a kernel by itself");
    let notes = reasons.into_iter().flat_map(|reason| {
        let labels = reason.labels.into_iter().map(|(_, label)| label);
        std::iter::once(reason.message).chain(labels)
    });
    notes.fold(error, Diagnostic::note)
}
