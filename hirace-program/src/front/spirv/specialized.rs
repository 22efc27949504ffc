//! Specialization constants, which are pipeline overrides here: alone, in sums and products
//! (`OpSpecConstantOp`), as lengths of arrays and as sizes of workgroups.
//!
//! naga knows them alone. What is computed of them is made a constant for it that is none of the module's,
//! and gets its expression when naga is done; so do lengths and sizes.

use super::declared::Declared;
use super::prepare::Prepared;
use super::words::{Instruction, Words};
use naga::{
    ArraySize, BinaryOperator, Expression, Handle, Literal, Module, Override, Span, Type, TypeInner,
};
use rspirv::spirv::{ExecutionMode, Op};
use rustc_hash::FxHashMap;

/// naga knows no numbers of constants above this.
const LAST_ID: u32 = 65_535;

/// What is computed of specialization constants.
#[derive(Clone, Debug, Default)]
pub struct Specialized {
    /// By id, in the order of the module.
    pub computed: Vec<Computed>,
    /// By id of a vector that holds some: its type and what it is made of.
    pub vectors: FxHashMap<u32, Vec<u32>>,
    /// The type of each constant.
    types: FxHashMap<u32, u32>,
}

/// A constant that is computed of others.
#[derive(Clone, Debug)]
pub struct Computed {
    /// Its id.
    pub id: u32,
    /// The number by which it goes with naga, which no constant of the module has.
    pub spec_id: u32,
    op: Op,
    operands: Vec<u32>,
}

impl Specialized {
    /// Finds the computed constants of `words`, and tells `declared` what they are by default.
    /// `Err` is an instruction that is not understood.
    pub fn read(words: &Words, declared: &mut Declared) -> Result<Self, usize> {
        let mut specialized = Self::default();
        let mut spec_id = LAST_ID;
        for instruction in words.instructions() {
            let operand = |index| instruction.operand(index);
            match (instruction.op(), operand(0), operand(1)) {
                (Some(Op::Constant | Op::SpecConstant), Some(ty), Some(id)) => {
                    specialized.types.insert(id, ty);
                }
                (Some(Op::SpecConstantComposite), Some(ty), Some(id)) => {
                    let made_of =
                        std::iter::once(ty).chain(instruction.operands(2).iter().copied());
                    specialized.vectors.insert(id, made_of.collect());
                }
                (Some(Op::SpecConstantOp), Some(ty), Some(id)) => {
                    let op = operand(2).and_then(Op::from_u32).ok_or(instruction.index)?;
                    while declared.spec_ids.values().any(|taken| *taken == spec_id) {
                        spec_id -= 1;
                    }
                    let operands = instruction.operands(3).to_vec();
                    let computed = Computed { id, spec_id, op, operands };
                    let value = computed.default(declared).ok_or(instruction.index)?;
                    declared.constants.insert(id, value);
                    declared.spec_ids.insert(id, spec_id);
                    specialized.types.insert(id, ty);
                    specialized.computed.push(computed);
                    spec_id -= 1;
                }
                _ => {}
            }
        }
        Ok(specialized)
    }

    /// The type of a constant.
    pub fn ty(&self, id: u32) -> Option<u32> {
        self.types.get(&id).copied()
    }

    /// Puts overrides into `module` where naga has their default values. Several constants may have one
    /// number; naga wants one for each. The result says which numbers it made up for which.
    pub fn give(
        &self,
        module: &mut Module,
        words: &Words,
        declared: &Declared,
        prepared: &Prepared,
    ) -> Vec<(u16, u16)> {
        let id_of = |handle: Handle<Override>| {
            let span = module.overrides.get_span(handle).to_range()?;
            words.get(prepared.instruction(span.start)?)?.operand(1)
        };
        let known: Vec<(u32, Handle<Override>)> = module
            .overrides
            .iter()
            .filter_map(|(handle, _)| Some((id_of(handle)?, handle)))
            .collect();
        let mut give = Give { specialized: self, declared, known, module };
        for computed in &self.computed {
            give.expression(computed);
        }
        give.lengths(words, prepared);
        give.sizes(words);
        apart(module)
    }
}

/// Gives each of several overrides with one number a number of its own.
fn apart(module: &mut Module) -> Vec<(u16, u16)> {
    let mut taken: Vec<u16> = module.overrides.iter().filter_map(|(_, of)| of.id).collect();
    let (mut seen, mut made) = (Vec::new(), Vec::new());
    for (_, constant) in module.overrides.iter_mut() {
        let Some(id) = constant.id else { continue };
        if seen.contains(&id)
            && let Some(free) = (0..=u16::MAX).rev().find(|free| !taken.contains(free))
        {
            constant.id = Some(free);
            taken.push(free);
            made.push((id, free));
        }
        seen.push(id);
    }
    made
}

impl Computed {
    /// Its value if nobody sets any.
    fn default(&self, declared: &Declared) -> Option<u32> {
        if let Some(constituent) = self.constituent(declared) {
            return declared.constants.get(&constituent).copied();
        }
        let value = |index: usize| declared.constants.get(self.operands.get(index)?).copied();
        let (a, b) = (value(0)?, value(1)?);
        Some(match self.op {
            Op::IAdd => a.wrapping_add(b),
            Op::ISub => a.wrapping_sub(b),
            Op::IMul => a.wrapping_mul(b),
            Op::UDiv => a.checked_div(b)?,
            Op::UMod => a.checked_rem(b)?,
            Op::SDiv => (a as i32).checked_div(b as i32)? as u32,
            Op::SRem => (a as i32).checked_rem(b as i32)? as u32,
            Op::ShiftLeftLogical => a.checked_shl(b)?,
            Op::ShiftRightLogical => a.checked_shr(b)?,
            Op::BitwiseAnd => a & b,
            Op::BitwiseOr => a | b,
            Op::BitwiseXor => a ^ b,
            _ => return None,
        })
    }

    /// The part of a vector that it is, if that is what it is.
    fn constituent(&self, declared: &Declared) -> Option<u32> {
        match (self.op, self.operands.as_slice()) {
            (Op::CompositeExtract, [vector, index]) => {
                declared.composites.get(vector)?.get(*index as usize).copied()
            }
            _ => None,
        }
    }

    fn operator(&self) -> Option<BinaryOperator> {
        Some(match self.op {
            Op::IAdd => BinaryOperator::Add,
            Op::ISub => BinaryOperator::Subtract,
            Op::IMul => BinaryOperator::Multiply,
            Op::UDiv | Op::SDiv => BinaryOperator::Divide,
            Op::UMod | Op::SRem => BinaryOperator::Modulo,
            Op::ShiftLeftLogical => BinaryOperator::ShiftLeft,
            Op::ShiftRightLogical => BinaryOperator::ShiftRight,
            Op::BitwiseAnd => BinaryOperator::And,
            Op::BitwiseOr => BinaryOperator::InclusiveOr,
            Op::BitwiseXor => BinaryOperator::ExclusiveOr,
            _ => return None,
        })
    }
}

struct Give<'a> {
    specialized: &'a Specialized,
    declared: &'a Declared,
    /// By id: the override.
    known: Vec<(u32, Handle<Override>)>,
    module: &'a mut Module,
}

impl Give<'_> {
    fn find(&self, id: u32) -> Option<Handle<Override>> {
        self.known.iter().find(|(known, _)| *known == id).map(|(_, handle)| *handle)
    }

    /// The value of a constant, as an expression of the module.
    fn value(&mut self, id: u32) -> Option<Handle<Expression>> {
        let expression = match self.find(id) {
            Some(known) => Expression::Override(known),
            None => {
                let value = self.declared.constants.get(&id).copied()?;
                let ty = self.specialized.ty(id)?;
                Expression::Literal(match self.declared.integers.get(&ty)? {
                    true => Literal::I32(value as i32),
                    false => Literal::U32(value),
                })
            }
        };
        Some(self.module.global_expressions.append(expression, Span::UNDEFINED))
    }

    /// Makes an override that naga takes for one of the module's what it is: computed.
    fn expression(&mut self, computed: &Computed) {
        let Some(handle) = self.find(computed.id) else { return };
        let init = match computed.constituent(self.declared) {
            Some(constituent) => self.value(constituent),
            None => {
                let operands = [0, 1].map(|index| {
                    computed.operands.get(index).and_then(|operand| self.value(*operand))
                });
                match (computed.operator(), operands) {
                    (Some(op), [Some(left), Some(right)]) => {
                        let expression = Expression::Binary { op, left, right };
                        Some(self.module.global_expressions.append(expression, Span::UNDEFINED))
                    }
                    _ => None,
                }
            }
        };
        let constant = &mut self.module.overrides[handle];
        constant.id = None;
        constant.init = init.or(constant.init);
    }

    /// Lengths of arrays.
    fn lengths(&mut self, words: &Words, prepared: &Prepared) {
        let mut sized: Vec<(Handle<Type>, Type)> = Vec::new();
        for (handle, ty) in self.module.types.iter() {
            let TypeInner::Array { base, size: ArraySize::Constant(_), stride } = ty.inner else {
                continue;
            };
            let span = self.module.types.get_span(handle).to_range();
            let at = span.and_then(|span| prepared.instruction(span.start));
            let instruction = at.and_then(|at| words.get(at));
            let array = instruction.filter(|found| found.op() == Some(Op::TypeArray));
            let length = array.and_then(|array| array.operand(2));
            if let Some(length) = length.and_then(|length| self.find(length)) {
                let inner = TypeInner::Array { base, size: ArraySize::Pending(length), stride };
                sized.push((handle, Type { name: ty.name.clone(), inner }));
            }
        }
        for (handle, ty) in sized {
            self.module.types.replace(handle, ty);
        }
    }

    /// Sizes of workgroups: a constant that is decorated as such counts for all entry points.
    fn sizes(&mut self, words: &Words) {
        let declared = self.declared;
        let of_all = declared.workgroup_size.and_then(|id| declared.composites.get(&id));
        for entry in 0..self.module.entry_points.len() {
            let name = &self.module.entry_points[entry].name;
            let function = declared.entries.iter().find(|(_, known)| known == name);
            let mode = |instruction: &Instruction<'_>| {
                instruction.op() == Some(Op::ExecutionModeId)
                    && instruction.operand(0) == function.map(|(function, _)| *function)
                    && instruction.operand(1) == Some(ExecutionMode::LocalSizeId as u32)
            };
            let by_ids = || words.instructions().find(mode).map(|found| found.operands(2).to_vec());
            let Some(ids) = of_all.cloned().or_else(by_ids) else { continue };
            let mut sizes = [None; 3];
            for (index, id) in ids.iter().take(3).enumerate() {
                if let Some(value) = declared.constants.get(id) {
                    self.module.entry_points[entry].workgroup_size[index] = *value;
                }
                if self.find(*id).is_some() {
                    sizes[index] = self.value(*id);
                }
            }
            if sizes.iter().any(Option::is_some) {
                self.module.entry_points[entry].workgroup_size_overrides = Some(sizes);
            }
        }
    }
}
