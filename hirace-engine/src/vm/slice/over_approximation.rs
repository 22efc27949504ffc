//! Over-approximates the kernel: where data decides what runs, everything runs.
//!
//! If data decides an `if`, both sides run one after the other, and jumps inside are not taken. Accesses that
//! no barrier orders stay unordered when more accesses are added. So if a memory has no race in the loosened
//! code, it has none in the kernel. Barriers must not be among the code that may run, because additional
//! barriers would add ordering.
//!
//! If nothing visible depends on whether the code ran, for example if it only selects between two values, the
//! result does exactly what the kernel does.
//!
//! Accesses that the kernel also makes must have the same addresses. A register that is assigned where data
//! decides whether the assignment runs therefore holds data wherever else it is read. Inside that code it
//! holds data too, unless it is assigned again whenever the code is entered.

use super::nest::{Block, Kind, Nest};
use super::taint::taint;
use crate::vm::code::{Code, Instruction, Range as Registers, Register};
use crate::vm::operands::{Operands, RegisterSet, one};
use std::collections::BTreeSet;
use std::ops::Range;

/// The result of loosening.
#[derive(Debug)]
pub struct LoosenedSlice {
    /// Which instructions are kept: all if data decides nothing.
    pub kept: Vec<bool>,
    /// Which registers may hold data or values that depend on data.
    pub taint: RegisterSet,
    /// Whether nothing visible depends on what data decides.
    pub exact: bool,
}

/// Loosens `code`. Returns `None` if the result would not terminate, or would pass barriers that the kernel
/// may not pass.
pub fn loosen(code: &Code, table: &[Operands], nest: &Nest) -> Option<LoosenedSlice> {
    let mut assigned = BTreeSet::new();
    loop {
        let taint = taint(code, table, &assigned);
        let decided = DataControl::of(code, nest, &taint)?;
        let more = decided.data(code, table, nest);
        if more.is_subset(&assigned) {
            let kept = decided.kept(code, nest);
            let is_sound = decided.has_no_barrier(code, nest) && loops_end(code, nest, &kept);
            let exact = decided.is_unseen(code, nest);
            return is_sound.then_some(LoosenedSlice { kept, taint, exact });
        }
        assigned.extend(more);
    }
}

/// Instructions whose execution depends on data.
#[derive(Clone, Debug)]
struct Region {
    range: Range<usize>,
    /// The block that contains the region.
    block: usize,
    /// An instruction index and a block: the instructions of this block before the index run directly before
    /// each entry of the region.
    entered: Option<(usize, usize)>,
}

impl Region {
    fn new(range: Range<usize>, block: usize, nest: &Nest) -> Self {
        let entered = nest.blocks[block].parent.map(|parent| (parent, nest.blocks[block].start));
        Self { range, block, entered }
    }
}

/// The control flow that depends on data.
#[derive(Debug, Default)]
struct DataControl {
    /// Blocks of `if`s.
    ifs: BTreeSet<usize>,
    /// Jumps that are not taken.
    jumps: BTreeSet<usize>,
    regions: Vec<Region>,
    /// The remainders of functions that have an early return that depends on data. A remainder runs before
    /// everything that follows in the function, or its results are not read.
    rests: Vec<Region>,
    /// Helper functions that are called in such regions.
    called: BTreeSet<usize>,
}

impl DataControl {
    /// Collects what data decides. Returns `None` if it cannot be loosened.
    fn of(code: &Code, nest: &Nest, taint: &RegisterSet) -> Option<Self> {
        let mut decided = Self::default();
        for (at, instruction) in code.instructions.iter().enumerate() {
            match *instruction {
                Instruction::If { condition, .. } if taint.has(condition) => {
                    decided.ifs.insert(nest.innermost[at]);
                }
                Instruction::Switch { selector, .. } if taint.has(selector) => return None,
                _ => {}
            }
        }
        for (at, instruction) in code.instructions.iter().enumerate() {
            let target = nest.target(at, *instruction);
            let Some(target) = target else { continue };
            let outermost = nest.around(at).take_while(|block| *block != target);
            let outermost = outermost.filter(|block| decided.ifs.contains(block)).last();
            let by_itself = matches!(*instruction, Instruction::BreakIf { condition, .. } if taint.has(condition));
            if outermost.is_none() && !by_itself {
                continue;
            }
            decided.jumps.insert(at);
            let block = nest.blocks[target];
            let after = outermost.map_or(at, |outermost| nest.blocks[outermost].end);
            match (instruction, block.kind) {
                (Instruction::Return { .. }, _) => {
                    decided.rests.push(Region::new(after..block.end, target, nest));
                }
                // Each iteration of the loop reaches this point again.
                (Instruction::Continue, Kind::Loop(continuing)) => decided.regions.push(Region {
                    range: after..continuing,
                    block: target,
                    entered: Some((target, after)),
                }),
                (_, Kind::Loop(_)) => {
                    decided.regions.push(Region::new(block.range(), target, nest));
                }
                _ => return None,
            }
        }
        for &block in &decided.ifs {
            let arms = nest.blocks[block].arms().into_iter();
            decided.regions.extend(arms.map(|range| Region::new(range, block, nest)));
        }
        decided.follow_calls(code, nest);
        Some(decided)
    }

    /// Adds the functions that are called, directly or indirectly, where data decides.
    fn follow_calls(&mut self, code: &Code, nest: &Nest) {
        let mut left = self.ranges(nest);
        while let Some(range) = left.pop() {
            for at in range {
                let Some(Instruction::Call { function, .. }) = code.instructions.get(at) else {
                    continue;
                };
                let Some(function) = nest.function(*function as usize) else { continue };
                if self.called.insert(function) {
                    left.push(nest.blocks[function].range());
                }
            }
        }
    }

    /// Returns the ranges of instructions that may or may not run.
    fn ranges(&self, nest: &Nest) -> Vec<Range<usize>> {
        let regions = self.regions.iter().chain(&self.rests).map(|region| region.range.clone());
        regions.chain(self.called.iter().map(|function| nest.blocks[*function].range())).collect()
    }

    /// Returns the registers that hold data because data decides whether they are assigned.
    fn data(&self, code: &Code, table: &[Operands], nest: &Nest) -> BTreeSet<Register> {
        let touched = RegisterAccesses::of(code, table);
        let mut data = BTreeSet::new();
        for region in &self.regions {
            for (register, is_whole) in assigned(code, table, region.range.clone()) {
                let mut reads = touched.reads(register);
                let elsewhere = reads.any(|read| !region.range.contains(&read));
                if elsewhere || !is_whole || !touched.is_new(nest, region, register) {
                    data.insert(register);
                }
            }
        }
        let rests = self.rests.iter().map(|rest| (rest.range.clone(), rest.block));
        let called = self.called.iter().map(|&called| (nest.blocks[called].range(), called));
        for (range, function) in rests.chain(called) {
            let of_function = nest.blocks[function].range();
            let whole = Region { range: of_function.clone(), block: function, entered: None };
            // The entry point runs once.
            let is_entry = of_function.end == code.instructions.len();
            for (register, _) in assigned(code, table, range) {
                let mut reads = touched.reads(register);
                let elsewhere = reads.any(|read| !of_function.contains(&read));
                if elsewhere || !is_entry && !touched.is_new(nest, &whole, register) {
                    data.insert(register);
                }
            }
        }
        data
    }

    /// Returns whether all barriers are passed as in the kernel.
    fn has_no_barrier(&self, code: &Code, nest: &Nest) -> bool {
        let mut ranges = self.ranges(nest).into_iter();
        ranges.all(|range| {
            let mut instructions = code.instructions[range].iter();
            !instructions.any(|one| matches!(one, Instruction::Barrier { .. }))
        })
    }

    /// Returns whether the code that may run shows nothing: it has no access and no index that may be out of
    /// bounds, and neither the entry nor the number of iterations of a loop depends on data.
    fn is_unseen(&self, code: &Code, nest: &Nest) -> bool {
        let is_loop = |block: usize| matches!(nest.blocks[block].kind, Kind::Loop(_));
        let leaves_loop = |at: usize| {
            let target = nest.target(at, code.instructions[at]);
            let left = nest.around(at).take_while(|block| Some(*block) != target);
            left.chain(target).any(is_loop)
        };
        let is_seen = |instruction: Instruction| match instruction {
            Instruction::Loop { .. }
            | Instruction::Address { .. }
            | Instruction::AddressFrom { .. } => true,
            _ => super::visible_access(code, instruction).is_some(),
        };
        let mut ranges = self.ranges(nest).into_iter();
        !self.jumps.iter().any(|at| leaves_loop(*at))
            && ranges.all(|range| !code.instructions[range].iter().any(|one| is_seen(*one)))
    }

    /// Returns which instructions are kept.
    fn kept(&self, code: &Code, nest: &Nest) -> Vec<bool> {
        let mut kept = vec![true; code.instructions.len()];
        for jump in &self.jumps {
            kept[*jump] = false;
        }
        for block in &self.ifs {
            let Block { kind, start, end, .. } = nest.blocks[*block];
            kept[start] = false;
            kept[end] = false;
            if let Kind::If(Some(middle)) = kind {
                kept[middle] = false;
            }
        }
        kept
    }
}

/// Returns whether each loop still has an exit.
fn loops_end(code: &Code, nest: &Nest, kept: &[bool]) -> bool {
    let leaves = |at: usize, of: usize| {
        let instruction = code.instructions[at];
        kept[at]
            && match instruction {
                Instruction::Break | Instruction::BreakIf { .. } => {
                    nest.target(at, instruction) == Some(of)
                }
                Instruction::Return { .. } => true,
                _ => false,
            }
    };
    let loops =
        nest.blocks.iter().enumerate().filter(|(_, block)| matches!(block.kind, Kind::Loop(_)));
    let mut loops = loops.map(|(index, block)| (index, block.range()));
    loops.all(|(index, mut range)| range.any(|at| leaves(at, index)))
}

/// Returns the registers that these instructions assign and that may be read after them, each with whether it
/// is assigned as a whole.
fn assigned(code: &Code, table: &[Operands], range: Range<usize>) -> Vec<(Register, bool)> {
    let mut assigned = Vec::new();
    for (instruction, operands) in code.instructions[range.clone()].iter().zip(&table[range]) {
        let is_whole = match instruction {
            Instruction::Assign { .. } => true,
            // Which of them is assigned depends on the lane.
            Instruction::Scatter { .. } => false,
            _ => continue,
        };
        let registers = operands.results.iter().flat_map(|to| to.start..to.start + to.count);
        assigned.extend(registers.map(|register| (register, is_whole)));
    }
    assigned
}

/// The instructions that read or write each register.
struct RegisterAccesses {
    /// The accesses of each register in code order: the instruction's index, and whether it writes.
    by_register: Vec<Vec<(usize, bool)>>,
}

impl RegisterAccesses {
    fn of(code: &Code, table: &[Operands]) -> Self {
        let mut by_register = vec![Vec::new(); code.registers as usize];
        let mut note = |range: Registers, at: usize, writes: bool| {
            for touched in by_register.get_mut(range.indices()).into_iter().flatten() {
                touched.push((at, writes));
            }
        };
        for (at, (&instruction, operands)) in code.instructions.iter().zip(table).enumerate() {
            for range in read(code, operands, instruction) {
                note(range, at, false);
            }
            for range in &operands.results {
                note(*range, at, true);
            }
        }
        Self { by_register }
    }

    fn of_register(&self, register: Register) -> &[(usize, bool)] {
        self.by_register.get(register as usize).map_or(&[], Vec::as_slice)
    }

    fn reads(&self, register: Register) -> impl Iterator<Item = usize> {
        self.of_register(register).iter().filter(|(_, writes)| !writes).map(|(at, _)| *at)
    }

    /// Returns whether a register that is read only in `region` has a value that does not depend on previous
    /// entries of the region: its first access there is a write, or it is written directly before the region,
    /// in the enclosing block.
    fn is_new(&self, nest: &Nest, region: &Region, register: Register) -> bool {
        let touches = self.of_register(register);
        let first = touches.iter().find(|(at, _)| region.range.contains(at));
        let stands_in = |at: usize, block: usize| nest.innermost[at] == block;
        let begins = first.is_some_and(|&(at, writes)| writes && stands_in(at, region.block));
        let before = region.entered.is_some_and(|(around, start)| {
            touches.iter().any(|&(at, writes)| {
                writes
                    && at < start
                    && stands_in(at, around)
                    && nest.blocks[around].is_one_side(at, start)
            })
        });
        begins || before
    }
}

/// Returns the registers from which an instruction computes other registers, conditions or addresses.
pub fn read(code: &Code, operands: &Operands, instruction: Instruction) -> Vec<Registers> {
    let mut read = match instruction {
        Instruction::If { .. } | Instruction::BreakIf { .. } => operands.effects.clone(),
        Instruction::Store { address, .. } | Instruction::Atomic { address, .. } => {
            vec![one(address)]
        }
        _ => operands.sources.clone(),
    };
    read.extend(super::visible_access(code, instruction).into_iter().flat_map(|access| access.at));
    read
}
