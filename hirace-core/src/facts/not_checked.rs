//! What was to be checked and was not.

use crate::diagnostic::Diagnostic;

/// An input that was not checked, or not all of it.
#[derive(Clone, Debug)]
pub struct NotChecked {
    /// What the input is called; `None`: what is wrong concerns no single one.
    pub input: Option<String>,
    /// Why.
    pub why: Why,
}

/// Why an input was not checked.
#[derive(Clone, Debug)]
pub enum Why {
    /// The run was stopped before.
    StoppedBefore,
    /// The run was stopped within: what was checked of it is reported.
    StoppedWithin,
    /// Something is wrong with it, or the device failed. Other parts of it may have been checked.
    Error(Box<Diagnostic>),
}
