//! A value that is still to come.

use super::{LANES, Ticket};
use crate::vm::code::Register;
use crate::vm::engine::fragment::{Fragment, copy_lanes};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub ticket: Ticket,
    /// Where it goes.
    to: Register,
    /// The lanes for which it is still to come.
    lanes: u64,
    /// Where it is copied then: from, to, and in which lanes.
    copies: Vec<(Register, Register, u64)>,
}

impl Wait {
    pub fn new(ticket: Ticket, to: Register, lanes: u64) -> Self {
        Self { ticket, to, lanes, copies: Vec::new() }
    }

    /// The registers that do not hold what they will.
    pub fn registers(&self) -> impl Iterator<Item = Register> + '_ {
        let copied = self.copies.iter().map(|(_, to, _)| *to);
        std::iter::once(self.to).chain(copied)
    }

    /// Has it copied when it is there. Says whether that can be: it is to be in one of the registers, and in the other is
    /// something else.
    pub fn copies(&mut self, from: Register, to: Register, mask: u64) -> bool {
        let has = |wanted| self.registers().any(|register| register == wanted);
        let can_be = has(from) && !has(to);
        if can_be {
            self.copies.push((from, to, mask));
        }
        can_be
    }

    /// Takes the value of a lane. Says whether that was the last one.
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
