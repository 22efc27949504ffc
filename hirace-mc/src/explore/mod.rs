//! Every execution of a program under a memory model, each once.
//!
//! An execution is built event by event, each when all that it hangs on is there: what it depends on (in the models
//! that keep program order: all before it in its invocation), and the write that it reads from. The choices are three,
//! and each execution makes them in one way, so that none is visited twice:
//!
//! - a read takes one of the writes that are there, or is *postponed*: it will take one that comes later;
//! - a write is put somewhere in the coherence order of its location;
//! - each read postponed at that location takes the new write, or is postponed further.
//!
//! All that is explored is a tree of additions, so that going back is taking the last events away: memory is that of
//! one execution, and what two executions have in common is built once. Only prefixes of consistent executions being
//! consistent is asked of a model; TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal
//! Dynamic Partial Order Reduction, POPL 2022), from which the idea of one way to each execution is, asks that
//! executions can always be extended as well, and that program order ∪ reads-from is acyclic, which WGSL's model is
//! not.
//!
//! Postponing is in vain if no write comes that the read could take. It is tried only where the executions that have
//! the read take what is there showed a reason, as in dynamic partial-order reduction (Flanagan, Godefroid, POPL 2005):
//! a write to the location that does not hang on the read, or an event that could not be because of the read. What is
//! in vain nevertheless is counted as `abandoned`.

mod add;
mod coherence;
mod execution;
mod graph;
mod history;
mod invocation;
mod leaf;
mod parallel;
mod rows;
mod search;
mod symmetry;
mod updates;

pub use execution::{Event, EventId, Execution, Finding, FindingKind, Source};
pub(crate) use graph::{Graph, INITIAL, Label, NONE, Node, is_strong};
pub(crate) use symmetry::key;

use crate::model::Model;
use crate::program::Program;
use std::ops::{BitOr, ControlFlow};
use std::sync::atomic::AtomicBool;

/// Ways to explore fewer executions with the same findings and the same final states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// A read that leads straight round a waiting loop is postponed until there is something else to read.
    pub awaiting: bool,
    /// Of executions that differ by an exchange of alike invocations only, some are not explored. The final states are
    /// then the same but for such exchanges.
    pub symmetry: bool,
    /// A read that the program [forgets](Program::forgets) takes the oldest write that it may, unless that rules
    /// something out. What is read in it is then one of several values, and orders less than another might; and so is
    /// what memory holds in the end that the program never reads.
    pub values: bool,
    /// Updates that commute and whose answers the program [forgets](Program::forgets) are done in one order, as long
    /// as nobody who is not ordered with all of them looks at their location or writes it otherwise. In models alone in
    /// which an update orders nothing but its location: in WGSL's.
    pub updates: bool,
    /// Writes whose order neither a read nor the end tells apart are put in one order: those that come later, last. The
    /// coherence order of an execution is then one of several.
    pub coherence: bool,
}

impl Reductions {
    /// None of them.
    pub const NONE: Self =
        Self { awaiting: false, symmetry: false, values: false, updates: false, coherence: false };
    /// All of them.
    pub const ALL: Self =
        Self { awaiting: true, symmetry: true, values: true, updates: true, coherence: true };
    /// Each, and all and none, by their names.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("all", Self::ALL),
        ("none", Self::NONE),
        ("awaiting", Self { awaiting: true, ..Self::NONE }),
        ("symmetry", Self { symmetry: true, ..Self::NONE }),
        ("values", Self { values: true, ..Self::NONE }),
        ("updates", Self { updates: true, ..Self::NONE }),
        ("coherence", Self { coherence: true, ..Self::NONE }),
    ];
}

impl BitOr for Reductions {
    type Output = Self;

    /// Those that are in either.
    fn bitor(self, other: Self) -> Self {
        Self {
            awaiting: self.awaiting | other.awaiting,
            symmetry: self.symmetry | other.symmetry,
            values: self.values | other.values,
            updates: self.updates | other.updates,
            coherence: self.coherence | other.coherence,
        }
    }
}

/// What to explore, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The memory model.
    pub model: Model,
    /// What is left out.
    pub reductions: Reductions,
    /// After so many executions it stops.
    pub limit_executions: Option<u64>,
    /// It stops soon after this is set.
    pub stop: Option<&'a AtomicBool>,
    /// It stops at the first finding.
    pub first_finding: bool,
    /// How many threads explore; 0: as many as there are cores.
    pub threads: usize,
}

impl Options<'_> {
    /// All executions under this model, by one thread, with all reductions.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            reductions: Reductions::ALL,
            limit_executions: None,
            stop: None,
            first_finding: false,
            threads: 1,
        }
    }
}

/// Whether all there are were explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All.
    Complete,
    /// All up to where invocations met [`Operation::Limit`](crate::program::Operation::Limit).
    Bounded,
    /// It was stopped: from outside, by the visitor, by the limit of executions or at the first finding.
    Stopped,
    /// Nothing, or not all: the model has no such operation, or the program does not keep to what it said its
    /// operations depend on.
    Inexpressible {
        /// Who asked for it.
        invocation: u32,
        /// Where.
        site: u32,
    },
}

/// What was explored.
#[derive(Clone, Debug)]
pub struct Explored<S> {
    /// Executions in which all invocations ended or met a limit.
    pub executions: u64,
    /// Executions in which some wait for ever.
    pub blocked: u64,
    /// Beginnings of executions that nothing completes: what the exploration tried in vain.
    pub abandoned: u64,
    /// Whether that is all.
    pub outcome: Outcome,
    /// What was found: of each kind at each place in the program, one.
    pub findings: Vec<Finding<S>>,
}

/// Looks at each execution that is complete or blocked, and says whether to go on.
pub type Visit<'a, S> = &'a (dyn Fn(&Execution<S>) -> ControlFlow<()> + Sync);

/// Explores all executions of `program`. `visit`, if given, sees each once, in no certain order; without it, executions
/// are counted and judged, but not put into words.
pub fn explore<P: Program>(
    program: &P,
    options: &Options<'_>,
    visit: Option<Visit<'_, P::State>>,
) -> Explored<P::State> {
    parallel::explore(program, options, visit)
}
