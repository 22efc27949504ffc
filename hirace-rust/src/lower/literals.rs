//! Literals, with their suffixes, and non-finite numbers: `f32::INFINITY`, `f32::NEG_INFINITY`, `f32::NAN`, and those of `f16`.
//!
//! WGSL rejects constant expressions that are not finite. Therefore the bits are stored in a variable first, which is
//! not evaluated before the kernel runs.

use super::super::builtins::half_constant;
use super::super::tree::{ExprKind, Literal, Place, Scalar, Type};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use syn::Lit;

impl Body<'_, '_> {
    /// Lowers a literal. Its range is checked when its type is known.
    pub fn literal(&mut self, literal: &Lit) -> syn::Result<Node> {
        let (value, ty) = match literal {
            Lit::Bool(value) => (Literal::Bool(value.value), Ty::BOOL),
            Lit::Int(number) if matches!(number.suffix(), "f32") => {
                (Literal::Float(parse_float(literal, number.base10_digits())?), Scalar::F32.into())
            }
            Lit::Int(number) => {
                let range = -(1 << 63)..1 << 64;
                let value = number.base10_digits().parse::<i128>();
                let Some(value) = value.ok().filter(|value| range.contains(value)) else {
                    return refuse(
                        place(literal),
                        "this number is too large for WGSL: integers have at most 64 bits",
                    );
                };
                (Literal::Int(value), self.integer_type(literal, number.suffix())?)
            }
            Lit::Float(number) => {
                let ty = match number.suffix() {
                    "" => self.types.fresh(VariableKind::Float),
                    "f32" => Scalar::F32.into(),
                    "f16" => {
                        return refuse(
                            place(literal),
                            "`half::f16` has no literals: write `f16::from_f32(…)`",
                        );
                    }
                    suffix => {
                        return refuse(
                            place(literal),
                            format!("`{suffix}` is not a type of WGSL: write `f32`"),
                        );
                    }
                };
                (Literal::Float(parse_float(literal, number.base10_digits())?), ty)
            }
            Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => {
                return refuse(place(literal), "WGSL has no strings: use numbers");
            }
            Lit::Byte(byte) => (Literal::Int(byte.value().into()), Scalar::U8.into()),
            Lit::Char(_) => {
                return refuse(place(literal), "WGSL has no characters: write the number, `65u32`");
            }
            _ => return refuse(place(literal), "this is not a literal of WGSL"),
        };
        Ok(self.node(ExprKind::Literal(value), ty, literal))
    }

    fn integer_type(&mut self, literal: &Lit, suffix: &str) -> syn::Result<Ty> {
        Ok(match suffix {
            "" => self.types.fresh(VariableKind::Integer),
            "i32" => Scalar::I32.into(),
            "u32" => Scalar::U32.into(),
            "usize" => Ty::USIZE,
            "isize" => Scalar::Isize.into(),
            "u8" => Scalar::U8.into(),
            "i8" => Scalar::I8.into(),
            "u16" => Scalar::U16.into(),
            "i16" => Scalar::I16.into(),
            "u64" => Scalar::U64.into(),
            "i64" => Scalar::I64.into(),
            "f64" => return refuse(place(literal), "`f64` is not a type of WGSL: write `f32`"),
            other => {
                let instead = if other.starts_with('i') { "i64" } else { "u64" };
                return refuse(
                    place(literal),
                    format!("`{other}` is not a type of WGSL: write `{instead}`"),
                );
            }
        })
    }
}

fn parse_float(literal: &Lit, digits: &str) -> syn::Result<f32> {
    match digits.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => refuse(place(literal), "this number is too large for `f32`"),
    }
}

impl Body<'_, '_> {
    /// Returns the constant of this name: a constant of `half::f16`, or a non-finite constant of `f32`. Returns `None` for other
    /// names.
    pub fn float_constant(
        &mut self,
        of: &Type,
        name: &str,
        extent: Place,
    ) -> Option<syn::Result<Node>> {
        let value = match (of, name) {
            (Type::Scalar(Scalar::F16), name) => half_constant(name)?.to_f32(),
            (Type::Scalar(Scalar::F32), "INFINITY") => f32::INFINITY,
            (Type::Scalar(Scalar::F32), "NEG_INFINITY") => f32::NEG_INFINITY,
            (Type::Scalar(Scalar::F32), "NAN") => f32::NAN,
            _ => return None,
        };
        let (at, of) = (NodeBuilder(extent), Ty::from(of));
        if value.is_finite() {
            return Some(Ok(at.node(ExprKind::Literal(Literal::Float(value)), &of)));
        }
        if self.constant {
            let message =
                "WGSL has no constants that are not finite: write the value where it is used";
            return Some(refuse(extent, message));
        }
        let bits = at.number(value.to_bits().into(), &Ty::U32);
        let mut statements = Vec::new();
        let bits = self.named_variable("bits", bits, &mut statements);
        let value = at.node(ExprKind::Bitcast(Box::new(bits)), &Scalar::F32.into());
        Some(Ok(after(statements, at.convert(value, &of))))
    }
}
