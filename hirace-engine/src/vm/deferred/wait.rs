//! A pending value.

use super::{LANES, Ticket};
use crate::vm::code::Register;
use crate::vm::engine::fragment::{Fragment, copy_lanes};

/// A pending value of one operation, for some lanes.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub ticket: Ticket,
    /// The register that receives the value.
    to: Register,
    /// The lanes for which the value is pending.
    lanes: u64,
    /// The copies to make when the value arrives: source, target, and lanes.
    copies: Vec<(Register, Register, u64)>,
}

impl Wait {
    pub fn new(ticket: Ticket, to: Register, lanes: u64) -> Self {
        Self { ticket, to, lanes, copies: Vec::new() }
    }

    /// Returns the registers that do not have their final values.
    pub fn registers(&self) -> impl Iterator<Item = Register> + '_ {
        let copied = self.copies.iter().map(|(_, to, _)| *to);
        std::iter::once(self.to).chain(copied)
    }

    /// Adds a copy to be made when the value arrives. Returns whether this is possible: `from` is one of
    /// the pending registers, and `to` is not.
    pub fn copies(&mut self, from: Register, to: Register, mask: u64) -> bool {
        let is_pending = |register| self.registers().any(|pending| pending == register);
        let is_possible = is_pending(from) && !is_pending(to);
        if is_possible {
            self.copies.push((from, to, mask));
        }
        is_possible
    }

    /// Accepts the value of a lane. Returns whether it was the last one.
    pub fn take(&mut self, f: &mut Fragment<{ LANES as usize }>, lane: usize, value: u32) -> bool {
        f.registers[self.to as usize][lane] = value;
        self.lanes &= !(1 << lane);
        if self.lanes == 0 {
            for &(from, to, mask) in &self.copies {
                let from = f.registers[from as usize];
                copy_lanes(&mut f.registers[to as usize], &from, mask);
            }
        }
        self.lanes == 0
    }
}
