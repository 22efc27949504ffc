//! Changes of a program that suggestions describe, so that they can be tried.

use super::edits;
use crate::diagnostic::Result;
use crate::edit::Edit;
use crate::facts::{BarrierClass, Suggestion};
use crate::ir::walk::StatementId;
use crate::pass::insert_barriers::{InsertionPoint, insert_barriers, move_barrier};
use crate::program::Program;
use std::collections::BTreeMap;

/// A change of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// Inserts barriers.
    Barriers {
        /// The class of the barriers.
        class: BarrierClass,
        /// Where to insert them.
        points: Vec<InsertionPoint>,
    },
    /// Moves a barrier within its function.
    MoveBarrier {
        /// The class of the barrier.
        class: BarrierClass,
        /// The barrier.
        from: StatementId,
        /// Where to move it.
        to: InsertionPoint,
    },
    /// Changes the workgroup size of an entry point.
    WorkgroupSize {
        /// The index of the entry point.
        entry: usize,
        /// The new size.
        size: [u32; 3],
    },
    /// Edits the source.
    Source(Vec<Edit>),
}

impl Change {
    /// Returns the program with the change applied, or `None` if the change is one of the source.
    ///
    /// # Errors
    /// Returns an error if the resulting module does not validate.
    pub fn apply(&self, program: &Program) -> Option<Result<Program>> {
        let derived = match self {
            Self::Barriers { class, points } => insert_barriers(program, points, class.flag()),
            Self::MoveBarrier { class, from, to } => {
                move_barrier(program, *from, *to, class.flag())
            }
            Self::WorkgroupSize { entry, size } => program.derive(|original| {
                let mut module = original.clone();
                if let Some(entry) = module.entry_points.get_mut(*entry) {
                    entry.workgroup_size = *size;
                }
                Ok(module)
            }),
            Self::Source(_) => return None,
        };
        Some(derived.and_then(|derived| derived.program(&BTreeMap::new())))
    }
}

/// A suggestion, with the change that it describes.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The suggestion.
    pub suggestion: Suggestion,
    /// The change.
    pub change: Change,
}

impl Candidate {
    /// Returns the edits of the source that follow the suggestion. Returns `None` if they cannot be derived from the text, or if there
    /// are several ways to follow it that differ in their results.
    pub fn edits(&self, program: &Program) -> Option<Vec<Edit>> {
        match (&self.change, &self.suggestion) {
            (Change::Barriers { class, points }, Suggestion::ReadFirst { .. }) => {
                edits::read_first(program, points, *class)
            }
            (Change::Barriers { class, points }, _) => {
                edits::insert_barriers(program, points, *class)
            }
            (Change::MoveBarrier { from, to, .. }, _) => edits::move_barrier(program, *from, *to),
            // The kernel may be meant to use the dimension.
            (Change::WorkgroupSize { .. }, _) => None,
            (Change::Source(edits), _) => Some(edits.clone()),
        }
    }
}

/// The possible suggestions for a finding.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// The suggestions that can be tried, the simplest first.
    pub list: Vec<Candidate>,
    /// The suggestion if nothing was tried.
    pub untried: Suggestion,
    /// The suggestion if each of the list was tried and none helps.
    pub otherwise: Suggestion,
}

impl Candidates {
    /// Prefers `candidate` to all others.
    pub fn prefer(&mut self, candidate: Candidate) {
        self.untried = candidate.suggestion.clone();
        self.list.insert(0, candidate);
    }
}

/// Creates candidates for a suggestion that cannot be tried.
impl From<Suggestion> for Candidates {
    fn from(suggestion: Suggestion) -> Self {
        Self { list: Vec::new(), untried: suggestion.clone(), otherwise: suggestion }
    }
}
