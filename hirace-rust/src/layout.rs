//! Sizes and alignments by WGSL's rules, for the constraints on uniform memory.

use super::tree::{Count, Member, Module, Scalar, Type};

/// The alignment of array elements and nested structs in uniform memory.
const UNIFORM: u32 = 16;

/// Returns why a type cannot be in uniform memory, or `None` if it can.
pub(super) fn uniform_violation(module: &Module, ty: &Type) -> Option<String> {
    match ty {
        Type::Array(element, _) => {
            let (align, size) = layout(module, element)?;
            if size.next_multiple_of(align) % UNIFORM != 0 {
                return Some(
                    "the size of array elements in uniform memory must be a multiple of 16 bytes: use `Vec4` or \
                     `UVec4`, or a storage buffer, `&…` without `#[uniform]`"
                        .to_owned(),
                );
            }
            uniform_violation(module, element)
        }
        Type::Struct(id) => {
            let members = &module.structs[id.0].members;
            let offsets = offsets(module, members)?;
            for (index, (member, (offset, size))) in members.iter().zip(&offsets).enumerate() {
                if let Some(why) = uniform_violation(module, &member.ty) {
                    return Some(why);
                }
                let name = &member.name.text;
                if matches!(member.ty, Type::Struct(_) | Type::Array(..)) && offset % UNIFORM != 0 {
                    return Some(format!(
                        "`{name}` starts at byte {offset}, but structs and arrays in uniform memory must start at a \
                         multiple of 16: write `#[align(16)]` before it"
                    ));
                }
                if let (Type::Struct(_), Some((next, _))) = (&member.ty, offsets.get(index + 1))
                    && next - offset < size.next_multiple_of(UNIFORM)
                {
                    let next = &members[index + 1].name.text;
                    return Some(format!(
                        "the size of a struct in uniform memory must be a multiple of 16 bytes: write `#[align(16)]` \
                         before `{next}`"
                    ));
                }
            }
            None
        }
        _ => None,
    }
}

/// Returns the alignment and size of a type, or `None` if it has no fixed size.
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
                // If a size is unknown, the offsets of the members after it are unknown too.
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

/// Returns the offset and size of each member.
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
