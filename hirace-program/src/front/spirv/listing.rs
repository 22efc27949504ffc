//! Disassembles a module in the style of `spirv-dis`, with the names in the module.

use super::declarations::SpirvDeclarations;
use super::words::Words;
use crate::ir::guard;
use rspirv::binary::{Consumer, Disassemble, ParseAction, Parser};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::Op;

/// The maximum number of characters of a string that are shown.
const MAX_STRING_CHARS: usize = 60;

/// Returns a line for each instruction of `words`. From the first instruction that cannot be decoded on, operands are shown as
/// numbers.
pub fn listing(words: &Words, declared: &SpirvDeclarations) -> Vec<String> {
    let bytes: Vec<u8> = words.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut read = InstructionCollector::default();
    // The parser stops at the first error, and panics on some.
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
struct InstructionCollector(Vec<Instruction>);

impl Consumer for InstructionCollector {
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

fn line(instruction: &Instruction, declared: &SpirvDeclarations) -> String {
    let mut line = String::new();
    if let Some(id) = instruction.result_id {
        line.push_str(&format!("{} = ", declared.shown(id)));
    }
    line.push_str(&format!("Op{}", instruction.class.opname));
    if let Some(ty) = instruction.result_type {
        line.push_str(&format!(" {}", declared.shown(ty)));
    }
    // Source texts are omitted, because they can be whole files.
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
    let shown: String = text.chars().take(MAX_STRING_CHARS).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{:?}", shown + more)
}
