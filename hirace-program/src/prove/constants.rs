//! Values of literals and constants.

use super::condition::Condition;
use super::form::Form;
use super::symbol::Level;
use super::value::{MAX_PARTS, Value};
use super::walk::Walk;
use naga::{ArraySize, Expression, Handle, Literal, ScalarKind, Type, TypeInner};

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
            TypeInner::Struct { .. } | TypeInner::Array { .. } if parts.len() <= MAX_PARTS => {
                Value::Parts(parts)
            }
            _ => Value::Other(self.opaque(level)),
        }
    }

    /// Returns the zero value of this type.
    pub fn zero(&mut self, ty: Handle<Type>) -> Value {
        let module = &self.program.module;
        match module.types[ty].inner {
            TypeInner::Scalar(scalar) => self.zero_scalar(scalar),
            TypeInner::Vector { size, scalar } => {
                Value::Parts((0..size as u32).map(|_| self.zero_scalar(scalar)).collect())
            }
            TypeInner::Struct { ref members, .. } if members.len() <= MAX_PARTS => {
                Value::Parts(members.iter().map(|member| self.zero(member.ty)).collect())
            }
            TypeInner::Array { base, size: ArraySize::Constant(length), .. }
                if length.get() as usize <= MAX_PARTS =>
            {
                let element = self.zero(base);
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
