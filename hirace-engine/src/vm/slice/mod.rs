//! The address slice of a kernel: what is left of it when nothing is computed but which memory is touched, by whom, and
//! between which barriers.
//!
//! Where conditions and addresses hang on the ids of invocations and on what is constant in a launch alone (uniforms,
//! lengths, read-only buffers), the accesses of a dispatch can be had without its data: the slice is ordinary code, in which
//! stores and atomic operations are shown and write nothing, loads are shown and read nothing, unless an address or a
//! condition hangs on what they read, and all that nobody looks at any more is gone. Whoever watches it sees the accesses of
//! the kernel itself, in one of the orders that the kernel may have.
//!
//! **What counts as data** (`taint`): what is read of memory that somebody may write, what atomic operations give, what
//! invocations of a subgroup pass to each other or know of it, what is read of textures, and what is computed with
//! floats, which devices round in ways of their own.
//!
//! A memory of which an address is data is left out, and said to be [undecided](Slice::undecided). Where a condition is,
//! all that it decides runs (`loosen`), so that the slice may do more than the kernel. Otherwise loops are kept, with all
//! that decides when they end: such a slice ends if and only if the kernel does.

mod loosen;
mod nest;
mod shrink;
mod taint;

use super::code::{Barrier, Code, Instruction, MemoryAccess, MemoryRef, Range, Register};
use super::observer::MemoryId;
use loosen::{Loosened, loosen};
use std::collections::BTreeSet;
use taint::Taint;

/// See the [module](self).
#[derive(Debug)]
pub struct Slice {
    /// What is left. It writes to no memory.
    pub code: Code,
    /// Whether it shows what the kernel does, and no more. If not, a memory in which nothing races here, and no index is
    /// out of bounds, is one in which nothing races there; and that is all that it says.
    pub exact: bool,
    /// Memories of which it shows no accesses, since some of their addresses are data.
    pub undecided: BTreeSet<MemoryId>,
    /// Memories whose contents it reads: what it shows holds for these contents.
    pub reads: BTreeSet<MemoryId>,
}

/// The slice of `code`, if there is one. The code has to be [lowered apart](super::lower::lower_apart).
pub fn slice(code: &Code) -> Option<Slice> {
    // Which invocations a subgroup has is the device's.
    let is_of_subgroups =
        |barrier: &Barrier| barrier.does.is_of_subgroups() || !barrier.does.in_subgroup.is_empty();
    if code.uses_subgroups() || code.barriers.iter().any(is_of_subgroups) {
        return None;
    }
    let Loosened { mut kept, taint } = loosen(code)?;
    let exact = !kept.contains(&false);
    let undecided = undecided(code, &taint);
    // An `if` that goes takes with it what its condition was computed of, and with that may go another.
    loop {
        let needed = needed(code, &undecided, &kept);
        let mut left = kept.clone();
        for (left, instruction) in left.iter_mut().zip(&code.instructions) {
            *left &= is_kept(code, &undecided, &needed, *instruction);
        }
        shrink::drop_empty_ifs(code, &mut left);
        if left == kept {
            break;
        }
        kept = left;
    }
    let needed = needed(code, &undecided, &kept);
    let mut showing =
        Showing { code, needed, accesses: code.accesses.clone(), reads: BTreeSet::new() };
    let kept = code.instructions.iter().zip(kept);
    let instructions: Vec<_> = kept.map(|(one, kept)| kept.then(|| showing.of(*one))).collect();
    let Showing { accesses, reads, .. } = showing;
    let code = shrink::shrink(code, &instructions, accesses);
    Some(Slice { code, exact, undecided, reads })
}

/// A memory that accesses name.
fn memory(code: &Code, memory: MemoryRef) -> Option<MemoryId> {
    match memory {
        MemoryRef::Buffer(buffer) => code.buffers.get(buffer as usize).map(|used| used.memory),
        MemoryRef::Workgroup(variable) => {
            code.workgroup_variables.get(variable as usize).map(|(memory, _)| *memory)
        }
    }
}

/// Which access an instruction does.
fn access(code: &Code, instruction: Instruction) -> Option<&MemoryAccess> {
    let index = match instruction {
        Instruction::Load { access, .. } | Instruction::Store { access, .. } => access,
        Instruction::Atomic { operation, .. } => code.atomics.get(operation as usize)?.access,
        _ => return None,
    };
    code.accesses.get(index as usize)
}

/// The memories of which an address or an index is data, and textures.
fn undecided(code: &Code, taint: &Taint) -> BTreeSet<MemoryId> {
    let mut undecided = BTreeSet::new();
    for &instruction in &code.instructions {
        let of = match instruction {
            Instruction::Address { index, check, .. }
            | Instruction::AddressFrom { index, check, .. } => {
                code.checks[check as usize].memory.filter(|_| taint.has(index))
            }
            Instruction::Image { index } => {
                let step = &code.image_steps[index as usize];
                step.site.map(|_| code.textures[step.texture as usize].memory)
            }
            _ => access(code, instruction).and_then(|access| {
                access.event.as_ref().filter(|event| taint.has(event.address))?;
                memory(code, access.memory)
            }),
        };
        undecided.extend(of);
    }
    undecided
}

/// For each register, whether an address or a condition of the slice hangs on it.
fn needed(code: &Code, undecided: &BTreeSet<MemoryId>, kept: &[bool]) -> Vec<bool> {
    let mut needed = vec![false; code.registers as usize];
    let need = |needed: &mut Vec<bool>, range: Range| {
        let mut news = false;
        for register in &mut needed[range.indices()] {
            news |= !std::mem::replace(register, true);
        }
        news
    };
    loop {
        let mut news = false;
        let kept = code.instructions.iter().zip(kept).filter(|(_, kept)| **kept);
        for (&instruction, _) in kept.rev() {
            for range in looked_at(code, undecided, &needed, instruction) {
                news |= need(&mut needed, range);
            }
        }
        if !news {
            return needed;
        }
    }
}

/// What a slice that needs `needed` looks at for this instruction.
fn looked_at(
    code: &Code,
    undecided: &BTreeSet<MemoryId>,
    needed: &[bool],
    instruction: Instruction,
) -> Vec<Range> {
    let one = |start: Register| Range { start, count: 1 };
    let is_needed = is_needed(code, needed, instruction);
    match instruction {
        Instruction::If { condition, .. } | Instruction::BreakIf { condition, .. } => {
            vec![one(condition)]
        }
        Instruction::Switch { selector, .. } => vec![one(selector)],
        Instruction::Case { chosen, .. } => vec![one(chosen)],
        Instruction::Load { .. } | Instruction::Store { .. } | Instruction::Atomic { .. } => {
            let Some(access) = access(code, instruction) else { return Vec::new() };
            let event = access.event.as_ref();
            let event = event.filter(|_| is_shown(code, undecided, instruction));
            let mut looked_at: Vec<Range> =
                event.map(|event| one(event.address)).into_iter().collect();
            if let Instruction::Load { address, .. } = instruction
                && is_needed
            {
                looked_at.push(one(address));
            }
            looked_at
        }
        _ if is_needed || is_checked(code, undecided, instruction) => {
            taint::operands(code, instruction)
        }
        _ => Vec::new(),
    }
}

/// Whether an index is looked at since it may be out of the bounds of a memory that is decided.
fn is_checked(code: &Code, undecided: &BTreeSet<MemoryId>, instruction: Instruction) -> bool {
    let (Instruction::Address { check, .. } | Instruction::AddressFrom { check, .. }) = instruction
    else {
        return false;
    };
    code.checks[check as usize].memory.is_some_and(|memory| !undecided.contains(&memory))
}

/// Whether something writes what is needed.
fn is_needed(code: &Code, needed: &[bool], instruction: Instruction) -> bool {
    let written = taint::written(code, instruction);
    written.iter().any(|range| needed[range.indices()].contains(&true))
}

/// Whether something of an instruction is left in a slice that needs `needed`.
fn is_kept(
    code: &Code,
    undecided: &BTreeSet<MemoryId>,
    needed: &[bool],
    instruction: Instruction,
) -> bool {
    match instruction {
        Instruction::Load { .. } | Instruction::Store { .. } | Instruction::Atomic { .. } => {
            is_shown(code, undecided, instruction) || is_needed(code, needed, instruction)
        }
        Instruction::Address { .. } | Instruction::AddressFrom { .. } => {
            is_checked(code, undecided, instruction) || is_needed(code, needed, instruction)
        }
        Instruction::Claim { .. } | Instruction::Count { .. } | Instruction::Subgroup { .. } => {
            false
        }
        Instruction::Copy { .. }
        | Instruction::Assign { .. }
        | Instruction::Clear { .. }
        | Instruction::Binary { .. }
        | Instruction::Unary { .. }
        | Instruction::Compute { .. }
        | Instruction::Length { .. }
        | Instruction::Offset { .. }
        | Instruction::Gather { .. }
        | Instruction::Scatter { .. }
        | Instruction::Image { .. } => is_needed(code, needed, instruction),
        Instruction::If { .. }
        | Instruction::Else { .. }
        | Instruction::EndIf
        | Instruction::Loop { .. }
        | Instruction::Continuing { .. }
        | Instruction::BreakIf { .. }
        | Instruction::Back { .. }
        | Instruction::Switch { .. }
        | Instruction::Case { .. }
        | Instruction::EndSwitch
        | Instruction::Break
        | Instruction::Continue
        | Instruction::Call { .. }
        | Instruction::Return { .. }
        | Instruction::FunctionEnd
        | Instruction::Barrier { .. }
        | Instruction::Fence { .. } => true,
    }
}

/// Whether observers are to see an access.
fn is_shown(code: &Code, undecided: &BTreeSet<MemoryId>, instruction: Instruction) -> bool {
    access(code, instruction).is_some_and(|access| {
        let memory = memory(code, access.memory);
        access.event.is_some() && memory.is_some_and(|memory| !undecided.contains(&memory))
    })
}

/// Makes accesses that are shown and do nothing of those that do something.
struct Showing<'c> {
    code: &'c Code,
    needed: Vec<bool>,
    accesses: Vec<MemoryAccess>,
    reads: BTreeSet<MemoryId>,
}

impl Showing<'_> {
    /// What is left of an instruction: of an access that nobody needs, a load of no parts, which observers see as what
    /// it was.
    fn of(&mut self, instruction: Instruction) -> Instruction {
        let Some(access) = access(self.code, instruction) else { return instruction };
        if is_needed(self.code, &self.needed, instruction) {
            self.reads.extend(memory(self.code, access.memory));
            return instruction;
        }
        let Some(event) = access.event.clone() else { return instruction };
        let (address, memory) = (event.address, access.memory);
        self.accesses.push(MemoryAccess { memory, parts: Box::default(), event: Some(event) });
        Instruction::Load { to: 0, address, access: self.accesses.len() as u32 - 1 }
    }
}
