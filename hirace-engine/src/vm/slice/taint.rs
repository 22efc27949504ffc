//! Which registers may hold data at any time: a flow-insensitive forward analysis from the sources of data.
//!
//! Control dependence is not tracked: the caller has to list the registers that are assigned where data
//! decides whether the assignment runs.

use crate::vm::code::{
    Code, Computation, ImageOperation, Instruction, Length, MemoryRef, Operation, Part, Range,
    Register, SubgroupStep,
};
use crate::vm::machine::{Uses, uses};
use naga::{BuiltIn, Scalar, ScalarKind};
use std::collections::BTreeSet;

/// The registers that may hold data.
#[derive(Debug)]
pub struct Taint(Vec<bool>);

impl Taint {
    /// Propagates data through `code`. `assigned` registers hold data from the start.
    pub fn of(code: &Code, assigned: &BTreeSet<Register>) -> Self {
        let mut taint = Self(vec![false; code.registers as usize]);
        for register in assigned {
            taint.0[*register as usize] = true;
        }
        for &(builtin, register) in &code.builtins {
            taint.0[register as usize] |= is_of_subgroups(builtin);
        }
        while taint.pass(code) {}
        taint
    }

    /// Returns whether a register may hold data.
    pub fn has(&self, register: Register) -> bool {
        self.0.get(register as usize).copied().unwrap_or(true)
    }

    /// Returns whether one of these registers may hold data.
    pub fn any(&self, range: Range) -> bool {
        self.0.get(range.indices()).is_none_or(|registers| registers.contains(&true))
    }

    /// Processes the code once. Returns whether anything changed.
    fn pass(&mut self, code: &Code) -> bool {
        let mut news = false;
        for &instruction in &code.instructions {
            if self.comes_in(code, instruction) || self.goes_through(code, instruction) {
                for range in written(code, instruction) {
                    for register in &mut self.0[range.indices()] {
                        news |= !std::mem::replace(register, true);
                    }
                }
            }
        }
        news
    }

    /// Returns whether an instruction propagates data from its operands.
    fn goes_through(&self, code: &Code, instruction: Instruction) -> bool {
        operands(code, instruction).into_iter().any(|range| self.any(range))
    }

    /// Returns whether the result of an instruction is data regardless of its operands.
    fn comes_in(&self, code: &Code, instruction: Instruction) -> bool {
        match instruction {
            Instruction::Load { access, .. } => match code.accesses[access as usize].memory {
                MemoryRef::Buffer(buffer) => code.buffers[buffer as usize].writable,
                MemoryRef::Workgroup(_) => true,
            },
            Instruction::Atomic { .. } | Instruction::Subgroup { .. } => true,
            Instruction::Image { index } => looks_at_texels(code, index),
            Instruction::Binary { scalar, .. } | Instruction::Unary { scalar, .. } => {
                is_float(scalar)
            }
            Instruction::Compute { index } => {
                computes_with_floats(&code.computations[index as usize])
            }
            _ => false,
        }
    }
}

/// Returns whether an operation on a texture reads texels, and not only properties of the texture.
pub fn looks_at_texels(code: &Code, image_step: u32) -> bool {
    !matches!(
        code.image_steps[image_step as usize].operation,
        ImageOperation::Size { .. }
            | ImageOperation::Levels
            | ImageOperation::Layers
            | ImageOperation::Samples
    )
}

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar.kind, ScalarKind::Float | ScalarKind::AbstractFloat)
}

/// Returns whether devices may compute a different result.
fn computes_with_floats(computation: &Computation) -> bool {
    match computation.operation {
        // These operations move bits.
        Operation::Select(_) | Operation::Bitcast { .. } | Operation::Transpose(..) => false,
        Operation::Convert { from, to } => is_float(from) || is_float(to),
        Operation::Relational(_, scalar)
        | Operation::Multiply(scalar, ..)
        | Operation::Math(_, scalar) => is_float(scalar),
    }
}

fn is_of_subgroups(builtin: BuiltIn) -> bool {
    matches!(
        builtin,
        BuiltIn::SubgroupId
            | BuiltIn::SubgroupSize
            | BuiltIn::SubgroupInvocationId
            | BuiltIn::NumSubgroups
    )
}

/// Returns the registers from which an instruction computes its results.
pub fn operands(code: &Code, instruction: Instruction) -> Vec<Range> {
    let one = |start: Register| Range { start, count: 1 };
    match instruction {
        Instruction::Load { address, .. } => vec![one(address)],
        Instruction::Switch { selector, .. } => vec![one(selector)],
        Instruction::Gather { address, .. } => {
            [reached(code, address), vec![one(address)]].concat()
        }
        Instruction::Scatter { address, from } => vec![one(address), from],
        Instruction::Image { index } => match code.image_steps[index as usize].operation {
            ImageOperation::Size { level: Some(level) } => vec![one(level)],
            _ => Vec::new(),
        },
        _ => match uses(code, instruction) {
            Uses::For(_, ranges) => ranges,
            Uses::Always(_) | Uses::Unknown => Vec::new(),
        },
    }
}

/// Returns the registers that an instruction writes.
pub fn written(code: &Code, instruction: Instruction) -> Vec<Range> {
    let one = |start: Register| vec![Range { start, count: 1 }];
    match instruction {
        Instruction::Copy { to, .. }
        | Instruction::Assign { to, .. }
        | Instruction::Clear { to }
        | Instruction::Gather { to, .. } => vec![to],
        Instruction::Binary { out, .. } | Instruction::Unary { out, .. } => vec![out],
        Instruction::Compute { index } => vec![code.computations[index as usize].out],
        Instruction::Subgroup { index } => {
            let SubgroupStep { out, .. } = code.subgroup_steps[index as usize];
            vec![out]
        }
        Instruction::Image { index } => {
            let step = &code.image_steps[index as usize];
            match step.operation {
                ImageOperation::Store | ImageOperation::Atomic { .. } => Vec::new(),
                _ => vec![step.value],
            }
        }
        Instruction::Length { to, .. }
        | Instruction::Address { to, .. }
        | Instruction::AddressFrom { to, .. }
        | Instruction::Offset { to, .. } => one(to),
        Instruction::Switch { chosen, .. } => one(chosen),
        Instruction::Scatter { address, .. } => reached(code, address),
        Instruction::Load { to, access, .. } => {
            let parts = code.accesses[access as usize].parts.iter();
            let range =
                |part: &Part| Range { start: to + part.register, count: part.leaf.registers() };
            parts.map(range).collect()
        }
        Instruction::Atomic { to: Some(to), operation, .. } => {
            let operation = &code.atomics[operation as usize];
            let words = u32::from(operation.scalar.width).div_ceil(4);
            vec![Range { start: to, count: words + u32::from(operation.compare.is_some()) }]
        }
        _ => Vec::new(),
    }
}

/// Returns the registers whose numbers `address` may hold; all registers if this is not known.
pub fn reached(code: &Code, address: Register) -> Vec<Range> {
    let all = vec![Range { start: 0, count: code.registers }];
    let mut reached = Vec::new();
    let (mut left, mut seen) = (vec![address], Vec::new());
    while let Some(register) = left.pop() {
        if seen.contains(&register) {
            continue;
        }
        seen.push(register);
        let mut writers =
            code.instructions.iter().filter(|one| holds_number(**one, register)).peekable();
        if writers.peek().is_none() {
            return all;
        }
        for writer in writers {
            match *writer {
                // The base of a variable: the address is at least the offset, and the index is clamped to the
                // variable's length.
                Instruction::Address { stride, offset, check, .. } => {
                    let Length::Fixed(length) =
                        code.lengths[code.checks[check as usize].length as usize]
                    else {
                        return all;
                    };
                    let end =
                        offset.saturating_add(stride.saturating_mul(length)).min(code.registers);
                    reached.push(Range { start: offset, count: end.saturating_sub(offset) });
                }
                // An offset into the element.
                Instruction::AddressFrom { base, .. } => left.push(base),
                _ => return all,
            }
        }
    }
    reached
}

/// Returns whether an instruction may write a register number to `register`.
fn holds_number(instruction: Instruction, register: Register) -> bool {
    let within = |range: Range| range.indices().contains(&(register as usize));
    match instruction {
        Instruction::Address { to, .. }
        | Instruction::AddressFrom { to, .. }
        | Instruction::Offset { to, .. } => to == register,
        Instruction::Copy { to, .. }
        | Instruction::Assign { to, .. }
        | Instruction::Clear { to } => within(to),
        _ => false,
    }
}
