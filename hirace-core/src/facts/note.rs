//! Notes: what a user should know about a kernel, and what is not a fault of the launch that was checked.

use super::barrier::{Barrier, BarrierClass};
use super::kind::Verdict;
use super::place::Place;
use super::replay::Replay;
use serde::{Deserialize, Serialize};

/// A note about a kernel. It changes neither the verdict nor the exit status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// A barrier orders no access, and stands between atomic operations that a barrier of another class orders.
    IneffectiveBarrier {
        /// The barrier.
        barrier: Barrier,
        /// An atomic operation before the barrier, and one after it.
        accesses: [Place; 2],
        /// The variable that both access.
        variable: String,
        /// The class of barriers that orders the variable.
        class: BarrierClass,
    },
    /// The result of an atomic operation reaches memory, so that the output may depend on the order of invocations. Only shown for
    /// launches without findings.
    OrderDependence {
        /// The atomic operation.
        atomic: Place,
        /// The variable that the result reaches.
        reaches: String,
        /// The arguments with which `hirace amplify` tries other orders, if flags can express the launch.
        amplify: Option<Replay>,
    },
}

/// The kinds of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoteKind {
    /// A barrier orders no access, and stands between atomic operations that a barrier of another class orders.
    IneffectiveBarrier,
    /// The output may depend on the order of invocations.
    OrderDependence,
}

impl NoteKind {
    /// Returns whether a note of this kind is shown for a launch with this verdict.
    pub fn is_shown_for(self, verdict: Verdict) -> bool {
        self != Self::OrderDependence
            || !matches!(verdict, Verdict::Findings | Verdict::Inconclusive)
    }
}

impl Note {
    /// Returns the kind of the note.
    pub fn kind(&self) -> NoteKind {
        match self {
            Self::IneffectiveBarrier { .. } => NoteKind::IneffectiveBarrier,
            Self::OrderDependence { .. } => NoteKind::OrderDependence,
        }
    }

    /// Returns the command in the note, if it has one.
    pub(crate) fn replay_mut(&mut self) -> Option<&mut Replay> {
        match self {
            Self::IneffectiveBarrier { .. } => None,
            Self::OrderDependence { amplify, .. } => amplify.as_mut(),
        }
    }

    /// Returns the source location that the note is about.
    pub fn place(&self) -> Place {
        match self {
            Self::IneffectiveBarrier { barrier, .. } => barrier.place,
            Self::OrderDependence { atomic, .. } => *atomic,
        }
    }
}
