//! Liveness of registers: the values of registers that are not live have no effect on what an invocation
//! does.
//!
//! The analysis is syntactic and covers all paths. A register is live if an address, a condition, a claim or
//! a written value is computed from it on any path. A value that is written to memory that the code never
//! reads does not count, unless this memory is observed after the dispatch. If an
//! instruction reads registers that its operands do not list, all registers are live.

use crate::ir::memory::MemoryId;
use crate::vm::code::{Code, Instruction, MemoryRef, Register};
use crate::vm::operands::{Operands, RegisterSet, one};

/// Returns the live registers of the code. `variables` are always live, because they keep their values from one loop iteration to
/// the next. `memory` is observed after the dispatch.
pub fn live_registers(
    code: &Code,
    table: &[Operands],
    variables: &[Register],
    memory: &[MemoryId],
) -> RegisterSet {
    if table.iter().any(|operands| operands.reads_others) {
        return RegisterSet::full(code);
    }
    let read = find_read_memory(code);
    let is_read = |written: &MemoryRef| {
        let is_observed = match *written {
            MemoryRef::Buffer(buffer) => memory.contains(&code.buffers[buffer as usize].memory),
            // Workgroup memory ceases to exist with its workgroup.
            MemoryRef::Workgroup(_) => false,
        };
        is_observed || read.contains(written)
    };
    let mut live = RegisterSet::empty(code);
    for &variable in variables {
        live.insert(one(variable));
    }
    for (instruction, operands) in code.instructions.iter().zip(table) {
        let effects = match *instruction {
            Instruction::Store { address, access, .. }
                if !is_read(&code.accesses[access as usize].memory) =>
            {
                &[one(address)]
            }
            _ => &operands.effects[..],
        };
        for range in effects {
            live.insert(*range);
        }
    }
    live.grow_backward(table, |_| true);
    live
}

/// Returns the memory that the code reads.
fn find_read_memory(code: &Code) -> Vec<MemoryRef> {
    let accesses = code.instructions.iter().filter_map(|instruction| match *instruction {
        Instruction::Load { access, .. } => Some(access),
        Instruction::Atomic { operation, .. } => Some(code.atomics[operation as usize].access),
        _ => None,
    });
    accesses.map(|access| code.accesses[access as usize].memory).collect()
}
