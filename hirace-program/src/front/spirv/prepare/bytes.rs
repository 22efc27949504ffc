//! Replaces 8-bit integers, which naga does not support, by 32-bit integers with the same range of values. In buffers they occupy
//! 32 bits (`layout`); each remains a separate memory location.

use super::Prepare;
use crate::front::spirv::types::Type;
use crate::front::spirv::words::Instruction;
use rspirv::spirv::{Decoration, Op};

/// How an operation interprets its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// As signed (`true`) or unsigned integers.
    Signed(bool),
    /// Independently of their sign.
    Either,
    /// It has no 8-bit operands to convert.
    Nothing,
}

/// An 8-bit integer type, or a vector of such integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bytes {
    signed: bool,
    count: u32,
}

impl Prepare<'_> {
    /// Returns the 8-bit type with this id, if it is one.
    fn bytes(&self, ty: u32) -> Option<Bytes> {
        match *self.declared.types.get(&ty)? {
            Type::Int { width: 8, signed } => Some(Bytes { signed, count: 1 }),
            Type::Vector { of, count } => Some(Bytes { count, ..self.bytes_of(of)? }),
            _ => None,
        }
    }

    fn bytes_of(&self, ty: u32) -> Option<Bytes> {
        match *self.declared.types.get(&ty)? {
            Type::Int { width: 8, signed } => Some(Bytes { signed, count: 1 }),
            _ => None,
        }
    }

    /// Replaces an instruction on 8-bit integers by instructions on 32-bit integers. Returns whether it did.
    pub fn is_of_bytes(&mut self, op: Op, instruction: Instruction<'_>) -> bool {
        let words = instruction.words;
        match (op, words) {
            (Op::TypeInt, [first, id, 8, signed]) => {
                self.keep(instruction, &[*first, *id, 32, *signed]);
                true
            }
            (Op::Decorate, [first, ty, decoration, _])
                if *decoration == Decoration::ArrayStride as u32 =>
            {
                let Some(stride) = self.layouts.strides.get(ty) else { return false };
                self.keep(instruction, &[*first, *ty, *decoration, *stride]);
                true
            }
            (Op::MemberDecorate, [first, ty, member, decoration, _])
                if *decoration == Decoration::Offset as u32 =>
            {
                let offsets = self.layouts.offsets.get(ty);
                let Some(offset) = offsets.and_then(|all| all.get(*member as usize)) else {
                    return false;
                };
                self.keep(instruction, &[*first, *ty, *member, *decoration, *offset]);
                true
            }
            _ => self.computes_bytes(op, instruction),
        }
    }

    fn computes_bytes(&mut self, op: Op, instruction: Instruction<'_>) -> bool {
        let Some((id, ty)) = instruction.result() else { return false };
        let Some(reads) = reads(op) else { return false };
        let declared = self.declared;
        let result = self.bytes(ty);
        let mut operands = instruction.operands(2).to_vec();
        if op == Op::Load {
            operands.truncate(1);
        }
        let bytes_in = |this: &Self, operand: &u32| {
            let ty = declared.results.get(operand).filter(|_| reads != Reads::Nothing)?;
            this.bytes(*ty)
        };
        if result.is_none() && operands.iter().all(|operand| bytes_in(self, operand).is_none()) {
            return false;
        }
        if op == Op::Bitcast && self.replace_byte_bitcast(instruction, result) {
            return true;
        }
        for operand in &mut operands {
            if let (Some(is), Reads::Signed(wants)) = (bytes_in(self, operand), reads)
                && is.signed != wants
            {
                let ty = self.pool.integer(wants, is.count);
                let word = self.put(instruction, Op::Bitcast, ty, &[*operand]);
                *operand = self.low(instruction, ty, word, 0);
            }
        }
        let opcode = instruction.words[0];
        match result {
            None => self.keep(instruction, &[&[opcode, ty, id], operands.as_slice()].concat()),
            Some(_) => {
                let wide = self.fresh();
                self.keep(instruction, &[&[opcode, ty, wide], operands.as_slice()].concat());
                let [zero, eight] = [0, 8].map(|value| self.pool.constant(value));
                let extract = Op::BitFieldUExtract as u32;
                self.keep(instruction, &[extract, ty, id, wide, zero, eight]);
            }
        }
        true
    }

    /// Extracts a byte of a word. naga extends the sign by the type, not by the instruction.
    fn low(&mut self, at: Instruction<'_>, ty: u32, word: u32, from: u32) -> u32 {
        let [from, eight] = [from, 8].map(|value| self.pool.constant(value));
        self.put(at, Op::BitFieldUExtract, ty, &[word, from, eight])
    }

    /// Replaces a bitcast that splits a word into bytes, or combines bytes to a word. Returns whether it did.
    fn replace_byte_bitcast(&mut self, at: Instruction<'_>, result: Option<Bytes>) -> bool {
        let declared = self.declared;
        let [_, ty, id, of] = *at.words else { return false };
        let from = declared.results.get(&of).copied();
        let width = |ty: u32| match declared.types.get(&ty) {
            Some(Type::Int { width, .. }) => Some(*width),
            _ => None,
        };
        let uint = self.pool.uint;
        match (result, from.and_then(|ty| self.bytes(ty))) {
            (Some(bytes), None) if from.and_then(width) == Some(bytes.count * 8) => {
                let word = match bytes.count {
                    4 => self.put(at, Op::Bitcast, uint, &[of]),
                    _ => self.put(at, Op::UConvert, uint, &[of]),
                };
                let part = self.pool.integer(bytes.signed, 1);
                let word = self.put(at, Op::Bitcast, part, &[word]);
                let mut words = vec![Op::CompositeConstruct as u32, ty, id];
                for index in 0..bytes.count {
                    words.push(self.low(at, part, word, index * 8));
                }
                self.keep(at, &words);
                true
            }
            (None, Some(bytes)) if bytes.count > 1 && width(ty) == Some(bytes.count * 8) => {
                let part = self.pool.integer(bytes.signed, 1);
                let mut sum = self.pool.constant(0);
                for index in 0..bytes.count {
                    let byte = self.put(at, Op::CompositeExtract, part, &[of, index]);
                    let byte = self.put(at, Op::Bitcast, uint, &[byte]);
                    let byte = self.low(at, uint, byte, 0);
                    let by = self.pool.constant(index * 8);
                    let byte = self.put(at, Op::ShiftLeftLogical, uint, &[byte, by]);
                    sum = self.put(at, Op::BitwiseOr, uint, &[sum, byte]);
                }
                let op = if bytes.count == 4 { Op::Bitcast } else { Op::UConvert };
                self.keep(at, &[op as u32, ty, id, sum]);
                true
            }
            _ => false,
        }
    }
}

/// Returns how an operation reads 8-bit operands, or `None` if it needs no conversion.
fn reads(op: Op) -> Option<Reads> {
    Some(match op {
        Op::UConvert
        | Op::ConvertUToF
        | Op::UDiv
        | Op::UMod
        | Op::ShiftRightLogical
        | Op::IEqual
        | Op::INotEqual
        | Op::UGreaterThan
        | Op::UGreaterThanEqual
        | Op::ULessThan
        | Op::ULessThanEqual
        | Op::BitFieldUExtract
        | Op::BitCount => Reads::Signed(false),
        Op::SConvert
        | Op::ConvertSToF
        | Op::SDiv
        | Op::SMod
        | Op::SRem
        | Op::ShiftRightArithmetic
        | Op::SGreaterThan
        | Op::SGreaterThanEqual
        | Op::SLessThan
        | Op::SLessThanEqual
        | Op::BitFieldSExtract => Reads::Signed(true),
        Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::SNegate
        | Op::Not
        | Op::ShiftLeftLogical
        | Op::BitwiseAnd
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::BitFieldInsert
        | Op::ConvertFToU
        | Op::ConvertFToS
        | Op::Bitcast => Reads::Either,
        // Words of buffers may contain more than 8 bits.
        Op::Load | Op::CompositeExtract => Reads::Nothing,
        _ => return None,
    })
}
