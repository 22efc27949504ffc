//! Issues operations on shared memory to the [`Memory`] that performs them.

use super::outline::Place;
use super::wait::Wait;
use super::{LANES, Outline, Ticket};
use crate::points::Counter;
use crate::vm::atomic::Update;
use crate::vm::code::MemoryRef;
use crate::vm::engine::fragment::{Fragment, lanes};
use crate::vm::engine::memory::read_value;
use crate::vm::engine::{Atomic, Context, INVALID_ADDRESS, Load, Pause, Store, VisibleOperations};
use crate::vm::run::Invocation;
use std::sync::atomic::Ordering;

/// An operation of one lane on one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The invocation that performs the operation.
    pub by: Invocation,
    /// The index of the word in the row.
    pub word: u32,
    /// The effect on the word.
    pub does: Effect,
    /// The ticket for the answer, if the operation reads.
    pub ticket: Ticket,
}

/// The effect of an operation on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads the word.
    Read,
    /// Writes this value.
    Write(u32),
    /// Reads and changes the word atomically.
    Update(Update),
}

impl Effect {
    /// Returns the value of the word afterwards.
    pub fn leaves(self, before: u32) -> u32 {
        match self {
            Self::Read => before,
            Self::Write(value) => value,
            Self::Update(update) => update.apply(before.into()) as u32,
        }
    }

    /// Returns whether the operation has an answer: the old value.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Write(_))
    }
}

/// Performs operations.
pub trait Memory {
    /// Accepts an operation. Returns the old value of the word if the operation was performed immediately,
    /// `None` if it was deferred.
    fn issue(&mut self, operation: Operation) -> Option<u32>;
}

/// The handler of visible operations that issues them. The subgroup stops after each.
pub(super) struct IssuingHandler<'m, M> {
    pub outline: &'m Outline,
    pub memory: &'m mut M,
    pub waits: &'m mut Vec<Wait>,
    pub ticket: Ticket,
}

const N: usize = LANES as usize;

impl<M: Memory> Context<'_, '_, IssuingHandler<'_, M>> {
    /// Issues an operation for each active lane. `to` receives the values that are read.
    fn issue(
        &mut self,
        f: &mut Fragment<N>,
        access: u32,
        address: u32,
        to: Option<u32>,
        effect: impl Fn(&Fragment<N>, usize) -> Effect,
    ) {
        let Place { base, offset } = self.handler.outline.place(self.setup, self.workgroup, access);
        let mut pending_lanes = 0;
        for lane in lanes(f.mask) {
            let at = f.registers[address as usize][lane];
            let value = match at {
                INVALID_ADDRESS => Some(0),
                at => self.handler.memory.issue(Operation {
                    by: Invocation { workgroup: self.workgroup, local: f.first + lane as u32 },
                    word: base + at.wrapping_add(offset) / 4,
                    does: effect(f, lane),
                    ticket: self.handler.ticket,
                }),
            };
            match (to, value) {
                (Some(to), Some(value)) => f.registers[to as usize][lane] = value,
                (Some(_), None) => pending_lanes |= 1 << lane,
                (None, _) => {}
            }
        }
        if let (Some(to), true) = (to, pending_lanes != 0) {
            self.handler.waits.push(Wait::new(self.handler.ticket, to, pending_lanes));
        }
    }
}

impl<M: Memory> VisibleOperations<N> for Context<'_, '_, IssuingHandler<'_, M>> {
    fn load(&mut self, f: &mut Fragment<N>, load: Load) -> Option<Pause> {
        let setup = self.setup;
        let access = &setup.code.accesses[load.access as usize];
        if let MemoryRef::Buffer(buffer) = access.memory
            && !setup.code.buffers[buffer as usize].writable
        {
            let words = setup.buffers[buffer as usize].words;
            let addresses = f.registers[load.address as usize];
            for part in &access.parts {
                for at in 0..part.leaf.registers() {
                    let to = &mut f.registers[(load.to + part.register + at) as usize];
                    for (to, address) in to.iter_mut().zip(addresses) {
                        let word = words.get((address / 4 + part.offset / 4 + at) as usize);
                        *to = word.map_or(0, |word| word.load(Ordering::Relaxed));
                    }
                }
            }
            return None;
        }
        self.issue(f, load.access, load.address, Some(load.to), |_, _| Effect::Read);
        Some(Pause::VisibleOperation)
    }

    fn store(&mut self, f: &mut Fragment<N>, store: Store) -> Option<Pause> {
        let write = |f: &Fragment<N>, lane| Effect::Write(f.registers[store.from as usize][lane]);
        self.issue(f, store.access, store.address, None, write);
        Some(Pause::VisibleOperation)
    }

    fn atomic(&mut self, f: &mut Fragment<N>, atomic: Atomic) -> Option<Pause> {
        let operation = &self.setup.code.atomics[atomic.operation as usize];
        let (function, scalar) = (operation.function, operation.scalar);
        let update = |f: &Fragment<N>, lane| {
            let value = read_value(&f.registers, operation.value, lane, false);
            Effect::Update(Update { function, scalar, value, compare: None })
        };
        self.issue(f, operation.access, atomic.address, atomic.to, update);
        Some(Pause::VisibleOperation)
    }

    // Code with any of the following operations has no outline.
    fn image(&mut self, _: &mut Fragment<N>, _: u32) -> Option<Pause> {
        None
    }

    fn subgroup(&mut self, _: &mut Fragment<N>, _: u32) -> Option<Pause> {
        None
    }

    fn fence(&mut self, _: &mut Fragment<N>, _: u32) -> Option<Pause> {
        None
    }

    fn count(&mut self, _: Counter, _: u64) {}

    fn visit(&mut self, _: &Fragment<N>, _: u32) {}
}
