//! Uniform memory: its constraints on sizes and alignments, and nested structs in it.
//!
//! WGSL requires that a nested struct in uniform memory starts at a multiple of 16 bytes and that its size is one;
//! Rust does not. A nested struct that violates this is replaced by its members, at the same byte offsets.

use super::tree::{
    Count, Expr, ExprKind, GlobalId, Member, Module, Name, Scalar, Space, Struct, StructId, Type,
};
use super::walk;
use rustc_hash::FxHashMap;

/// Returns why a type cannot be in uniform memory even after flattening, or `None` if it can.
pub(super) fn uniform_layout_error(module: &Module, ty: &Type) -> Option<String> {
    let why = uniform_violation(module, ty)?;
    let Type::Struct(id) = ty else { return Some(why) };
    let Some(FlatStruct { members, .. }) = flat(module, *id) else { return Some(why) };
    // The check runs on the flattened struct.
    let name = module.structs[id.0].name.clone();
    let mut with = Module { structs: module.structs.clone(), ..Module::default() };
    with.structs.push(Struct { name, members });
    uniform_violation(&with, &Type::Struct(StructId(module.structs.len())))
}

/// Flattens uniforms whose nested structs violate WGSL's layout rules.
pub(super) fn flatten(module: &mut Module) {
    let mut made = FxHashMap::default();
    for index in 0..module.globals.len() {
        let global = &module.globals[index];
        let (Space::Uniform(_), &Type::Struct(id)) = (global.space, &global.ty) else { continue };
        let Some(flat) = uniform_violation(module, &global.ty).and_then(|_| flat(module, id))
        else {
            continue;
        };
        let name = module.structs[id.0].name.clone();
        module.structs.push(Struct { name, members: flat.members });
        let ty = Type::Struct(StructId(module.structs.len() - 1));
        module.globals[index].ty = ty.clone();
        made.insert(GlobalId(index), FlattenedUniform { ty, was: id, nth: flat.nth });
    }
    if made.is_empty() {
        return;
    }
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        walk::block_children_mut(&mut function.body, &mut |expr| rewrite(expr, module, &made));
    }
    module.functions = functions;
}

/// A struct without nested structs.
#[derive(Default)]
struct FlatStruct {
    members: Vec<Member>,
    /// The index of each member of the nested structs in `members`, by its path in the original struct.
    nth: FxHashMap<Vec<usize>, usize>,
}

/// The flattened form of a uniform.
struct FlattenedUniform {
    ty: Type,
    was: StructId,
    nth: FxHashMap<Vec<usize>, usize>,
}

fn flat(module: &Module, id: StructId) -> Option<FlatStruct> {
    let mut flat = FlatStruct::default();
    let (_, size) = layout(module, &Type::Struct(id))?;
    let mut begins = Vec::new();
    add(module, id, (0, &mut Vec::new(), ""), &mut flat, &mut begins)?;
    // Each member is padded up to the start of the next one.
    for (index, member) in flat.members.iter_mut().enumerate() {
        let end = begins.get(index + 1).copied().unwrap_or(size);
        let (_, own) = layout(module, &member.ty)?;
        let whole = end.checked_sub(begins[index])?;
        member.size = (whole > own).then_some(whole);
    }
    Some(flat)
}

fn add(
    module: &Module,
    id: StructId,
    (at, way, before): (u32, &mut Vec<usize>, &str),
    flat: &mut FlatStruct,
    begins: &mut Vec<u32>,
) -> Option<()> {
    let members = &module.structs[id.0].members;
    for (nth, (member, (offset, _))) in members.iter().zip(offsets(module, members)?).enumerate() {
        way.push(nth);
        let text = format!("{before}{}", member.name.text);
        match &member.ty {
            Type::Struct(inner) => {
                add(module, *inner, (at + offset, way, &format!("{text}_")), flat, begins)?;
            }
            ty => {
                let taken = |text: &str| flat.members.iter().any(|other| other.name.text == text);
                let mut free = text.clone();
                while taken(&free) {
                    free.push('_');
                }
                let name = Name { text: free, ..member.name.clone() };
                flat.nth.insert(way.clone(), flat.members.len());
                flat.members.push(Member { name, ty: ty.clone(), align: None, size: None });
                begins.push(at + offset);
            }
        }
        way.pop();
    }
    Some(())
}

/// Rewrites reads of flattened uniforms.
fn rewrite(expr: &mut Expr, module: &Module, made: &FxHashMap<GlobalId, FlattenedUniform>) {
    let mut way = Vec::new();
    let mut base = &*expr;
    while let ExprKind::Member(of, nth) = &base.kind {
        way.insert(0, *nth);
        base = of;
    }
    if let ExprKind::Global(id) = base.kind
        && let Some(found) = made.get(&id)
    {
        let whole = Expr { ty: found.ty.clone(), ..base.clone() };
        // The path may continue into a type that is not a flattened struct, such as a tuple or a vector.
        let mut ty = Type::Struct(found.was);
        let mut taken = 0;
        while let (Type::Struct(of), Some(nth)) = (&ty, way.get(taken)) {
            ty = module.structs[of.0].members[*nth].ty.clone();
            taken += 1;
        }
        if taken == way.len() {
            *expr = read(&whole, &ty, &mut way, module, found, expr.place);
            return;
        }
    }
    walk::children_mut(expr, &mut |child| rewrite(child, module, made));
}

/// Returns the value at a path of the original struct: a member, or a struct constructed from the flattened members.
fn read(
    whole: &Expr,
    ty: &Type,
    way: &mut Vec<usize>,
    module: &Module,
    made: &FlattenedUniform,
    place: super::tree::Place,
) -> Expr {
    let kind = match (ty, made.nth.get(way)) {
        (Type::Struct(id), _) => {
            let members = module.structs[id.0].members.iter().enumerate();
            let parts = members.map(|(nth, member)| {
                way.push(nth);
                let part = read(whole, &member.ty, way, module, made, place);
                way.pop();
                part
            });
            ExprKind::Construct(parts.collect())
        }
        (_, nth) => ExprKind::Member(Box::new(whole.clone()), nth.copied().unwrap_or_default()),
    };
    Expr { kind, ty: ty.clone(), diverges: false, place }
}

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
