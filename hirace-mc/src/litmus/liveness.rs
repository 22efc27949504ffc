//! Liveness of registers in a column of a litmus test. Two states of a loop that differ only in dead registers count as the same
//! state.

use super::instruction::{Instruction, Operand};

/// The maximum size of the analysis, in registers times instructions. For longer code, all registers are live
/// everywhere.
const MAX_SIZE: usize = 1 << 20;

/// Returns, for each loop head, the registers that are live there. `at_end` marks the registers that are live at the
/// end.
pub fn find_live(
    code: &[Instruction],
    heads: &[u32],
    registers: usize,
    at_end: &[bool],
) -> Vec<Vec<usize>> {
    let all = || (0..registers).collect();
    if heads.is_empty() || code.len().saturating_add(1).saturating_mul(registers) > MAX_SIZE {
        return heads.iter().map(|_| all()).collect();
    }
    let mut before: Vec<Vec<bool>> = vec![vec![false; registers]; code.len()];
    before.push(at_end.to_vec());
    let mut changed = true;
    while changed {
        changed = false;
        for (pc, instruction) in code.iter().enumerate().rev() {
            let (falls_through, target) = successors(instruction);
            let mut live = match falls_through {
                true => before[pc + 1].clone(),
                false => vec![false; registers],
            };
            for (register, live) in live.iter_mut().enumerate() {
                *live |= target.is_some_and(|target| before[target as usize][register]);
            }
            let (written, used) = operands(instruction);
            if let Some(register) = written {
                live[register] = false;
            }
            for register in used.into_iter().flatten() {
                live[register] = true;
            }
            changed |= live != before[pc];
            before[pc] = live;
        }
    }
    let of =
        |head: &u32| (0..registers).filter(|register| before[*head as usize][*register]).collect();
    heads.iter().map(of).collect()
}

/// Returns whether each register is used by an instruction or live at the end.
pub fn find_used(code: &[Instruction], mut at_end: Vec<bool>) -> Vec<bool> {
    let used = code.iter().flat_map(|instruction| operands(instruction).1).flatten();
    used.for_each(|register| at_end[register] = true);
    at_end
}

/// Returns whether control may fall through to the next instruction, and the jump target if there is one.
fn successors(instruction: &Instruction) -> (bool, Option<u32>) {
    match *instruction {
        Instruction::Goto(target) => (false, Some(target)),
        Instruction::Branch { target, .. } => (true, Some(target)),
        _ => (true, None),
    }
}

/// Returns the register that an instruction writes, and those that it uses.
fn operands(instruction: &Instruction) -> (Option<usize>, [Option<usize>; 3]) {
    let used = |operand: Operand| match operand {
        Operand::Register(register) => Some(register),
        Operand::Value(_) => None,
    };
    match *instruction {
        Instruction::Load { to, at, .. } => (Some(to), [used(at), None, None]),
        Instruction::Store { at, value, .. } => (None, [used(at), used(value), None]),
        Instruction::Update { to, at, values: [first, second], .. } => {
            (to, [used(at), used(first), used(second)])
        }
        Instruction::Compute { to, values: [first, second], .. } => {
            (Some(to), [used(first), used(second), None])
        }
        Instruction::Branch { left, right, .. } => (None, [used(left), used(right), None]),
        Instruction::Fence(_)
        | Instruction::Barrier { .. }
        | Instruction::ToDevice { .. }
        | Instruction::Goto(_) => (None, [None; 3]),
    }
}
