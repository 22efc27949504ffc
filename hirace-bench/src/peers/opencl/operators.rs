//! Operators and conversions.

use super::function::Printer;
use super::{Result, unsupported};
use naga::{
    BinaryOperator, Expression, Handle, Literal, ScalarKind, TypeInner, UnaryOperator, VectorSize,
};

impl Printer<'_> {
    pub fn unary(&self, op: UnaryOperator, expr: Handle<Expression>) -> Result<String> {
        let inner = self.type_of(expr);
        let value = self.value(expr)?;
        Ok(match op {
            UnaryOperator::Negate => match (inner, inner.scalar_kind()) {
                (TypeInner::Matrix { .. }, _) => return unsupported("negation of matrices"),
                (_, Some(ScalarKind::Sint)) => {
                    signed(inner, &format!("0u - {}", cast_unsigned(inner, &value)))
                }
                _ => format!("-({value})"),
            },
            // Compilers disagree on `!` of vectors.
            UnaryOperator::LogicalNot if matches!(inner, TypeInner::Vector { .. }) => {
                format!("~({value})")
            }
            UnaryOperator::LogicalNot => format!("!({value})"),
            UnaryOperator::BitwiseNot => format!("~({value})"),
        })
    }

    pub fn binary(
        &self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<String> {
        let (one, two) = (self.type_of(left), self.type_of(right));
        let (a, b) = (self.value(left)?, self.value(right)?);
        if [one, two].iter().any(|inner| matches!(inner, TypeInner::Matrix { .. })) {
            return self.of_matrices(op, (one, &a), (two, &b));
        }
        let sign = operator(op);
        let is_vector = matches!(one, TypeInner::Vector { .. });
        let wraps =
            matches!(op, BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply);
        Ok(match (op, one.scalar_kind()) {
            (_, Some(ScalarKind::Sint)) if wraps => {
                // The result has the type of the operand that is a vector.
                let wide = if is_vector { one } else { two };
                signed(
                    wide,
                    &format!("{} {sign} {}", cast_unsigned(one, &a), cast_unsigned(two, &b)),
                )
            }
            (
                BinaryOperator::Divide | BinaryOperator::Modulo,
                Some(kind @ (ScalarKind::Sint | ScalarKind::Uint)),
            ) => {
                if self.is_harmless(right) {
                    return Ok(format!("{a} {sign} {b}"));
                }
                let divisor = divisor(one, two, kind, (&a, &b))?;
                format!("{a} {sign} {divisor}")
            }
            (BinaryOperator::Modulo, _) => format!("{a} - {b} * trunc({a} / {b})"),
            // Both operands must have the same type.
            (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, Some(ScalarKind::Sint))
                if is_vector =>
            {
                format!("{a} {sign} {}", signed(two, &b))
            }
            _ => format!("{a} {sign} {b}"),
        })
    }

    /// Returns whether division by this expression is always defined.
    fn is_harmless(&self, divisor: Handle<Expression>) -> bool {
        let module = &self.shared.program.module;
        let literal = match self.function.expressions[divisor] {
            Expression::Literal(literal) => Some(literal),
            Expression::Constant(constant) => {
                match module.global_expressions[module.constants[constant].init] {
                    Expression::Literal(literal) => Some(literal),
                    _ => None,
                }
            }
            _ => None,
        };
        match literal {
            Some(Literal::U32(value)) => value != 0,
            Some(Literal::I32(value)) => value != 0 && value != -1,
            _ => false,
        }
    }

    fn of_matrices(
        &self,
        op: BinaryOperator,
        (one, a): (&TypeInner, &str),
        (two, b): (&TypeInner, &str),
    ) -> Result<String> {
        use BinaryOperator::{Add, Multiply, Subtract};
        let matrix = |columns: Vec<String>, of: &TypeInner| -> Result<String> {
            Ok(format!("({}){{{{{}}}}}", self.shared.types.inner(of)?, columns.join(", ")))
        };
        let applied = |columns: VectorSize, vector: &str| {
            sum_of(columns, |at| format!("{a}.c[{at}] * {vector}.s{at}"))
        };
        Ok(match (op, one, two) {
            (Multiply, &TypeInner::Matrix { columns, .. }, TypeInner::Vector { .. }) => {
                applied(columns, b)
            }
            (Multiply, TypeInner::Vector { .. }, &TypeInner::Matrix { columns, scalar, .. }) => {
                let dots = (0..columns as u32).map(|at| format!("dot({a}, {b}.c[{at}])"));
                let ty = super::types::vector(columns, scalar)?;
                format!("({ty})({})", dots.collect::<Vec<_>>().join(", "))
            }
            (
                Multiply,
                &TypeInner::Matrix { columns: inside, rows, scalar },
                &TypeInner::Matrix { columns, .. },
            ) => {
                let products =
                    (0..columns as u32).map(|at| applied(inside, &format!("{b}.c[{at}]")));
                matrix(products.collect(), &TypeInner::Matrix { columns, rows, scalar })?
            }
            (Multiply, &TypeInner::Matrix { columns, .. }, TypeInner::Scalar(_)) => {
                let products = (0..columns as u32).map(|at| format!("{a}.c[{at}] * {b}"));
                matrix(products.collect(), one)?
            }
            (Multiply, TypeInner::Scalar(_), &TypeInner::Matrix { columns, .. }) => {
                let products = (0..columns as u32).map(|at| format!("{a} * {b}.c[{at}]"));
                matrix(products.collect(), two)?
            }
            (Add | Subtract, &TypeInner::Matrix { columns, .. }, _) => {
                let sign = operator(op);
                let sums = (0..columns as u32).map(|at| format!("{a}.c[{at}] {sign} {b}.c[{at}]"));
                matrix(sums.collect(), one)?
            }
            _ => return unsupported("operations on matrices"),
        })
    }

    /// Converts the value of `expr` to the type of `expression`, or reinterprets its bits.
    pub fn print_conversion(
        &self,
        expression: Handle<Expression>,
        expr: Handle<Expression>,
        convert: Option<u8>,
    ) -> Result<String> {
        let (from, to) = (self.type_of(expr), self.type_of(expression));
        let (ty, value) = (self.type_name(expression)?, self.value(expr)?);
        let is_vector = matches!(to, TypeInner::Vector { .. });
        if matches!(to, TypeInner::Matrix { .. }) {
            return unsupported("conversions of matrices");
        }
        // Refuses types without a name.
        self.type_name(expr)?;
        if convert.is_none() {
            return Ok(format!("as_{ty}({value})"));
        }
        use ScalarKind::{Bool, Float, Sint, Uint};
        Ok(match (from.scalar_kind(), to.scalar_kind()) {
            (from, to) if from == to => value,
            (Some(Float), Some(Bool)) => format!("{value} != 0.0f"),
            (Some(Uint), Some(Bool)) => format!("{value} != 0u"),
            (_, Some(Bool)) => format!("{value} != 0"),
            (Some(Bool), _) if is_vector => format!("convert_{ty}({value} & 1)"),
            (Some(Float), Some(to @ (Sint | Uint))) => {
                // The largest integer that is exactly representable as a float.
                let most = if to == Sint { "2147483520.0f" } else { "4294967040.0f" };
                match is_vector {
                    true => {
                        let from = self.type_name(expr)?;
                        format!(
                            "convert_{ty}_sat(select({value}, ({from})({most}), {value} > {most}))"
                        )
                    }
                    false => format!("convert_{ty}_sat({value} > {most} ? {most} : {value})"),
                }
            }
            (Some(Sint), Some(Uint)) | (Some(Uint), Some(Sint)) if is_vector => {
                format!("as_{ty}({value})")
            }
            _ if is_vector => format!("convert_{ty}({value})"),
            _ => format!("({ty})({value})"),
        })
    }
}

/// Returns a divisor with which the division is defined: division by zero, and of the minimum by -1, returns the
/// dividend.
fn divisor(
    one: &TypeInner,
    two: &TypeInner,
    kind: ScalarKind,
    (a, b): (&str, &str),
) -> Result<String> {
    let least = "(-2147483647 - 1)";
    match (one, two, kind) {
        (TypeInner::Scalar(_), TypeInner::Scalar(_), ScalarKind::Uint) => {
            Ok(format!("({b} == 0u ? 1u : {b})"))
        }
        (TypeInner::Scalar(_), TypeInner::Scalar(_), _) => {
            Ok(format!("({b} == 0 || ({a} == {least} && {b} == -1) ? 1 : {b})"))
        }
        (&TypeInner::Vector { size, .. }, TypeInner::Vector { .. }, ScalarKind::Uint) => {
            Ok(format!("select({b}, (uint{})(1u), {b} == 0u)", size as u8))
        }
        (&TypeInner::Vector { size, .. }, TypeInner::Vector { .. }, _) => Ok(format!(
            "select({b}, (int{})(1), ({b} == 0) | (({a} == {least}) & ({b} == -1)))",
            size as u8
        )),
        _ => unsupported("a vector divided by a scalar"),
    }
}

/// Reinterprets an integer of this type as unsigned, since unsigned arithmetic wraps.
pub(super) fn cast_unsigned(inner: &TypeInner, value: &str) -> String {
    match *inner {
        TypeInner::Vector { size, .. } => format!("as_uint{}({value})", size as u8),
        _ => format!("(uint){value}"),
    }
}

/// Reinterprets an unsigned integer as a signed one of the width of this type.
pub(super) fn signed(inner: &TypeInner, value: &str) -> String {
    match *inner {
        TypeInner::Vector { size, .. } => format!("as_int{}({value})", size as u8),
        _ => format!("(int)({value})"),
    }
}

/// Returns the sum of `of` over the components.
pub(super) fn sum_of(size: VectorSize, of: impl Fn(u32) -> String) -> String {
    (0..size as u32).map(of).collect::<Vec<_>>().join(" + ")
}

pub(super) fn operator(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => "&",
        BinaryOperator::ExclusiveOr => "^",
        BinaryOperator::InclusiveOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
    }
}
