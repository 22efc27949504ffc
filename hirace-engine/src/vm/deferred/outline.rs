//! Static facts about code: which registers each instruction touches, and where each memory is in the row.

use super::reachability::reaches_write;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::memory::MemoryId;
use crate::vm::code::{Code, Instruction, Leaf, MemoryAccess, MemoryRef, Pc, Range, Register};
use crate::vm::engine::Setup;
use crate::vm::memory::Resources;
use crate::vm::operands::Operands;

/// The outline of code over its resources.
#[derive(Clone, Debug)]
pub struct Outline {
    /// For each instruction, the registers that it reads and writes; `None` if the code does not name them.
    touched: Vec<Option<Vec<Range>>>,
    /// For each instruction, the result of [`leads`].
    leads: Vec<bool>,
    /// For each buffer of the code, the index of its first word; unspecified if nothing may write the buffer.
    buffers: Vec<u32>,
    /// For each buffer of the code, its number of words.
    lengths: Vec<u32>,
    /// For each workgroup variable, the index of its first word, relative to the first word of its workgroup.
    variables: Vec<u32>,
    /// Number of words of all buffers.
    storage: u32,
    /// Number of words of the variables of one workgroup.
    workgroup: u32,
}

/// The target of an access: the word at `base` plus the word of an address to which `offset` was added, in
/// bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub base: u32,
    pub offset: u32,
}

impl Outline {
    /// Creates the outline of code over resources. `observed` is the memory that is observed after the
    /// dispatch. Each memory begins at a multiple of `line` words.
    ///
    /// # Errors
    ///
    /// Fails if the code has operations that cannot be deferred, or if a resource is not bound.
    pub fn new(
        code: &Code,
        resources: &Resources,
        observed: &[MemoryId],
        line: u32,
    ) -> Result<Self> {
        let of_words = |access: &MemoryAccess| {
            !is_writable(code, access)
                || matches!(&access.parts[..], [part] if part.leaf == Leaf::Words(1))
        };
        let is_one_word = code.accesses.iter().all(of_words)
            && code
                .atomics
                .iter()
                .all(|atomic| atomic.scalar.width == 4 && atomic.compare.is_none());
        if !is_one_word || code.instructions.iter().copied().any(is_refused) {
            let message =
                "simulated memory supports only single-word loads, stores, updates, and barriers";
            return Err(Diagnostic::new(message).into());
        }
        let mut storage = 0_u32;
        let mut buffers = Vec::new();
        let mut lengths = Vec::new();
        for used in &code.buffers {
            let missing = || Diagnostic::new(format!("no buffer is bound to `{}`", used.name));
            let words = resources.buffer(used.memory).ok_or_else(missing)?.words().len() as u32;
            buffers.push(storage);
            lengths.push(words);
            if used.writable {
                storage += words.next_multiple_of(line);
            }
        }
        let mut workgroup = 0_u32;
        let mut variables = Vec::new();
        for (_, bytes) in &code.workgroup_variables {
            variables.push(workgroup);
            workgroup += bytes.div_ceil(4).next_multiple_of(line);
        }
        let touched = code.instructions.iter().map(|instruction| touched(code, *instruction));
        Ok(Self {
            touched: touched.collect(),
            leads: reaches_write(code, observed),
            buffers,
            lengths,
            variables,
            storage,
            workgroup,
        })
    }

    /// Returns the length of the row for this number of workgroups.
    pub fn words(&self, workgroups: u32) -> usize {
        self.storage as usize + self.workgroup as usize * workgroups as usize
    }

    /// Returns the range of a buffer's words in the row, if the code may write the buffer.
    pub fn of(&self, code: &Code, memory: MemoryId) -> Option<std::ops::Range<usize>> {
        let at = code.buffers.iter().position(|used| used.memory == memory && used.writable)?;
        let start = self.buffers[at] as usize;
        Some(start..start + self.lengths[at] as usize)
    }

    pub(super) fn place(&self, setup: &Setup<'_>, workgroup: u32, access: u32) -> Place {
        let access = &setup.code.accesses[access as usize];
        let base = match access.memory {
            MemoryRef::Buffer(buffer) => self.buffers[buffer as usize],
            MemoryRef::Workgroup(variable) => {
                self.storage + workgroup * self.workgroup + self.variables[variable as usize]
            }
        };
        Place { base, offset: access.parts.first().map_or(0, |part| part.offset) }
    }

    /// Returns whether an instruction touches one of these registers.
    pub(super) fn touches(&self, pc: Pc, mut registers: impl Iterator<Item = Register>) -> bool {
        match self.touched.get(pc as usize) {
            Some(Some(touched)) => registers.any(|register| {
                touched.iter().any(|range| range.indices().contains(&(register as usize)))
            }),
            _ => true,
        }
    }

    pub(super) fn leads(&self, pc: Pc) -> bool {
        self.leads.get(pc as usize).copied().unwrap_or(true)
    }
}

/// Returns whether an instruction is visible to others but can be neither issued nor waited for.
fn is_refused(instruction: Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Image { .. }
            | Instruction::Subgroup { .. }
            | Instruction::Fence { .. }
            | Instruction::Count { .. }
    )
}

fn is_writable(code: &Code, access: &MemoryAccess) -> bool {
    match access.memory {
        MemoryRef::Buffer(buffer) => code.buffers[buffer as usize].writable,
        MemoryRef::Workgroup(_) => true,
    }
}

fn touched(code: &Code, instruction: Instruction) -> Option<Vec<Range>> {
    let Operands { results, sources, effects, reads_others } = Operands::of(code, instruction);
    (!reads_others).then(|| [results, sources, effects].concat())
}
