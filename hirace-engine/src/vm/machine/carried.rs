//! Finds loop-carried variables: those that an iteration may read before it assigns them. The values of all
//! others at the end of an iteration do not distinguish it from the previous one.
//!
//! The analysis is syntactic. It stops at the first inner loop, switch, call or jump of the loop body and
//! assumes that everything is read there.

use crate::vm::code::{Code, Instruction, Pc, Range, Register};
use crate::vm::operands::Operands;
use rustc_hash::FxHashMap;

/// Returns the variables that each loop carries, by the position of the loop's first instruction.
pub fn find_carried(
    code: &Code,
    table: &[Operands],
    variables: &[Register],
) -> FxHashMap<Pc, Vec<Register>> {
    let loops = code.instructions.iter().zip(1..).filter_map(|(instruction, start)| {
        let Instruction::Loop { continuing, .. } = *instruction else { return None };
        let registers = code.registers as usize;
        let mut iteration = IterationFacts {
            read_before_assigned: vec![false; registers],
            assigned: vec![false; registers],
        };
        iteration.process(code, table, start, continuing);
        iteration.read_all();
        let carried = variables
            .iter()
            .copied()
            .filter(|variable| iteration.read_before_assigned[*variable as usize]);
        Some((start, carried.collect()))
    });
    loops.collect()
}

/// The registers that an iteration reads and assigns, in the part of it that was processed.
#[derive(Clone)]
struct IterationFacts {
    /// Registers that are read before they are assigned, on some path.
    read_before_assigned: Vec<bool>,
    /// Registers that are assigned on every path.
    assigned: Vec<bool>,
}

impl IterationFacts {
    /// Processes the instructions from `pc` to `end`.
    fn process(&mut self, code: &Code, table: &[Operands], mut pc: Pc, end: Pc) {
        while pc < end {
            let Some(&instruction) = code.instructions.get(pc as usize) else { return };
            let operands = &table[pc as usize];
            operands.sources.iter().chain(&operands.effects).for_each(|range| self.read(*range));
            if operands.reads_others {
                self.read_all();
            }
            match instruction {
                Instruction::If { otherwise, .. } => {
                    let Some(&Instruction::Else { end }) =
                        code.instructions.get(otherwise as usize)
                    else {
                        return self.read_all();
                    };
                    let mut else_path = self.clone();
                    self.process(code, table, pc + 1, otherwise);
                    else_path.process(code, table, otherwise + 1, end);
                    self.merge(&else_path);
                    pc = end;
                }
                Instruction::Assign { to, .. } => self.assigned[to.indices()].fill(true),
                Instruction::Loop { .. }
                | Instruction::Switch { .. }
                | Instruction::Call { .. }
                | Instruction::Return { .. }
                | Instruction::Break
                | Instruction::BreakIf { .. }
                | Instruction::Continue => self.read_all(),
                _ => {}
            }
            pc += 1;
        }
    }

    /// Records that these registers are read.
    fn read(&mut self, range: Range) {
        for register in range.indices() {
            self.read_before_assigned[register] |= !self.assigned[register];
        }
    }

    /// Assumes that all registers that are not assigned yet are read.
    fn read_all(&mut self) {
        self.read(Range { start: 0, count: self.assigned.len() as u32 });
        self.assigned.fill(true);
    }

    /// Merges two paths.
    fn merge(&mut self, other: &Self) {
        let both = self.read_before_assigned.iter_mut().zip(&other.read_before_assigned);
        both.for_each(|(one, other)| *one |= other);
        let both = self.assigned.iter_mut().zip(&other.assigned);
        both.for_each(|(one, other)| *one &= other);
    }
}
