//! Repair: searches for the smallest change of a source that removes its findings.
//!
//! A finding suggests [changes](Change), each of which is a few edits of the text. For a kernel, barriers are inserted,
//! moved or replaced, and memory is made atomic. For a Rust model or a litmus test, orders are strengthened and scopes
//! widened. `search` tries the changes by size, alone and in combination. Each candidate text is compiled by the front
//! end and explored in the same way as the original, so the correctness of a change never has to be judged here.

mod kernel;
mod litmus;
mod search;

pub use kernel::{Explore, KernelFinding, repair as kernel};
pub use litmus::{LitmusFinding, repair as litmus};

use crate::report::results::{self, ChangeKind, Verdict};
use hirace_core::edit::diff::unified_diff;
use hirace_core::edit::{Edit, apply_edits};
use hirace_core::source_map::SourceMap;
use search::{FoundRepair, Outcome};
use std::sync::atomic::AtomicBool;

/// The default for the maximum number of candidates.
pub const CANDIDATES: u64 = 1000;

/// The default for the maximum number of executions of a candidate.
pub const EXECUTIONS: u64 = 10_000;

/// A change of a source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The size of the change. Sets of a smaller total size are tried first.
    pub size: u32,
    /// The number of steps by which the edited calls or instructions become stronger; 0 if they do not. Of the changes at
    /// one location, those with fewer steps are weaker.
    pub steps: u32,
    /// The edits, which must be applied together.
    pub edits: Vec<Edit>,
}

/// The result of exploring a candidate.
#[derive(Clone, Debug)]
pub struct CandidateResult<F> {
    /// The verdict.
    pub verdict: Verdict,
    /// The first finding, if its location is known.
    pub found: Option<F>,
    /// Whether the exploration was complete up to the bound on loop iterations.
    pub is_complete: bool,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The maximum number of explored candidates.
    pub candidates: u64,
    /// A flag that stops the search when it is set.
    pub stop: Option<&'a AtomicBool>,
}

/// A source text with a finding.
pub trait Subject {
    /// The type of findings.
    type Finding: Clone + PartialEq;

    /// Returns the source text.
    fn source(&self) -> &SourceMap;

    /// Returns the changes that might help.
    fn changes(&self) -> &[Change];

    /// Returns the indices of the changes that might remove a finding, best first.
    fn changes_for(&self, found: &Self::Finding) -> Vec<usize>;

    /// Explores the source with these edits. Returns `None` if the text is then invalid, or does not fit the launch.
    fn explore(&self, edits: &[Edit]) -> Option<CandidateResult<Self::Finding>>;
}

/// Searches for a repair of `subject` that removes `found`.
pub fn repair<S: Subject>(subject: &S, found: S::Finding, limits: Limits<'_>) -> results::Repair {
    let Outcome { repair, candidates, undecided, tried, is_limited: limited } =
        search::search(subject, found, limits);
    let FoundRepair { edits, verdict } = repair.unwrap_or_default();
    let source = subject.source();
    let text = apply_edits(source.text(), &edits);
    let shown = edits.iter().map(|edit| {
        let at = source.position(edit.at.start);
        results::Edit {
            line: at.line,
            column: at.column,
            remove: source.snippet(edit.at).to_owned(),
            insert: edit.text.clone(),
        }
    });
    results::Repair {
        verified: verdict == Some(Verdict::Verified),
        verdict,
        diff: unified_diff(source.name(), source.text(), &text),
        edits: shown.collect(),
        candidates,
        undecided,
        limited,
        tried,
    }
}
