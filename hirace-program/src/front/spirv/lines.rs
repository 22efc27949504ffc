//! Source lines of instructions, as far as the module contains them.

use super::declarations::SpirvDeclarations;
use super::words::{Instruction, Words};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// Instruction numbers of `NonSemantic.Shader.DebugInfo.100`.
const DEBUG_SOURCE: u32 = 35;
const DEBUG_SOURCE_CONTINUED: u32 = 102;
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;
/// The limit on the total bytes of texts that are kept. One string may be the text of many files.
pub const TEXTS: usize = 64 << 20;
/// The numbers of glslang and of shaderc, which contains it.
const GLSLANG: [u32; 2] = [8, 13];
const DEBUG_INFO: &str = "NonSemantic.Shader.DebugInfo.100";

/// A location in a source file: lines and columns from 1, columns 0 if unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The id of the string that names the file.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The column after the last, or 0 if unknown.
    pub end: u32,
}

/// The source lines of instructions, and the source texts.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// By instruction.
    pub of: Vec<Option<Line>>,
    /// By the id of the name of a file: its text, if the module contains it.
    pub texts: FxHashMap<u32, String>,
    /// The number of the declared source language.
    pub language: u32,
}

impl Lines {
    /// Reads the lines of `words`.
    pub fn read(words: &Words, declared: &SpirvDeclarations) -> Self {
        let mut reader = Reader {
            declared,
            lines: Self::default(),
            now: None,
            sources: FxHashMap::default(),
            left: TEXTS,
            repeats: GLSLANG.contains(&(words.generator() >> 16)),
        };
        let mut last_text = None;
        for instruction in words.instructions() {
            reader.instruction(instruction, &mut last_text);
            reader.lines.of.push(reader.now);
        }
        for text in reader.lines.texts.values_mut() {
            *text = without_preamble(text).to_owned();
        }
        reader.lines
    }
}

struct Reader<'a> {
    declared: &'a SpirvDeclarations,
    lines: Lines,
    now: Option<Line>,
    /// By the id of a `DebugSource`: the id of the name of its file.
    sources: FxHashMap<u32, u32>,
    /// The remaining bytes of text that may be kept.
    left: usize,
    /// Whether a line also applies to the blocks that follow.
    repeats: bool,
}

impl Reader<'_> {
    /// Stores the text of a file, or appends to it.
    fn keep(&mut self, file: u32, text: &str, is_more: bool) {
        let Some(left) = self.left.checked_sub(text.len()) else { return };
        self.left = left;
        let kept = self.lines.texts.entry(file).or_default();
        if !is_more {
            kept.clear();
        }
        kept.push_str(text);
    }

    /// Processes an instruction. `last_text` is the file whose text a continuation instruction extends.
    fn instruction(&mut self, instruction: Instruction<'_>, last_text: &mut Option<u32>) {
        let operand = |index| instruction.operand(index);
        match instruction.op() {
            Some(Op::Source) => {
                self.lines.language = operand(0).unwrap_or_default();
                *last_text = operand(2);
                if let (Some(file), Some(_)) = (operand(2), operand(3)) {
                    self.keep(file, &instruction.text(3).0, false);
                }
            }
            Some(Op::SourceContinued) => {
                if let Some(file) = last_text.filter(|file| self.lines.texts.contains_key(file)) {
                    self.keep(file, &instruction.text(0).0, true);
                }
            }
            Some(Op::Line) => {
                if let [Some(file), Some(line), Some(column)] = [0, 1, 2].map(operand) {
                    self.now =
                        Some(Line { file, line, column, end: 0 }).filter(|line| line.line > 0);
                }
            }
            // A line applies up to the end of its block. glslang repeats a line only where it changes.
            Some(Op::Label) if self.repeats => {}
            Some(Op::NoLine | Op::Label | Op::Function | Op::FunctionEnd) => self.now = None,
            Some(Op::ExtInst) => {
                let set = operand(2).and_then(|id| self.declared.sets_imported.get(&id));
                if set.is_some_and(|name| name == DEBUG_INFO) {
                    self.debug(instruction, last_text);
                }
            }
            _ => {}
        }
    }

    fn debug(&mut self, instruction: Instruction<'_>, last_text: &mut Option<u32>) {
        let operand = |index: usize| instruction.operand(4 + index);
        let declared = self.declared;
        let number = |index| operand(index).and_then(|id| declared.constants.get(&id).copied());
        let string = |index| operand(index).and_then(|id| declared.strings.get(&id));
        match instruction.operand(3) {
            Some(DEBUG_SOURCE) => {
                let (Some(id), Some(file)) = (instruction.operand(1), operand(0)) else { return };
                self.sources.insert(id, file);
                *last_text = Some(file);
                if let Some(text) = string(1) {
                    self.keep(file, text, false);
                }
            }
            Some(DEBUG_SOURCE_CONTINUED) => {
                let file = last_text.filter(|file| self.lines.texts.contains_key(file));
                if let (Some(file), Some(more)) = (file, string(0)) {
                    self.keep(file, more, true);
                }
            }
            Some(DEBUG_LINE) => {
                let file = operand(0).and_then(|id| self.sources.get(&id).copied());
                let (Some(file), Some(line)) = (file, number(1)) else { return };
                let one_line = number(2) == Some(line);
                let column = number(3).unwrap_or_default();
                let end = number(4).filter(|end| one_line && *end > column).unwrap_or_default();
                self.now = Some(Line { file, line, column, end }).filter(|line| line.line > 0);
            }
            Some(DEBUG_NO_LINE) => self.now = None,
            _ => {}
        }
    }
}

/// Returns the user's text without the command line comments that glslang puts before it.
fn without_preamble(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        if line.starts_with("#line 1") {
            return after;
        }
        if !line.starts_with("// OpModuleProcessed") {
            return text;
        }
        rest = after;
    }
    text
}
