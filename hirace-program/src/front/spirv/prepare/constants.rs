//! Constants in a form that naga supports. naga does not support 16-bit integer constants, infinities, and constants computed
//! from specialization constants. The latter are replaced by their values; the former are computed by each function that uses
//! them.

use super::Prepare;
use crate::front::spirv::evaluate::{Value, signed, zero_extend};
use crate::front::spirv::types::Type;
use crate::front::spirv::words::Instruction;
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

/// A constant that functions compute, and the instruction that computes it.
#[derive(Clone, Debug)]
pub struct ComputedConstant {
    id: u32,
    op: Op,
    ty: u32,
    operands: Vec<u32>,
}

impl Prepare<'_> {
    /// Declares a constant.
    pub fn constant(&mut self, op: Op, instruction: Instruction<'_>) {
        let [Some(ty), Some(id)] = [0, 1].map(|index| instruction.operand(index)) else {
            return self.keep(instruction, instruction.words);
        };
        let specialized = self.specialized;
        match specialized.value(id) {
            _ if matches!(op, Op::ConstantComposite | Op::SpecConstantComposite) => {
                self.composite(instruction, ty, id, instruction.operands(2));
            }
            Some(Value::Scalar(bits)) => self.number(instruction, ty, id, *bits),
            Some(Value::Composite(parts)) => {
                let Some(&Type::Vector { of, .. }) = self.declared.types.get(&ty) else {
                    return self.keep(instruction, instruction.words);
                };
                let mut ids = Vec::new();
                for part in parts {
                    let id = self.fresh();
                    self.number(instruction, of, id, part.scalar().unwrap_or_default());
                    ids.push(id);
                }
                self.composite(instruction, ty, id, &ids);
            }
            None => self.keep(instruction, instruction.words),
        }
    }

    fn composite(&mut self, instruction: Instruction<'_>, ty: u32, id: u32, parts: &[u32]) {
        if parts.iter().any(|part| self.made_ids.contains(part)) {
            let operands = parts.to_vec();
            self.make(ComputedConstant { id, op: Op::CompositeConstruct, ty, operands });
        } else {
            let words = [&[Op::ConstantComposite as u32, ty, id], parts].concat();
            self.keep(instruction, &words);
        }
    }

    fn make(&mut self, made: ComputedConstant) {
        self.made_ids.insert(made.id);
        self.made.push(made);
    }

    fn number(&mut self, instruction: Instruction<'_>, ty: u32, id: u32, bits: u64) {
        let declared = self.declared;
        let Some(of) = declared.types.get(&ty) else { return };
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        match *of {
            Type::Bool => {
                let op = if bits == 0 { Op::ConstantFalse } else { Op::ConstantTrue };
                self.keep(instruction, &[op as u32, ty, id]);
            }
            Type::Int { width: 8, signed: is_signed } => {
                let value = if is_signed { signed(of, bits) as u32 } else { low };
                self.keep(instruction, &[Op::Constant as u32, ty, id, value]);
            }
            Type::Int { width: 16, signed: true } => {
                let wide = self.wide(instruction, 1, signed(of, bits) as u32);
                self.make(ComputedConstant { id, op: Op::SConvert, ty, operands: vec![wide] });
            }
            Type::Int { width: 16, .. } => {
                let wide = self.wide(instruction, 0, zero_extend(of, bits) as u32);
                self.make(ComputedConstant { id, op: Op::UConvert, ty, operands: vec![wide] });
            }
            Type::Float { width } if let Some(value) = infinite(width, bits) => {
                let word = self.wide(instruction, 0, value.to_bits());
                let operands = vec![word];
                if width == 32 {
                    self.make(ComputedConstant { id, op: Op::Bitcast, ty, operands });
                } else {
                    let float = self.fresh();
                    self.keep(instruction, &[Op::TypeFloat as u32, float, 32]);
                    let single = self.fresh();
                    self.make(ComputedConstant {
                        id: single,
                        op: Op::Bitcast,
                        ty: float,
                        operands,
                    });
                    self.make(ComputedConstant {
                        id,
                        op: Op::FConvert,
                        ty,
                        operands: vec![single],
                    });
                }
            }
            Type::Int { width: 64, .. } | Type::Float { width: 64 } => {
                self.keep(instruction, &[Op::Constant as u32, ty, id, low, high]);
            }
            _ => self.keep(instruction, &[Op::Constant as u32, ty, id, low]),
        }
    }

    /// Adds a signed or unsigned 32-bit constant.
    fn wide(&mut self, instruction: Instruction<'_>, signed: u32, value: u32) -> u32 {
        let ty = self.fresh();
        self.keep(instruction, &[Op::TypeInt as u32, ty, 32, signed]);
        self.put(instruction, Op::Constant, ty, &[value])
    }

    /// Computes the constants that the function beginning with this label uses.
    pub fn make_constants(&mut self, label: Instruction<'_>) {
        if self.made.is_empty() {
            return;
        }
        let rest = (label.index..self.words.len()).filter_map(|index| self.words.get(index));
        let body = rest.take_while(|instruction| instruction.op() != Some(Op::FunctionEnd));
        let mut used: FxHashSet<u32> =
            body.flat_map(|instruction| instruction.operands(0)).copied().collect();
        let all = std::mem::take(&mut self.made);
        for made in all.iter().rev().filter(|made| !made.operands.is_empty()) {
            if used.contains(&made.id) {
                used.extend(&made.operands);
            }
        }
        for made in all.iter().filter(|made| used.contains(&made.id)) {
            let ComputedConstant { id, op, ty, ref operands } = *made;
            self.keep(label, &[&[op as u32, ty, id], operands.as_slice()].concat());
        }
        self.made = all;
    }
}

/// Returns the value of these bits as a 32-bit float, if it is not finite.
fn infinite(width: u32, bits: u64) -> Option<f32> {
    let value = match width {
        16 => half::f16::from_bits(bits as u16).to_f32(),
        32 => f32::from_bits(bits as u32),
        64 => {
            let value = f64::from_bits(bits);
            return (!value.is_finite()).then_some(value as f32);
        }
        _ => return None,
    };
    (!value.is_finite()).then_some(value)
}
