//! Code without the instructions that a slice does without.

use crate::vm::code::{Code, Instruction, MemoryAccess, Pc};

/// `code` with these instructions in the place of its own, and these accesses. What is `None` is gone. Nothing that is left
/// writes, so no memory has to be saved before it runs.
pub fn shrink(
    code: &Code,
    instructions: &[Option<Instruction>],
    accesses: Vec<MemoryAccess>,
) -> Code {
    // Where what stood at each place is now, or what comes after it.
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
    let mut shrunk = Code { instructions, places, start, accesses, ..code.clone() };
    shrunk.buffers.iter_mut().for_each(|used| used.writable = false);
    shrunk.textures.iter_mut().for_each(|used| used.writable = false);
    shrunk
}

/// Drops each `if` that holds nothing that is kept, from the inside out.
pub fn drop_empty_ifs(code: &Code, kept: &mut [bool]) {
    // The places of what is kept so far: the end of it shows whether an `if` has just begun.
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

/// An instruction whose targets have moved.
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
