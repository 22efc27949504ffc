//! The address slice of a kernel: the kernel reduced to which memory is accessed, by which invocations, and
//! between which barriers.
//!
//! If conditions and addresses depend only on invocation ids and on launch constants (uniforms, lengths,
//! read-only buffers), the accesses of a dispatch can be computed without its data. The slice is ordinary
//! code. Its stores and atomic operations are shown but write nothing. Its loads are shown but read nothing,
//! unless an address or a condition depends on their values. Everything that is no longer needed is removed.
//! An observer sees the accesses of the kernel, in one of the kernel's possible orders.
//!
//! **What counts as data** (`taint`): values read from memory that is written, results of atomic operations,
//! values that invocations of a subgroup exchange or know about each other, texels, and results of
//! floating-point arithmetic, which devices may round differently.
//!
//! A memory with an address that is data is omitted and reported as [undecided](Slice::undecided). If a
//! condition is data, everything it decides runs (`over_approximation`), so the slice may contain accesses that the kernel does
//! not make. It is then not [exact](Slice::exact). Loops are kept, with everything that decides when they end, except for
//! [known](KnownFacts) loops in which nothing is shown (`idle`). So a slice terminates if and only if the kernel
//! does.
//!
//! Of workgroups that access their own memory in the same way, not all have to be run ([`classes`]).
//!
//! A slice is made from flat code and not from naga's IR. In flat code every value has its own register, and
//! control flow consists of a dozen instructions, so this takes a tenth of the code, and sites need no
//! mapping. The same engine runs a slice under the same monitor, so there is no second definition of accesses
//! and barriers. A slice omits accesses that were [proved](KnownFacts) to be safe. `exec::visits` of hirace-core counts,
//! with another slice, the invocations that reach them.

pub mod classes;
mod idle;
mod nest;
mod over_approximation;
mod shrink;
mod taint;

use super::code::{
    Barrier, Code, ImageOperation, ImageStep, Instruction, MemoryAccess, MemoryRef, Range,
};
use super::observer::MemoryId;
use super::operands::{Operands, RegisterSet, one};
use crate::ir::sites::SiteId;
pub use idle::MIN_STEPS_PER_ITERATION;
use nest::Nest;
use over_approximation::{LoosenedSlice, loosen};
use std::collections::{BTreeMap, BTreeSet};

/// A kernel that has slices.
#[derive(Debug)]
pub struct Slices {
    code: Code,
    /// The operands of each instruction.
    operands: Vec<Operands>,
    nest: Nest,
    loosened: LoosenedSlice,
    /// Memories whose contents determine whether accesses are reached.
    reads: BTreeSet<MemoryId>,
    /// The rules of the classification of workgroups.
    rules: classes::Rules,
}

/// Facts about a dispatch that are known in advance, so that no slice has to show them.
#[derive(Clone, Debug, Default)]
pub struct KnownFacts {
    /// Accesses that take part in no race and have no index out of bounds.
    pub accesses: BTreeSet<SiteId>,
    /// For each loop, by its site: its maximum number of iterations whenever it is entered.
    pub max_iterations: BTreeMap<SiteId, u64>,
    /// Maximum number of steps that skipped loops may take: where steps are limited, more could be too many.
    pub max_skipped_steps: u64,
    /// Whether all invocations of a workgroup reach the same barriers.
    pub is_uniform: bool,
}

/// A slice of a kernel.
#[derive(Debug)]
pub struct Slice {
    /// The remaining code. It does not write memory.
    pub code: Code,
    /// Whether the slice shows exactly what the kernel does. If not, it shows only this: a memory without a
    /// race and without an index out of bounds in the slice has no race in the kernel.
    pub exact: bool,
    /// Memories whose accesses are not shown, because some of their addresses are data.
    pub undecided: BTreeSet<MemoryId>,
    /// Memories that the slice reads: what it shows holds for their current contents.
    pub reads: BTreeSet<MemoryId>,
}

impl Slices {
    /// Creates the slices of `code`; `None` if it has none. Nothing writes to the memories in `left_alone`;
    /// the contents of any other memory that may be written are data. The code must have been [lowered
    /// apart](super::lower::lower_for_single_steps).
    pub fn of(mut code: Code, left_alone: &BTreeSet<MemoryId>) -> Option<Self> {
        for used in &mut code.buffers {
            used.writable &= !left_alone.contains(&used.memory);
        }
        // Which invocations are in a subgroup depends on the device.
        let is_of_subgroups = |barrier: &Barrier| {
            barrier.does.is_subgroup_barrier() || !barrier.does.in_subgroup.is_empty()
        };
        if code.uses_subgroups() || code.barriers.iter().any(is_of_subgroups) {
            return None;
        }
        let nest = Nest::of(&code)?;
        let operands = Operands::table(&code);
        let loosened = loosen(&code, &operands, &nest)?;
        let (reads, rules) = (BTreeSet::new(), classes::Rules::default());
        let mut slices = Self { code, operands, nest, loosened, reads, rules };
        slices.reads = slices.visits(&slices.accesses().collect()).reads;
        Some(slices)
    }

    /// Returns the access sites of the kernel.
    pub fn accesses(&self) -> impl Iterator<Item = SiteId> {
        let instructions = self.code.instructions.iter();
        instructions.filter_map(|one| Some(visible_access(&self.code, *one)?.site))
    }

    /// Returns the memories whose contents determine whether accesses are reached.
    pub fn reads(&self) -> &BTreeSet<MemoryId> {
        &self.reads
    }

    /// Returns whether slices show exactly what the kernel does.
    pub fn are_exact(&self) -> bool {
        self.loosened.exact
    }

    /// Returns a slice that shows everything that is not known of the kernel.
    pub fn slice(&self, known: &KnownFacts) -> Slice {
        let detail_of = |site| match known.accesses.contains(&site) {
            true => AccessDetail::Hidden,
            false => AccessDetail::WithAddress,
        };
        let max_iterations = |site| known.max_iterations.get(&site).copied();
        let (undecided_yet, max_skipped_steps) = (BTreeSet::new(), known.max_skipped_steps);
        let mut request = SliceRequest {
            detail_of: &detail_of,
            undecided: undecided_yet,
            waits: true,
            max_iterations: &max_iterations,
            max_skipped_steps,
            operands: &self.operands,
        };
        request.undecided = undecided(&self.code, &self.loosened.taint, &request);
        let mut instructions = self.code.instructions.iter();
        request.waits =
            !known.is_uniform || instructions.any(|one| request.shows(&self.code, *one));
        self.build(&request)
    }

    /// Returns a slice that shows whether invocations reach these accesses, without computing their
    /// addresses. Only for slices that [are exact](Self::are_exact), of kernels that are known to terminate.
    pub fn visits(&self, accesses: &BTreeSet<SiteId>) -> Slice {
        let detail_of = |site| match accesses.contains(&site) {
            true => AccessDetail::InvocationOnly,
            false => AccessDetail::Hidden,
        };
        let (undecided, max_iterations) = (BTreeSet::new(), &|_| Some(0));
        let operands = &self.operands;
        let (waits, max_skipped_steps) = (false, 0);
        self.build(&SliceRequest {
            detail_of: &detail_of,
            undecided,
            waits,
            max_iterations,
            max_skipped_steps,
            operands,
        })
    }

    fn build(&self, request: &SliceRequest<'_>) -> Slice {
        let code = &self.code;
        let mut kept = self.loosened.kept.clone();
        let mut passed = BTreeMap::new();
        // Removing an instruction makes its operands unneeded, which may make further instructions removable.
        let needed = loop {
            let needed = request.needed(code, &kept);
            let mut left = kept.clone();
            for (at, left) in left.iter_mut().enumerate() {
                *left &= request.keeps(code, &needed, at);
            }
            shrink::drop_empty_ifs(code, &mut left);
            idle::drop_loops(code, &self.nest, request, &mut left, &mut passed);
            if left == kept {
                break needed;
            }
            kept = left;
        };
        let (accesses, image_steps) = (code.accesses.clone(), code.image_steps.clone());
        let mut showing =
            AccessDisplay { code, request, needed, accesses, image_steps, reads: BTreeSet::new() };
        let kept = code.instructions.iter().enumerate().zip(kept);
        let instructions = kept.map(|((at, one), kept)| {
            kept.then(|| match passed.get(&at) {
                Some(&steps) => Instruction::Pass { steps },
                None => showing.of(at, *one),
            })
        });
        let instructions: Vec<_> = instructions.collect();
        let AccessDisplay { accesses, image_steps, reads, .. } = showing;
        let shown = Code { accesses, image_steps, ..code.clone() };
        let shrunk = shrink::shrink(shown, &instructions);
        let undecided = request.undecided.clone();
        Slice { code: shrunk, exact: self.are_exact(), undecided, reads }
    }
}

impl Slice {
    /// Returns the sites of the accesses that the slice shows.
    pub fn shown(&self) -> impl Iterator<Item = SiteId> {
        let instructions = self.code.instructions.iter();
        instructions.filter_map(|one| Some(visible_access(&self.code, *one)?.site))
    }

    /// Returns the number of steps of an invocation, with each function counted once. Returns `None` if the slice
    /// computes an address, loads a value, accesses a texture, waits at a barrier, or contains a loop, or
    /// both calls and skipped loops.
    pub fn steps_without_accesses(&self) -> Option<u64> {
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
                Instruction::Image { .. } if visible_access(&self.code, *instruction).is_some() => {
                    return None;
                }
                _ => {}
            }
        }
        // The number of calls of a function is not counted.
        (!calls || sum == instructions.len() as u64).then_some(sum)
    }
}

/// How an access is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessDetail {
    /// With its invocation and its address.
    WithAddress,
    /// With its invocation only.
    InvocationOnly,
    /// Not at all.
    Hidden,
}

/// What a slice has to show.
#[derive(Clone)]
struct SliceRequest<'a> {
    detail_of: &'a dyn Fn(SiteId) -> AccessDetail,
    /// Memories whose accesses are not shown.
    undecided: BTreeSet<MemoryId>,
    /// Whether the slice waits at barriers.
    waits: bool,
    /// Returns the maximum number of iterations of a loop, if it is known.
    max_iterations: &'a dyn Fn(SiteId) -> Option<u64>,
    /// Maximum number of steps that skipped loops may take.
    max_skipped_steps: u64,
    /// The operands of each instruction.
    operands: &'a [Operands],
}

/// Returns the memory that an access refers to.
fn memory(code: &Code, memory: MemoryRef) -> Option<MemoryId> {
    match memory {
        MemoryRef::Buffer(buffer) => code.buffers.get(buffer as usize).map(|used| used.memory),
        MemoryRef::Workgroup(variable) => {
            code.workgroup_variables.get(variable as usize).map(|(memory, _)| *memory)
        }
    }
}

/// Returns the access that an instruction performs.
fn access(code: &Code, instruction: Instruction) -> Option<&MemoryAccess> {
    let index = match instruction {
        Instruction::Load { access, .. } | Instruction::Store { access, .. } => access,
        Instruction::Atomic { operation, .. } => code.atomics.get(operation as usize)?.access,
        _ => return None,
    };
    code.accesses.get(index as usize)
}

/// An access to memory as observers see it.
struct VisibleAccess {
    site: SiteId,
    memory: MemoryId,
    /// The registers that hold the location: an address, or the coordinates of a texel and its layer.
    at: [Range; 2],
}

/// Returns the [`VisibleAccess`] of an instruction, if it has one.
fn visible_access(code: &Code, instruction: Instruction) -> Option<VisibleAccess> {
    if let Instruction::Image { index } = instruction {
        let step = code.image_steps.get(index as usize)?;
        let (site, _) = step.site?;
        let memory = code.textures.get(step.texture as usize)?.memory;
        let layer = step.layer.map_or(Range::NONE, |(register, _)| one(register));
        return Some(VisibleAccess { site, memory, at: [step.coordinate, layer] });
    }
    let access = access(code, instruction)?;
    let event = access.event.as_ref()?;
    let memory = memory(code, access.memory)?;
    Some(VisibleAccess { site: event.site, memory, at: [one(event.address), Range::NONE] })
}

/// Returns the memories of which an address or a checked index is data.
fn undecided(code: &Code, taint: &RegisterSet, request: &SliceRequest<'_>) -> BTreeSet<MemoryId> {
    let mut undecided = BTreeSet::new();
    for &instruction in &code.instructions {
        let of = match instruction {
            Instruction::Address { index, check, .. }
            | Instruction::AddressFrom { index, check, .. } => {
                let check = &code.checks[check as usize];
                let is_data = taint.has(index) && request.shows_address(check.site);
                check.memory.filter(|_| is_data)
            }
            _ => visible_access(code, instruction).and_then(|access| {
                let is_data = access.at.into_iter().any(|range| taint.any(range));
                (is_data && request.shows_address(access.site)).then_some(access.memory)
            }),
        };
        undecided.extend(of);
    }
    undecided
}

impl SliceRequest<'_> {
    fn shows_address(&self, site: SiteId) -> bool {
        (self.detail_of)(site) == AccessDetail::WithAddress
    }

    /// Returns the registers that an address or a condition of the slice depends on.
    fn needed(&self, code: &Code, kept: &[bool]) -> RegisterSet {
        let mut needed = RegisterSet::empty(code);
        for (at, &instruction) in code.instructions.iter().enumerate().filter(|(at, _)| kept[*at]) {
            let operands = &self.operands[at];
            let decides = match instruction {
                Instruction::If { .. }
                | Instruction::BreakIf { .. }
                | Instruction::Switch { .. }
                | Instruction::Case { .. } => &operands.effects[..],
                _ if self.checks(code, instruction) => &operands.sources,
                _ => &[],
            };
            for range in self.shown_at(code, instruction).iter().chain(decides) {
                needed.insert(*range);
            }
        }
        needed.grow_backward(self.operands, |at| kept[at]);
        needed
    }

    /// Returns the registers that hold the location of an access, if observers are to see it.
    fn shown_at(&self, code: &Code, instruction: Instruction) -> Vec<Range> {
        let access = visible_access(code, instruction)
            .filter(|access| self.shows(code, instruction) && self.shows_address(access.site));
        access.into_iter().flat_map(|access| access.at).collect()
    }

    /// Returns whether an index has to be checked because it may be out of bounds in a memory that is
    /// decided.
    fn checks(&self, code: &Code, instruction: Instruction) -> bool {
        let (Instruction::Address { check, .. } | Instruction::AddressFrom { check, .. }) =
            instruction
        else {
            return false;
        };
        let check = &code.checks[check as usize];
        let is_decided = check.memory.is_some_and(|memory| !self.undecided.contains(&memory));
        is_decided && self.shows_address(check.site)
    }

    /// Returns whether a slice that needs `needed` keeps any part of an instruction.
    fn keeps(&self, code: &Code, needed: &RegisterSet, at: usize) -> bool {
        let instruction = code.instructions[at];
        let is_needed = self.operands[at].write_any(needed);
        match instruction {
            Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Atomic { .. }
            | Instruction::Image { .. } => self.shows(code, instruction) || is_needed,
            Instruction::Address { .. } | Instruction::AddressFrom { .. } => {
                self.checks(code, instruction) || is_needed
            }
            Instruction::Claim { .. }
            | Instruction::Count { .. }
            | Instruction::Subgroup { .. } => false,
            Instruction::Barrier { .. } | Instruction::Fence { .. } => self.waits,
            Instruction::Switch { .. } => true,
            // All others are control flow or computations.
            _ => is_needed || self.operands[at].results.is_empty(),
        }
    }

    /// Returns whether observers are to see an access.
    fn shows(&self, code: &Code, instruction: Instruction) -> bool {
        visible_access(code, instruction).is_some_and(|access| {
            (self.detail_of)(access.site) != AccessDetail::Hidden
                && !self.undecided.contains(&access.memory)
        })
    }
}

/// Turns accesses that have effects into accesses that are only shown.
struct AccessDisplay<'c> {
    code: &'c Code,
    request: &'c SliceRequest<'c>,
    needed: RegisterSet,
    accesses: Vec<MemoryAccess>,
    image_steps: Vec<ImageStep>,
    reads: BTreeSet<MemoryId>,
}

impl AccessDisplay<'_> {
    /// Returns the remaining part of an instruction. An access whose value is not needed becomes a load
    /// without parts, which observers see as the original access.
    fn of(&mut self, at: usize, instruction: Instruction) -> Instruction {
        if let Instruction::Image { index } = instruction {
            let step = self.code.image_steps[index as usize].clone();
            // Texels are data, so their contents are not needed.
            let Some((site, _)) = step.site else { return instruction };
            let operation = ImageOperation::Load { sample: None, level: None };
            let step = ImageStep { operation, value: Range::NONE, ..step };
            // If the location is not needed, the access goes to a texel that exists: accesses outside of a
            // texture are not shown.
            self.image_steps.push(match self.request.shows_address(site) {
                true => step,
                false => ImageStep { coordinate: Range::NONE, layer: None, ..step },
            });
            return Instruction::Image { index: self.image_steps.len() as u32 - 1 };
        }
        let Some(access) = access(self.code, instruction) else { return instruction };
        if self.request.operands[at].write_any(&self.needed) {
            self.reads.extend(memory(self.code, access.memory));
            return instruction;
        }
        let Some(event) = access.event.clone() else { return instruction };
        let (address, memory) = (event.address, access.memory);
        self.accesses.push(MemoryAccess { memory, parts: Box::default(), event: Some(event) });
        Instruction::Load { to: 0, address, access: self.accesses.len() as u32 - 1 }
    }
}
