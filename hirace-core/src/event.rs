//! The events of a run: a single stream that every verb produces and that every reporter and the progress bar receive.
//!
//! An event carries facts, borrowed from the code that found them; a [`Listener`] decides what to report. Internal
//! details (the duration of a phase, the input of a device) are not events; they are reported through `tracing`.
//!
//! Events have this order:
//!
//! ```text
//! RunStarted
//!   InputStarted                        once per input
//!     LaunchStarted, LaunchEnded        once per launch that is tried
//!     Found                             once a fact, once all launches that it is based on have ended
//!     Error, Warning                    problems with the input or the device
//!   InputEnded
//!   Error, Warning                      what concerns no single input
//! RunEnded                              with all results
//! ```
//!
//! Every started item ends. A run that is stopped is cut short, but still ends. A run that has nothing to do does not
//! end: its caller gets an error instead. Progress of other countable work (mutants, schedules, trials) is reported
//! between [`WorkStarted`](Event::WorkStarted) and [`WorkEnded`](Event::WorkEnded), inside or outside an input.
//!
//! To add a verb, add its name to [`Verb`], its findings to [`Fact`] and its results to [`Results`]. Listeners ignore
//! variants that they do not know.

mod input_errors;
mod listener;

pub use input_errors::{InputError, InputErrors};
pub use listener::{Listener, Listeners, WriteAtEnd};

use crate::diagnostic::Diagnostic;
use crate::facts::{LaunchFacts, NotChecked};

/// An event of a run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A run begins.
    RunStarted {
        /// The verb of the run.
        verb: Verb,
        /// The number of inputs.
        inputs: usize,
    },
    /// An input is about to be read.
    InputStarted {
        /// The name of the input.
        input: &'a str,
    },
    /// A launch is about to run.
    LaunchStarted(LaunchId<'a>),
    /// A launch has ended.
    LaunchEnded {
        /// The launch.
        launch: LaunchId<'a>,
        /// The number of steps that it took, over all subgroups; 0 on a device, which does not count them.
        steps: u64,
    },
    /// A fact was established.
    Found(Fact<'a>),
    /// A warning.
    Warning(&'a Diagnostic),
    /// An error: the input is invalid, or the device failed ([`Diagnostic::of_device`]).
    Error(&'a Diagnostic),
    /// An input has been processed.
    InputEnded {
        /// The name of the input.
        input: &'a str,
        /// The outcome for the input.
        end: InputEnd,
    },
    /// Work with a known number of items begins.
    WorkStarted {
        /// The kind of items that are counted.
        unit: Unit,
        /// The number of items.
        count: usize,
    },
    /// One more item is done.
    WorkAdvanced {
        /// The name of the item.
        done: &'a str,
    },
    /// The work is done or was stopped.
    WorkEnded,
    /// The run has ended.
    RunEnded {
        /// The results of the run.
        results: Results<'a>,
    },
}

/// A verb of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// `hirace check`
    Check,
    /// `hirace cover`
    Cover,
    /// `hirace amplify`
    Amplify,
    /// `hirace verify`
    Verify,
}

/// The kind of items that are counted, other than inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Launches.
    Launch,
}

/// One of the launches that are tried for an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchId<'a> {
    /// The source file.
    pub source: &'a str,
    /// The entry point, or the first of several.
    pub entry: &'a str,
    /// The grid of the first dispatch, in workgroups.
    pub workgroups: [u32; 3],
    /// The number of the launch among those tried for this entry point, from 1.
    pub number: usize,
    /// The number of launches to try.
    pub of: usize,
}

/// A fact that a run established.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Fact<'a> {
    /// The facts about an entry point from all launches that were tried. If the input turns out to be invalid later,
    /// they are not among the results.
    Launch(&'a LaunchFacts),
}

/// The outcome of processing an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEnd {
    /// The input was processed; device failures, if any, are in the preceding errors.
    Done,
    /// The input was found in a folder, but cannot be processed by itself.
    Skipped,
    /// The input cannot be processed, for the reason in the preceding error.
    Refused,
    /// The run was stopped before the input was completely processed.
    Stopped,
}

/// The results of a run.
#[derive(Clone, Copy, Debug)]
pub enum Results<'a> {
    /// The results of `hirace check`.
    Check(CheckResults<'a>),
}

/// The results of a run of `hirace check`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckResults<'a> {
    /// The facts about all launches.
    pub launches: &'a [LaunchFacts],
    /// The inputs that were not checked, or not completely.
    pub not_checked: &'a [NotChecked],
    /// Whether the run was stopped before it was complete.
    pub stopped: bool,
}
