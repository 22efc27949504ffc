//! The module as naga takes it: without what says nothing to it, and with what it knows by other words.
//!
//! naga refuses instructions, extensions and operands that change nothing of what a program does (lines,
//! strings, alignments, execution modes of other vendors). They go, as do the functions that no compute
//! entry point calls; what is left stands where a table says, by which naga's spans become instructions
//! of the module again.

use super::declared::Declared;
use super::specialized::Specialized;
use super::words::{Instruction, Words};
use rspirv::spirv::{Decoration, ExecutionMode, Op, StorageClass};
use rustc_hash::FxHashSet;

/// The words for naga.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The words.
    pub words: Vec<u32>,
    /// By instruction in `words`.
    kept: Vec<Kept>,
}

/// An instruction for naga.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Which of the module's it is.
    index: usize,
    /// Its first word in the words for naga.
    word: usize,
    /// That word as naga's spans count: without the lists of variables and sizes that entry points and
    /// execution modes end in, which it passes over uncounted.
    counted: usize,
}

impl Prepared {
    /// Which instruction of the module the byte at which a span of naga begins is of.
    pub fn instruction(&self, byte: usize) -> Option<usize> {
        let next = self.kept.partition_point(|kept| kept.counted * 4 <= byte);
        self.kept.get(next.checked_sub(1)?).map(|kept| kept.index)
    }

    /// Which instruction of the module a word of `words` is of.
    pub fn instruction_at(&self, word: usize) -> Option<usize> {
        let next = self.kept.partition_point(|kept| kept.word <= word);
        self.kept.get(next.checked_sub(1)?).map(|kept| kept.index)
    }

    /// What naga's span of an instruction of the module would be, if that is in `words`.
    pub fn span(&self, instruction: usize) -> Option<naga::Span> {
        let at = self.kept.binary_search_by_key(&instruction, |kept| kept.index).ok()?;
        let Kept { word, counted, .. } = self.kept[at];
        let count = (self.words[word] >> 16) as usize;
        Some(naga::Span::new(counted as u32 * 4, (counted + count) as u32 * 4))
    }
}

/// Makes a module ready for naga.
pub fn prepare(words: &Words, declared: &Declared, specialized: &Specialized) -> Prepared {
    let mut prepare = Prepare {
        words,
        declared,
        specialized,
        fresh: words.bound(),
        named: false,
        entered: false,
        reached: reached(words, declared),
        within: None,
        uncounted: 0,
        result: Prepared { words: words.header().to_vec(), kept: Vec::new() },
    };
    for instruction in words.instructions() {
        prepare.instruction(instruction);
    }
    prepare.result
}

/// The functions that compute entry points call.
fn reached(words: &Words, declared: &Declared) -> FxHashSet<u32> {
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
    declared: &'a Declared,
    specialized: &'a Specialized,
    /// An id that nothing has.
    fresh: u32,
    /// Whether the names and decorations that are put in are there.
    named: bool,
    /// Whether the first block of the function has begun.
    entered: bool,
    reached: FxHashSet<u32>,
    /// Whether the function that is being passed is kept; `None` between functions.
    within: Option<bool>,
    /// Words that naga has passed over uncounted.
    uncounted: usize,
    result: Prepared,
}

impl Prepare<'_> {
    fn keep(&mut self, instruction: Instruction<'_>, words: &[u32]) {
        let word = self.result.words.len();
        let counted = word - self.uncounted;
        self.result.kept.push(Kept { index: instruction.index, word, counted });
        self.uncounted += match instruction.op() {
            Some(Op::EntryPoint) => words.len().saturating_sub(3 + instruction.text(2).1),
            Some(Op::ExecutionMode | Op::ExecutionModeId | Op::TypeFunction) => {
                words.len().saturating_sub(3)
            }
            _ => 0,
        };
        let opcode = words[0] & 0xffff;
        self.result.words.push((words.len() as u32) << 16 | opcode);
        self.result.words.extend(&words[1..]);
    }

    fn instruction(&mut self, instruction: Instruction<'_>) {
        let words = instruction.words;
        let Some(op) = instruction.op() else { return self.keep(instruction, words) };
        if op == Op::Function {
            self.within = Some(instruction.operand(1).is_some_and(|id| self.reached.contains(&id)));
        }
        let kept = self.within != Some(false);
        if op == Op::FunctionEnd {
            self.within = None;
        }
        self.put_in(op, instruction);
        if !kept || self.says_nothing(op, instruction) {
            return;
        }
        match op {
            Op::ExecutionModeId => self.keep(instruction, &self.local_size(instruction)),
            Op::TypeArray if words.len() == 4 && self.is_specialized(words[3]) => {
                let length = self.constant(instruction, words[3]);
                self.keep(instruction, &[words[0], words[1], words[2], length]);
            }
            Op::SpecConstantOp if words.len() > 3 => {
                let value = self.declared.constants.get(&words[2]).copied().unwrap_or_default();
                let constant = [Op::SpecConstant as u32, words[1], words[2], value];
                self.keep(instruction, &constant);
            }
            // Functions make it of its parts.
            Op::SpecConstantComposite => {}
            Op::Label if !self.entered => {
                self.entered = true;
                self.keep(instruction, words);
                self.vectors(instruction);
            }
            // Alignments and the like; what matters of them is read elsewhere.
            Op::Load if words.len() > 4 => self.keep(instruction, &words[..4]),
            Op::Store | Op::CopyMemory if words.len() > 3 => self.keep(instruction, &words[..3]),
            // Zeros, as workgroup memory has them here in any case.
            Op::Variable if words.len() == 5 && words[3] == StorageClass::Workgroup as u32 => {
                self.keep(instruction, &words[..4]);
            }
            _ => self.keep(instruction, words),
        }
    }

    fn is_specialized(&self, id: u32) -> bool {
        self.declared.spec_ids.contains_key(&id)
    }

    /// Puts in what has to stand before an instruction: once, behind the last name, names that keep arrays of
    /// specialized length apart from others, and numbers for computed constants.
    fn put_in(&mut self, op: Op, instruction: Instruction<'_>) {
        if op == Op::Function {
            self.entered = false;
        }
        let declares = matches!(op, Op::Decorate | Op::MemberDecorate | Op::DecorationGroup)
            || format!("{op:?}").starts_with("Type");
        if self.named || !declares {
            return;
        }
        self.named = true;
        for array in self.words.instructions().filter(|other| other.op() == Some(Op::TypeArray)) {
            if let [Some(id), _, Some(length)] = [0, 1, 2].map(|index| array.operand(index))
                && self.is_specialized(length)
            {
                let text = format!("sized_{id}\0\0\0\0");
                let (name, _) = text.as_bytes().as_chunks::<4>();
                let name = name.iter().map(|bytes| u32::from_le_bytes(*bytes));
                let words: Vec<u32> = [Op::Name as u32, id].into_iter().chain(name).collect();
                self.keep(instruction, &words);
            }
        }
        let specialized = self.specialized;
        for computed in &specialized.computed {
            let decoration = Decoration::SpecId as u32;
            let words = [Op::Decorate as u32, computed.id, decoration, computed.spec_id];
            self.keep(instruction, &words);
        }
    }

    /// A constant with the default value of a specialized one.
    fn constant(&mut self, instruction: Instruction<'_>, of: u32) -> u32 {
        let value = self.declared.constants.get(&of).copied().unwrap_or_default();
        let Some(ty) = self.specialized.ty(of) else { return of };
        let id = self.fresh;
        self.fresh += 1;
        self.keep(instruction, &[Op::Constant as u32, ty, id, value]);
        id
    }

    /// The vectors of specialization constants that the function uses which begins before this label.
    fn vectors(&mut self, label: Instruction<'_>) {
        let rest = (label.index..self.words.len()).filter_map(|index| self.words.get(index));
        let body = rest.take_while(|instruction| instruction.op() != Some(Op::FunctionEnd));
        let used: FxHashSet<u32> =
            body.flat_map(|instruction| instruction.operands(0)).copied().collect();
        let mut vectors: Vec<_> = self.specialized.vectors.iter().collect();
        vectors.sort_unstable();
        for (id, made_of) in vectors {
            if let ([ty, parts @ ..], true) = (made_of.as_slice(), used.contains(id)) {
                let mut words = vec![Op::CompositeConstruct as u32, *ty, *id];
                words.extend(parts);
                self.keep(label, &words);
            }
        }
    }

    /// Whether an instruction is nothing to naga.
    fn says_nothing(&self, op: Op, instruction: Instruction<'_>) -> bool {
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
            | Op::DecorateString
            | Op::MemberDecorateString => true,
            Op::Name => instruction.operand(1) == Some(0),
            Op::ExtInstImport => self.is_non_semantic(first),
            Op::ExtInst => self.is_non_semantic(instruction.operand(2)),
            Op::EntryPoint => !is_entry(instruction.operand(1)),
            Op::ExecutionMode | Op::ExecutionModeId => {
                let mode = instruction.operand(1).and_then(ExecutionMode::from_u32);
                !is_entry(first)
                    || !matches!(mode, Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId))
            }
            _ => false,
        }
    }

    /// Whether `set` holds instructions that do nothing.
    fn is_non_semantic(&self, set: Option<u32>) -> bool {
        let set = set.and_then(|id| self.declared.sets_imported.get(&id));
        set.is_some_and(|name| name.starts_with("NonSemantic."))
    }

    /// `LocalSizeId` as `LocalSize`: with the default values of specialization constants.
    fn local_size(&self, instruction: Instruction<'_>) -> Vec<u32> {
        let value = |id: &u32| self.declared.constants.get(id).copied().unwrap_or_default();
        let sizes = instruction.operands(2).iter().map(value);
        let mut words = vec![Op::ExecutionMode as u32];
        words.extend(instruction.operand(0));
        words.push(ExecutionMode::LocalSize as u32);
        words.extend(sizes);
        words
    }
}
