//! Stepping single invocations: the machine asks, its driver answers.
//!
//! [`Group::step`] runs one invocation to its next *visible* operation and gives it back as a
//! [`Request`]. Whoever drives decides what the operation does: what a read returns, when a write can be
//! seen, who goes next. It [answers](Group::answer), and the invocation can be stepped on. Plain memory
//! that can be rolled back is [`UndoMemory`]; a weak memory or a model checker answers as it likes.
//!
//! The code is the same as that of whole subgroups, run by the same loop over fragments of one lane.
//! State is in values: a [`Group`] (or one [`Invocation`] of it) is copied, compared and hashed apart
//! from memory, which the driver has, and from observers, to whom the driver [shows](Group::show) what
//! they should see.
//!
//! # What steps without being asked
//! Function and private memory, and shared memory that nobody may write. An index past the end of
//! anything is noted in the [`Notes`] when the address is computed, and clamped, as in whole subgroups.
//!
//! # Waiting
//! An invocation at a barrier or at a subgroup operation waits. [`Group::release`] lets those pass that
//! have waited long enough, by the rules of `workgroup/meet.rs`. A subgroup operation is done there, for
//! all that take part: the invocations of the subgroup that stand at it in the same calls and in the same
//! turns of the same loops. Of several the one behind comes first.
//!
//! # Alone
//! [`Alone`] is an invocation without its workgroup, for drivers that see to barriers themselves. It is followed as it
//! runs: for each operation it says on which of the invocation's own reads that depends.
//!
//! # What does not end
//! A loop without visible operations that is as it was before is [`Request::Spinning`], and so is one
//! with reads whose answers change nothing, while no write is answered. An invocation that has run as
//! many instructions as it may is at its [`Request::Limit`].

mod alone;
mod apply;
mod ask;
mod carried;
mod depend;
mod group;
mod heeded;
mod reads;
mod request;
mod subgroup;
mod undo;

pub use super::atomic::Update;
pub(in crate::vm) use alone::results;
pub use alone::{Alone, Comes, Followed};
pub use group::{Group, Invocation, Position};
pub(in crate::vm) use heeded::{Uses, uses};
pub use reads::Reads;
pub use request::{Access, Answer, NotAsked, Piece, Place, Request};
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
    /// Instructions that an invocation may run.
    steps: u64,
}

impl<'a> Machine<'a> {
    /// For a dispatch of `code`. Of the resources, lengths are looked at, and what nobody may write is
    /// read; all else is the driver's.
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

    /// How many workgroups there are.
    pub fn workgroups(&self) -> u32 {
        self.setup.workgroups.iter().product()
    }

    /// A workgroup, by its linear index, before its first instruction.
    pub fn start(&self, workgroup: u32) -> Group {
        Group::start(self, workgroup)
    }

    /// Notes in which nothing stands.
    pub fn notes(&self) -> Notes {
        Notes(Tally::new(self.setup.code.sites))
    }
}

/// What a run finds out by itself: which sites ran, indices past their end, barriers not reached by all.
#[derive(Clone, Debug)]
pub struct Notes(Tally);

impl Notes {
    /// Instructions run.
    pub fn steps(&self) -> u64 {
        self.0.steps
    }

    /// How often shared memory was written, or changed by an atomic.
    pub(in crate::vm) fn changes(&self) -> u64 {
        self.0.changes
    }

    /// All that was noted.
    pub fn finish(self) -> Run {
        Run { serial: true, ..self.0.finish() }
    }
}
