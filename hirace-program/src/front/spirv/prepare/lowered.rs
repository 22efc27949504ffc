//! Replaces instructions that naga does not support by several that it does.

use super::Prepare;
use crate::front::spirv::types::Type;
use crate::front::spirv::words::Instruction;
use rspirv::spirv::{ImageOperands, Op};
use rustc_hash::FxHashMap;

/// The maximum number of parts of a copy. Larger copies are left to naga, which rejects them.
const PARTS: u32 = 4096;
/// `PackHalf2x16` and `UnpackHalf2x16` of `GLSL.std.450`.
const PACK_HALF: u32 = 58;
const UNPACK_HALF: u32 = 62;
/// Constants that the replacements in this module need.
const CONSTANTS: [u32; 14] = [0, 1, 2, 3, 4, 5, 8, 16, 24, 31, 32, 64, 96, 0xffff];
/// All bits.
pub(super) const ALL: u32 = u32::MAX;

/// Types and constants for replacements.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    pub(super) uint: u32,
    pub(super) int: u32,
    pub(super) bool: u32,
    /// The Boolean constant `true`.
    pub(super) yes: u32,
    /// A pair of 32-bit floating-point numbers.
    singles: u32,
    /// Vectors of integers: by signedness and length.
    vectors: FxHashMap<(bool, u32), u32>,
    constants: FxHashMap<u32, u32>,
}

impl Pool {
    /// Returns the type of 32-bit integers, or of vectors of them.
    pub(super) fn integer(&self, signed: bool, count: u32) -> u32 {
        let scalar = if signed { self.int } else { self.uint };
        self.vectors.get(&(signed, count)).copied().unwrap_or(scalar)
    }

    /// Returns the id of a constant.
    pub(super) fn constant(&self, value: u32) -> u32 {
        self.constants.get(&value).copied().unwrap_or_default()
    }
}

/// Returns whether a fetch has no image operand with a value. glslang writes `ZeroExtend` from SPIR-V 1.4 on, which the type says too.
fn has_no_image_operand(fetch: Instruction<'_>) -> bool {
    let without_value =
        ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND | ImageOperands::NONTEMPORAL;
    fetch.words.get(5).is_none_or(|operands| operands & !without_value.bits() == 0)
}

/// Returns whether the replacement of an instruction needs the pool.
fn needs_pool(op: Op) -> bool {
    matches!(
        op,
        Op::UMulExtended
            | Op::SMulExtended
            | Op::IAddCarry
            | Op::ISubBorrow
            | Op::SDot
            | Op::UDot
            | Op::SUDot
            | Op::SMod
            | Op::ImageFetch
            | Op::ImageTexelPointer
            | Op::GroupNonUniformElect
            | Op::GroupNonUniformAllEqual
            | Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB
    )
}

impl Prepare<'_> {
    /// Declares the pool before the first function, if the module needs it.
    pub fn fill_pool(&mut self, function: Instruction<'_>) {
        if std::mem::replace(&mut self.pooled, true) {
            return;
        }
        let mut types = self.declared.types.values();
        let small =
            |ty: &Type| matches!(ty, Type::Int { width: 8 | 16, .. } | Type::Float { width: 16 });
        let needed =
            types.any(small) || self.words.instructions().any(|i| i.op().is_some_and(needs_pool));
        let needed = needed || self.lane.is_needed();
        if !needed {
            return;
        }
        let [uint, int, bool] = [self.fresh(), self.fresh(), self.fresh()];
        self.keep(function, &[Op::TypeInt as u32, uint, 32, 0]);
        self.keep(function, &[Op::TypeInt as u32, int, 32, 1]);
        self.keep(function, &[Op::TypeBool as u32, bool]);
        let mut constants = FxHashMap::default();
        for value in CONSTANTS.into_iter().chain([ALL]).chain(self.lane.constants()) {
            constants.insert(value, self.put(function, Op::Constant, uint, &[value]));
        }
        let mut vectors = FxHashMap::default();
        for (signed, of) in [(false, uint), (true, int)] {
            for count in 2..=4 {
                let id = self.fresh();
                self.keep(function, &[Op::TypeVector as u32, id, of, count]);
                vectors.insert((signed, count), id);
            }
        }
        let [single, singles] = [self.fresh(), self.fresh()];
        self.keep(function, &[Op::TypeFloat as u32, single, 32]);
        self.keep(function, &[Op::TypeVector as u32, singles, single, 2]);
        let yes = self.put(function, Op::ConstantTrue, bool, &[]);
        self.pool = Pool { uint, int, bool, yes, singles, vectors, constants };
        self.declare_lane(function);
    }

    /// Replaces this instruction by others, if necessary. Returns whether it did.
    pub fn is_lowered(&mut self, op: Op, instruction: Instruction<'_>) -> bool {
        let [Some(ty), Some(id), Some(a)] = [0, 1, 2].map(|index| instruction.operand(index))
        else {
            return false;
        };
        let b = instruction.operand(3);
        match (op, b) {
            (Op::CopyLogical, _) => self.copy(instruction, ty, id, a).is_some(),
            (Op::UMulExtended | Op::SMulExtended | Op::IAddCarry | Op::ISubBorrow, Some(b)) => {
                let Some(part) = self.part_of_pair(ty) else { return false };
                let (low, high) = self.extended(instruction, op, part, [a, b]);
                self.keep(instruction, &[Op::CompositeConstruct as u32, ty, id, low, high]);
                true
            }
            // The operands are packed vectors.
            (Op::SDot | Op::UDot | Op::SUDot, Some(b)) if instruction.words.len() == 6 => {
                self.dot(instruction, op, [a, b]);
                true
            }
            (Op::SDiv | Op::UDiv | Op::UMod | Op::SRem | Op::SMod, Some(b)) => {
                self.is_division(op, instruction, [a, b])
            }
            // naga's logical operators do not support vectors.
            (Op::LogicalOr | Op::LogicalAnd, Some(b)) if self.is_vector(ty) => {
                let op = if op == Op::LogicalOr { Op::BitwiseOr } else { Op::BitwiseAnd };
                self.keep(instruction, &[op as u32, ty, id, a, b]);
                true
            }
            (Op::Bitcast, None) if self.is_of_halves(instruction) => true,
            // naga requires an explicit level of detail.
            (Op::ImageFetch, Some(b)) if has_no_image_operand(instruction) => {
                let (level, zero) = (ImageOperands::LOD.bits(), self.pool.constant(0));
                self.keep(instruction, &[op as u32, ty, id, a, b, level, zero]);
                true
            }
            _ => self.is_of_subgroup(op, instruction),
        }
    }

    /// Replaces a bitcast between a word and two 16-bit halves. Returns whether it did.
    fn is_of_halves(&mut self, at: Instruction<'_>) -> bool {
        let [_, ty, id, from] = *at.words else { return false };
        let declared = self.declared;
        let half = |ty: u32| match *declared.types.get(&ty)? {
            Type::Vector { of, count: 2 } => match declared.types.get(&of)? {
                Type::Float { width: 16 } => Some((of, true)),
                Type::Int { width: 16, .. } => Some((of, false)),
                _ => None,
            },
            _ => None,
        };
        let word = |ty: u32| matches!(declared.types.get(&ty), Some(Type::Int { width: 32, .. }));
        let Some(&source) = declared.results.get(&from) else { return false };
        let mut sets = declared.sets_imported.iter();
        let set = sets.find(|(_, name)| *name == "GLSL.std.450").map(|(id, _)| *id);
        let Pool { uint, singles, .. } = self.pool;
        let [sixteen, mask] = [16, 0xffff].map(|value| self.pool.constant(value));
        match (half(ty), half(source), set) {
            (Some((_, true)), None, Some(set)) if word(source) => {
                let word = self.put(at, Op::Bitcast, uint, &[from]);
                let wide = self.put(at, Op::ExtInst, singles, &[set, UNPACK_HALF, word]);
                self.keep(at, &[Op::FConvert as u32, ty, id, wide]);
            }
            (None, Some((_, true)), Some(set)) if word(ty) => {
                let wide = self.put(at, Op::FConvert, singles, &[from]);
                let word = self.put(at, Op::ExtInst, uint, &[set, PACK_HALF, wide]);
                self.keep(at, &[Op::Bitcast as u32, ty, id, word]);
            }
            (Some((of, false)), None, _) if word(source) => {
                let word = self.put(at, Op::Bitcast, uint, &[from]);
                let low = self.put(at, Op::BitwiseAnd, uint, &[word, mask]);
                let high = self.put(at, Op::ShiftRightLogical, uint, &[word, sixteen]);
                let [low, high] = [low, high].map(|part| self.put(at, Op::UConvert, of, &[part]));
                self.keep(at, &[Op::CompositeConstruct as u32, ty, id, low, high]);
            }
            (None, Some((of, false)), _) if word(ty) => {
                let parts = [0, 1].map(|index| {
                    let part = self.put(at, Op::CompositeExtract, of, &[from, index]);
                    let part = self.put(at, Op::UConvert, uint, &[part]);
                    self.put(at, Op::BitwiseAnd, uint, &[part, mask])
                });
                let high = self.put(at, Op::ShiftLeftLogical, uint, &[parts[1], sixteen]);
                let word = self.put(at, Op::BitwiseOr, uint, &[parts[0], high]);
                self.keep(at, &[Op::Bitcast as u32, ty, id, word]);
            }
            _ => return false,
        }
        true
    }

    fn is_vector(&self, ty: u32) -> bool {
        matches!(self.declared.types.get(&ty), Some(Type::Vector { .. }))
    }

    /// Copies a value to another type with equal parts: extracts the parts and constructs the new value.
    fn copy(&mut self, at: Instruction<'_>, ty: u32, id: u32, from: u32) -> Option<()> {
        let mut left = PARTS;
        self.parts(ty, &mut left)?;
        self.copied(at, ty, Some(id), from, &mut Vec::new());
        Some(())
    }

    /// Returns the types of the parts of a type, or `None` if there are too many.
    fn parts(&self, ty: u32, left: &mut u32) -> Option<Vec<u32>> {
        let parts = self.parts_of(ty)?;
        *left = left.checked_sub(parts.len() as u32 + 1)?;
        for part in &parts {
            if self.parts_of(*part).is_some() {
                self.parts(*part, left)?;
            }
        }
        Some(parts)
    }

    fn parts_of(&self, ty: u32) -> Option<Vec<u32>> {
        match self.declared.types.get(&ty)? {
            Type::Struct(members) => Some(members.clone()),
            Type::Array { of, length } => {
                let length = *self.declared.constants.get(length)?;
                (length <= PARTS).then(|| vec![*of; length as usize])
            }
            _ => None,
        }
    }

    fn copied(
        &mut self,
        at: Instruction<'_>,
        ty: u32,
        id: Option<u32>,
        from: u32,
        path: &mut Vec<u32>,
    ) -> u32 {
        let Some(parts) = self.parts_of(ty) else {
            let operands = [&[from], path.as_slice()].concat();
            return self.put(at, Op::CompositeExtract, ty, &operands);
        };
        let mut words = vec![Op::CompositeConstruct as u32, ty, 0];
        for (index, part) in parts.into_iter().enumerate() {
            path.push(index as u32);
            words.push(self.copied(at, part, None, from, path));
            path.pop();
        }
        let id = id.unwrap_or_else(|| self.fresh());
        words[2] = id;
        self.keep(at, &words);
        id
    }

    /// Returns the type of both members of a structure, if it is a 32-bit integer.
    fn part_of_pair(&self, ty: u32) -> Option<u32> {
        let Type::Struct(members) = self.declared.types.get(&ty)? else { return None };
        let &[first, second] = members.as_slice() else { return None };
        let is_int = matches!(self.declared.types.get(&first)?, Type::Int { width: 32, .. });
        (first == second && is_int).then_some(first)
    }

    /// Computes both words of a product, or a sum and its carry, as integers of the type `part`.
    fn extended(
        &mut self,
        at: Instruction<'_>,
        op: Op,
        part: u32,
        operands: [u32; 2],
    ) -> (u32, u32) {
        let Pool { uint, bool, .. } = self.pool;
        let [zero, one] = [0, 1].map(|value| self.pool.constant(value));
        let [a, b] = operands.map(|operand| self.put(at, Op::Bitcast, uint, &[operand]));
        let (low, high) = match op {
            Op::IAddCarry => {
                let sum = self.put(at, Op::IAdd, uint, &[a, b]);
                let wraps = self.put(at, Op::ULessThan, bool, &[sum, a]);
                (sum, self.put(at, Op::Select, uint, &[wraps, one, zero]))
            }
            Op::ISubBorrow => {
                let wraps = self.put(at, Op::ULessThan, bool, &[a, b]);
                let difference = self.put(at, Op::ISub, uint, &[a, b]);
                (difference, self.put(at, Op::Select, uint, &[wraps, one, zero]))
            }
            _ => {
                let low = self.put(at, Op::IMul, uint, &[a, b]);
                let mut high = self.high_half(at, a, b);
                if op == Op::SMulExtended {
                    for (sign, other) in [(a, b), (b, a)] {
                        let signed = self.put(at, Op::Bitcast, self.pool.int, &[sign]);
                        let null = self.put(at, Op::Bitcast, self.pool.int, &[zero]);
                        let less = self.put(at, Op::SLessThan, bool, &[signed, null]);
                        let by = self.put(at, Op::Select, uint, &[less, other, zero]);
                        high = self.put(at, Op::ISub, uint, &[high, by]);
                    }
                }
                (low, high)
            }
        };
        let [low, high] = [low, high].map(|half| self.put(at, Op::Bitcast, part, &[half]));
        (low, high)
    }

    /// Computes the high word of a product from products of halves.
    fn high_half(&mut self, at: Instruction<'_>, a: u32, b: u32) -> u32 {
        let Pool { uint, .. } = self.pool;
        let [half, mask] = [16, 0xffff].map(|value| self.pool.constant(value));
        let low = |this: &mut Self, of| this.put(at, Op::BitwiseAnd, uint, &[of, mask]);
        let high = |this: &mut Self, of| this.put(at, Op::ShiftRightLogical, uint, &[of, half]);
        let times = |this: &mut Self, a, b| this.put(at, Op::IMul, uint, &[a, b]);
        let plus = |this: &mut Self, a, b| this.put(at, Op::IAdd, uint, &[a, b]);
        let [a_low, b_low] = [a, b].map(|of| low(self, of));
        let [a_high, b_high] = [a, b].map(|of| high(self, of));
        let (lows, first) = (times(self, a_low, b_low), times(self, a_low, b_high));
        let (second, highs) = (times(self, a_high, b_low), times(self, a_high, b_high));
        let [first_low, second_low] = [first, second].map(|of| low(self, of));
        let [first_high, second_high] = [first, second].map(|of| high(self, of));
        let middle = high(self, lows);
        let middle = plus(self, middle, first_low);
        let middle = plus(self, middle, second_low);
        let carry = high(self, middle);
        let sum = plus(self, highs, first_high);
        let sum = plus(self, sum, second_high);
        plus(self, sum, carry)
    }

    /// Computes the dot product of the four bytes of two words.
    fn dot(&mut self, at: Instruction<'_>, op: Op, operands: [u32; 2]) {
        let Pool { uint, int, .. } = self.pool;
        let ty = at.words[1];
        let signed = [op != Op::UDot, op == Op::SDot];
        let mut sum = None;
        for byte in [0, 8, 16, 24] {
            let from = self.pool.constant(byte);
            let width = self.pool.constant(8);
            let mut factors = [0; 2];
            for side in [0, 1] {
                let (op, ty) = match signed[side] {
                    true => (Op::BitFieldSExtract, int),
                    false => (Op::BitFieldUExtract, uint),
                };
                let word = self.put(at, Op::Bitcast, ty, &[operands[side]]);
                let part = self.put(at, op, ty, &[word, from, width]);
                factors[side] = self.put(at, Op::Bitcast, int, &[part]);
            }
            let product = self.put(at, Op::IMul, int, &factors);
            sum = Some(match sum {
                Some(sum) => self.put(at, Op::IAdd, int, &[sum, product]),
                None => product,
            });
        }
        let sum = sum.unwrap_or_default();
        self.keep(at, &[Op::Bitcast as u32, ty, at.words[2], sum]);
    }
}
