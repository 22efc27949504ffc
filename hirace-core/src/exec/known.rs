//! What is known of a dispatch before it runs, for proofs about it.

use crate::launch::writes::Write;
use crate::launch::{Dispatch, Launch};
use crate::program::Program;
use crate::prove::Facts;
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use naga::{AddressSpace, GlobalVariable, Handle};
use std::sync::atomic::Ordering;

/// A dispatch, and what is bound.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The program that runs.
    pub program: &'a Program,
    /// The dispatch.
    pub dispatch: &'a Dispatch,
    /// What is bound before it, or before another one of its launch.
    pub resources: &'a Resources,
    /// What is written between the dispatches of its launch.
    pub writes: &'a [Write],
}

impl<'a> Known<'a> {
    /// What is known of this dispatch of a launch.
    pub fn of(program: &'a Program, launch: &'a Launch, dispatch: &'a Dispatch) -> Self {
        Self { program, dispatch, resources: &launch.resources, writes: &launch.writes }
    }

    /// Whether what is bound to a variable is the same before all dispatches: no kernel may write to it, and nothing else
    /// does. (Of memory that a kernel only reads, another may be given the same buffer to write.)
    pub fn is_constant(&self, global: Handle<GlobalVariable>) -> bool {
        let space = self.program.module.global_variables[global].space;
        matches!(space, AddressSpace::Uniform | AddressSpace::Immediate)
            && self.writes.iter().all(|write| write.to != global.index())
    }
}

impl Facts for Known<'_> {
    fn workgroups(&self) -> [u32; 3] {
        self.dispatch.workgroups
    }

    fn length(&self, global: Handle<GlobalVariable>) -> Option<u32> {
        Some(self.resources.buffer(MemoryId(global.index() as u32))?.len())
    }

    fn word(&self, global: Handle<GlobalVariable>, offset: u32) -> Option<u32> {
        if !self.is_constant(global) || !offset.is_multiple_of(4) {
            return None;
        }
        let buffer = self.resources.buffer(MemoryId(global.index() as u32))?;
        let is_within = offset.checked_add(4)? <= buffer.len();
        let word = buffer.words().get(offset as usize / 4).filter(|_| is_within)?;
        Some(word.load(Ordering::Relaxed))
    }
}
