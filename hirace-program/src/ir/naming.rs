//! Source names of memory: from a byte offset to `particles[3].pos.x`.

use super::layout::column_stride;
use naga::{ArraySize, GlobalVariable, Handle, Module, Scalar, Type, TypeInner, VectorSize};
use std::fmt::Write;

/// Returns the name of the element at byte `offset` of a variable, as written in WGSL: `tile[16]`, `particles[3].pos.x`,
/// `m[2].w`.
///
/// Padding has no name of its own: the result names the enclosing array element or struct. Indices past the end of an array
/// continue to count its elements.
pub fn describe(module: &Module, global: Handle<GlobalVariable>, offset: u32) -> String {
    let global = &module.global_variables[global];
    let mut name = global.name.clone().unwrap_or_else(|| "(unnamed)".to_owned());
    // Writing to a string does not fail.
    let _ = path(module, global.ty, offset, &mut name);
    name
}

/// Returns the scalar at byte `offset` of a value of type `ty`, if one begins there.
pub fn scalar_at(module: &Module, ty: Handle<Type>, offset: u32) -> Option<Scalar> {
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => (offset == 0).then_some(scalar),
        TypeInner::Vector { size, scalar } => of_vector(size, scalar, offset),
        TypeInner::Matrix { rows, scalar, .. } => {
            of_vector(rows, scalar, offset % column_stride(rows, scalar))
        }
        TypeInner::Array { base, stride, .. } if stride > 0 => {
            scalar_at(module, base, offset % stride)
        }
        TypeInner::Struct { ref members, .. } => {
            let member = members.iter().rev().find(|member| member.offset <= offset)?;
            scalar_at(module, member.ty, offset - member.offset)
        }
        _ => None,
    }
}

fn of_vector(size: VectorSize, scalar: Scalar, offset: u32) -> Option<Scalar> {
    let (component, within) = (offset / u32::from(scalar.width), offset % u32::from(scalar.width));
    (component < size as u32 && within == 0).then_some(scalar)
}

/// Appends the path from a value of type `ty` to its byte `offset`.
fn path(module: &Module, ty: Handle<Type>, offset: u32, name: &mut String) -> std::fmt::Result {
    match module.types[ty].inner {
        TypeInner::Vector { size, scalar } => {
            component(offset / u32::from(scalar.width), size as u32, name)
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let stride = column_stride(rows, scalar);
            if offset / stride >= columns as u32 {
                return Ok(());
            }
            write!(name, "[{}]", offset / stride)?;
            component(offset % stride / u32::from(scalar.width), rows as u32, name)
        }
        TypeInner::Array { base, stride, .. } if stride > 0 => {
            write!(name, "[{}]", offset / stride)?;
            path(module, base, offset % stride, name)
        }
        TypeInner::Struct { ref members, .. } => {
            let begun = members.iter().take_while(|member| member.offset <= offset).count();
            let Some((member, before)) = members[..begun].split_last() else { return Ok(()) };
            let within = offset - member.offset;
            if within >= size(module, member.ty) {
                return Ok(());
            }
            match &member.name {
                Some(member) => write!(name, ".{member}")?,
                // A struct that a compiler generated as the wrapper of a variable.
                None if members.len() == 1 => {}
                None => write!(name, ".member{}", before.len())?,
            }
            path(module, member.ty, within, name)
        }
        _ => Ok(()),
    }
}

fn component(index: u32, size: u32, name: &mut String) -> std::fmt::Result {
    match ["x", "y", "z", "w"].get(index as usize) {
        Some(letter) if index < size => write!(name, ".{letter}"),
        _ => Ok(()),
    }
}

/// Returns the size of a member. A runtime-sized array, which is always the last member, has no end.
fn size(module: &Module, ty: Handle<Type>) -> u32 {
    match module.types[ty].inner {
        TypeInner::Array { size: ArraySize::Dynamic, .. } => u32::MAX,
        ref inner => inner.size(module.to_ctx()),
    }
}

#[cfg(test)]
mod tests {
    use super::describe;

    const SOURCE: &str = "
        struct Particle { pos: vec3f, mass: f32, vel: vec3f, ids: array<vec2u, 2> }
        struct World { count: atomic<u32>, frame: mat3x3f, last: mat2x4f, cells: array<array<Particle, 2>> }
        var<workgroup> tile: array<f32, 32>;
        var<workgroup> lonely: u32;
        var<workgroup> rows: array<mat4x2f, 3>;
        @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
        @group(0) @binding(1) var<storage, read_write> world: World;
    ";

    /// Returns the name of the element at `offset` of the variable called `name`.
    fn at(name: &str, offset: u32) -> String {
        let module = naga::front::wgsl::parse_str(SOURCE).expect("valid WGSL");
        let mut globals = module.global_variables.iter();
        let (global, _) = globals
            .find(|(_, global)| global.name.as_deref() == Some(name))
            .expect("a variable of this name");
        describe(&module, global, offset)
    }

    #[test]
    fn scalars_and_arrays_of_them() {
        assert_eq!(at("tile", 0), "tile[0]");
        assert_eq!(at("tile", 64), "tile[16]");
        assert_eq!(at("tile", 66), "tile[16]");
        assert_eq!(at("tile", 128), "tile[32]");
        assert_eq!(at("lonely", 0), "lonely");
    }

    #[test]
    fn members_components_and_columns() {
        // A particle has pos at 0, mass at 12, vel at 16 (to 28), ids at 32 (to 48).
        assert_eq!(at("particles", 3 * 48), "particles[3].pos.x");
        assert_eq!(at("particles", 3 * 48 + 12), "particles[3].mass");
        assert_eq!(at("particles", 3 * 48 + 24), "particles[3].vel.z");
        assert_eq!(at("particles", 44), "particles[0].ids[1].y");
        // Columns of two rows are 8 bytes apart, of three or four rows 16.
        assert_eq!(at("rows", 32 + 8 + 4), "rows[1][1].y");
        assert_eq!(at("world", 0), "world.count");
        assert_eq!(at("world", 16 + 32 + 8), "world.frame[2].z");
        assert_eq!(at("world", 64 + 28), "world.last[1].w");
        assert_eq!(at("world", 96 + 5 * 96 + 48 + 16), "world.cells[5][1].vel.x");
    }

    #[test]
    fn padding_is_part_of_what_holds_it() {
        assert_eq!(at("particles", 28), "particles[0]");
        assert_eq!(at("world", 4), "world");
        assert_eq!(at("world", 16 + 12), "world.frame[0]");
    }

    #[test]
    fn scalars_are_where_they_begin_and_padding_has_none() {
        let module = naga::front::wgsl::parse_str(SOURCE).expect("valid WGSL");
        let scalar = |name: &str, offset| {
            let mut globals = module.global_variables.iter();
            let global = globals.find(|(_, global)| global.name.as_deref() == Some(name));
            let (_, global) = global.expect("a variable of this name");
            super::scalar_at(&module, global.ty, offset)
        };
        assert_eq!(scalar("tile", 64), Some(naga::Scalar::F32));
        assert_eq!(scalar("tile", 66), None);
        assert_eq!(scalar("particles", 3 * 48 + 24), Some(naga::Scalar::F32));
        assert_eq!(scalar("particles", 44), Some(naga::Scalar::U32));
        assert_eq!(scalar("world", 0), Some(naga::Scalar::U32));
        assert_eq!(scalar("world", 16 + 32 + 8), Some(naga::Scalar::F32));
        for (name, offset) in [("particles", 28), ("world", 4), ("world", 16 + 12)] {
            assert_eq!(scalar(name, offset), None, "{name} {offset}");
        }
    }

    #[test]
    fn every_scalar_has_a_name_of_its_own() {
        let module = naga::front::wgsl::parse_str(SOURCE).expect("valid WGSL");
        for (handle, global) in module.global_variables.iter() {
            let mut names = std::collections::BTreeSet::new();
            let mut scalars = 0;
            crate::ir::scalars::scalars(&module, global.ty, 3, &mut |place| {
                names.insert(describe(&module, handle, place.offset));
                scalars += 1;
            });
            assert_eq!(names.len(), scalars, "{names:?}");
        }
    }
}
