//! Inputs that were not checked.

use crate::diagnostic::Diagnostic;

/// An input that was not checked, or not completely.
#[derive(Clone, Debug)]
pub struct NotChecked {
    /// The name of the input; `None` if the problem does not concern a single input.
    pub input: Option<String>,
    /// The reason.
    pub why: NotCheckedReason,
}

/// The reason why an input was not checked.
#[derive(Clone, Debug)]
pub enum NotCheckedReason {
    /// The run was stopped before the input was reached.
    StoppedBefore,
    /// The run was stopped during the check of the input; what was checked of it is reported.
    StoppedWithin,
    /// The input has an error, or the device failed. Other parts of the input may have been checked.
    Error(Box<Diagnostic>),
}
