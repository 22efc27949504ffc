//! What happens while a verb runs: one stream, which every verb feeds and to which every reporter and the
//! progress bar listen.
//!
//! An event carries facts, borrowed from whoever found them; what is said of them is for [`Listener`]s to
//! decide. What happens *inside* (how long a phase took, what a device was given) is no event of a run: that
//! is for `tracing`.
//!
//! The order is always
//!
//! ```text
//! RunStarted
//!   InputStarted                        once an input
//!     LaunchStarted, LaunchEnded        once a launch that is tried
//!     Found                             once a fact, when all launches that it comes from have ended
//!     Error, Warning                    what is wrong with the input, or with the device
//!   InputEnded
//!   Error, Warning                      what concerns no single input
//! RunEnded                              with everything that was found
//! ```
//!
//! and whatever is started ends. A run that is stopped is cut short, and still ends; one that turns out to have
//! nothing to do does not end: its caller gets an error instead. What is counted and is neither an input nor a
//! launch (mutants, schedules, trials) stands between [`WorkStarted`](Event::WorkStarted) and
//! [`WorkEnded`](Event::WorkEnded), within an input or without any.
//!
//! A verb adds a name to [`Verb`], what it finds to [`Fact`] and what it comes to to [`Results`]. Listeners
//! pass over what they do not know.

mod input_errors;
mod listener;

pub use input_errors::{InputError, InputErrors};
pub use listener::{AtEnd, Listener, Listeners};

use crate::diagnostic::Diagnostic;
use crate::facts::{LaunchFacts, NotChecked};

/// Something happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A run begins.
    RunStarted {
        /// What is done.
        verb: Verb,
        /// With how many inputs.
        inputs: usize,
    },
    /// An input is about to be read.
    InputStarted {
        /// What it is called.
        input: &'a str,
    },
    /// A launch is about to run.
    LaunchStarted(Launched<'a>),
    /// That launch is done.
    LaunchEnded {
        /// The launch.
        launch: Launched<'a>,
        /// Steps that it ran, over all subgroups; a device does not count them.
        steps: u64,
    },
    /// Something was found out.
    Found(Fact<'a>),
    /// Something is to be known, and is no error.
    Warning(&'a Diagnostic),
    /// Something could not be done: the input is wrong, or the device failed
    /// ([`Diagnostic::of_device`]).
    Error(&'a Diagnostic),
    /// An input is done.
    InputEnded {
        /// What it is called.
        input: &'a str,
        /// How that went.
        end: InputEnd,
    },
    /// Work begins of which it is known how much it is.
    WorkStarted {
        /// What is counted.
        unit: Unit,
        /// How many of it.
        count: usize,
    },
    /// One more is done.
    WorkAdvanced {
        /// Which.
        done: &'a str,
    },
    /// That work is done, or was stopped.
    WorkEnded,
    /// The run is over.
    RunEnded {
        /// All that came of it.
        results: Results<'a>,
    },
}

/// What `hirace` is doing.
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

/// What is counted, beside inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Launches.
    Launch,
}

/// One of the launches that are tried for an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched<'a> {
    /// The source file.
    pub source: &'a str,
    /// The entry point, or the first of several.
    pub entry: &'a str,
    /// The grid of the first dispatch, in workgroups.
    pub workgroups: [u32; 3],
    /// Which of the launches tried for this entry point, from 1.
    pub number: usize,
    /// How many are to be tried.
    pub of: usize,
}

/// Something that was found out.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Fact<'a> {
    /// What the launches that were tried for an entry point showed. Of an input that turns out to be wrong
    /// later, it is not among the results.
    Launch(&'a LaunchFacts),
}

/// How it went with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEnd {
    /// It was taken; what the device could not do, if anything, is in the errors before.
    Done,
    /// It was found in a folder and is nothing that can be taken by itself.
    PassedOver,
    /// It cannot be taken, for the reason in the error before.
    Refused,
    /// The run was stopped before it was done with it.
    Stopped,
}

/// All that came of a run.
#[derive(Clone, Copy, Debug)]
pub enum Results<'a> {
    /// Of `hirace check`.
    Check(CheckResults<'a>),
}

/// All that came of a run of `hirace check`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckResults<'a> {
    /// The facts about all launches.
    pub launches: &'a [LaunchFacts],
    /// What was not checked.
    pub not_checked: &'a [NotChecked],
    /// Whether the run was stopped before it was done.
    pub stopped: bool,
}
