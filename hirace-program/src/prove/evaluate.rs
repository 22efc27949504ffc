//! Evaluation of expressions.

use super::arithmetic::limits;
use super::condition::Condition;
use super::form::Form;
use super::symbol::Level;
use super::value::{Value, Variable};
use super::walk::Walk;
use crate::ir::walk::{self, FunctionId};
use naga::{AddressSpace, Expression, Handle, ScalarKind, TypeInner};

impl Walk<'_> {
    /// Returns the value that an expression had when it was evaluated.
    pub fn value(&mut self, expression: Handle<Expression>) -> Value {
        let value = match self.frame().values.get(&expression) {
            Some(value) => value.clone(),
            None => self.compute(expression),
        };
        self.unwrap_value(value)
    }

    /// Returns the value of an expression as a condition.
    pub fn condition(&mut self, expression: Handle<Expression>) -> Condition {
        match self.value(expression) {
            Value::Bool(condition) => condition,
            other => {
                let level = other.level(&self.symbols);
                Condition::Unknown(self.opaque(level))
            }
        }
    }

    /// Evaluates an expression.
    pub fn compute(&mut self, expression: Handle<Expression>) -> Value {
        let function = self.frame().function;
        let known = match function.expressions[expression] {
            Expression::Literal(literal) => Some(self.literal(literal)),
            Expression::Constant(constant) => {
                let init = self.program.module.constants[constant].init;
                Some(self.constant(init, 0))
            }
            Expression::ZeroValue(ty) => Some(self.zero(ty)),
            Expression::Compose { ty, ref components } => {
                let parts: Vec<Value> = components.iter().map(|part| self.value(*part)).collect();
                Some(self.compose(ty, parts))
            }
            Expression::Splat { size, value } => {
                let value = self.value(value);
                Some(Value::Parts(vec![value; size as usize]))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(vector);
                let parts = pattern[..size as usize].iter();
                let parts: Option<Vec<_>> =
                    parts.map(|&part| vector.part(part as u32).cloned()).collect();
                parts.map(Value::Parts)
            }
            Expression::AccessIndex { base, index } => match self.value(base) {
                Value::Pointer(variable, path) => {
                    let path = path.map(|path| [&path[..], &[index]].concat());
                    Some(Value::Pointer(variable, path))
                }
                value => value.part(index).cloned(),
            },
            Expression::Access { base, index } => self.element(base, index),
            Expression::FunctionArgument(index) => {
                self.frame().arguments.get(index as usize).cloned()
            }
            Expression::LocalVariable(local) => {
                let number = self.frame().number;
                Some(Value::Pointer(Variable::Local(number, local), Some(Vec::new())))
            }
            Expression::GlobalVariable(global) => {
                let space = self.program.module.global_variables[global].space;
                let path = Some(Vec::new());
                (space == AddressSpace::Private)
                    .then_some(Value::Pointer(Variable::Private(global), path))
            }
            Expression::Load { pointer } => return self.load(expression, pointer),
            Expression::Unary { op, expr } => self.unary(op, expr),
            Expression::Binary { op, left, right } => {
                let (left_value, right_value) = (self.value(left), self.value(right));
                let signed = self.is_signed(left);
                Some(self.binary(op, signed, &left_value, &right_value))
            }
            Expression::Select { condition, accept, reject } => {
                let (accept, reject) = (self.value(accept), self.value(reject));
                match self.value(condition) {
                    Value::Bool(Condition::Known(known)) => {
                        Some(if known { accept } else { reject })
                    }
                    Value::Bool(condition) => {
                        let level = condition.level(&self.symbols);
                        Some(self.join_values(accept, reject, Some(&condition), level))
                    }
                    _ => None,
                }
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => self.math(fun, arg, arg1, arg2),
            Expression::Relational { fun, argument } => self.relational(fun, argument),
            Expression::As { expr, kind, convert } => self.cast(expr, kind, convert),
            Expression::ArrayLength(array) => self.runtime_length(array).map(Value::Int),
            _ => None,
        };
        known.unwrap_or_else(|| {
            let level = self.level_of_operands(expression);
            self.unknown_of(expression, level)
        })
    }

    /// Returns the level at which invocations agree on an expression that is not modeled.
    fn level_of_operands(&mut self, expression: Handle<Expression>) -> Level {
        let function = self.frame().function;
        let expression = &function.expressions[expression];
        match expression {
            Expression::Access { .. }
            | Expression::AccessIndex { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::Compose { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. }
            | Expression::Math { .. }
            | Expression::As { .. } => {
                let mut operands = Vec::new();
                walk::operands(expression, &mut |operand| operands.push(operand));
                let levels =
                    operands.into_iter().map(|operand| self.value(operand).level(&self.symbols));
                levels.max().unwrap_or_default()
            }
            Expression::ArrayLength(array) => self.level_of_indices(*array),
            _ => Level::Invocation,
        }
    }

    /// Returns an unknown value of the type of an expression.
    pub fn unknown_of(&mut self, expression: Handle<Expression>, level: Level) -> Value {
        let inner = self.inner(self.frame().id, expression).clone();
        self.unknown(&inner, level)
    }

    /// Returns the type of an expression.
    pub fn inner(&self, function: FunctionId, expression: Handle<Expression>) -> &TypeInner {
        let info = self.program.info_of(function);
        info[expression].ty.inner_with(&self.program.module.types)
    }

    /// Returns an unknown value of this type.
    pub fn unknown(&mut self, inner: &TypeInner, level: Level) -> Value {
        match *inner {
            TypeInner::Scalar(scalar) => match (scalar.kind, scalar.width) {
                (ScalarKind::Sint, 4) => Value::Int(self.integer(level, limits(true))),
                (ScalarKind::Uint, 4) => Value::Int(self.integer(level, limits(false))),
                (ScalarKind::Bool, _) => Value::Bool(Condition::Unknown(self.opaque(level))),
                _ => Value::Other(self.opaque(level)),
            },
            TypeInner::Vector { size, scalar } => {
                let part = TypeInner::Scalar(scalar);
                Value::Parts((0..size as u32).map(|_| self.unknown(&part, level)).collect())
            }
            _ => Value::Other(self.opaque(level)),
        }
    }

    fn element(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Option<Value> {
        let index = self.value(index);
        let fixed = index.as_int().and_then(Form::as_constant);
        let fixed = fixed.and_then(|index| u32::try_from(index).ok());
        match self.value(base) {
            Value::Pointer(variable, path) => {
                let path = path.zip(fixed).map(|(path, index)| [&path[..], &[index]].concat());
                Some(Value::Pointer(variable, path))
            }
            value => value.part(fixed?).cloned(),
        }
    }
}
