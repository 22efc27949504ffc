//! Runs subgroups whose operations on shared memory may be deferred.
//!
//! A subgroup runs to its next operation on shared memory and *issues* it, lane by lane, to a [`Memory`]. The
//! memory performs the operation immediately or defers it, and the driver [answers](Subgroup::answer) later.
//! Meanwhile the subgroup continues up to the first instruction that touches a register whose value is
//! pending. So operations that follow a read in program order can be performed before it, as on hardware with a
//! register scoreboard. An operation that depends on the value of a read never precedes that read.
//!
//! The code and the interpreter loop are the same as for the other ways to run. The driver decides which
//! subgroups wait at a barrier and for how long, and which one runs next.
//!
//! Shared memory is one array of words: the buffers that the code may write, one after the other, followed by
//! the workgroup variables of each workgroup.
//!
//! Only accesses to single 32-bit words are supported. Code with other accesses, textures or subgroup
//! operations is rejected.

mod issue;
mod outline;
mod reachability;
mod subgroup;
mod wait;

pub use issue::{Effect, Memory, Operation};
pub use outline::Outline;
pub use subgroup::{Subgroup, SubgroupOutcome};

use super::code::Code;
use super::engine::Setup;
use super::engine::tally::Tally;
use super::memory::Resources;
use crate::diagnostic::Result;

/// Number of lanes of a subgroup.
pub const LANES: u32 = 32;

/// Identifies the operation of a subgroup that an answer belongs to.
pub type Ticket = u32;

/// A dispatch whose subgroups run in turns.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    setup: Setup<'a>,
    outline: &'a Outline,
    tally: Tally,
}

impl<'a> Dispatch<'a> {
    /// Creates a dispatch of code with the outline that was made of it. Memory that nothing may write is read
    /// from the resources; everything else is in the [`Memory`].
    ///
    /// # Errors
    ///
    /// Fails if a resource is not bound.
    pub fn new(
        code: &'a Code,
        outline: &'a Outline,
        resources: &'a Resources,
        workgroups: u32,
    ) -> Result<Self> {
        let setup = Setup::new(code, resources, [workgroups, 1, 1], LANES)?;
        Ok(Self { setup, outline, tally: Tally::new(code.sites) })
    }

    /// Returns the number of workgroups.
    pub fn workgroups(&self) -> u32 {
        self.setup.workgroups.iter().product()
    }

    /// Returns the number of subgroups of a workgroup.
    pub fn subgroups(&self) -> u32 {
        self.setup.code.invocations().div_ceil(LANES)
    }

    /// Returns the length of the row of shared memory, in words.
    pub fn words(&self) -> usize {
        self.outline.words(self.workgroups())
    }
}
