//! Operators and built-in functions of integers and conditions.

use super::Rule;
use super::arithmetic::Arithmetic;
use super::condition::Condition;
use super::form::Form;
use super::symbol::Symbols;
use super::value::Value;
use super::walk::{Walk, is_at_least_0};
use naga::{
    BinaryOperator, Expression, Handle, MathFunction, RelationalFunction, ScalarKind, UnaryOperator,
};

impl Walk<'_> {
    /// Returns whether an expression has a signed integer type.
    pub fn is_signed(&self, expression: Handle<Expression>) -> bool {
        self.inner(self.frame().id, expression).scalar_kind() == Some(ScalarKind::Sint)
    }

    /// Returns the result of a unary operator.
    pub fn unary(&mut self, operator: UnaryOperator, operand: Handle<Expression>) -> Option<Value> {
        let signed = self.is_signed(operand);
        match (operator, self.value(operand)) {
            (UnaryOperator::LogicalNot, Value::Bool(condition)) => {
                Some(Value::Bool(condition.negate()))
            }
            (UnaryOperator::Negate, value @ Value::Int(_)) => {
                let zero = Value::Int(Form::default());
                Some(self.binary(BinaryOperator::Subtract, signed, &zero, &value))
            }
            _ => None,
        }
    }

    /// Returns the result of a binary operator.
    pub fn binary(
        &mut self,
        operator: BinaryOperator,
        signed: bool,
        a: &Value,
        b: &Value,
    ) -> Value {
        use BinaryOperator as B;
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                Value::Parts(pairs.map(|(a, b)| self.binary(operator, signed, a, b)).collect())
            }
            (Value::Parts(a), b) => {
                Value::Parts(a.iter().map(|a| self.binary(operator, signed, a, b)).collect())
            }
            (a, Value::Parts(b)) => {
                Value::Parts(b.iter().map(|b| self.binary(operator, signed, a, b)).collect())
            }
            (Value::Int(a), Value::Int(b)) => match operator {
                B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual => {
                    Value::Bool(self.compare(operator, a, b))
                }
                _ => Value::Int(self.arithmetic(signed, |it| it.binary(operator, a, b))),
            },
            (Value::Bool(a), Value::Bool(b)) if matches!(operator, B::And | B::LogicalAnd) => {
                Value::Bool(a.clone().and(b.clone()))
            }
            (Value::Bool(a), Value::Bool(b))
                if matches!(operator, B::InclusiveOr | B::LogicalOr) =>
            {
                Value::Bool(a.clone().or(b.clone()))
            }
            (a, b) => {
                let level = a.level(&self.symbols).max(b.level(&self.symbols));
                match operator {
                    B::Less
                    | B::LessEqual
                    | B::Greater
                    | B::GreaterEqual
                    | B::Equal
                    | B::NotEqual => Value::Bool(Condition::Unknown(self.opaque(level))),
                    _ => Value::Other(self.opaque(level)),
                }
            }
        }
    }

    /// Calls `ask` with integer arithmetic that uses the facts at this point.
    pub fn here<T>(&mut self, signed: bool, ask: impl FnOnce(&mut Arithmetic<'_>) -> T) -> T {
        let (facts, effort) = (&self.state.facts, &mut self.effort);
        let mut holds =
            |symbols: &Symbols, form: &Form| is_at_least_0(symbols, facts, effort, form);
        let (symbols, wraps) = (&mut self.symbols, self.rules.keep(Rule::Wrapping));
        ask(&mut Arithmetic { symbols, signed, wraps, is_nonnegative: &mut holds })
    }

    /// Computes an integer, or fails the walk.
    fn arithmetic(
        &mut self,
        signed: bool,
        compute: impl FnOnce(&mut Arithmetic<'_>) -> Option<Form>,
    ) -> Form {
        self.here(signed, compute).unwrap_or_else(|| {
            self.failed = true;
            Form::default()
        })
    }

    fn compare(&mut self, operator: BinaryOperator, a: &Form, b: &Form) -> Condition {
        use BinaryOperator as B;
        let (a, b) = match operator {
            B::Less | B::LessEqual => (b, a),
            _ => (a, b),
        };
        // The difference that is nonnegative if the first operand, after the swap, is the larger one.
        let Some(difference) = a.minus(b) else {
            let level = self.symbols.level(a).max(self.symbols.level(b));
            return Condition::Unknown(self.opaque(level));
        };
        match operator {
            B::Less | B::Greater => match difference.checked_add_constant(-1) {
                Some(strict) => Condition::nonnegative(strict, &self.symbols),
                None => {
                    let level = self.symbols.level(&difference);
                    Condition::Unknown(self.opaque(level))
                }
            },
            B::LessEqual | B::GreaterEqual => Condition::nonnegative(difference, &self.symbols),
            B::Equal => Condition::is_0(difference, &self.symbols),
            _ => Condition::is_0(difference, &self.symbols).negate(),
        }
    }

    /// Returns the result of `all` or `any`.
    pub fn relational(
        &mut self,
        function: RelationalFunction,
        operand: Handle<Expression>,
    ) -> Option<Value> {
        let join = match function {
            RelationalFunction::All => Condition::and,
            RelationalFunction::Any => Condition::or,
            _ => return None,
        };
        let parts = match self.value(operand) {
            Value::Parts(parts) => parts,
            one => vec![one],
        };
        let conditions = parts.into_iter().map(|part| match part {
            Value::Bool(condition) => Some(condition),
            _ => None,
        });
        let conditions: Vec<Condition> = conditions.collect::<Option<_>>()?;
        conditions.into_iter().reduce(join).map(Value::Bool)
    }

    /// Returns the result of a built-in function.
    pub fn math(
        &mut self,
        function: MathFunction,
        a: Handle<Expression>,
        b: Option<Handle<Expression>>,
        c: Option<Handle<Expression>>,
    ) -> Option<Value> {
        let signed = self.is_signed(a);
        let a = self.value(a);
        let b = b.map(|b| self.value(b));
        let c = c.map(|c| self.value(c));
        match function {
            MathFunction::Min => self.extreme(signed, &a, &b?, true),
            MathFunction::Max => self.extreme(signed, &a, &b?, false),
            MathFunction::Clamp => {
                let raised = self.extreme(signed, &a, &b?, false)?;
                self.extreme(signed, &raised, &c?, true)
            }
            MathFunction::ReverseBits | MathFunction::CountOneBits => {
                // The functions are about the bits, whatever the sign.
                let bits = a.as_int().and_then(Form::as_constant)? as u32;
                let result = match function {
                    MathFunction::ReverseBits => bits.reverse_bits(),
                    _ => bits.count_ones(),
                };
                let result = if signed { result.cast_signed().into() } else { result.into() };
                Some(Value::Int(Form::constant(result)))
            }
            MathFunction::Abs => {
                let natural = self.is_at_least_0(a.as_int()?);
                natural.then_some(a)
            }
            _ => None,
        }
    }

    fn extreme(&mut self, signed: bool, a: &Value, b: &Value, least: bool) -> Option<Value> {
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                let parts: Option<Vec<Value>> =
                    pairs.map(|(a, b)| self.extreme(signed, a, b, least)).collect();
                parts.map(Value::Parts)
            }
            (Value::Int(a), Value::Int(b)) => {
                Some(Value::Int(self.arithmetic(signed, |it| it.extreme(a, b, least))))
            }
            _ => None,
        }
    }

    /// Returns the result of a conversion or bitcast.
    pub fn cast(
        &mut self,
        operand: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Option<Value> {
        if convert.is_some_and(|width| width != 4) {
            return None;
        }
        let signed = match kind {
            ScalarKind::Sint => true,
            ScalarKind::Uint => false,
            _ => return None,
        };
        let value = self.value(operand);
        self.cast_value(&value, signed)
    }

    fn cast_value(&mut self, value: &Value, signed: bool) -> Option<Value> {
        match value {
            Value::Parts(parts) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|part| self.cast_value(part, signed)).collect();
                parts.map(Value::Parts)
            }
            Value::Int(form) => Some(Value::Int(self.arithmetic(signed, |it| it.cast(form)))),
            Value::Bool(condition) => {
                let level = condition.level(&self.symbols);
                Some(Value::Int(self.integer(level, (0, 1))))
            }
            _ => None,
        }
    }
}
