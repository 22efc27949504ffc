//! What a loop carries from one turn to the next: variables that a turn may look at before it assigns them. What is in
//! the others when a turn is over does not tell it from the turn before.
//!
//! By the syntax of the code, as far as the first loop, switch, call or jump in it: there, all is taken to be looked at.

use super::heeded::{Uses, uses};
use crate::vm::code::{Code, Instruction, Pc, Range, Register};
use rustc_hash::FxHashMap;

/// Of these variables, those that each loop carries, by the loop's start.
pub fn carried(code: &Code, variables: &[Register]) -> FxHashMap<Pc, Vec<Register>> {
    let loops = code.instructions.iter().zip(1..).filter_map(|(instruction, start)| {
        let Instruction::Loop { continuing, .. } = *instruction else { return None };
        let registers = code.registers as usize;
        let mut turn = Turn { looked_at: vec![false; registers], assigned: vec![false; registers] };
        turn.goes(code, start, continuing);
        turn.looks_at_all();
        let carried = variables.iter().copied().filter(|of| turn.looked_at[*of as usize]);
        Some((start, carried.collect()))
    });
    loops.collect()
}

/// What is known of a turn so far.
#[derive(Clone)]
struct Turn {
    /// Registers that are looked at before they are assigned, on some way.
    looked_at: Vec<bool>,
    /// Registers that are assigned on every way.
    assigned: Vec<bool>,
}

impl Turn {
    /// Goes through the instructions from `pc` up to `end`.
    fn goes(&mut self, code: &Code, mut pc: Pc, end: Pc) {
        while pc < end {
            let Some(&instruction) = code.instructions.get(pc as usize) else { return };
            match uses(code, instruction) {
                Uses::Always(ranges) | Uses::For(_, ranges) => {
                    ranges.into_iter().for_each(|range| self.looks_at(range));
                }
                Uses::Unknown => self.looks_at_all(),
            }
            match instruction {
                Instruction::If { otherwise, .. } => {
                    let Some(&Instruction::Else { end }) =
                        code.instructions.get(otherwise as usize)
                    else {
                        return self.looks_at_all();
                    };
                    let mut other = self.clone();
                    self.goes(code, pc + 1, otherwise);
                    other.goes(code, otherwise + 1, end);
                    self.meets(&other);
                    pc = end;
                }
                Instruction::Assign { to, .. } => self.assigned[to.indices()].fill(true),
                Instruction::Loop { .. }
                | Instruction::Switch { .. }
                | Instruction::Call { .. }
                | Instruction::Return { .. }
                | Instruction::Break
                | Instruction::BreakIf { .. }
                | Instruction::Continue => self.looks_at_all(),
                _ => {}
            }
            pc += 1;
        }
    }

    fn looks_at(&mut self, range: Range) {
        for register in range.indices() {
            self.looked_at[register] |= !self.assigned[register];
        }
    }

    /// Whatever comes may look at what is not assigned here.
    fn looks_at_all(&mut self) {
        self.looks_at(Range { start: 0, count: self.assigned.len() as u32 });
        self.assigned.fill(true);
    }

    /// Two ways come together.
    fn meets(&mut self, other: &Self) {
        let both = self.looked_at.iter_mut().zip(&other.looked_at);
        both.for_each(|(one, other)| *one |= other);
        let both = self.assigned.iter_mut().zip(&other.assigned);
        both.for_each(|(one, other)| *one &= other);
    }
}
