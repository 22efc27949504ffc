//! A subgroup, and the values that it waits for.

use super::issue::{Issuing, Memory};
use super::wait::Wait;
use super::{Dispatch, LANES, Ticket};
use crate::vm::code::{Instruction, Pc};
use crate::vm::engine::fragment::{Fragment, FrameKind};
use crate::vm::engine::{Context, Pause};
use crate::vm::workgroup::start::start_fragment;

/// Instructions that it runs at most before others have their turn.
const FUEL: u64 = 10_000;

/// See the module.
#[derive(Clone, Debug)]
pub struct Subgroup {
    workgroup: u32,
    fragment: Fragment<{ LANES as usize }>,
    waits: Vec<Wait>,
    next: Ticket,
}

/// What a subgroup came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It issued an operation of each active lane, or ran for a long time.
    Ran,
    /// It needs a value that is still to come.
    Waits,
    /// It is at a barrier: its next turn is behind that.
    Barrier,
    /// Some of its lanes are at a barrier, and others are not.
    Parts,
    /// All its lanes returned.
    Ended,
}

impl Dispatch<'_> {
    /// A subgroup of a workgroup, by their indices, before its first instruction.
    pub fn start(&self, workgroup: u32, subgroup: u32) -> Subgroup {
        let first = subgroup * LANES;
        let count = self.setup.code.invocations().saturating_sub(first).clamp(1, LANES);
        let fragment = start_fragment(&self.setup, workgroup, first, count, Vec::new());
        Subgroup { workgroup, fragment, waits: Vec::new(), next: 0 }
    }

    /// Runs a subgroup until it has issued an operation, or cannot go on.
    pub fn turn<M: Memory>(&mut self, subgroup: &mut Subgroup, memory: &mut M) -> Turn {
        loop {
            let fuel = match subgroup.waits.is_empty() {
                true => FUEL,
                false => match subgroup.prepare(self) {
                    Next::Runs => 1,
                    Next::Copied => continue,
                    Next::Waits => return Turn::Waits,
                },
            };
            let Subgroup { workgroup, fragment, waits, next } = subgroup;
            *next = next.wrapping_add(1);
            let mut context = Context {
                setup: &self.setup,
                visible: Issuing {
                    outline: self.outline,
                    memory: &mut *memory,
                    waits,
                    ticket: *next,
                },
                tally: &mut self.tally,
                workgroup: *workgroup,
                alone: false,
                returned: &mut [],
            };
            return match context.run(fragment, fuel) {
                Pause::Fuel if fuel == 1 => continue,
                Pause::Barrier(_) if fragment.mask != fragment.lanes => Turn::Parts,
                Pause::Barrier(_) => Turn::Barrier,
                Pause::Done => Turn::Ended,
                _ => Turn::Ran,
            };
        }
    }
}

/// What an instruction needs, while values are still to come.
enum Next {
    /// It touches none of them.
    Runs,
    /// It only copies one of them, which is done when that is there.
    Copied,
    /// It touches one of them.
    Waits,
}

impl Subgroup {
    /// The index of its workgroup.
    pub fn workgroup(&self) -> u32 {
        self.workgroup
    }

    /// Its number in its workgroup.
    pub fn number(&self) -> u32 {
        self.fragment.subgroup
    }

    /// Takes what an operation read.
    pub fn answer(&mut self, ticket: Ticket, local: u32, value: u32) {
        let Some(at) = self.waits.iter().position(|wait| wait.ticket == ticket) else { return };
        if self.waits[at].take(&mut self.fragment, (local % LANES) as usize, value) {
            self.waits.remove(at);
        }
    }

    /// Whether it may still change what somebody looks at when all are done.
    pub fn can_be_seen(&self, dispatch: &Dispatch<'_>) -> bool {
        let frames = self.fragment.frames.iter().skip(1);
        let calls = frames.filter(|frame| frame.kind == FrameKind::Call).map(|frame| frame.aux);
        calls.chain([self.fragment.pc]).any(|pc: Pc| dispatch.outline.leads(pc))
    }

    fn prepare(&mut self, dispatch: &Dispatch<'_>) -> Next {
        let f = &mut self.fragment;
        let touches = |wait: &Wait| dispatch.outline.touches(f.pc, wait.registers());
        let mut touched = (0..self.waits.len()).filter(|at| touches(&self.waits[*at]));
        let (first, second) = (touched.next(), touched.next());
        let Some(first) = first else { return Next::Runs };
        let (to, from, mask) = match dispatch.setup.code.instructions[f.pc as usize] {
            Instruction::Assign { to, from } => (to, from, f.mask),
            Instruction::Copy { to, from } => (to, from, u64::MAX),
            _ => return Next::Waits,
        };
        let wait = &mut self.waits[first];
        if second.is_some() || to.count != 1 || !wait.copies(from, to.start, mask) {
            return Next::Waits;
        }
        f.pc += 1;
        Next::Copied
    }
}
