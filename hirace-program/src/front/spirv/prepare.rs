//! Prepares a module for naga: removes what naga does not need, and replaces what it does not support.
//!
//! naga rejects instructions, extensions and operands that do not affect the behavior of a program (lines, strings, alignments,
//! execution modes of other vendors). They are removed, as are functions that no compute entry point calls. Constants that naga
//! does not support are computed where they are used (`constants`), and some instructions are replaced by several others with the
//! same effect (`lowered`, `remainder`, `subgroups`, `bytes`). Combined image samplers and arrays of buffers and textures are split
//! (`resources`), and atomics on texels become stores (`texels`). A table maps the new words to the instructions of the module, so
//! that naga's spans can be mapped back.

mod bytes;
mod changed_bindings;
mod constants;
mod layout;
mod lowered;
mod remainder;
mod resources;
mod subgroups;
mod texels;

use super::declarations::SpirvDeclarations;
use super::specialized::SpecializedConstants;
use super::switches;
use super::types::Type;
use super::words::{Instruction, Words};
use changed_bindings::ChangedBindings;
use constants::ComputedConstant;
use layout::Layouts;
use lowered::Pool;
use resources::Resources;
pub use resources::{ALL_ELEMENTS, ArrayOfResources, DynamicElement, ELEMENTS, array_of_resources};
use rspirv::spirv::{Decoration, ExecutionMode, ImageFormat, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use subgroups::Lane;
pub use texels::{restore as restore_texels, texel_atomic};

/// The maximum number of words for naga.
const WORDS: usize = 1 << 24;
/// The maximum number of elements that accesses with dynamic indices choose between, in total.
const CHOICES: u32 = 1 << 16;

/// The words for naga.
#[derive(Clone, Debug)]
pub struct PreparedModule {
    /// The words.
    pub words: Vec<u32>,
    /// By instruction in `words`: its origin.
    kept: Vec<SourceInstruction>,
    /// The accesses to arrays of resources with dynamic indices, in the order of the module.
    pub dynamic_elements: Vec<DynamicElement>,
    /// The instruction whose replacement makes the module too large.
    pub too_large: Option<usize>,
}

/// An instruction for naga.
#[derive(Clone, Copy, Debug)]
struct SourceInstruction {
    /// The index of the instruction in the module.
    index: usize,
    /// The index of its first word in the words for naga.
    word: usize,
    /// The index of that word as counted in naga's spans. naga does not count the lists of variables and sizes at the end of
    /// entry points and execution modes.
    counted: usize,
}

impl PreparedModule {
    /// Returns the instruction of the module at which a span of naga with this start begins.
    pub fn instruction(&self, byte: usize) -> Option<usize> {
        let next = self.kept.partition_point(|kept| kept.counted * 4 <= byte);
        self.kept.get(next.checked_sub(1)?).map(|kept| kept.index)
    }

    /// Returns the instruction of the module that a word of `words` belongs to.
    pub fn instruction_at(&self, word: usize) -> Option<usize> {
        let next = self.kept.partition_point(|kept| kept.word <= word);
        self.kept.get(next.checked_sub(1)?).map(|kept| kept.index)
    }

    /// Returns whether an instruction accesses an element of an array of resources at a dynamic index.
    pub fn is_dynamic_element(&self, instruction: usize) -> bool {
        self.dynamic_elements.binary_search_by_key(&instruction, |of| of.access).is_ok()
    }

    /// Returns naga's span of an instruction of the module, if it is in `words`.
    pub fn span(&self, instruction: usize) -> Option<naga::Span> {
        let at = self.kept.binary_search_by_key(&instruction, |kept| kept.index).ok()?;
        let SourceInstruction { word, counted, .. } = self.kept[at];
        let count = (self.words[word] >> 16) as usize;
        Some(naga::Span::new(counted as u32 * 4, (counted + count) as u32 * 4))
    }
}

/// Prepares a module for naga.
pub fn prepare(
    words: &Words,
    declared: &SpirvDeclarations,
    specialized: &SpecializedConstants,
) -> PreparedModule {
    let bound = ChangedBindings::of(declared);
    let mut fresh = words.bound();
    let mut next = || {
        fresh += 1;
        fresh - 1
    };
    let resources = Resources::of(words, declared, bound.free, &mut next);
    let lane = Lane::of(words, declared, &mut next);
    let dynamic_elements = resources.dynamic_elements();
    let mut prepare = Prepare {
        words,
        declared,
        specialized,
        fresh,
        sized: false,
        annotated: false,
        entered: false,
        made: Vec::new(),
        made_ids: FxHashSet::default(),
        pool: Pool::default(),
        pooled: false,
        layouts: Layouts::of(words, declared),
        bound,
        resources,
        index_type: None,
        lane,
        texels: FxHashMap::default(),
        reached: reached(words, declared),
        within: None,
        uncounted: 0,
        result: PreparedModule {
            words: words.header().to_vec(),
            kept: Vec::new(),
            too_large: too_many(&dynamic_elements).then_some(0),
            dynamic_elements,
        },
    };
    for instruction in words.instructions() {
        prepare.instruction(instruction);
    }
    prepare.result
}

fn too_many(dynamic: &[DynamicElement]) -> bool {
    let count = |of: &DynamicElement| of.elements.len() as u32;
    dynamic.iter().fold(0, |sum: u32, of| sum.saturating_add(count(of))) > CHOICES
}

/// Returns the functions that compute entry points call, directly or indirectly.
pub fn reached(words: &Words, declared: &SpirvDeclarations) -> FxHashSet<u32> {
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let mut caller = None;
    for instruction in words.instructions() {
        match (instruction.op(), caller) {
            (Some(Op::Function), _) => caller = instruction.operand(1),
            (Some(Op::FunctionCall), Some(from)) => {
                calls.extend(instruction.operand(2).map(|to| (from, to)));
            }
            _ => {}
        }
    }
    calls.sort_unstable();
    let mut reached: FxHashSet<u32> = FxHashSet::default();
    let mut next: Vec<u32> = declared.entries.iter().map(|(function, _)| *function).collect();
    while let Some(function) = next.pop() {
        if reached.insert(function) {
            let first = calls.partition_point(|(from, _)| *from < function);
            let of_it = calls[first..].iter().take_while(|(from, _)| *from == function);
            next.extend(of_it.map(|(_, to)| *to));
        }
    }
    reached
}

struct Prepare<'a> {
    words: &'a Words,
    declared: &'a SpirvDeclarations,
    specialized: &'a SpecializedConstants,
    /// The next unused id.
    fresh: u32,
    /// Whether the workgroup sizes were written.
    sized: bool,
    /// Whether the additional annotations were written.
    annotated: bool,
    /// Whether the first block of the function has begun.
    entered: bool,
    /// Constants that functions compute.
    made: Vec<ComputedConstant>,
    /// Their ids.
    made_ids: FxHashSet<u32>,
    /// Types and constants for replaced instructions.
    pool: Pool,
    /// Whether the pool was written, if it is needed.
    pooled: bool,
    /// Layouts of buffers that contain 8-bit integers.
    layouts: Layouts,
    bound: ChangedBindings,
    resources: Resources,
    /// The type of the private variables for indices of arrays of resources, once it was declared.
    index_type: Option<u32>,
    lane: Lane,
    /// By pointer to a texel: the pointer to the image, and the coordinates.
    texels: FxHashMap<u32, (u32, u32)>,
    reached: FxHashSet<u32>,
    /// Whether the current function is kept; `None` between functions.
    within: Option<bool>,
    /// The number of words that naga has not counted.
    uncounted: usize,
    result: PreparedModule,
}

impl Prepare<'_> {
    fn keep(&mut self, instruction: Instruction<'_>, words: &[u32]) {
        let word = self.result.words.len();
        if word > WORDS {
            self.result.too_large.get_or_insert(instruction.index);
            return;
        }
        let counted = word - self.uncounted;
        self.result.kept.push(SourceInstruction { index: instruction.index, word, counted });
        let opcode = words[0] & 0xffff;
        self.uncounted += match Op::from_u32(opcode) {
            Some(Op::EntryPoint) => words.len().saturating_sub(3 + instruction.text(2).1),
            Some(Op::ExecutionMode | Op::TypeFunction) => words.len().saturating_sub(3),
            _ => 0,
        };
        self.result.words.push((words.len() as u32) << 16 | opcode);
        self.result.words.extend(&words[1..]);
    }

    /// Adds an instruction with a result of this type, and returns the result's id.
    fn put(&mut self, instruction: Instruction<'_>, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.fresh();
        self.keep(instruction, &[&[op as u32, ty, id], operands].concat());
        id
    }

    fn fresh(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh - 1
    }

    fn instruction(&mut self, instruction: Instruction<'_>) {
        let words = instruction.words;
        let Some(op) = instruction.op() else { return self.keep(instruction, words) };
        if op == Op::Function {
            self.within = Some(instruction.operand(1).is_some_and(|id| self.reached.contains(&id)));
            self.entered = false;
            self.fill_pool(instruction);
        }
        let kept = self.within != Some(false);
        if op == Op::FunctionEnd {
            self.within = None;
        }
        self.sizes(op, instruction);
        self.annotate(op, instruction);
        if !kept
            || self.is_ignored_by_naga(op, instruction)
            || self.is_of_resources(op, instruction)
            || self.replace_texel_atomic(op, instruction)
            || self.is_of_bytes(op, instruction)
            || self.is_lowered(op, instruction)
        {
            return;
        }
        match op {
            Op::Constant
            | Op::ConstantComposite
            | Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantOp => self.constant(op, instruction),
            Op::Label if !self.entered => {
                self.entered = true;
                self.keep(instruction, words);
                self.make_constants(instruction);
            }
            Op::Switch => {
                let ordered = switches::ordered(self.words, instruction);
                self.keep(instruction, &ordered.unwrap_or_else(|| words.to_vec()));
            }
            // Alignments and similar operands; those that matter are read from the original words.
            Op::Load if words.len() > 4 => self.keep(instruction, &words[..4]),
            Op::Store | Op::CopyMemory if words.len() > 3 => self.keep(instruction, &words[..3]),
            // A zero initializer, which workgroup memory has here in any case.
            Op::Variable if words.len() == 5 && words[3] == StorageClass::Workgroup as u32 => {
                self.keep(instruction, &words[..4]);
            }
            Op::Decorate if words.len() == 4 && words[2] == Decoration::Binding as u32 => {
                let binding = self.bound.new_bindings.get(&words[1]).copied().unwrap_or(words[3]);
                self.keep(instruction, &[words[0], words[1], words[2], binding]);
            }
            Op::TypePointer | Op::Variable
                if words.len() > 3 && self.bound.push_constants.is_some() =>
            {
                let mut words = words.to_vec();
                let class = if op == Op::TypePointer { &mut words[2] } else { &mut words[3] };
                if *class == StorageClass::PushConstant as u32 {
                    *class = StorageClass::Uniform as u32;
                }
                self.keep(instruction, &words);
            }
            _ => self.keep(instruction, words),
        }
    }

    /// Returns a format that can represent all texels of a type.
    fn format_of(&self, ty: u32) -> ImageFormat {
        match self.declared.types.get(&ty) {
            Some(Type::Int { signed: true, .. }) => ImageFormat::Rgba32i,
            Some(Type::Int { .. }) => ImageFormat::Rgba32ui,
            _ => ImageFormat::Rgba32f,
        }
    }

    /// Adds the workgroup sizes after the last entry point.
    fn sizes(&mut self, op: Op, instruction: Instruction<'_>) {
        let before = matches!(
            op,
            Op::Capability | Op::Extension | Op::ExtInstImport | Op::MemoryModel | Op::EntryPoint
        );
        if before || std::mem::replace(&mut self.sized, true) {
            return;
        }
        for (function, _) in &self.declared.entries {
            let size = self.size(*function);
            let mode = [Op::ExecutionMode as u32, *function, ExecutionMode::LocalSize as u32];
            self.keep(instruction, &[mode, size].concat());
        }
    }

    /// Adds the binding of push constants that are converted to a uniform buffer, before the first annotation or type.
    fn annotate(&mut self, op: Op, instruction: Instruction<'_>) {
        let at = matches!(op, Op::Decorate | Op::MemberDecorate | Op::DecorationGroup)
            || format!("{op:?}").starts_with("Type");
        if !at || std::mem::replace(&mut self.annotated, true) {
            return;
        }
        self.annotate_resources(instruction);
        self.annotate_lane(instruction);
        if let Some((id, set, binding)) = self.bound.push_constants {
            for (decoration, value) in
                [(Decoration::DescriptorSet, set), (Decoration::Binding, binding)]
            {
                let words = [Op::Decorate as u32, id, decoration as u32, value];
                self.keep(instruction, &words);
            }
        }
    }

    /// Returns the workgroup size of an entry point. A constant that is decorated as the workgroup size applies to all.
    fn size(&self, function: u32) -> [u32; 3] {
        let declared = self.declared;
        let value = |id: &u32| declared.constants.get(id).copied().unwrap_or(1);
        let of_all = declared.workgroup_size.and_then(|id| declared.composites.get(&id));
        if let Some([x, y, z]) = of_all.map(Vec::as_slice) {
            return [x, y, z].map(value);
        }
        let is = |instruction: &Instruction<'_>, op: Op, mode: ExecutionMode| {
            instruction.op() == Some(op)
                && instruction.operands(0).starts_with(&[function, mode as u32])
        };
        for instruction in self.words.instructions() {
            let size = instruction.operands(2).iter();
            if is(&instruction, Op::ExecutionMode, ExecutionMode::LocalSize) {
                return three(size.copied());
            }
            if is(&instruction, Op::ExecutionModeId, ExecutionMode::LocalSizeId) {
                return three(size.map(value));
            }
        }
        [1; 3]
    }

    /// Returns whether an instruction has no meaning for naga.
    fn is_ignored_by_naga(&self, op: Op, instruction: Instruction<'_>) -> bool {
        let first = instruction.operand(0);
        let is_entry = |id| self.declared.entries.iter().any(|(function, _)| Some(*function) == id);
        match op {
            Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::String
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::ModuleProcessed
            | Op::Capability
            | Op::Extension
            | Op::DecorateId
            // Workgroup sizes are added separately.
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::DecorateString
            | Op::MemberDecorateString => true,
            Op::Name => instruction.operand(1) == Some(0),
            // naga does not support write-only memory.
            Op::Decorate => self.is_unknown(instruction.operand(1)),
            Op::MemberDecorate => self.is_unknown(instruction.operand(2)),
            Op::ExtInstImport => self.is_non_semantic(first),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => {
                self.is_non_semantic(instruction.operand(2))
            }
            Op::EntryPoint => !is_entry(instruction.operand(1)),
            _ => false,
        }
    }

    /// Returns whether `set` only contains non-semantic instructions.
    fn is_non_semantic(&self, set: Option<u32>) -> bool {
        let set = set.and_then(|id| self.declared.sets_imported.get(&id));
        set.is_some_and(|name| name.starts_with("NonSemantic."))
    }

    /// Returns whether a decoration has no meaning, or would be interpreted incorrectly by naga.
    fn is_unknown(&self, decoration: Option<u32>) -> bool {
        let decoration = decoration.and_then(Decoration::from_u32);
        matches!(decoration, Some(Decoration::NonReadable | Decoration::SpecId))
    }
}

fn three(size: impl Iterator<Item = u32>) -> [u32; 3] {
    let mut three = [1; 3];
    three.iter_mut().zip(size).for_each(|(at, size)| *at = size);
    three
}
