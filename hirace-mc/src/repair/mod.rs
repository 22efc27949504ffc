//! Repairs: the smallest change of a source with which it verifies.
//!
//! What was found suggests [changes](Change), each a few edits of the text: of a kernel, barriers put in, moved or of
//! another class, and memory made atomic; of a model and of a litmus test, stronger orders and wider scopes. `search` tries them by
//! their size, alone and several at a time. A text that is tried is read by the front end and explored just as the original
//! was, so that nothing here has to know whether a change is right.

mod diff;
mod kernel;
mod litmus;
mod place;
mod search;

pub use diff::unified;
pub use kernel::{Explore, Spotted, repair as kernel};
pub use litmus::{Spotted as SpottedInTest, repair as litmus};

use crate::report::results::{self, ChangeKind, Verdict};
use hirace_core::edit::{Edit, edited};
use hirace_core::source_map::SourceMap;
use search::{Found, Outcome};
use std::sync::atomic::AtomicBool;

/// How many texts are tried, if nothing else is said.
pub const CANDIDATES: u64 = 1000;

/// After how many executions of a text the next is tried, if nothing else is said.
pub const EXECUTIONS: u64 = 10_000;

/// A change of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What it is.
    pub kind: ChangeKind,
    /// How much it is beside others: those that make up less are tried first.
    pub size: u32,
    /// By how many steps it is stronger than what stands there, beside others of the same place.
    pub steps: u32,
    /// The edits of it, which do nothing good one without the other.
    pub edits: Vec<Edit>,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Tried<F> {
    /// What is said of it.
    pub verdict: Verdict,
    /// What was found, if it is known where.
    pub found: Option<F>,
    /// Whether all of it was explored, as far as loops are followed.
    pub is_whole: bool,
}

/// How long a repair is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// How many texts are explored.
    pub candidates: u64,
    /// Set by whoever wants it to end.
    pub stop: Option<&'a AtomicBool>,
}

/// A source with something wrong in it.
pub trait Subject {
    /// What may be wrong.
    type Found: Clone + PartialEq;

    /// The source.
    fn source(&self) -> &SourceMap;

    /// Changes that might help.
    fn changes(&self) -> &[Change];

    /// Those that might help against this, by their indices, best first.
    fn against(&self, found: &Self::Found) -> Vec<usize>;

    /// Explores the source with these edits; none, if it is then no program, or not one for this launch.
    fn explore(&self, edits: &[Edit]) -> Option<Tried<Self::Found>>;
}

/// Looks for a repair of `subject`, in which `found` was found.
pub fn repair<S: Subject>(subject: &S, found: S::Found, limits: Limits<'_>) -> results::Repair {
    let Outcome { repair, candidates, undecided, tried, limited } =
        search::search(subject, found, limits);
    let Found { edits, verdict } = repair.unwrap_or_default();
    let source = subject.source();
    let text = edited(source.text(), &edits);
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
        diff: unified(source.name(), source.text(), &text),
        edits: shown.collect(),
        candidates,
        undecided,
        limited,
        tried,
    }
}
