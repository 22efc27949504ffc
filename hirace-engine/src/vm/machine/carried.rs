//! Finds loop-carried variables: those that an iteration may read before it assigns them. The values of all
//! others at the end of an iteration do not distinguish it from the previous one.
//!
//! The analysis is syntactic. It stops at the first inner loop, switch, call or jump of the loop body and
//! assumes that everything is read there.

use crate::vm::code::{Code, Instruction, Pc, Range, Register};
use crate::vm::operands::Operands;
use rustc_hash::FxHashMap;

/// Returns, by the loop's start, which of these variables each loop carries.
pub fn carried(
    code: &Code,
    table: &[Operands],
    variables: &[Register],
) -> FxHashMap<Pc, Vec<Register>> {
    let loops = code.instructions.iter().zip(1..).filter_map(|(instruction, start)| {
        let Instruction::Loop { continuing, .. } = *instruction else { return None };
        let registers = code.registers as usize;
        let mut turn =
            IterationFacts { looked_at: vec![false; registers], assigned: vec![false; registers] };
        turn.goes(code, table, start, continuing);
        turn.looks_at_all();
        let carried = variables.iter().copied().filter(|of| turn.looked_at[*of as usize]);
        Some((start, carried.collect()))
    });
    loops.collect()
}

/// What is known of an iteration so far.
#[derive(Clone)]
struct IterationFacts {
    /// Registers that are read before they are assigned, on some path.
    looked_at: Vec<bool>,
    /// Registers that are assigned on every path.
    assigned: Vec<bool>,
}

impl IterationFacts {
    /// Processes the instructions from `pc` to `end`.
    fn goes(&mut self, code: &Code, table: &[Operands], mut pc: Pc, end: Pc) {
        while pc < end {
            let Some(&instruction) = code.instructions.get(pc as usize) else { return };
            let operands = &table[pc as usize];
            operands
                .sources
                .iter()
                .chain(&operands.effects)
                .for_each(|range| self.looks_at(*range));
            if operands.reads_others {
                self.looks_at_all();
            }
            match instruction {
                Instruction::If { otherwise, .. } => {
                    let Some(&Instruction::Else { end }) =
                        code.instructions.get(otherwise as usize)
                    else {
                        return self.looks_at_all();
                    };
                    let mut other = self.clone();
                    self.goes(code, table, pc + 1, otherwise);
                    other.goes(code, table, otherwise + 1, end);
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

    /// Assumes that all registers that are not assigned yet are read.
    fn looks_at_all(&mut self) {
        self.looks_at(Range { start: 0, count: self.assigned.len() as u32 });
        self.assigned.fill(true);
    }

    /// Merges two paths.
    fn meets(&mut self, other: &Self) {
        let both = self.looked_at.iter_mut().zip(&other.looked_at);
        both.for_each(|(one, other)| *one |= other);
        let both = self.assigned.iter_mut().zip(&other.assigned);
        both.for_each(|(one, other)| *one &= other);
    }
}
