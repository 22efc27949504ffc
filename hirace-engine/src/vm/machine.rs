//! Steps single invocations: the machine requests, its driver answers.
//!
//! [`Group::step`] runs one invocation to its next *visible* operation and returns this as a [`Request`]. The
//! driver decides the effect of the operation: what a read returns, when a write becomes visible, which
//! invocation runs next. It [answers](Group::answer), and the invocation can be stepped again. [`UndoMemory`]
//! is plain memory that can be rolled back; a weak memory or a model checker may answer differently.
//!
//! The code and the interpreter loop are those of whole subgroups, with fragments of one lane. All state is
//! in values: a [`Group`] (or one [`Invocation`] of it) can be copied, compared and hashed independently of
//! memory, which the driver owns, and of observers, to which the driver [shows](Group::show) the accesses.
//!
//! # Operations without a request
//!
//! The machine performs accesses to function and private memory, and to shared memory that nothing may
//! write, without a request. An index that is out of bounds is recorded in the [`Notes`] when the address is
//! computed, and clamped, as in whole subgroups.
//!
//! # Waiting
//!
//! An invocation at a barrier or at a subgroup operation waits. [`Group::release`] releases invocations by
//! the rules of `workgroup/synchronization.rs`. It also performs the subgroup operation for all participants: the
//! invocations of the subgroup that are at it in the same calls and in the same iterations of the same loops.
//! Of several operations, the one that is behind in the program is performed first.
//!
//! # Single invocations
//!
//! [`SteppedInvocation`] is an invocation without its workgroup, for drivers that handle barriers themselves. It tracks
//! dependencies while it runs: for each operation it reports which of the invocation's own reads the
//! operation depends on.
//!
//! # Non-termination
//!
//! A loop without visible operations that repeats its state is reported as [`Request::Spinning`]. A
//! loop with reads is reported, too, if the answers change nothing and no write was answered in the meantime.
//! An invocation that has reached its instruction limit is reported as [`Request::Limit`].
//!
//! # Cost
//!
//! Fragments of one lane are a third instance of the engine's generic code. It adds 5 s to a release build of
//! 60 s.

mod apply;
mod carried;
mod dependencies;
mod group;
mod liveness;
mod pending_request;
mod reads;
mod request;
mod stepped_invocation;
mod subgroup;
mod undo;

pub use super::atomic::Update;
pub use group::{Group, Invocation, Position};
pub use reads::Reads;
pub use request::{Access, Answer, Piece, Place, Request, UnexpectedAnswer};
pub use stepped_invocation::{CodeAnalysis, StepResult, SteppedInvocation};
pub use undo::{Mark, UndoMemory};

use super::code::Code;
use super::engine::Setup;
use super::engine::tally::Tally;
use super::memory::Resources;
use super::run::Run;
use crate::diagnostic::Result;

/// A dispatch whose invocations are stepped one by one.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    setup: Setup<'a>,
    /// Number of instructions that an invocation may run.
    steps: u64,
}

impl<'a> Machine<'a> {
    /// Creates a machine for a dispatch of `code`. It uses the lengths of the resources and reads those that
    /// nothing may write; the driver handles all other memory.
    pub fn new(
        code: &'a Code,
        resources: &'a Resources,
        workgroups: [u32; 3],
        subgroup_size: u32,
        steps: u64,
    ) -> Result<Self> {
        let setup = Setup::new(code, resources, workgroups, subgroup_size)?;
        setup.count()?;
        Ok(Self { setup, steps })
    }

    /// Returns the number of workgroups.
    pub fn workgroups(&self) -> u32 {
        self.setup.workgroups.iter().product()
    }

    /// Creates the workgroup with this linear index, before its first instruction.
    pub fn start(&self, workgroup: u32) -> Group {
        Group::start(self, workgroup)
    }

    /// Creates empty notes.
    pub fn notes(&self) -> Notes {
        Notes(Tally::new(self.setup.code.sites))
    }
}

/// The results that a run collects by itself: executed sites, out-of-bounds indices, divergent barriers.
#[derive(Clone, Debug)]
pub struct Notes(Tally);

impl Notes {
    /// Returns the number of instructions run.
    pub fn steps(&self) -> u64 {
        self.0.steps
    }

    /// Returns how often shared memory was written, or changed by an atomic operation.
    pub(in crate::vm) fn changes(&self) -> u64 {
        self.0.changes
    }

    /// Returns everything that was recorded.
    pub fn finish(self) -> Run {
        Run { serial: true, ..self.0.finish() }
    }
}
