//! Which registers may hold data at any time: a flow-insensitive forward analysis from the sources of data.
//!
//! Control dependence is not tracked: the caller has to list the registers that are assigned where data
//! decides whether the assignment runs.

use crate::vm::code::{
    Code, Computation, ImageOperation, Instruction, MemoryRef, Operation, Register,
};
use crate::vm::operands::{Operands, RegisterSet, one};
use naga::{BuiltIn, Scalar, ScalarKind};
use std::collections::BTreeSet;

/// Returns the registers that may hold data. `assigned` registers hold data from the start.
pub fn taint(code: &Code, table: &[Operands], assigned: &BTreeSet<Register>) -> RegisterSet {
    let mut taint = RegisterSet::empty(code);
    let of_subgroups = code.builtins.iter().filter(|(builtin, _)| is_of_subgroups(*builtin));
    for &register in assigned.iter().chain(of_subgroups.map(|(_, register)| register)) {
        taint.insert(one(register));
    }
    taint.grow_forward(code, table, |taint, instruction, operands| {
        let is_data = is_source(code, instruction)
            || operands.sources.iter().any(|source| taint.any(*source));
        if is_data { operands.results.clone() } else { Vec::new() }
    });
    taint
}

/// Returns whether the result of an instruction is data regardless of its operands.
fn is_source(code: &Code, instruction: Instruction) -> bool {
    match instruction {
        Instruction::Load { access, .. } => match code.accesses[access as usize].memory {
            MemoryRef::Buffer(buffer) => code.buffers[buffer as usize].writable,
            MemoryRef::Workgroup(_) => true,
        },
        Instruction::Atomic { .. } | Instruction::Subgroup { .. } => true,
        Instruction::Image { index } => looks_at_texels(code, index),
        Instruction::Binary { scalar, .. } | Instruction::Unary { scalar, .. } => is_float(scalar),
        Instruction::Compute { index } => computes_with_floats(&code.computations[index as usize]),
        _ => false,
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
