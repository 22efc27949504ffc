//! Finds the reads out of bounds whose values are not used.
//!
//! A read out of bounds returns a value that the program does not determine. This module follows such values through the registers
//! of a run, lane by lane. A value is used if it, or a value computed from it, is stored to memory that invocations share, decides a
//! branch or a loop, is an index, or is an operand of an atomic, of a subgroup or texture operation, or of a claim. The arm that
//! `select` does not choose is not used, and neither is a value that ends with its invocation. All other operators use their
//! operands, whatever these are: a product with 0 depends on both factors.
//!
//! Marks have the shape of the registers: for each register, the lanes whose value comes from a read out of bounds. An address that
//! was clamped is marked, and a load passes the marks of its address on to its results. A store to a marked address is a use, so no
//! write is among the results. The fragments of a subgroup have disjoint lanes, so they share their marks.
//!
//! The run takes each instruction by itself, which is slower than a plain run. It executes the same steps in the same order.

use super::fragment::{Fragment, lanes};
use super::{Context, Pause, Setup, VisibleOperations};
use crate::ir::sites::SiteId;
use crate::source_map::Span;
use crate::vm::code::{
    Check, Code, ImageOperation, Instruction, Level, Operation, Range, Register,
};
use crate::vm::observer::MemoryId;
use crate::vm::operands::{Operands, one};
use crate::vm::ops::slots;
use crate::vm::run::OutOfBounds;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// The limit on accesses that are followed. The values of further ones count as used.
const MAX_READS: usize = 32;

/// An access with an index out of bounds, as [`OutOfBounds`] identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    site: SiteId,
    span: Span,
    memory: Option<MemoryId>,
}

impl Access {
    fn of(check: &Check) -> Self {
        Self { site: check.site, span: check.span, memory: check.memory }
    }
}

/// Follows the values of reads out of bounds through a run.
#[derive(Debug)]
pub struct ReadFollower(Mutex<FollowerState>);

/// What was found so far.
#[derive(Debug)]
struct FollowerState {
    /// The operands of each instruction.
    operands: Vec<Operands>,
    /// The accesses out of bounds, each with whether its value is used.
    reads: Vec<(Access, bool)>,
    /// The marks of each subgroup that runs, by the indices of its workgroup and of the subgroup.
    marks: FxHashMap<(u32, u32), Marks>,
}

/// The lanes with values of each followed access, by register. Empty if the access has no values in this subgroup.
#[derive(Debug, Default)]
struct Marks(Vec<Vec<u64>>);

impl ReadFollower {
    /// Creates the follower of a run of this code.
    pub fn new(code: &Code) -> Self {
        Self(Mutex::new(FollowerState {
            operands: Operands::table(code),
            reads: Vec::new(),
            marks: FxHashMap::default(),
        }))
    }

    /// Returns whether the run had the access of `found`, and no value of it is used.
    pub fn is_unused(&self, found: &OutOfBounds) -> bool {
        let followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A site has one span, which devices do not report.
        let is_same = |(read, _): &&(Access, bool)| {
            (read.site, read.memory) == (found.site, found.memory)
                && (found.site != SiteId::NONE || read.span == found.span)
        };
        let mut same = followed.reads.iter().filter(is_same).peekable();
        same.peek().is_some() && same.all(|(_, is_used)| !is_used)
    }

    /// Runs a fragment for at most `fuel` instructions.
    pub(in crate::vm) fn run<'m, 'a, V, const N: usize>(
        &self,
        context: &mut Context<'m, 'a, V>,
        fragment: &mut Fragment<N>,
        fuel: u64,
    ) -> Pause
    where
        Context<'m, 'a, V>: VisibleOperations<N>,
    {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (context.workgroup, fragment.subgroup);
        let mut marks = followed.marks.remove(&key).unwrap_or_default();
        let mut left = fuel;
        loop {
            followed.next(&mut marks, context.setup, fragment);
            let pause = context.run(fragment, 1);
            left = left.saturating_sub(1);
            if pause == Pause::Fuel && left > 0 {
                continue;
            }
            if !marks.0.is_empty() {
                followed.marks.insert(key, marks);
            }
            return pause;
        }
    }

    /// Forgets the marks of a subgroup that has ended.
    pub(in crate::vm) fn end(&self, workgroup: u32, subgroup: u32) {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        followed.marks.remove(&(workgroup, subgroup));
    }
}

impl FollowerState {
    /// Follows the instructions that the next step of a fragment executes.
    fn next<const N: usize>(&mut self, marks: &mut Marks, setup: &Setup, f: &Fragment<N>) {
        let code = setup.code;
        for pc in f.pc as usize.. {
            let Some(&instruction) = code.instructions.get(pc) else { return };
            self.follow(marks, setup, f, pc, instruction);
            // These take no step, so that the next instruction runs too.
            if !matches!(
                instruction,
                Instruction::Claim { .. } | Instruction::Count { .. } | Instruction::Fence { .. }
            ) {
                return;
            }
        }
    }

    fn follow<const N: usize>(
        &mut self,
        marks: &mut Marks,
        setup: &Setup,
        f: &Fragment<N>,
        pc: usize,
        instruction: Instruction,
    ) {
        let code = setup.code;
        match instruction {
            Instruction::Address { to, index, check, .. } => {
                self.address(marks, setup, f, (to, None, index), check);
                return;
            }
            Instruction::AddressFrom { to, base, index, check, .. } => {
                self.address(marks, setup, f, (to, Some(base), index), check);
                return;
            }
            _ if marks.0.is_empty() => return,
            _ => {}
        }
        let used: Vec<Range> = match instruction {
            Instruction::Load { .. } => Vec::new(),
            Instruction::Scatter { address, .. } => vec![one(address)],
            Instruction::Subgroup { index } => {
                let step = &code.subgroup_steps[index as usize];
                let lane = match step.operation {
                    crate::vm::code::SubgroupOperation::Gather(_, lane) => lane.map(one),
                    _ => None,
                };
                [Some(step.operand), lane].into_iter().flatten().collect()
            }
            Instruction::Image { index } => image_operands(code, index),
            _ => self.operands[pc].effects.clone(),
        };
        for (read, marks) in self.reads.iter_mut().zip(&mut marks.0) {
            if read.1 || marks.is_empty() {
                marks.clear();
                continue;
            }
            if used.iter().any(|range| any(marks, *range) & f.mask != 0) {
                read.1 = true;
                marks.clear();
                continue;
            }
            pass_on(marks, code, &self.operands[pc], f, instruction);
        }
    }

    /// Follows the computation of an address from an optional base and an index.
    fn address<const N: usize>(
        &mut self,
        marks: &mut Marks,
        setup: &Setup,
        f: &Fragment<N>,
        (to, base, index): (Register, Option<Register>, Register),
        check: u32,
    ) {
        let check = &setup.code.checks[check as usize];
        let length = setup.lengths[check.length as usize];
        let indices = &f.registers[index as usize];
        let is_outside = |lane: &usize| indices.get(*lane).is_some_and(|index| *index >= length);
        let outside = lanes(f.mask).filter(is_outside).fold(0u64, |all, lane| all | 1 << lane);
        for (read, marks) in self.reads.iter_mut().zip(&mut marks.0) {
            if marks.is_empty() {
                continue;
            }
            read.1 |= at(marks, index) & f.mask != 0;
            let of_base = base.map_or(0, |base| at(marks, base));
            set(marks, to, of_base, f.lanes);
        }
        if outside == 0 {
            return;
        }
        let access = Access::of(check);
        let known = self.reads.iter().position(|(read, _)| *read == access);
        let number = known.unwrap_or(self.reads.len());
        if number == MAX_READS {
            return;
        }
        if known.is_none() {
            self.reads.push((access, false));
        }
        if self.reads[number].1 {
            return;
        }
        if marks.0.len() <= number {
            marks.0.resize(number + 1, Vec::new());
        }
        let marks = &mut marks.0[number];
        marks.resize(setup.code.registers as usize, 0);
        let before = at(marks, to);
        set(marks, to, before | outside, f.lanes);
    }
}

/// Passes the marks of the operands of an instruction on to its results.
fn pass_on<const N: usize>(
    marks: &mut [u64],
    code: &Code,
    operands: &Operands,
    f: &Fragment<N>,
    instruction: Instruction,
) {
    match instruction {
        Instruction::Copy { to, from } => copy(marks, to, from, f.lanes),
        Instruction::Assign { to, from } => copy(marks, to, from, f.mask),
        Instruction::Unary { out, operand, .. } => copy(marks, out, operand, f.lanes),
        Instruction::Compute { index } => {
            let computation = &code.computations[index as usize];
            let Operation::Select(scalar) = computation.operation else {
                return combine(marks, operands, f.lanes);
            };
            let [condition, accept, reject, _] = computation.operands;
            let each = slots(scalar) as u32;
            for number in 0..computation.out.count {
                let decides = condition.start + (number / each) % condition.count.max(1);
                let holds = f.registers.get(decides as usize).into_iter().flatten().enumerate();
                let holds = holds.filter(|(_, value)| **value != 0);
                let holds = holds.fold(0u64, |all, (lane, _)| all | 1 << lane);
                let chosen = at(marks, accept.start + number) & holds
                    | at(marks, reject.start + number) & !holds;
                let chosen = chosen | at(marks, decides);
                set(marks, computation.out.start + number, chosen, f.lanes);
            }
        }
        Instruction::Gather { to, address } => {
            let of_address = at(marks, address);
            for number in 0..to.count {
                let mut found = of_address;
                for (lane, from) in f.registers[address as usize].iter().enumerate() {
                    found |= at(marks, from.wrapping_add(number)) & 1 << lane;
                }
                set(marks, to.start + number, found, f.lanes);
            }
        }
        Instruction::Scatter { address, from } => {
            for lane in lanes(f.mask) {
                let to = f.registers[address as usize][lane];
                for number in 0..from.count {
                    let moved = at(marks, from.start + number);
                    set(marks, to.wrapping_add(number), moved, 1 << lane);
                }
            }
        }
        // Values that other invocations pass on are used.
        Instruction::Subgroup { .. } | Instruction::Image { .. } | Instruction::Atomic { .. } => {
            for register in operands.results.iter().flat_map(|range| range.indices()) {
                set(marks, register as Register, 0, f.mask);
            }
        }
        _ => combine(marks, operands, f.lanes),
    }
}

/// Marks all results of an instruction with the marks of all its sources, in these lanes.
fn combine(marks: &mut [u64], operands: &Operands, lanes: u64) {
    let all = operands.sources.iter().fold(0, |all, range| all | any(marks, *range));
    for register in operands.results.iter().flat_map(|range| range.indices()) {
        set(marks, register as Register, all, lanes);
    }
}

fn copy(marks: &mut [u64], to: Range, from: Register, lanes: u64) {
    let copied: Vec<u64> = (0..to.count).map(|number| at(marks, from + number)).collect();
    for (number, value) in (0..).zip(copied) {
        set(marks, to.start + number, value, lanes);
    }
}

fn at(marks: &[u64], register: Register) -> u64 {
    marks.get(register as usize).copied().unwrap_or(0)
}

/// Sets the marks of a register in these lanes.
fn set(marks: &mut [u64], register: Register, value: u64, lanes: u64) {
    if let Some(marks) = marks.get_mut(register as usize) {
        *marks = *marks & !lanes | value & lanes;
    }
}

fn any(marks: &[u64], range: Range) -> u64 {
    range.indices().fold(0, |all, register| all | at(marks, register as Register))
}

/// Returns the registers that an operation on a texture reads.
fn image_operands(code: &Code, index: u32) -> Vec<Range> {
    let step = &code.image_steps[index as usize];
    let mut operands = vec![step.coordinate];
    operands.extend(step.layer.map(|(layer, _)| one(layer)));
    match &step.operation {
        ImageOperation::Load { sample, level } => {
            operands.extend([*sample, *level].into_iter().flatten().map(one));
        }
        ImageOperation::Store | ImageOperation::Atomic { .. } => operands.push(step.value),
        ImageOperation::Sample(sample) => {
            operands.push(sample.offset);
            operands.extend(sample.reference.map(one));
            match sample.level {
                Level::Zero => {}
                Level::Float(level) | Level::Integer(level) => operands.push(one(level)),
                Level::Gradient(x, y) => operands.extend([x, y]),
            }
        }
        ImageOperation::Size { level } => operands.extend(level.map(one)),
        ImageOperation::Levels | ImageOperation::Layers | ImageOperation::Samples => {}
    }
    operands
}
