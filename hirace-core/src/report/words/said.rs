//! What is said of a finding, before it is a part of the document.

use super::context::Context;
use super::label::Label;
use crate::facts::{Grid, Place};
use crate::vm::run::Invocation;

/// A place of a finding, with what is said there.
pub(super) struct Pointed {
    pub place: Place,
    /// `read`, `write`, `barrier` …
    pub kind: &'static str,
    pub label: Label,
    pub who: Option<Invocation>,
}

/// What is said of one kind of finding.
pub(super) struct Said {
    pub message: String,
    pub reason: String,
    /// Notes that stand before those on what its sites hang on.
    pub before: Vec<String>,
    /// And those behind them.
    pub after: Vec<String>,
    /// What a larger launch has to add.
    pub last: Option<String>,
    pub places: Vec<Pointed>,
}

/// What the words of a finding depend on beside its own facts.
pub(super) struct Setting<'a> {
    pub context: Context<'a>,
    pub grid: Grid,
    /// How many words, visits or accesses.
    pub count: u64,
    pub is_possible: bool,
}
