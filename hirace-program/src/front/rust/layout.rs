//! Sizes and alignments as WGSL has them, for the rules of uniform memory.

use super::tree::{Count, Member, Module, Scalar, Type};

/// What elements of arrays and structs in structs are aligned to in uniform memory.
const UNIFORM: u32 = 16;

/// Why a type cannot be in uniform memory; `None` if it can.
pub(super) fn not_uniform(module: &Module, ty: &Type) -> Option<String> {
    match ty {
        Type::Array(element, _) => {
            let (align, size) = layout(module, element)?;
            if size.next_multiple_of(align) % UNIFORM != 0 {
                return Some(
                    "elements of arrays in uniform memory take a multiple of 16 bytes: use `Vec4` or `UVec4` for them, or a buffer, `&…` without `#[uniform]`"
                        .to_owned(),
                );
            }
            not_uniform(module, element)
        }
        Type::Struct(id) => {
            let members = &module.structs[id.0].members;
            let offsets = offsets(module, members)?;
            for (index, (member, (offset, size))) in members.iter().zip(&offsets).enumerate() {
                if let Some(why) = not_uniform(module, &member.ty) {
                    return Some(why);
                }
                let name = &member.name.text;
                if matches!(member.ty, Type::Struct(_) | Type::Array(..)) && offset % UNIFORM != 0 {
                    return Some(format!(
                        "`{name}` begins at byte {offset}, and in uniform memory structs and arrays begin at multiples of 16: write `#[align(16)]` before it"
                    ));
                }
                if let (Type::Struct(_), Some((next, _))) = (&member.ty, offsets.get(index + 1))
                    && next - offset < size.next_multiple_of(UNIFORM)
                {
                    let next = &members[index + 1].name.text;
                    return Some(format!(
                        "in uniform memory a struct takes a multiple of 16 bytes: write `#[align(16)]` before `{next}`"
                    ));
                }
            }
            None
        }
        _ => None,
    }
}

/// Alignment and size; `None` for what has none.
pub(super) fn layout(module: &Module, ty: &Type) -> Option<(u32, u32)> {
    let vector = |size: u8| if size == 2 { 8 } else { 16 };
    Some(match ty {
        Type::Scalar(Scalar::Bool) => return None,
        Type::Scalar(Scalar::F16) => (2, 2),
        Type::Scalar(scalar) if scalar.is_wide() => (8, 8),
        Type::Scalar(_) | Type::Atomic(_) => (4, 4),
        Type::Vector(size, _) => (vector(*size), u32::from(*size) * 4),
        Type::Matrix { columns, rows } => (vector(*rows), u32::from(*columns) * vector(*rows)),
        Type::Array(element, length) => {
            let (align, size) = layout(module, element)?;
            let length = match length {
                Count::Literal(length) => *length,
                // Where it is not known, what follows it is not either.
                Count::Const(_) => return None,
            };
            (align, size.next_multiple_of(align).checked_mul(length)?)
        }
        Type::Struct(id) => {
            let members = &module.structs[id.0].members;
            let align = members.iter().map(|member| aligned(module, member)).max()??;
            let (offset, size) = *offsets(module, members)?.last()?;
            (align, offset.checked_add(size)?.checked_next_multiple_of(align)?)
        }
        _ => return None,
    })
}

fn aligned(module: &Module, member: &Member) -> Option<u32> {
    let (align, _) = layout(module, &member.ty)?;
    Some(align.max(member.align.unwrap_or(1)))
}

/// Where members begin, and their sizes.
pub(super) fn offsets(module: &Module, members: &[Member]) -> Option<Vec<(u32, u32)>> {
    let mut end = 0_u32;
    let mut offsets = Vec::new();
    for member in members {
        let (_, size) = layout(module, &member.ty)?;
        let size = size.max(member.size.unwrap_or(0));
        let offset = end.checked_next_multiple_of(aligned(module, member)?)?;
        offsets.push((offset, size));
        end = offset.checked_add(size)?;
    }
    Some(offsets)
}
