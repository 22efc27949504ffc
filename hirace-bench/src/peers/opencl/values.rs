//! The values of expressions. Each is computed once and then has a name.

use super::function::{Printer, temporary};
use super::places::last;
use super::{Result, unsupported};
use naga::{Expression, Handle, RelationalFunction, ScalarKind, SwizzleComponent, TypeInner};

impl Printer<'_> {
    /// Returns the value of an expression: its name, or its text.
    pub fn value(&self, expression: Handle<Expression>) -> Result<String> {
        let types = &self.shared.types;
        match self.function.expressions[expression] {
            Expression::Literal(literal) => super::constants::print_literal(literal),
            Expression::Constant(constant) => self.shared.constants.value(constant, types),
            Expression::ZeroValue(ty) => Ok(match self.type_of(expression) {
                TypeInner::Scalar(_) | TypeInner::Vector { .. } => types.zero(ty)?,
                _ => format!("(({}){})", types.name(ty)?, types.zero(ty)?),
            }),
            Expression::FunctionArgument(index) => Ok(format!("a{index}")),
            _ => Ok(temporary(expression)),
        }
    }

    /// Returns the computation of an expression.
    pub fn computed(&self, expression: Handle<Expression>) -> Result<String> {
        Ok(match self.function.expressions[expression] {
            Expression::Load { pointer } => self.load(expression, pointer)?,
            Expression::AccessIndex { base, index } => self.part(base, index)?,
            Expression::Access { base, index } => self.indexed(base, index)?,
            Expression::Unary { op, expr } => self.unary(op, expr)?,
            Expression::Binary { op, left, right } => self.binary(op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                let is_scalar = matches!(self.type_of(condition), TypeInner::Scalar(_));
                let [condition, accept, reject] =
                    [condition, accept, reject].map(|part| self.value(part));
                let (condition, accept, reject) = (condition?, accept?, reject?);
                match is_scalar {
                    true => format!("{condition} ? {accept} : {reject}"),
                    false => format!("select({reject}, {accept}, {condition})"),
                }
            }
            Expression::Relational { fun, argument } => {
                let is_scalar = matches!(self.type_of(argument), TypeInner::Scalar(_));
                let argument = self.value(argument)?;
                match (fun, is_scalar) {
                    (RelationalFunction::All | RelationalFunction::Any, true) => argument,
                    (RelationalFunction::All, false) => format!("all({argument})"),
                    (RelationalFunction::Any, false) => format!("any({argument})"),
                    (RelationalFunction::IsNan, _) => format!("isnan({argument})"),
                    (RelationalFunction::IsInf, _) => format!("isinf({argument})"),
                }
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let all = [Some(arg), arg1, arg2, arg3];
                self.math(expression, fun, &all.into_iter().flatten().collect::<Vec<_>>())?
            }
            Expression::As { expr, convert, .. } => {
                self.print_conversion(expression, expr, convert)?
            }
            Expression::Compose { ref components, .. } => self.composed(expression, components)?,
            Expression::Splat { value, .. } => {
                let is_bool = self.type_of(value).scalar_kind() == Some(ScalarKind::Bool);
                let sign = if is_bool { "-" } else { "" };
                format!("({})({sign}{})", self.type_name(expression)?, self.value(value)?)
            }
            Expression::Swizzle { size, vector, pattern } => {
                let components = pattern[..size as usize].iter().map(|component| match component {
                    SwizzleComponent::X => '0',
                    SwizzleComponent::Y => '1',
                    SwizzleComponent::Z => '2',
                    SwizzleComponent::W => '3',
                });
                format!("{}.s{}", self.value(vector)?, components.collect::<String>())
            }
            Expression::ArrayLength(array) => self.array_length(array)?,
            ref other => return unsupported(format!("{other:?}")),
        })
    }

    /// Returns a part of a value by a constant index.
    fn part(&self, base: Handle<Expression>, index: u32) -> Result<String> {
        let value = self.value(base)?;
        Ok(match *self.type_of(base) {
            TypeInner::Vector { scalar, .. } => component(&value, index, scalar.kind),
            TypeInner::Array { .. } => format!("{value}.a[{index}]"),
            TypeInner::Matrix { .. } => format!("{value}.c[{index}]"),
            TypeInner::Struct { ref members, .. } => {
                let member = members.get(index as usize);
                match member.and_then(|member| self.shared.types.vec3_scalar(member.ty)) {
                    Some(_) => format!("vload3(0, {value}.m{index})"),
                    None => format!("{value}.m{index}"),
                }
            }
            _ => return unsupported("parts of this kind"),
        })
    }

    /// Returns a part of a value by a computed index.
    fn indexed(&self, base: Handle<Expression>, index: Handle<Expression>) -> Result<String> {
        let inner = self.type_of(base);
        let index = format!("min((uint)({}), {})", self.value(index)?, last(inner)?);
        let value = self.value(base)?;
        Ok(match *inner {
            TypeInner::Array { .. } => format!("{value}.a[{index}]"),
            TypeInner::Matrix { .. } => format!("{value}.c[{index}]"),
            TypeInner::Vector { scalar, .. } => {
                let space = match self.function.expressions[base] {
                    Expression::Constant(_) => "__constant ",
                    // It is not in memory.
                    Expression::ZeroValue(_) => return unsupported("components of zero values"),
                    _ => "",
                };
                let of = super::types::scalar(scalar)?;
                let component = format!("(({space}{of}*)&{value})[{index}]");
                match scalar.kind {
                    ScalarKind::Bool => format!("({component} != 0)"),
                    _ => component,
                }
            }
            _ => return unsupported("parts of this kind"),
        })
    }

    /// Returns a value that is composed of parts.
    fn composed(
        &self,
        expression: Handle<Expression>,
        components: &[Handle<Expression>],
    ) -> Result<String> {
        let ty = self.type_name(expression)?;
        let mut all = Vec::new();
        for (index, &component) in components.iter().enumerate() {
            let value = self.value(component)?;
            all.push(match (self.type_of(expression), self.type_of(component)) {
                (TypeInner::Vector { .. }, TypeInner::Scalar(of))
                    if of.kind == ScalarKind::Bool =>
                {
                    format!("-{value}")
                }
                (
                    TypeInner::Struct { .. },
                    TypeInner::Vector { size: naga::VectorSize::Tri, .. },
                ) => {
                    format!(".m{index} = {{{value}.s0, {value}.s1, {value}.s2}}")
                }
                (TypeInner::Struct { .. }, _) => format!(".m{index} = {value}"),
                _ => value,
            });
        }
        let all = all.join(", ");
        Ok(match self.type_of(expression) {
            TypeInner::Vector { .. } => format!("({ty})({all})"),
            TypeInner::Struct { .. } => format!("({ty}){{{all}}}"),
            _ => format!("({ty}){{{{{all}}}}}"),
        })
    }
}

/// Returns a component of a vector.
pub(super) fn component(value: &str, index: u32, kind: ScalarKind) -> String {
    match kind {
        ScalarKind::Bool => format!("({value}.s{index} != 0)"),
        _ => format!("{value}.s{index}"),
    }
}
