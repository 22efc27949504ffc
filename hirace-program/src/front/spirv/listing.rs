//! The instructions of a module as text, as `spirv-dis` writes them, with the names that the module has.

use super::declared::Declared;
use super::words::Words;
use crate::ir::guard;
use rspirv::binary::{Consumer, Disassemble, ParseAction, Parser};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::Op;

/// How much of a string is shown.
const TEXT: usize = 60;

/// A line for each instruction of `words`. From where it is not to be read on, words are shown.
pub fn listing(words: &Words, declared: &Declared) -> Vec<String> {
    let bytes: Vec<u8> = words.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut read = Read::default();
    // It ends early on what is wrong, and fails on some of it.
    let lines = guard::run(|| {
        let _ = Parser::new(&bytes, &mut read).parse();
        read.0.iter().map(|instruction| line(instruction, declared)).collect::<Vec<_>>()
    });
    let mut lines = lines.unwrap_or_default();
    for instruction in words.instructions().skip(lines.len()) {
        let operands = instruction.operands(0).iter().map(|word| format!(" {word}"));
        lines.push(instruction.name() + &operands.collect::<String>());
    }
    lines
}

#[derive(Default)]
struct Read(Vec<Instruction>);

impl Consumer for Read {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        self.0.push(instruction);
        ParseAction::Continue
    }
}

fn line(instruction: &Instruction, declared: &Declared) -> String {
    let mut line = String::new();
    if let Some(id) = instruction.result_id {
        line.push_str(&format!("{} = ", declared.shown(id)));
    }
    line.push_str(&format!("Op{}", instruction.class.opname));
    if let Some(ty) = instruction.result_type {
        line.push_str(&format!(" {}", declared.shown(ty)));
    }
    // What a text of a whole file is to a reader of instructions.
    let is_source = matches!(instruction.class.opcode, Op::Source | Op::SourceContinued);
    for operand in &instruction.operands {
        line.push(' ');
        line.push_str(&match operand {
            Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => {
                declared.shown(*id)
            }
            Operand::LiteralString(_) if is_source => "\"…\"".to_owned(),
            Operand::LiteralString(text) => quoted(text),
            other => other.disassemble(),
        });
    }
    line
}

fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(TEXT).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{:?}", shown + more)
}
