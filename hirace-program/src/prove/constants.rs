//! Values of literals and constants.

use super::condition::Condition;
use super::form::Form;
use super::symbol::Level;
use super::value::{MAX_PARTS, Value};
use super::walk::Walk;
use naga::{ArraySize, Expression, Handle, Literal, ScalarKind, Type, TypeInner};

/// The limit on nested types in a value that is modeled part by part.
const MAX_NESTED: u32 = 16;

impl Walk<'_> {
    /// Returns the value of a literal.
    pub fn literal(&mut self, literal: Literal) -> Value {
        match literal {
            Literal::I32(value) => Value::Int(Form::constant(value.into())),
            Literal::U32(value) => Value::Int(Form::constant(value.into())),
            Literal::Bool(value) => Value::Bool(Condition::Known(value)),
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    /// Returns the value of a constant expression of the module.
    pub fn constant(&mut self, expression: Handle<Expression>, depth: u32) -> Value {
        let module = &self.program.module;
        match module.global_expressions[expression] {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Constant(constant) if depth < 8 => {
                self.constant(module.constants[constant].init, depth + 1)
            }
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ty, ref components } if depth < 8 => {
                let parts = components.iter().map(|part| self.constant(*part, depth + 1));
                let parts = parts.collect();
                self.compose(ty, parts)
            }
            Expression::Splat { size, value } if depth < 8 => {
                let value = self.constant(value, depth + 1);
                Value::Parts(vec![value; size as usize])
            }
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    /// Returns the vector of these vectors and scalars, or the struct or array of these members.
    pub fn compose(&mut self, ty: Handle<Type>, parts: Vec<Value>) -> Value {
        let level = parts.iter().map(|part| part.level(&self.symbols)).max().unwrap_or_default();
        match self.program.module.types[ty].inner {
            TypeInner::Vector { size, .. } => {
                let flat: Vec<Value> = parts
                    .into_iter()
                    .flat_map(|part| match part {
                        Value::Parts(parts) => parts,
                        one => vec![one],
                    })
                    .collect();
                if flat.len() == size as usize {
                    return Value::Parts(flat);
                }
                let inner = self.program.module.types[ty].inner.clone();
                self.unknown(&inner, level)
            }
            TypeInner::Struct { .. } | TypeInner::Array { .. } if self.has_few_parts(ty) => {
                Value::Parts(parts)
            }
            _ => Value::Other(self.opaque(level)),
        }
    }

    /// Returns the zero value of this type. It has parts only if there are few of them in total.
    pub fn zero(&mut self, ty: Handle<Type>) -> Value {
        match self.has_few_parts(ty) {
            true => self.zero_of_parts(ty),
            false => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    /// Returns whether the scalars and matrices in a value of this type are at most [`MAX_PARTS`].
    fn has_few_parts(&self, ty: Handle<Type>) -> bool {
        self.parts_in(ty, 0).is_some_and(|parts| parts <= MAX_PARTS)
    }

    /// Returns the number of scalars and matrices in a value of this type, or `None` if there are too many, or if types are
    /// nested too deeply. Each type that an array or a struct contains is counted as at least one part.
    fn parts_in(&self, ty: Handle<Type>, depth: u32) -> Option<usize> {
        let few = |parts: usize| (parts <= MAX_PARTS).then_some(parts);
        match self.program.module.types[ty].inner {
            _ if depth > MAX_NESTED => None,
            TypeInner::Vector { size, .. } => Some(size as usize),
            TypeInner::Struct { ref members, .. } => members
                .iter()
                .try_fold(0, |sum, member| few(sum + self.parts_in(member.ty, depth + 1)?.max(1))),
            TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
                let element = self.parts_in(base, depth + 1)?.max(1);
                few(element.checked_mul(length.get() as usize)?)
            }
            _ => Some(1),
        }
    }

    fn zero_of_parts(&mut self, ty: Handle<Type>) -> Value {
        let module = &self.program.module;
        match module.types[ty].inner {
            TypeInner::Scalar(scalar) => self.zero_scalar(scalar),
            TypeInner::Vector { size, scalar } => {
                Value::Parts((0..size as u32).map(|_| self.zero_scalar(scalar)).collect())
            }
            TypeInner::Struct { ref members, .. } => {
                Value::Parts(members.iter().map(|member| self.zero_of_parts(member.ty)).collect())
            }
            TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
                let element = self.zero_of_parts(base);
                Value::Parts(vec![element; length.get() as usize])
            }
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    fn zero_scalar(&mut self, scalar: naga::Scalar) -> Value {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Sint | ScalarKind::Uint, 4) => Value::Int(Form::default()),
            (ScalarKind::Bool, _) => Value::Bool(Condition::Known(false)),
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::program::Program;
    use crate::prove::EFFORT;
    use crate::prove::cases::AnyDispatch;
    use crate::prove::rules::Rules;
    use crate::prove::solve::Effort;
    use std::collections::BTreeMap;

    /// Returns whether the zero value of a type has parts.
    fn has_parts(ty: &str) -> bool {
        let text = format!(
            "struct Pair {{ x: u32, y: vec3<f32> }}
             var<private> value: {ty};
             @compute @workgroup_size(1) fn main() {{ _ = &value; }}"
        );
        let parsed = wgsl::parse("test.wgsl", &text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let effort = Effort::new(EFFORT);
        let mut walk = Walk::new(&program, 0, &AnyDispatch, (Rules::default(), effort));
        let (_, variable) = program.module.global_variables.iter().next().unwrap();
        matches!(walk.zero(variable.ty), Value::Parts(_))
    }

    #[test]
    fn values_with_many_parts_in_total_are_unknown() {
        for ty in
            ["array<u32, 64>", "array<vec4<u32>, 16>", "array<array<u32, 8>, 8>", "array<Pair, 16>"]
        {
            assert!(has_parts(ty), "{ty}");
        }
        for ty in ["array<u32, 65>", "array<array<u32, 8>, 9>", "array<Pair, 17>"] {
            assert!(!has_parts(ty), "{ty}");
        }
        assert!(!has_parts("array<array<array<array<array<u32, 64>, 64>, 64>, 64>, 4>"));
    }
}
