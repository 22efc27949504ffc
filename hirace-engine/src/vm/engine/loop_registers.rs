//! Finds the registers that decide what a loop does.
//!
//! The other registers need not be compared to see that a loop repeats its state: a loop that only counts its iterations
//! repeats it too.

use crate::vm::code::{Code, Instruction, Pc, Range as RegisterRange, Register};
use crate::vm::operands::{Operands, RegisterSet, elements, one};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::OnceLock;

/// For each loop, the registers that decide what it does. Computed when first needed.
#[derive(Clone, Debug, Default)]
pub struct LoopRegisters(OnceLock<Tables>);

#[derive(Clone, Debug)]
struct Tables {
    operands: Vec<Operands>,
    /// The continuing blocks of the loops, in ascending order, each with the registers that decide what the loop does.
    loops: Vec<(Pc, OnceLock<DecidingRegisters>)>,
}

/// The registers that decide what a loop does; `None` if this is not known.
type DecidingRegisters = Option<Box<[Register]>>;

impl LoopRegisters {
    /// Returns the registers that decide what the loop with this continuing block does.
    pub fn deciding(&self, code: &Code, continuing: Pc) -> Option<&[Register]> {
        let Tables { operands, loops } = self.0.get_or_init(|| Tables::new(code));
        let at = loops.binary_search_by_key(&continuing, |(pc, _)| *pc).ok()?;
        let registers = loops[at].1.get_or_init(|| deciding_registers(code, operands, continuing));
        registers.as_deref()
    }
}

impl Tables {
    fn new(code: &Code) -> Self {
        let continuing = code.instructions.iter().filter_map(|instruction| match *instruction {
            Instruction::Loop { continuing, .. } => Some((continuing, OnceLock::new())),
            _ => None,
        });
        let mut loops: Vec<_> = continuing.collect();
        loops.sort_unstable_by_key(|(pc, _)| *pc);
        Self { operands: Operands::table(code), loops }
    }
}

/// Returns the registers that decide what the loop with this continuing block does: the values at the end of an
/// iteration on which the conditions, the addresses of accesses and the written values of later iterations depend.
/// Returns `None` if the operands of one of its instructions are not known.
fn deciding_registers(code: &Code, operands: &[Operands], continuing: Pc) -> DecidingRegisters {
    let mut search = Search {
        code,
        operands,
        parts: parts_of_loop(code, continuing)?,
        variables: RegisterSet::empty(code),
        writers: FxHashMap::default(),
        deciding: RegisterSet::empty(code),
        uses: Vec::new(),
        seen: FxHashSet::default(),
    };
    let instructions: Vec<usize> = search.parts.iter().cloned().flatten().collect();
    for &at in &instructions {
        match code.instructions[at] {
            Instruction::Scatter { .. } => continue,
            Instruction::Assign { to, .. } => _ = search.variables.insert(to),
            _ => {}
        }
        operands[at].results.iter().for_each(|range| search.add_writer(*range, at));
    }
    for &at in &instructions {
        match code.instructions[at] {
            Instruction::Subgroup { .. } | Instruction::Image { .. } => return None,
            // They only report what they see.
            Instruction::Claim { .. } | Instruction::Count { .. } => {}
            Instruction::Scatter { address, .. } => {
                let range = search.numbered(address, at);
                search.add_writer(range, at);
                search.variables.insert(range);
            }
            _ => search.add_uses(at, &operands[at].effects),
        }
    }
    while let Some((register, at)) = search.uses.pop() {
        search.follow(register, at);
    }
    Some((0..code.registers).filter(|register| search.deciding.has(*register)).collect())
}

/// A search for everything that decides what a loop does, from uses to definitions.
struct Search<'a> {
    code: &'a Code,
    operands: &'a [Operands],
    parts: Vec<Range<usize>>,
    /// Registers that keep the values of some lanes when they are written.
    variables: RegisterSet,
    /// The instructions that write each register.
    writers: FxHashMap<Register, Vec<usize>>,
    deciding: RegisterSet,
    /// Registers that are needed, each with the instruction that uses it.
    uses: Vec<(Register, usize)>,
    /// Instructions whose results are needed.
    seen: FxHashSet<usize>,
}

impl Search<'_> {
    fn add_writer(&mut self, range: RegisterRange, at: usize) {
        for register in range.indices() {
            self.writers.entry(register as Register).or_default().push(at);
        }
    }

    fn add_uses(&mut self, at: usize, ranges: &[RegisterRange]) {
        let registers = ranges.iter().flat_map(|range| range.indices());
        self.uses.extend(registers.map(|register| (register as Register, at)));
    }

    /// Returns the instruction that computes the value that a register has at `at`, if the register holds the value of an
    /// expression. It is the last one that wrote it: the value of an expression is computed before each of its uses, and
    /// its register is used for nothing else in between.
    fn definition(&self, register: Register, at: usize) -> Option<usize> {
        let part = self.parts.iter().find(|part| part.contains(&at))?;
        let writers = self.writers.get(&register).filter(|_| !self.variables.has(register))?;
        writers.iter().copied().filter(|writer| (part.start..at).contains(writer)).max()
    }

    /// Returns the registers whose numbers `address` may hold at `at`.
    fn numbered(&self, address: Register, at: usize) -> RegisterRange {
        let known = self.definition(address, at).and_then(|at| match self.code.instructions[at] {
            Instruction::AddressFrom { base, .. } | Instruction::Offset { base, .. } => {
                Some(self.numbered(base, at))
            }
            Instruction::Address { stride, offset, check, .. } => {
                elements(self.code, stride, offset, check)
            }
            _ => None,
        });
        known.unwrap_or(RegisterRange { start: 0, count: self.code.registers })
    }

    /// Adds what decides the value of a register that is used at this instruction.
    fn follow(&mut self, register: Register, at: usize) {
        if let Some(definition) = self.definition(register, at) {
            self.need(definition);
        } else if self.deciding.insert(one(register)) {
            let writers = self.writers.get(&register).cloned().unwrap_or_default();
            writers.into_iter().for_each(|writer| self.need(writer));
        }
    }

    fn need(&mut self, at: usize) {
        if !self.seen.insert(at) {
            return;
        }
        match self.code.instructions[at] {
            Instruction::Gather { address, .. } => {
                let numbered = self.numbered(address, at);
                self.add_uses(at, &[numbered, one(address)]);
            }
            _ => {
                let operands = self.operands;
                self.add_uses(at, &operands[at].sources);
            }
        }
    }
}

/// Returns the instructions of a loop and of the functions that it calls.
fn parts_of_loop(code: &Code, continuing: Pc) -> Option<Vec<Range<usize>>> {
    let Instruction::Continuing { back } = *code.instructions.get(continuing as usize)? else {
        return None;
    };
    let Instruction::Back { start } = *code.instructions.get(back as usize)? else { return None };
    let mut parts = Vec::new();
    let body = start as usize..back as usize + 1;
    let mut left = vec![body];
    while let Some(part) = left.pop() {
        if parts.contains(&part) {
            continue;
        }
        for instruction in code.instructions.get(part.clone())? {
            if let Instruction::Call { function, end } = *instruction {
                left.push(function as usize..end as usize + 1);
            }
        }
        parts.push(part);
    }
    Some(parts)
}
