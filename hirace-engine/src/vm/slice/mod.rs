//! The address slice of a kernel: what is left of it when nothing is computed but which memory is touched, by whom, and
//! between which barriers.
//!
//! Where conditions and addresses hang on the ids of invocations and on what is constant in a launch alone (uniforms,
//! lengths, read-only buffers), the accesses of a dispatch can be had without its data: the slice is ordinary code, in which
//! stores and atomic operations are shown and write nothing, loads are shown and read nothing, unless an address or a
//! condition hangs on what they read, and all that nobody looks at any more is gone. Whoever watches it sees the accesses of
//! the kernel itself, in one of the orders that the kernel may have.
//!
//! **What counts as data** (`taint`): what is read of memory that somebody writes, what atomic operations give, what
//! invocations of a subgroup pass to each other or know of it, what is read of textures, and what is computed with
//! floats, which devices round in ways of their own.
//!
//! A memory of which an address is data is left out, and said to be [undecided](Slice::undecided). Where a condition is,
//! all that it decides runs (`loosen`), so that the slice may do more than the kernel, if there is something to see there.
//! Loops are kept, with all that decides when they end, but for those of which it is [known](Known) and in which nothing
//! is looked at (`idle`): such a slice ends if and only if the kernel does.
//!
//! Workgroups that do the same to their own memory need not all be run ([`classes`]).

pub mod classes;
mod idle;
mod loosen;
mod nest;
mod shrink;
mod taint;

use super::code::{
    Barrier, Code, ImageOperation, ImageStep, Instruction, MemoryAccess, MemoryRef, Range, Register,
};
use super::observer::MemoryId;
use crate::ir::sites::SiteId;
pub use idle::STEPS_OF_A_TURN;
use loosen::{Loosened, loosen};
use nest::Nest;
use std::collections::{BTreeMap, BTreeSet};
use taint::Taint;

/// A kernel that has slices.
#[derive(Debug)]
pub struct Slices {
    code: Code,
    nest: Nest,
    loosened: Loosened,
    /// Memories whose contents it hangs on whether accesses are come to.
    reads: BTreeSet<MemoryId>,
    /// By which workgroups are held to be alike.
    rules: classes::Rules,
}

/// What is known of a dispatch before, so that no slice has to show it.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Accesses that take part in no race, and of which every index is in bounds.
    pub accesses: BTreeSet<SiteId>,
    /// By the site of a loop: how many turns it has at most whenever it is entered.
    pub turns: BTreeMap<SiteId, u64>,
    /// How many steps those may take at most that are passed over: where steps are limited, they may be too many.
    pub most_steps: u64,
    /// Whether all invocations of a workgroup come to the same barriers.
    pub is_uniform: bool,
}

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

impl Slices {
    /// Those of `code`, if it has any, where nobody writes to the memories that are `left_alone`: of other memory that may be
    /// written, what it holds is data. The code has to be [lowered apart](super::lower::lower_apart).
    pub fn of(mut code: Code, left_alone: &BTreeSet<MemoryId>) -> Option<Self> {
        for used in &mut code.buffers {
            used.writable &= !left_alone.contains(&used.memory);
        }
        // Which invocations a subgroup has is the device's.
        let is_of_subgroups = |barrier: &Barrier| {
            barrier.does.is_of_subgroups() || !barrier.does.in_subgroup.is_empty()
        };
        if code.uses_subgroups() || code.barriers.iter().any(is_of_subgroups) {
            return None;
        }
        let nest = Nest::of(&code)?;
        let loosened = loosen(&code, &nest)?;
        let (reads, rules) = (BTreeSet::new(), classes::Rules::default());
        let mut slices = Self { code, nest, loosened, reads, rules };
        slices.reads = slices.visits(&slices.accesses().collect()).reads;
        Some(slices)
    }

    /// The accesses of the kernel.
    pub fn accesses(&self) -> impl Iterator<Item = SiteId> {
        let instructions = self.code.instructions.iter();
        instructions.filter_map(|one| Some(touch(&self.code, *one)?.site))
    }

    /// Memories whose contents it hangs on whether those are come to.
    pub fn reads(&self) -> &BTreeSet<MemoryId> {
        &self.reads
    }

    /// Whether slices show what the kernel does, and no more.
    pub fn are_exact(&self) -> bool {
        self.loosened.exact
    }

    /// What of the kernel is not known.
    pub fn slice(&self, known: &Known) -> Slice {
        let look = |site| match known.accesses.contains(&site) {
            true => Look::Away,
            false => Look::Closely,
        };
        let turns = |site| known.turns.get(&site).copied();
        let (undecided_yet, most_steps) = (BTreeSet::new(), known.most_steps);
        let mut asked =
            Asked { look: &look, undecided: undecided_yet, waits: true, turns: &turns, most_steps };
        asked.undecided = undecided(&self.code, &self.loosened.taint, &asked);
        let mut instructions = self.code.instructions.iter();
        asked.waits = !known.is_uniform || instructions.any(|one| asked.shows(&self.code, *one));
        self.asked(&asked)
    }

    /// What says whether invocations come to these accesses, and where they go there is not computed. For those that
    /// [are exact](Self::are_exact), of kernels that are known to end.
    pub fn visits(&self, accesses: &BTreeSet<SiteId>) -> Slice {
        let look = |site| match accesses.contains(&site) {
            true => Look::There,
            false => Look::Away,
        };
        let (undecided, turns) = (BTreeSet::new(), &|_| Some(0));
        self.asked(&Asked { look: &look, undecided, waits: false, turns, most_steps: 0 })
    }

    fn asked(&self, asked: &Asked<'_>) -> Slice {
        let code = &self.code;
        let mut kept = self.loosened.kept.clone();
        let mut passed = BTreeMap::new();
        // What goes takes with it what it was computed of, and with that may go something else.
        loop {
            let needed = asked.needed(code, &kept);
            let mut left = kept.clone();
            for (left, instruction) in left.iter_mut().zip(&code.instructions) {
                *left &= asked.keeps(code, &needed, *instruction);
            }
            shrink::drop_empty_ifs(code, &mut left);
            idle::drop_loops(code, &self.nest, asked, &mut left, &mut passed);
            if left == kept {
                break;
            }
            kept = left;
        }
        let needed = asked.needed(code, &kept);
        let (accesses, image_steps) = (code.accesses.clone(), code.image_steps.clone());
        let mut showing =
            Showing { code, asked, needed, accesses, image_steps, reads: BTreeSet::new() };
        let kept = (0..).zip(&code.instructions).zip(kept);
        let instructions = kept.map(|((at, one), kept)| {
            kept.then(|| match passed.get(&at) {
                Some(&steps) => Instruction::Pass { steps },
                None => showing.of(*one),
            })
        });
        let instructions: Vec<_> = instructions.collect();
        let Showing { accesses, image_steps, reads, .. } = showing;
        let shown = Code { accesses, image_steps, ..code.clone() };
        let shrunk = shrink::shrink(shown, &instructions);
        let undecided = asked.undecided.clone();
        Slice { code: shrunk, exact: self.are_exact(), undecided, reads }
    }
}

impl Slice {
    /// The accesses that it shows.
    pub fn shown(&self) -> impl Iterator<Item = SiteId> {
        let instructions = self.code.instructions.iter();
        instructions.filter_map(|one| Some(touch(&self.code, *one)?.site))
    }

    /// How many steps an invocation takes at most, if that is all that there is to see.
    pub fn only_takes(&self) -> Option<u64> {
        let instructions = &self.code.instructions;
        let mut sum = instructions.len() as u64;
        let mut calls = false;
        for instruction in instructions {
            match *instruction {
                Instruction::Pass { steps } => sum += u64::from(steps),
                Instruction::Call { .. } => calls = true,
                Instruction::Loop { .. }
                | Instruction::Barrier { .. }
                | Instruction::Address { .. }
                | Instruction::AddressFrom { .. }
                | Instruction::Load { .. } => return None,
                Instruction::Image { .. } if touch(&self.code, *instruction).is_some() => {
                    return None;
                }
                _ => {}
            }
        }
        // How often functions are called is not counted.
        (!calls || sum == instructions.len() as u64).then_some(sum)
    }
}

/// How an access is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Who does it, and where it goes.
    Closely,
    /// Who does it.
    There,
    /// Not at all.
    Away,
}

/// What a slice is to show.
#[derive(Clone)]
struct Asked<'a> {
    look: &'a dyn Fn(SiteId) -> Look,
    /// Memories of which it shows nothing.
    undecided: BTreeSet<MemoryId>,
    /// Whether it waits at barriers.
    waits: bool,
    /// How many turns loops have at most, of which that is known.
    turns: &'a dyn Fn(SiteId) -> Option<u64>,
    /// How many steps those may take that are passed over.
    most_steps: u64,
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

/// What observers see of an instruction: an access to memory.
struct Touch {
    site: SiteId,
    memory: MemoryId,
    /// The registers that say where it goes: an address, or the coordinates of a texel and its layer.
    at: [Range; 2],
}

/// See [`Touch`].
fn touch(code: &Code, instruction: Instruction) -> Option<Touch> {
    let one = |start: Register| Range { start, count: 1 };
    if let Instruction::Image { index } = instruction {
        let step = code.image_steps.get(index as usize)?;
        let (site, _) = step.site?;
        let memory = code.textures.get(step.texture as usize)?.memory;
        let layer = step.layer.map_or(Range::NONE, |(register, _)| one(register));
        return Some(Touch { site, memory, at: [step.coordinate, layer] });
    }
    let access = access(code, instruction)?;
    let event = access.event.as_ref()?;
    let memory = memory(code, access.memory)?;
    Some(Touch { site: event.site, memory, at: [one(event.address), Range::NONE] })
}

/// The memories of which an address or an index is data that is looked at.
fn undecided(code: &Code, taint: &Taint, asked: &Asked<'_>) -> BTreeSet<MemoryId> {
    let mut undecided = BTreeSet::new();
    for &instruction in &code.instructions {
        let of = match instruction {
            Instruction::Address { index, check, .. }
            | Instruction::AddressFrom { index, check, .. } => {
                let check = &code.checks[check as usize];
                let is_data = taint.has(index) && asked.looks_closely(check.site);
                check.memory.filter(|_| is_data)
            }
            _ => touch(code, instruction).and_then(|touch| {
                let is_data = touch.at.into_iter().any(|range| taint.any(range));
                (is_data && asked.looks_closely(touch.site)).then_some(touch.memory)
            }),
        };
        undecided.extend(of);
    }
    undecided
}

impl Asked<'_> {
    fn looks_closely(&self, site: SiteId) -> bool {
        (self.look)(site) == Look::Closely
    }

    /// For each register, whether an address or a condition of the slice hangs on it.
    fn needed(&self, code: &Code, kept: &[bool]) -> Vec<bool> {
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
                for range in self.looked_at(code, &needed, instruction) {
                    news |= need(&mut needed, range);
                }
            }
            if !news {
                return needed;
            }
        }
    }

    /// What a slice that needs `needed` looks at for this instruction.
    fn looked_at(&self, code: &Code, needed: &[bool], instruction: Instruction) -> Vec<Range> {
        let one = |start: Register| Range { start, count: 1 };
        let is_needed = is_needed(code, needed, instruction);
        let mut looked_at = self.shown_at(code, instruction);
        looked_at.extend(match instruction {
            Instruction::If { condition, .. } | Instruction::BreakIf { condition, .. } => {
                vec![one(condition)]
            }
            Instruction::Switch { selector, .. } => vec![one(selector)],
            Instruction::Case { chosen, .. } => vec![one(chosen)],
            Instruction::Store { .. } | Instruction::Atomic { .. } => Vec::new(),
            _ if is_needed || self.checks(code, instruction) => taint::operands(code, instruction),
            _ => Vec::new(),
        });
        looked_at
    }

    /// The registers that say where an access goes, if observers are to see that.
    fn shown_at(&self, code: &Code, instruction: Instruction) -> Vec<Range> {
        let touch = touch(code, instruction)
            .filter(|touch| self.shows(code, instruction) && self.looks_closely(touch.site));
        touch.into_iter().flat_map(|touch| touch.at).collect()
    }

    /// Whether an index is looked at since it may be out of the bounds of a memory that is decided.
    fn checks(&self, code: &Code, instruction: Instruction) -> bool {
        let (Instruction::Address { check, .. } | Instruction::AddressFrom { check, .. }) =
            instruction
        else {
            return false;
        };
        let check = &code.checks[check as usize];
        let is_decided = check.memory.is_some_and(|memory| !self.undecided.contains(&memory));
        is_decided && self.looks_closely(check.site)
    }

    /// Whether something of an instruction is left in a slice that needs `needed`.
    fn keeps(&self, code: &Code, needed: &[bool], instruction: Instruction) -> bool {
        match instruction {
            Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Atomic { .. }
            | Instruction::Image { .. } => {
                self.shows(code, instruction) || is_needed(code, needed, instruction)
            }
            Instruction::Address { .. } | Instruction::AddressFrom { .. } => {
                self.checks(code, instruction) || is_needed(code, needed, instruction)
            }
            Instruction::Claim { .. }
            | Instruction::Count { .. }
            | Instruction::Subgroup { .. } => false,
            Instruction::Copy { .. }
            | Instruction::Assign { .. }
            | Instruction::Clear { .. }
            | Instruction::Binary { .. }
            | Instruction::Unary { .. }
            | Instruction::Compute { .. }
            | Instruction::Length { .. }
            | Instruction::Offset { .. }
            | Instruction::Gather { .. }
            | Instruction::Scatter { .. } => is_needed(code, needed, instruction),
            Instruction::Barrier { .. } | Instruction::Fence { .. } => self.waits,
            Instruction::If { .. }
            | Instruction::Else { .. }
            | Instruction::EndIf
            | Instruction::Loop { .. }
            | Instruction::Continuing { .. }
            | Instruction::BreakIf { .. }
            | Instruction::Back { .. }
            | Instruction::Pass { .. }
            | Instruction::Switch { .. }
            | Instruction::Case { .. }
            | Instruction::EndSwitch
            | Instruction::Break
            | Instruction::Continue
            | Instruction::Call { .. }
            | Instruction::Return { .. }
            | Instruction::FunctionEnd => true,
        }
    }

    /// Whether observers are to see an access.
    fn shows(&self, code: &Code, instruction: Instruction) -> bool {
        touch(code, instruction).is_some_and(|touch| {
            (self.look)(touch.site) != Look::Away && !self.undecided.contains(&touch.memory)
        })
    }
}

/// Whether something writes what is needed.
fn is_needed(code: &Code, needed: &[bool], instruction: Instruction) -> bool {
    let written = taint::written(code, instruction);
    written.iter().any(|range| needed[range.indices()].contains(&true))
}

/// Makes accesses that are shown and do nothing of those that do something.
struct Showing<'c> {
    code: &'c Code,
    asked: &'c Asked<'c>,
    needed: Vec<bool>,
    accesses: Vec<MemoryAccess>,
    image_steps: Vec<ImageStep>,
    reads: BTreeSet<MemoryId>,
}

impl Showing<'_> {
    /// What is left of an instruction: of an access that nobody needs, a load of no parts, which observers see as what
    /// it was.
    fn of(&mut self, instruction: Instruction) -> Instruction {
        if let Instruction::Image { index } = instruction {
            let step = self.code.image_steps[index as usize].clone();
            // What texels hold is data, so nobody needs it.
            let Some((site, _)) = step.site else { return instruction };
            let operation = ImageOperation::Load { sample: None, level: None };
            let step = ImageStep { operation, value: Range::NONE, ..step };
            // Where nobody looks where it goes, it goes to a texel that there is: outside of a texture nobody is seen.
            self.image_steps.push(match self.asked.looks_closely(site) {
                true => step,
                false => ImageStep { coordinate: Range::NONE, layer: None, ..step },
            });
            return Instruction::Image { index: self.image_steps.len() as u32 - 1 };
        }
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
