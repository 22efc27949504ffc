//! Whole subgroups whose operations on shared memory take their time.
//!
//! A subgroup runs to its next operation on shared memory and *issues* that, lane by lane, to a [`Memory`]. This performs
//! it at once, or puts it off, and whoever drives [answers](Subgroup::answer) later. Meanwhile the subgroup goes on, up
//! to the first instruction that touches a register whose value is still to come: so what is read can be overtaken by what
//! comes behind it in the program, as on hardware that notes which registers are awaited. What depends on a value never comes before it.
//!
//! The code is the same as that of the other ways to run, and runs in the same loop. Who waits at a barrier, for how long, and
//! who goes next, whoever drives decides.
//!
//! Shared memory is one row of words: the buffers that the code may write, one after the other, and behind them the
//! workgroup variables of each workgroup.
//!
//! Accesses are to single words of 32 bits. Code with others, with textures or with subgroup operations is refused.

mod issue;
mod leads;
mod outline;
mod subgroup;
mod wait;

pub use issue::{Does, Memory, Operation};
pub use outline::Outline;
pub use subgroup::{Subgroup, Turn};

use super::code::Code;
use super::engine::Setup;
use super::engine::tally::Tally;
use super::memory::Resources;
use crate::diagnostic::Result;

/// Lanes of a subgroup.
pub const LANES: u32 = 32;

/// Which operation of a subgroup an answer is for.
pub type Ticket = u32;

/// A dispatch whose subgroups are run one turn after another.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    setup: Setup<'a>,
    outline: &'a Outline,
    tally: Tally,
}

impl<'a> Dispatch<'a> {
    /// Of code, with the outline that was made of it. What nobody may write is read from the resources; all else is the
    /// [`Memory`]'s.
    ///
    /// # Errors
    /// Something is not bound.
    pub fn new(
        code: &'a Code,
        outline: &'a Outline,
        resources: &'a Resources,
        workgroups: u32,
    ) -> Result<Self> {
        let setup = Setup::new(code, resources, [workgroups, 1, 1], LANES)?;
        Ok(Self { setup, outline, tally: Tally::new(code.sites) })
    }

    /// How many workgroups there are.
    pub fn workgroups(&self) -> u32 {
        self.setup.workgroups.iter().product()
    }

    /// How many subgroups a workgroup has.
    pub fn subgroups(&self) -> u32 {
        self.setup.code.invocations().div_ceil(LANES)
    }

    /// Length of the row of words of shared memory.
    pub fn words(&self) -> usize {
        self.outline.words(self.workgroups())
    }
}
