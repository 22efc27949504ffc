//! Liveness of registers: the values of registers that are not live have no effect on what an invocation
//! does.
//!
//! The analysis is syntactic and covers all paths. A register is live if an address, a condition, a claim or
//! a written value is computed from it on any path. A value that is written to memory that the code never
//! reads does not count, unless this memory is observed after the dispatch. If the code accesses registers by
//! computed numbers, these are all live.

use crate::ir::memory::MemoryId;
use crate::vm::code::{Code, Instruction, MemoryRef, Range, Register};

/// Returns whether each register of the code is live. `variables` are live from one loop iteration to the
/// next; `memory` is observed after the dispatch.
pub fn live_registers(code: &Code, variables: &[Register], memory: &[MemoryId]) -> Vec<bool> {
    let mut heeded = vec![false; code.registers as usize];
    variables.iter().for_each(|register| heeded[*register as usize] = true);
    let read = read(code);
    let is_read = |written: &MemoryRef| {
        let is_asked_for = match *written {
            MemoryRef::Buffer(buffer) => memory.contains(&code.buffers[buffer as usize].memory),
            // Workgroup memory ceases to exist with its workgroup.
            MemoryRef::Workgroup(_) => false,
        };
        is_asked_for || read.contains(written)
    };
    for instruction in &code.instructions {
        if let Instruction::Store { address, access, .. } = *instruction
            && !is_read(&code.accesses[access as usize].memory)
        {
            mark(&mut heeded, Range { start: address, count: 1 });
            continue;
        }
        match uses(code, *instruction) {
            Uses::Unknown => return vec![true; heeded.len()],
            Uses::Always(ranges) => ranges.into_iter().for_each(|range| mark(&mut heeded, range)),
            Uses::For(..) => {}
        }
    }
    loop {
        let before = heeded.clone();
        for instruction in code.instructions.iter().rev() {
            if let Uses::For(out, ranges) = uses(code, *instruction)
                && heeded[out.indices()].contains(&true)
            {
                ranges.into_iter().for_each(|range| mark(&mut heeded, range));
            }
        }
        if heeded == before {
            return heeded;
        }
    }
}

/// Returns the memory that the code reads somewhere.
fn read(code: &Code) -> Vec<MemoryRef> {
    let accesses = code.instructions.iter().filter_map(|instruction| match *instruction {
        Instruction::Load { access, .. } => Some(access),
        Instruction::Atomic { operation, .. } => Some(code.atomics[operation as usize].access),
        _ => None,
    });
    accesses.map(|access| code.accesses[access as usize].memory).collect()
}

/// The registers that an instruction uses.
pub(in crate::vm) enum Uses {
    /// These registers, always.
    Always(Vec<Range>),
    /// The registers in the second field, if the result in the first field is live.
    For(Range, Vec<Range>),
    /// Registers that the code does not name.
    Unknown,
}

pub(in crate::vm) fn uses(code: &Code, instruction: Instruction) -> Uses {
    let one = |start: Register| Range { start, count: 1 };
    match instruction {
        Instruction::Copy { to, from } | Instruction::Assign { to, from } => {
            Uses::For(to, vec![Range { start: from, count: to.count }])
        }
        Instruction::Binary { out, left, right, .. } => Uses::For(out, vec![left, right]),
        Instruction::Unary { out, operand, .. } => {
            Uses::For(out, vec![Range { start: operand, count: out.count }])
        }
        Instruction::Compute { index } => {
            let computation = &code.computations[index as usize];
            Uses::For(computation.out, computation.operands.to_vec())
        }
        Instruction::Address { to, index, .. } => Uses::For(one(to), vec![one(index)]),
        Instruction::AddressFrom { to, base, index, .. } => {
            Uses::For(one(to), vec![one(base), one(index)])
        }
        Instruction::Offset { to, base, .. } => Uses::For(one(to), vec![one(base)]),
        Instruction::Load { address, .. } => Uses::Always(vec![one(address)]),
        Instruction::Store { address, from, access } => {
            let parts = code.accesses[access as usize].parts.iter();
            let values = parts
                .map(|part| Range { start: from + part.register, count: part.leaf.registers() });
            Uses::Always(values.chain([one(address)]).collect())
        }
        Instruction::Atomic { address, operation, .. } => {
            let operation = &code.atomics[operation as usize];
            // Values of 64 bits take two registers each.
            let count = u32::from(operation.scalar.width).div_ceil(4);
            let operands = [Some(operation.value), operation.compare].into_iter().flatten();
            let operands = operands.map(|start| Range { start, count });
            Uses::Always(operands.chain([one(address)]).collect())
        }
        Instruction::If { condition, .. } | Instruction::BreakIf { condition, .. } => {
            Uses::Always(vec![one(condition)])
        }
        Instruction::Switch { selector, .. } => Uses::Always(vec![one(selector)]),
        Instruction::Case { chosen, .. } => Uses::Always(vec![one(chosen)]),
        Instruction::Claim { index } => {
            let claimed = &code.claims[index as usize];
            Uses::Always(vec![claimed.left, claimed.right, claimed.result])
        }
        Instruction::Gather { .. }
        | Instruction::Scatter { .. }
        | Instruction::Subgroup { .. }
        | Instruction::Image { .. }
        | Instruction::Count { .. } => Uses::Unknown,
        Instruction::Clear { .. }
        | Instruction::Length { .. }
        | Instruction::Else { .. }
        | Instruction::EndIf
        | Instruction::Loop { .. }
        | Instruction::Continuing { .. }
        | Instruction::Back { .. }
        | Instruction::Pass { .. }
        | Instruction::EndSwitch
        | Instruction::Break
        | Instruction::Continue
        | Instruction::Call { .. }
        | Instruction::Return { .. }
        | Instruction::FunctionEnd
        | Instruction::Barrier { .. }
        | Instruction::Fence { .. } => Uses::Always(Vec::new()),
    }
}

fn mark(heeded: &mut [bool], range: Range) {
    heeded[range.indices()].fill(true);
}
