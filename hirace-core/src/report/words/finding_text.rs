//! The texts of a finding, before they become a part of the document.

use super::context::Context;
use crate::facts::{Grid, Place};
use crate::report::label::Label;
use crate::vm::run::Invocation;

/// A source location of a finding, with its label.
pub(super) struct LabeledPlace {
    pub place: Place,
    /// The kind of the location: `read`, `write`, `barrier` …
    pub kind: &'static str,
    pub label: Label,
    pub who: Option<Invocation>,
}

/// The texts of one kind of finding.
pub(super) struct FindingText {
    pub message: String,
    pub reason: String,
    /// The notes before those about the doubts of its sites.
    pub before: Vec<String>,
    /// The notes after those about the doubts of its sites.
    pub after: Vec<String>,
    /// A note about what only a larger launch shows; the last one about the finding itself.
    pub last: Option<String>,
    pub places: Vec<LabeledPlace>,
}

/// The context on which the texts of a finding depend, in addition to its own facts.
pub(super) struct FindingContext<'a> {
    pub context: Context<'a>,
    pub grid: Grid,
    /// The number of words, visits or accesses.
    pub count: u64,
    pub is_possible: bool,
}
