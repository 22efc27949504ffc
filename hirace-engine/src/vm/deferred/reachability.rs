//! Finds the instructions from which a write to observed memory can be reached. Code from which none can be
//! reached need not be run to its end.
//!
//! The analysis is syntactic: from an instruction, everything behind it in its function can be reached, and
//! everything in the loops that it is in.

use crate::ir::memory::MemoryId;
use crate::vm::code::{Code, Instruction, MemoryRef, Pc};
use rustc_hash::FxHashMap;

/// Returns, for each instruction, whether the contents of `observed` can still be changed from there on
/// before its function returns.
pub(super) fn reaches_write(code: &Code, observed: &[MemoryId]) -> Vec<bool> {
    let mut functions: FxHashMap<Pc, Pc> = FxHashMap::default();
    functions.insert(code.start, code.instructions.len() as Pc - 1);
    for instruction in &code.instructions {
        if let Instruction::Call { function, end } = *instruction {
            functions.insert(function, end);
        }
    }
    let mut leads = vec![false; code.instructions.len()];
    // One pass per function is enough, because there is no recursion.
    for _ in 0..functions.len() {
        for (start, end) in &functions {
            of_function(code, observed, *start as usize, *end as usize, &mut leads);
        }
    }
    leads
}

/// Computes the same for the instructions of one function, if the results for the functions it calls are
/// known.
fn of_function(code: &Code, observed: &[MemoryId], start: usize, end: usize, leads: &mut [bool]) {
    let mut behind = false;
    for at in (start..=end).rev() {
        behind |= match code.instructions[at] {
            Instruction::Store { access, .. } => is_observed(code, observed, access),
            Instruction::Atomic { operation, .. } => {
                is_observed(code, observed, code.atomics[operation as usize].access)
            }
            Instruction::Call { function, .. } => leads[function as usize],
            _ => false,
        };
        leads[at] = behind;
    }
    // A loop repeats from its start.
    for at in start..=end {
        if let Instruction::Back { start } = code.instructions[at]
            && leads[start as usize]
        {
            leads[start as usize..=at].fill(true);
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
