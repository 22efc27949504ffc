//! Code without the instructions that a slice does without.

use crate::vm::code::{Code, Instruction, MemoryAccess, Pc};

/// `code` with these instructions in the place of its own, and these accesses. What is `None` is gone, and so is an `if`
/// that has nothing left in it.
pub fn shrink(
    code: &Code,
    instructions: &[Option<Instruction>],
    accesses: Vec<MemoryAccess>,
) -> Code {
    let instructions = without_empty_ifs(instructions);
    // Where what stood at each place is now, or what comes after it.
    let mut moved: Vec<Pc> = Vec::with_capacity(instructions.len() + 1);
    let mut kept = 0;
    for instruction in &instructions {
        moved.push(kept);
        kept += u32::from(instruction.is_some());
    }
    moved.push(kept);
    let places = code.places.iter().zip(&instructions).filter(|(_, kept)| kept.is_some());
    let places = places.map(|(place, _)| *place).collect();
    let instructions = instructions.iter().flatten().map(|one| redirected(*one, &moved)).collect();
    let start = moved[code.start as usize];
    Code { instructions, places, start, accesses, ..code.clone() }
}

/// Removes each `if` that holds no instructions, from the inside out.
fn without_empty_ifs(instructions: &[Option<Instruction>]) -> Vec<Option<Instruction>> {
    let mut left = instructions.to_vec();
    // What is kept so far, by place: the end of it says whether an `if` has just begun.
    let mut kept: Vec<usize> = Vec::new();
    for at in 0..left.len() {
        let Some(instruction) = left[at] else { continue };
        kept.push(at);
        if !matches!(instruction, Instruction::EndIf) {
            continue;
        }
        let is = |back: usize, of: fn(&Instruction) -> bool| {
            let place = kept.len().checked_sub(back).and_then(|at| kept.get(at));
            place.and_then(|at| left[*at].as_ref()).is_some_and(of)
        };
        let is_if = |one: &Instruction| matches!(one, Instruction::If { .. });
        let is_else = |one: &Instruction| matches!(one, Instruction::Else { .. });
        let empty = if is(2, is_if) {
            2
        } else if is(2, is_else) && is(3, is_if) {
            3
        } else {
            continue;
        };
        for at in kept.drain(kept.len() - empty..) {
            left[at] = None;
        }
    }
    left
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
