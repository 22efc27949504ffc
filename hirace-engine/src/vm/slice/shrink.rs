//! Removes and inserts instructions.

use super::over_approximation::read;
use crate::vm::code::{Code, Instruction, MemoryAccess, Pc, Range};
use crate::vm::operands::Operands;
use naga::BuiltIn;
use std::collections::BTreeMap;

/// Replaces the instructions of `code` with these; a `None` is removed. No remaining instruction writes, so
/// no memory has to be saved before the code runs.
pub fn shrink(code: Code, instructions: &[Option<Instruction>]) -> Code {
    // The new index of each instruction, or of the next one that remains.
    let mut moved: Vec<Pc> = Vec::with_capacity(instructions.len() + 1);
    let mut kept = 0;
    for instruction in instructions {
        moved.push(kept);
        kept += u32::from(instruction.is_some());
    }
    moved.push(kept);
    let places = code.places.iter().zip(instructions).filter(|(_, kept)| kept.is_some());
    let places = places.map(|(place, _)| *place).collect();
    let instructions = instructions.iter().flatten().map(|one| redirected(*one, &moved)).collect();
    let start = moved[code.start as usize];
    let mut shrunk = Code { instructions, places, start, ..code };
    shrunk.buffers.iter_mut().for_each(|used| used.writable = false);
    shrunk.textures.iter_mut().for_each(|used| used.writable = false);
    // Memory that is never written is zero and need not exist to be read; unread ids need not be computed.
    shrunk.workgroup_variables.iter_mut().for_each(|(_, bytes)| *bytes = 0);
    let looked_at = shrunk.instructions.iter();
    let looked_at = looked_at.flat_map(|one| read(&shrunk, &Operands::of(&shrunk, *one), *one));
    let looked_at: Vec<_> = looked_at.collect();
    shrunk.builtins.retain(|&(builtin, register)| {
        let registers = register..register + registers_of(builtin);
        let meets = |range: &Range| {
            range.start < registers.end && registers.start < range.start + range.count
        };
        looked_at.iter().any(meets)
    });
    shrunk
}

/// Returns the number of registers of a built-in input.
pub fn registers_of(builtin: BuiltIn) -> u32 {
    match builtin {
        BuiltIn::GlobalInvocationId
        | BuiltIn::LocalInvocationId
        | BuiltIn::WorkGroupId
        | BuiltIn::WorkGroupSize
        | BuiltIn::NumWorkGroups => 3,
        _ => 1,
    }
}

/// Inserts instructions into `code`, each before the instruction at its index, and replaces the list of
/// accesses. Jumps to such an index go to the inserted instruction.
pub fn insert(
    code: &Code,
    before: &BTreeMap<usize, Instruction>,
    accesses: Vec<MemoryAccess>,
) -> Code {
    let mut moved: Vec<Pc> = Vec::with_capacity(code.instructions.len() + 1);
    let (mut instructions, mut places) = (Vec::new(), Vec::new());
    for (at, (&instruction, &place)) in code.instructions.iter().zip(&code.places).enumerate() {
        moved.push(instructions.len() as Pc);
        for one in before.get(&at).copied().into_iter().chain([instruction]) {
            instructions.push(one);
            places.push(place);
        }
    }
    moved.push(instructions.len() as Pc);
    let instructions = instructions.into_iter().map(|one| redirected(one, &moved)).collect();
    let start = moved[code.start as usize];
    Code { instructions, places, start, accesses, ..code.clone() }
}

/// Drops each `if` that contains no kept instruction, from the inside out.
pub fn drop_empty_ifs(code: &Code, kept: &mut [bool]) {
    // The indices of the kept instructions so far: the last one shows whether an `if` has just begun.
    let mut before: Vec<usize> = Vec::new();
    for at in 0..kept.len() {
        if !kept[at] {
            continue;
        }
        before.push(at);
        let last: Vec<_> = before.iter().rev().take(3).map(|at| code.instructions[*at]).collect();
        let empty = match last[..] {
            [Instruction::EndIf, Instruction::If { .. }, ..] => 2,
            [Instruction::EndIf, Instruction::Else { .. }, Instruction::If { .. }] => 3,
            _ => continue,
        };
        before.drain(before.len() - empty..).for_each(|at| kept[at] = false);
    }
}

/// Returns an instruction with updated jump targets.
fn redirected(instruction: Instruction, moved: &[Pc]) -> Instruction {
    let to = |pc: Pc| moved.get(pc as usize).copied().unwrap_or(pc);
    match instruction {
        Instruction::If { condition, otherwise } => {
            Instruction::If { condition, otherwise: to(otherwise) }
        }
        Instruction::Else { end } => Instruction::Else { end: to(end) },
        Instruction::Loop { continuing, site } => {
            Instruction::Loop { continuing: to(continuing), site }
        }
        Instruction::Continuing { back } => Instruction::Continuing { back: to(back) },
        Instruction::Back { start } => Instruction::Back { start: to(start) },
        Instruction::Switch { selector, chosen, table, first } => {
            Instruction::Switch { selector, chosen, table, first: to(first) }
        }
        Instruction::Case { chosen, index, falls, next } => {
            Instruction::Case { chosen, index, falls, next: to(next) }
        }
        Instruction::Call { function, end } => {
            Instruction::Call { function: to(function), end: to(end) }
        }
        other => other,
    }
}
