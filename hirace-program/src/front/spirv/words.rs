//! Reads a module as a sequence of instructions, without trusting the sizes in the file.

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::{MAGIC_NUMBER, Op};

/// Words before the first instruction.
const HEADER: usize = 5;

/// The words of a module, which consist of complete instructions.
#[derive(Clone, Debug)]
pub struct Words {
    words: Vec<u32>,
    /// By instruction: the index of its first word.
    starts: Vec<usize>,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// The index of the instruction in the module, from 0.
    pub index: usize,
    /// The index of its first word in the module.
    pub word: usize,
    /// All its words. The first contains the opcode.
    pub words: &'a [u32],
}

/// The reason why some bytes are not a module, and the word where the error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidModule {
    /// The error.
    pub what: &'static str,
    /// The index of the word.
    pub word: usize,
}

impl Words {
    /// Splits `bytes`, of either byte order, into instructions.
    pub fn read(bytes: &[u8]) -> Result<Self, InvalidModule> {
        let broken = |what, word| Err(InvalidModule { what, word });
        let (chunks, rest) = bytes.as_chunks::<4>();
        let little: Vec<u32> = chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect();
        let words = match little.first() {
            Some(&MAGIC_NUMBER) => little,
            Some(first) if first.swap_bytes() == MAGIC_NUMBER => {
                little.into_iter().map(u32::swap_bytes).collect()
            }
            _ => return broken("the first word is not SPIR-V's magic number", 0),
        };
        if !rest.is_empty() {
            return broken("the file ends in the middle of a word", words.len());
        }
        if words.len() < HEADER {
            return broken("the file ends in the middle of the header", words.len());
        }
        let mut starts = Vec::new();
        let mut at = HEADER;
        while let Some(first) = words.get(at) {
            let count = (first >> 16) as usize;
            if count == 0 {
                return broken("an instruction has a word count of 0", at);
            }
            if at + count > words.len() {
                return broken("the file ends in the middle of an instruction", at);
            }
            starts.push(at);
            at += count;
        }
        Ok(Self { words, starts })
    }

    /// Returns the words before the first instruction.
    pub fn header(&self) -> &[u32] {
        &self.words[..HEADER]
    }

    /// Returns the number of the tool that generated the module.
    pub fn generator(&self) -> u32 {
        self.words[2]
    }

    /// Returns the id bound, which exceeds the largest id.
    pub fn bound(&self) -> u32 {
        self.words[3]
    }

    /// Returns all words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the number of instructions.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the instruction with this index.
    pub fn get(&self, index: usize) -> Option<Instruction<'_>> {
        let word = *self.starts.get(index)?;
        let count = (self.words[word] >> 16) as usize;
        Some(Instruction { index, word, words: &self.words[word..word + count] })
    }

    /// Iterates over all instructions, in order.
    pub fn instructions(&self) -> impl DoubleEndedIterator<Item = Instruction<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl<'a> Instruction<'a> {
    /// Returns the opcode, or `None` if it is unknown.
    pub fn op(self) -> Option<Op> {
        Op::from_u32(self.words[0] & 0xffff)
    }

    /// Returns the name of the instruction.
    pub fn name(self) -> String {
        match self.op() {
            Some(op) => format!("Op{op:?}"),
            None => format!("the instruction with opcode {}", self.words[0] & 0xffff),
        }
    }

    /// Returns the id of the result and that of its type.
    pub fn result(self) -> Option<(u32, u32)> {
        let grammar = INSTRUCTION_TABLE.lookup_opcode(self.words[0] & 0xffff)?;
        match grammar.operands {
            [ty, id, ..]
                if ty.kind == OperandKind::IdResultType && id.kind == OperandKind::IdResult =>
            {
                Some((self.operand(1)?, self.operand(0)?))
            }
            _ => None,
        }
    }

    /// Returns the id that the instruction defines, if it defines one.
    pub fn defined_id(self) -> Option<u32> {
        let grammar = INSTRUCTION_TABLE.lookup_opcode(self.words[0] & 0xffff)?;
        let index = grammar.operands.iter().take(2).position(|of| of.kind == OperandKind::IdResult);
        self.operand(index?)
    }

    /// Returns the operand word with this index, if it exists.
    pub fn operand(self, index: usize) -> Option<u32> {
        self.words.get(1 + index).copied()
    }

    /// Returns the operand words from this index on.
    pub fn operands(self, from: usize) -> &'a [u32] {
        self.words.get(1 + from..).unwrap_or_default()
    }

    /// Returns the labels that a branch or switch may continue at; for other instructions, nothing.
    pub fn branch_targets(self) -> Vec<u32> {
        match self.op() {
            Some(Op::Branch) => self.operand(0).into_iter().collect(),
            // Branch weights may follow.
            Some(Op::BranchConditional) => {
                [1, 2].into_iter().filter_map(|index| self.operand(index)).collect()
            }
            Some(Op::Switch) => self.operands(1).iter().step_by(2).copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the string that begins at this operand, and the number of its words. Invalid UTF-8 is replaced.
    pub fn text(self, index: usize) -> (String, usize) {
        let words = self.operands(index);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        (String::from_utf8_lossy(&bytes[..length]).into_owned(), (length / 4 + 1).min(words.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    const EMPTY: [u32; 5] = [MAGIC_NUMBER, 0x1_0000, 28 << 16, 1, 0];

    #[test]
    fn either_byte_order_is_read() {
        let words = [&EMPTY[..], &[2 << 16 | 17, 1]].concat();
        let little = Words::read(&bytes(&words)).unwrap();
        let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
        let big = Words::read(&bytes(&swapped)).unwrap();
        assert_eq!(little.words(), big.words());
        let capability = little.get(0).unwrap();
        assert_eq!((capability.op(), capability.operand(0)), (Some(Op::Capability), Some(1)));
        assert_eq!((little.generator(), little.bound(), little.len()), (28 << 16, 1, 1));
    }

    #[test]
    fn broken_files_are_distinguished_from_whole_ones() {
        let what = |bytes: &[u8]| Words::read(bytes).unwrap_err();
        assert_eq!(what(b"").word, 0);
        assert_eq!(what(b"@compute fn main() {}").word, 0);
        assert_eq!(what(&bytes(&EMPTY[..3])).what, "the file ends in the middle of the header");
        assert_eq!(what(&bytes(&EMPTY)[..19]).what, "the file ends in the middle of a word");
        let long = [&EMPTY[..], &[3 << 16 | 17, 1]].concat();
        assert_eq!(what(&bytes(&long)).what, "the file ends in the middle of an instruction");
        let zero = [&EMPTY[..], &[17]].concat();
        assert_eq!(what(&bytes(&zero)).word, 5);
    }

    #[test]
    fn texts_end_at_a_zero_or_with_the_instruction() {
        let words = [&EMPTY[..], &[4 << 16 | 7, 1, 0x6161_6161, 0x0000_0061]].concat();
        let module = Words::read(&bytes(&words)).unwrap();
        assert_eq!(module.get(0).unwrap().text(1), ("aaaaa".to_owned(), 2));
        let words = [&EMPTY[..], &[3 << 16 | 7, 1, 0x6161_6161]].concat();
        let module = Words::read(&bytes(&words)).unwrap();
        assert_eq!(module.get(0).unwrap().text(1), ("aaaa".to_owned(), 1));
    }
}
