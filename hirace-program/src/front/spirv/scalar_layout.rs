//! Sizes of structures in scalar block layout.
//!
//! naga rounds the size of a structure up to a multiple of the alignment that WGSL gives its members, 16 for a `vec3`. In scalar
//! block layout the next member, or the next element of an array, may begin directly after the last member. The size of such a
//! structure is corrected here: otherwise the structure would overlap what follows it.

use naga::{Handle, Module, StructMember, Type, TypeInner};
use rustc_hash::FxHashMap;

/// Corrects the sizes of structures whose padding overlaps what follows them, and of the structures that contain them.
pub fn restore(module: &mut Module) {
    let space = available(module);
    let mut sizes: FxHashMap<Handle<Type>, u32> = FxHashMap::default();
    let handles: Vec<Handle<Type>> = module.types.iter().map(|(handle, _)| handle).collect();
    // Types precede the types that contain them.
    for handle in handles {
        let ty = &module.types[handle];
        let TypeInner::Struct { members, span } = &ty.inner else { continue };
        let contains_corrected = members.iter().any(|member| {
            let base = element(module, member.ty);
            sizes.contains_key(&base)
        });
        let most = space.get(&handle).copied().unwrap_or(u32::MAX);
        if !contains_corrected && *span <= most {
            continue;
        }
        let size = size(module, members).min(*span);
        if size > most {
            continue;
        }
        let corrected = TypeInner::Struct { members: members.clone(), span: size };
        let corrected = Type { name: ty.name.clone(), inner: corrected };
        // Two types that only differ in their size remain separate.
        if size != *span && module.types.get(&corrected).is_none() {
            module.types.replace(handle, corrected);
            sizes.insert(handle, size);
        }
    }
}

/// Returns the space for each structure: the smallest distance to the next member, and the smallest stride.
fn available(module: &Module) -> FxHashMap<Handle<Type>, u32> {
    let mut space: FxHashMap<Handle<Type>, u32> = FxHashMap::default();
    let mut limit = |ty: Handle<Type>, bytes: u32| {
        if matches!(module.types[ty].inner, TypeInner::Struct { .. }) {
            let known = space.entry(ty).or_insert(bytes);
            *known = bytes.min(*known);
        }
    };
    for (_, ty) in module.types.iter() {
        match &ty.inner {
            TypeInner::Array { base, stride, .. } => limit(*base, *stride),
            TypeInner::Struct { members, .. } => {
                for pair in members.windows(2) {
                    if let [member, next] = pair {
                        limit(member.ty, next.offset.saturating_sub(member.offset));
                    }
                }
            }
            _ => {}
        }
    }
    space
}

/// Returns the innermost element type of an array, or the type itself.
fn element(module: &Module, mut ty: Handle<Type>) -> Handle<Type> {
    while let TypeInner::Array { base, .. } = module.types[ty].inner {
        ty = base;
    }
    ty
}

/// Returns the size of a structure: the end of its last member, rounded up to the width of its largest scalar.
fn size(module: &Module, members: &[StructMember]) -> u32 {
    let end = members.iter().map(|member| {
        let size = module.types[member.ty].inner.try_size(module.to_ctx()).unwrap_or(u32::MAX);
        member.offset.saturating_add(size)
    });
    let width = members.iter().map(|member| scalar_width(module, member.ty)).max().unwrap_or(1);
    end.max().unwrap_or(0).checked_next_multiple_of(width.max(1)).unwrap_or(u32::MAX)
}

fn scalar_width(module: &Module, ty: Handle<Type>) -> u32 {
    match &module.types[element(module, ty)].inner {
        TypeInner::Struct { members, .. } => {
            members.iter().map(|member| scalar_width(module, member.ty)).max().unwrap_or(1)
        }
        inner => inner.scalar_width().map_or(1, u32::from),
    }
}
