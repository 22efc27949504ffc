//! Specialization constants, which hirace presents as pipeline overrides, and constants computed from them.
//!
//! naga's overrides support fewer uses than specialization constants: no length of a function-scope array, no condition, no part
//! of a vector. Therefore naga never sees them: they are ordinary constants in the words that it parses, and other values yield
//! another module from the same words.

use super::declarations::SpirvDeclarations;
use super::evaluate::{Value, bits, evaluate};
use super::types::Type;
use super::words::{Instruction, Words};
use crate::diagnostic::{Diagnostic, Result};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The constants of a module with given values of its specialization constants.
#[derive(Clone, Debug, Default)]
pub struct SpecializedConstants {
    /// Values by id, for scalars and vectors.
    values: FxHashMap<u32, Value>,
    /// The type of each constant.
    types: FxHashMap<u32, u32>,
}

/// A specialization constant.
#[derive(Clone, Debug)]
struct Open {
    id: u32,
    /// Its specialization id.
    number: u32,
    name: String,
    ty: Type,
}

/// The values that a user gives, by name or specialization id.
pub type GivenValues = BTreeMap<String, f64>;

impl SpecializedConstants {
    /// Computes the constants of `words` with the values `given`, and stores them in `declarations`. `Err` is the index of an
    /// unsupported instruction.
    pub fn read(
        words: &Words,
        declared: &mut SpirvDeclarations,
        given: &FxHashMap<u32, u64>,
    ) -> std::result::Result<Self, usize> {
        let mut specialized = Self::default();
        for instruction in words.instructions() {
            let [Some(ty), Some(id)] = [0, 1].map(|index| instruction.operand(index)) else {
                continue;
            };
            let Some(op) = instruction.op().filter(|op| is_constant(*op)) else { continue };
            let value = match op {
                Op::SpecConstantOp => {
                    let computed = specialized.computed(instruction, declared);
                    Some(computed.ok_or(instruction.index)?)
                }
                _ => match given.get(&id) {
                    Some(bits) => Some(Value::Scalar(*bits)),
                    None => specialized.written(op, instruction, declared),
                },
            };
            specialized.types.insert(id, ty);
            let Some(value) = value else { continue };
            if let Some(bits) = value.scalar() {
                declared.constants.insert(id, bits as u32);
            }
            specialized.values.insert(id, value);
        }
        Ok(specialized)
    }

    /// Returns the value of a constant, if it is a scalar or a vector.
    pub fn value(&self, id: u32) -> Option<&Value> {
        self.values.get(&id)
    }

    /// Returns the type of a constant.
    pub fn ty(&self, id: u32) -> Option<u32> {
        self.types.get(&id).copied()
    }

    /// Returns the value, or default value, of a constant instruction.
    fn written(
        &self,
        op: Op,
        instruction: Instruction<'_>,
        declared: &SpirvDeclarations,
    ) -> Option<Value> {
        let ty = declared.types.get(&instruction.operand(0)?)?;
        match (op, ty) {
            (Op::ConstantTrue | Op::SpecConstantTrue, _) => Some(Value::Scalar(1)),
            (Op::ConstantFalse | Op::SpecConstantFalse, _) => Some(Value::Scalar(0)),
            (Op::Constant | Op::SpecConstant, _) => {
                let high = instruction.operand(3).unwrap_or_default();
                let bits = u64::from(high) << 32 | u64::from(instruction.operand(2)?);
                Some(Value::Scalar(bits))
            }
            (Op::ConstantNull, Type::Bool | Type::Int { .. } | Type::Float { .. }) => {
                Some(Value::Scalar(0))
            }
            (Op::ConstantNull, Type::Vector { count, .. }) => {
                is_vector(*count).then(|| Value::Composite(vec![Value::Scalar(0); *count as usize]))
            }
            (Op::ConstantComposite | Op::SpecConstantComposite, Type::Vector { count, .. }) => {
                let parts = instruction.operands(2).iter();
                let parts = parts.map(|id| self.values.get(id)?.scalar().map(Value::Scalar));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                is_vector(*count).then_some(Value::Composite(parts))
            }
            _ => None,
        }
    }

    /// Returns the value of a constant that is computed from others.
    fn computed(
        &self,
        instruction: Instruction<'_>,
        declared: &SpirvDeclarations,
    ) -> Option<Value> {
        let op = Op::from_u32(instruction.operand(2)?)?;
        let operands = instruction.operands(3);
        if op == Op::CompositeExtract {
            return self.extracted(operands, declared).cloned();
        }
        let values: Option<Vec<&Value>> = operands.iter().map(|id| self.values.get(id)).collect();
        let of = |ty: u32| match declared.types.get(&ty)? {
            Type::Vector { of, .. } => declared.types.get(of),
            other => Some(other),
        };
        let from = of(self.ty(*operands.first()?)?)?;
        evaluate(op, from, of(instruction.operand(0)?)?, &values?)
    }

    /// Returns the part of a composite constant at these indices.
    fn extracted(&self, operands: &[u32], declared: &SpirvDeclarations) -> Option<&Value> {
        let (mut of, mut path) = operands.split_first()?;
        while !self.values.contains_key(of) {
            let (index, rest) = path.split_first()?;
            of = declared.composites.get(of)?.get(*index as usize)?;
            path = rest;
        }
        self.values.get(of)?.part(path)
    }
}

/// Returns whether this number of components is that of a vector for which constants are computed.
fn is_vector(count: u32) -> bool {
    (2..=4).contains(&count)
}

/// Returns whether an instruction declares a constant.
fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::Constant
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::ConstantNull
            | Op::ConstantComposite
            | Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
    )
}

/// Returns the bits that the user's values give to constants, by id. Several constants may share a specialization id.
pub fn given(
    name: &str,
    words: &Words,
    declared: &SpirvDeclarations,
    values: &GivenValues,
) -> Result<FxHashMap<u32, u64>> {
    let open: Vec<Open> = words.instructions().filter_map(|i| Open::read(i, declared)).collect();
    let mut given = FxHashMap::default();
    for (key, value) in values {
        let named: Vec<u32> = open.iter().filter(|o| o.name == *key).map(|o| o.number).collect();
        let of_number = |open: &&Open| {
            open.name == *key || named.contains(&open.number) || open.number.to_string() == *key
        };
        let mut found = open.iter().filter(of_number).peekable();
        if found.peek().is_none() {
            let names: Vec<&str> = open.iter().map(|open| &*open.name).collect();
            return Err(Box::new(crate::ir::overrides::unknown(name, key, &names)));
        }
        for open in found {
            let bits = bits(&open.ty, *value).ok_or_else(|| {
                let message = format!("the override `{}` cannot be {value}", open.name);
                Diagnostic::new(message).note(format!("it is {}", open.kind()))
            })?;
            given.insert(open.id, bits);
        }
    }
    Ok(given)
}

impl Open {
    fn read(instruction: Instruction<'_>, declared: &SpirvDeclarations) -> Option<Self> {
        let op = instruction.op()?;
        if !matches!(op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse) {
            return None;
        }
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let number = *declared.spec_ids.get(&id)?;
        let name = declared.names.get(&id).cloned();
        let name = name.unwrap_or_else(|| format!("constant_{number}"));
        Some(Self { id, number, name, ty: declared.types.get(&ty)?.clone() })
    }

    fn kind(&self) -> String {
        match self.ty {
            Type::Bool => "a Boolean".to_owned(),
            Type::Int { width, signed: true } => format!("a signed integer of {width} bits"),
            Type::Int { width, .. } => format!("an unsigned integer of {width} bits"),
            Type::Float { width } => format!("a floating-point number of {width} bits"),
            _ => "no number".to_owned(),
        }
    }
}
