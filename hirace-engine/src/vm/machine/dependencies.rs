//! Tracks on which of its own reads the state and the actions of an invocation depend, by the syntax of its
//! code.
//!
//! The result of an instruction depends on its operands, whatever they are: `x - x` depends on `x`. A
//! register that is read by a computed number depends on that number and on the register found. After a
//! branch, everything that follows depends on the branch condition, also past the end of the branch: the
//! value that a loop waits for must have been read before what follows the loop.

use super::pending_request::{registers, update};
use super::reads::Reads;
use crate::vm::code::{Code, Instruction, Range, Register};
use crate::vm::engine::fragment::Fragment;
use crate::vm::operands::Operands;

/// The dependencies of one invocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dependencies {
    registers: Vec<Reads>,
    control: Reads,
    /// Number of reads so far.
    pub reads: u32,
}

impl Dependencies {
    /// Creates the dependencies of an invocation with `registers` registers that has read nothing.
    pub fn new(registers: usize) -> Self {
        Self { registers: vec![Reads::NONE; registers], control: Reads::NONE, reads: 0 }
    }

    /// Returns the reads that the invocation's control flow depends on.
    pub fn control(&self) -> Reads {
        self.control
    }

    /// Tracks an instruction that is about to run and is not a visible operation.
    pub fn follow(
        &mut self,
        operands: &Operands,
        code: &Code,
        f: &Fragment<1>,
        instruction: Instruction,
    ) {
        match instruction {
            Instruction::Copy { to, from } => self.copy(to, from, Reads::NONE),
            Instruction::Assign { to, from } => self.copy(to, from, self.control),
            Instruction::Unary { out, operand, .. } => self.copy(out, operand, Reads::NONE),
            Instruction::Image { index } => {
                let step = &code.image_steps[index as usize];
                let layer = step.layer.map_or(Reads::NONE, |(layer, _)| self.at(layer));
                self.set(step.value, self.of(step.coordinate) | layer);
            }
            Instruction::Gather { to, address } => {
                let found = f.registers[address as usize][0];
                for index in 0..to.count {
                    let from = self.registers.get(found.wrapping_add(index) as usize).copied();
                    let from = from.unwrap_or(Reads::NONE) | self.at(address);
                    self.registers[(to.start + index) as usize] = from;
                }
            }
            Instruction::Scatter { address, from } => {
                let found = f.registers[address as usize][0];
                for index in 0..from.count {
                    let value = self.at(from.start + index) | self.at(address) | self.control;
                    if let Some(to) = self.registers.get_mut(found.wrapping_add(index) as usize) {
                        *to = value;
                    }
                }
            }
            // The results are those of visible operations, which are answered.
            Instruction::Load { .. }
            | Instruction::Atomic { .. }
            | Instruction::Subgroup { .. }
            | Instruction::Count { .. } => {}
            _ => {
                let reads = self.of_all(&operands.sources);
                operands.results.iter().for_each(|result| self.set(*result, reads));
            }
        }
        if let Instruction::If { .. } | Instruction::BreakIf { .. } | Instruction::Switch { .. } =
            instruction
        {
            self.control |= self.of_all(&operands.effects);
        }
    }

    /// Returns the reads that the invocation's pending visible operation depends on, for each piece of it.
    pub fn operation_dependencies(&self, code: &Code, instruction: Instruction) -> Vec<Reads> {
        match instruction {
            Instruction::Load { address, access, .. } => {
                let parts = code.accesses[access as usize].parts.iter();
                parts.flat_map(registers).map(|_| self.at(address) | self.control).collect()
            }
            Instruction::Store { address, from, access } => {
                let parts = code.accesses[access as usize].parts.iter();
                let values =
                    parts.flat_map(|part| registers(part).map(move |at| from + part.register + at));
                values.map(|value| self.at(value) | self.at(address) | self.control).collect()
            }
            Instruction::Atomic { address, operation, .. } => {
                let operation = &code.atomics[operation as usize];
                let compare = operation.compare.map_or(Reads::NONE, |compare| self.at(compare));
                vec![self.at(operation.value) | compare | self.at(address) | self.control]
            }
            _ => vec![self.control],
        }
    }

    /// Records the answer to a visible operation. `hidden` operations do not read memory that others may
    /// write.
    pub fn record_answer(
        &mut self,
        code: &Code,
        f: &Fragment<1>,
        instruction: Instruction,
        hidden: bool,
    ) {
        match instruction {
            Instruction::Load { to, address, access } => {
                let first = self.at(address);
                for part in &code.accesses[access as usize].parts {
                    for at in registers(part) {
                        self.registers[(to + part.register + at) as usize] = match hidden {
                            true => first,
                            false => self.read(),
                        };
                    }
                }
            }
            Instruction::Atomic { to, address, operation } => {
                let depends = if hidden { self.at(address) } else { self.read() };
                let operation = &code.atomics[operation as usize];
                let wide = update(f, operation).scalar.width == 8;
                let results = 1 + u32::from(wide) + u32::from(operation.compare.is_some());
                if let Some(start) = to {
                    self.set(Range { start, count: results }, depends);
                }
            }
            _ => {}
        }
    }

    fn read(&mut self) -> Reads {
        self.reads += 1;
        Reads::one(self.reads - 1)
    }

    fn at(&self, register: Register) -> Reads {
        self.registers[register as usize]
    }

    fn of(&self, range: Range) -> Reads {
        self.registers[range.indices()].iter().fold(Reads::NONE, |all, one| all | *one)
    }

    fn of_all(&self, ranges: &[Range]) -> Reads {
        ranges.iter().fold(Reads::NONE, |all, range| all | self.of(*range))
    }

    fn set(&mut self, range: Range, reads: Reads) {
        self.registers[range.indices()].fill(reads);
    }

    fn copy(&mut self, to: Range, from: Register, and: Reads) {
        for index in 0..to.count {
            self.registers[(to.start + index) as usize] = self.at(from + index) | and;
        }
    }
}
