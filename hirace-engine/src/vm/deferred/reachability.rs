//! Finds the instructions from which a write to observed memory can be reached. Code that cannot reach such a write does not have
//! to run to its end.
//!
//! The analysis is syntactic: an instruction can reach all later instructions of its function, and all instructions of the loops
//! that contain it.

use crate::ir::memory::MemoryId;
use crate::vm::code::{Code, Instruction, MemoryRef, Pc};
use rustc_hash::FxHashMap;

/// Returns, for each instruction, whether a write to `observed` can be reached from it before its function returns.
pub(super) fn reaches_write(code: &Code, observed: &[MemoryId]) -> Vec<bool> {
    let mut functions: FxHashMap<Pc, Pc> = FxHashMap::default();
    functions.insert(code.start, code.instructions.len() as Pc - 1);
    for instruction in &code.instructions {
        if let Instruction::Call { function, end } = *instruction {
            functions.insert(function, end);
        }
    }
    let mut reaches = vec![false; code.instructions.len()];
    // One pass per function is enough, because there is no recursion.
    for _ in 0..functions.len() {
        for (start, end) in &functions {
            mark_function(code, observed, *start as usize, *end as usize, &mut reaches);
        }
    }
    reaches
}

/// Computes the same for the instructions of one function, if the results for the functions that it calls are known.
fn mark_function(
    code: &Code,
    observed: &[MemoryId],
    start: usize,
    end: usize,
    reaches: &mut [bool],
) {
    let mut is_reached = false;
    for at in (start..=end).rev() {
        is_reached |= match code.instructions[at] {
            Instruction::Store { access, .. } => is_observed(code, observed, access),
            Instruction::Atomic { operation, .. } => {
                is_observed(code, observed, code.atomics[operation as usize].access)
            }
            Instruction::Call { function, .. } => reaches[function as usize],
            _ => false,
        };
        reaches[at] = is_reached;
    }
    // A loop repeats from its start.
    for at in start..=end {
        if let Instruction::Back { start } = code.instructions[at]
            && reaches[start as usize]
        {
            reaches[start as usize..=at].fill(true);
        }
    }
}

fn is_observed(code: &Code, observed: &[MemoryId], access: u32) -> bool {
    match code.accesses[access as usize].memory {
        MemoryRef::Buffer(buffer) => observed.contains(&code.buffers[buffer as usize].memory),
        // Workgroup memory ceases to exist with its workgroup.
        MemoryRef::Workgroup(_) => false,
    }
}
