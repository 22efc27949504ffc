//! A subgroup and its pending values.

use super::issue::{IssuingHandler, Memory};
use super::wait::Wait;
use super::{Dispatch, LANES, Ticket};
use crate::vm::code::{Instruction, Pc};
use crate::vm::engine::fragment::{Fragment, FrameKind};
use crate::vm::engine::{Context, Pause};
use crate::vm::workgroup::start::start_fragment;

/// Maximum number of instructions that a subgroup runs before others get their turn.
const FUEL: u64 = 10_000;

/// The state of a subgroup.
#[derive(Clone, Debug)]
pub struct Subgroup {
    workgroup: u32,
    fragment: Fragment<{ LANES as usize }>,
    waits: Vec<Wait>,
    next: Ticket,
}

/// The outcome of a subgroup's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupOutcome {
    /// The subgroup issued an operation for each active lane, or reached the instruction limit of a turn.
    Ran,
    /// The subgroup needs a pending value.
    Waits,
    /// The subgroup is at a barrier: its next turn begins behind it.
    Barrier,
    /// Some lanes are at a barrier, and others are not.
    PartlyAtBarrier,
    /// All lanes returned.
    Ended,
}

impl Dispatch<'_> {
    /// Creates a subgroup of a workgroup, by their indices, before its first instruction.
    pub fn start(&self, workgroup: u32, subgroup: u32) -> Subgroup {
        let first = subgroup * LANES;
        let count = self.setup.code.invocations().saturating_sub(first).clamp(1, LANES);
        let fragment = start_fragment(&self.setup, workgroup, first, count, Vec::new());
        Subgroup { workgroup, fragment, waits: Vec::new(), next: 0 }
    }

    /// Runs a subgroup until it has issued an operation or cannot continue.
    pub fn turn<M: Memory>(&mut self, subgroup: &mut Subgroup, memory: &mut M) -> SubgroupOutcome {
        loop {
            let fuel = match subgroup.waits.is_empty() {
                true => FUEL,
                false => match subgroup.prepare(self) {
                    PendingUse::Runs => 1,
                    PendingUse::CopiesPending => continue,
                    PendingUse::Waits => return SubgroupOutcome::Waits,
                },
            };
            let Subgroup { workgroup, fragment, waits, next } = subgroup;
            *next = next.wrapping_add(1);
            let mut context = Context {
                setup: &self.setup,
                handler: IssuingHandler {
                    outline: self.outline,
                    memory: &mut *memory,
                    waits,
                    ticket: *next,
                },
                tally: &mut self.tally,
                workgroup: *workgroup,
                alone: false,
                returned_lanes: &mut [],
            };
            return match context.run(fragment, fuel) {
                Pause::Fuel if fuel == 1 => continue,
                Pause::Barrier(_) if fragment.mask != fragment.lanes => {
                    SubgroupOutcome::PartlyAtBarrier
                }
                Pause::Barrier(_) => SubgroupOutcome::Barrier,
                Pause::Done => SubgroupOutcome::Ended,
                _ => SubgroupOutcome::Ran,
            };
        }
    }
}

/// How an instruction relates to the pending values.
enum PendingUse {
    /// The instruction touches none of them and can run.
    Runs,
    /// The instruction only copies one of them: the copy is made when the value arrives.
    CopiesPending,
    /// The instruction touches one of them and has to wait.
    Waits,
}

impl Subgroup {
    /// Returns the index of the workgroup.
    pub fn workgroup(&self) -> u32 {
        self.workgroup
    }

    /// Returns the subgroup's index in its workgroup.
    pub fn number(&self) -> u32 {
        self.fragment.subgroup
    }

    /// Accepts the value that an operation read.
    pub fn answer(&mut self, ticket: Ticket, local: u32, value: u32) {
        let Some(at) = self.waits.iter().position(|wait| wait.ticket == ticket) else { return };
        if self.waits[at].take(&mut self.fragment, (local % LANES) as usize, value) {
            self.waits.remove(at);
        }
    }

    /// Returns whether the subgroup may still change memory that is observed after the dispatch.
    pub fn may_affect_observed(&self, dispatch: &Dispatch<'_>) -> bool {
        let frames = self.fragment.frames.iter().skip(1);
        let calls = frames.filter(|frame| frame.kind == FrameKind::Call).map(|frame| frame.aux);
        calls.chain([self.fragment.pc]).any(|pc: Pc| dispatch.outline.leads(pc))
    }

    fn prepare(&mut self, dispatch: &Dispatch<'_>) -> PendingUse {
        let f = &mut self.fragment;
        let touches = |wait: &Wait| dispatch.outline.touches(f.pc, wait.registers());
        let mut touched = (0..self.waits.len()).filter(|at| touches(&self.waits[*at]));
        let (first, second) = (touched.next(), touched.next());
        let Some(first) = first else { return PendingUse::Runs };
        let (to, from, mask) = match dispatch.setup.code.instructions[f.pc as usize] {
            Instruction::Assign { to, from } => (to, from, f.mask),
            Instruction::Copy { to, from } => (to, from, u64::MAX),
            _ => return PendingUse::Waits,
        };
        let wait = &mut self.waits[first];
        if second.is_some() || to.count != 1 || !wait.copies(from, to.start, mask) {
            return PendingUse::Waits;
        }
        f.pc += 1;
        PendingUse::CopiesPending
    }
}
