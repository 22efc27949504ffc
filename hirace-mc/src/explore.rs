//! Enumerates the executions of a program under a memory model, each once.
//!
//! An execution is built event by event. An event is added once everything on which it depends is present: its
//! dependencies (in models that keep program order, all earlier events of its invocation), and the write that it reads
//! from. There are three kinds of choices. Each execution corresponds to exactly one sequence of choices, so none is
//! visited twice:
//!
//! - A read takes one of the existing writes, or is *postponed* and takes a write that is added later.
//! - A write is inserted at a position of the coherence order of its location.
//! - Each postponed read of that location takes the new write, or is postponed further.
//!
//! The search space is a tree of additions. Backtracking removes the last events, so memory use is that of one
//! execution, and the common prefix of executions is built once. A memory model only has to be prefix-closed: prefixes
//! of consistent executions are consistent. The idea of one sequence of choices per execution is from TruSt
//! (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal Dynamic Partial Order Reduction, POPL
//! 2022). TruSt also requires that executions can always be extended, and that program order ∪ reads-from is acyclic.
//! WGSL's model does not satisfy these.
//!
//! Postponing a read is useless if no suitable write is added later. It is tried only for a reason that showed up while
//! the read took existing writes, as in dynamic partial-order reduction (Flanagan, Godefroid, POPL 2005): a write to
//! the location that does not depend on the read, or an event that was inconsistent because of the read. The remaining
//! useless attempts are counted as `abandoned`.

mod add;
mod coherence;
mod execution;
mod history;
mod invocation;
mod leaf;
mod parallel;
mod search;
mod shared;
mod symmetry;
mod totals;
mod updates;

pub use execution::{Event, EventId, Execution, Finding, FindingKind, Source};

use crate::model::Model;
use crate::program::Program;
use std::ops::{BitOr, ControlFlow};
use std::sync::atomic::AtomicBool;

/// Reductions of the number of explored executions. They preserve findings and final states, except as noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Postpones a read that would repeat a waiting loop until there is another write to read from.
    pub awaiting: bool,
    /// Of executions that differ only by an exchange of alike invocations, explores only some. Final states are
    /// preserved up to such exchanges.
    pub symmetry: bool,
    /// Lets a read whose result the program [does not use](Program::is_result_unused) take only the oldest possible write,
    /// unless that rules something out. The value of such a read is then one of several, and may order fewer events
    /// than another value would. The same holds for final memory that the program never reads.
    pub values: bool,
    /// Explores only one order of updates that commute and whose results the program [does not use](Program::is_result_unused),
    /// unless another access to the location that is not ordered with all of them could tell the orders apart. Applies
    /// only to models in which an update orders nothing except its location, that is, to WGSL's.
    pub updates: bool,
    /// Explores only one coherence order of writes whose order neither a read nor the final state can tell apart: later
    /// additions go last. The coherence order of a reported execution is then one of several.
    pub coherence: bool,
}

impl Reductions {
    /// No reductions.
    pub const NONE: Self =
        Self { awaiting: false, symmetry: false, values: false, updates: false, coherence: false };
    /// All reductions.
    pub const ALL: Self =
        Self { awaiting: true, symmetry: true, values: true, updates: true, coherence: true };
    /// The reductions by name, including `all` and `none`.
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

    /// Returns the reductions that are in either set.
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

/// Options of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The memory model.
    pub model: Model,
    /// The reductions to apply.
    pub reductions: Reductions,
    /// The number of executions after which to stop. Which executions these are depends on the threads, unless there is only one.
    pub limit_executions: Option<u64>,
    /// A flag that stops the exploration soon after it is set.
    pub stop: Option<&'a AtomicBool>,
    /// Whether to stop at the first finding, in the order in which one thread explores.
    pub first_finding: bool,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
}

impl Options<'_> {
    /// Returns the options for exploring all executions under this model, with one thread and all reductions.
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

/// Whether the exploration was exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All executions were explored.
    Complete,
    /// All executions were explored up to [`Operation::Limit`](crate::program::Operation::Limit).
    Bounded,
    /// The exploration was stopped: by `stop`, by the visitor, by the limit on executions, or at the first finding.
    Stopped,
    /// The program cannot be explored: the model does not define one of its operations, or the program contradicts the
    /// dependencies that it stated.
    Inexpressible {
        /// The invocation that requested the operation.
        invocation: u32,
        /// The site of the operation.
        site: u32,
    },
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration<S> {
    /// The number of executions in which all invocations ended or reached a limit.
    pub executions: u64,
    /// The number of executions in which some invocations wait forever.
    pub blocked: u64,
    /// The number of prefixes that could not be completed, which the exploration tried in vain.
    pub abandoned: u64,
    /// Whether the exploration was exhaustive.
    pub outcome: Outcome,
    /// The findings, one per kind and sites.
    pub findings: Vec<Finding<S>>,
}

/// A callback that receives each complete or blocked execution and decides whether to continue.
pub type Visit<'a, S> = &'a (dyn Fn(&Execution<S>) -> ControlFlow<()> + Sync);

/// Explores all executions of `program`. `visit`, if given, receives each execution once, in no particular order.
/// Without it, executions are counted and checked, but not converted to plain data.
pub fn explore<P: Program>(
    program: &P,
    options: &Options<'_>,
    visit: Option<Visit<'_, P::State>>,
) -> Exploration<P::State> {
    parallel::explore(program, options, visit)
}
