//! Evaluates constant expressions to the words that registers hold.

use super::types;
use naga::{Arena, Expression, Handle, Literal, Module};

/// Returns the words of `expression`, if it is constant.
pub fn words(
    module: &Module,
    arena: &Arena<Expression>,
    expression: Handle<Expression>,
) -> Option<Vec<u32>> {
    match arena[expression] {
        Expression::Literal(literal) => self::literal(literal),
        Expression::Constant(constant) => {
            words(module, &module.global_expressions, module.constants[constant].init)
        }
        Expression::ZeroValue(ty) => {
            let count = types::registers(module, &module.types[ty].inner)?;
            Some(vec![0; count as usize])
        }
        Expression::Compose { ref components, .. } => {
            let mut all = Vec::new();
            for component in components {
                all.extend(words(module, arena, *component)?);
            }
            (all.len() <= types::MAX_REGISTERS as usize).then_some(all)
        }
        Expression::Splat { size, value } => {
            Some(words(module, arena, value)?.repeat(size as usize))
        }
        _ => None,
    }
}

fn literal(literal: Literal) -> Option<Vec<u32>> {
    let two = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    Some(match literal {
        Literal::F64(value) => two(value.to_bits()),
        Literal::F32(value) => vec![value.to_bits()],
        Literal::F16(value) => vec![value.to_f32().to_bits()],
        Literal::U16(value) => vec![value.into()],
        Literal::I16(value) => vec![value as u32],
        Literal::U32(value) => vec![value],
        Literal::I32(value) => vec![value as u32],
        Literal::U64(value) => two(value),
        Literal::I64(value) => two(value as u64),
        Literal::Bool(value) => vec![value.into()],
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => return None,
    })
}
