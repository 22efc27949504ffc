//! The fields of a buffer's type that can be set separately, as in `--buffer params.width=96`.

use crate::ir::layout::column_stride;
use crate::ir::scalars::Footprint;
use naga::{ArraySize, Handle, Module, Scalar, Type, TypeInner};

/// The maximum number of fields that are listed: users do not set more of them one by one.
const MAX_FIELDS: usize = 256;

/// A scalar or vector field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The path from the variable to the field: `.size`, `.rows[2]`. Empty if the variable itself is a scalar or vector.
    pub path: String,
    /// The offset of the first byte.
    pub offset: u32,
    /// The type of the components.
    pub scalar: Scalar,
    /// The number of components.
    pub components: u32,
    /// The column index, if the field is a column of a matrix.
    pub column: Option<u32>,
}

impl Field {
    /// Returns the last segment of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the offset of each component.
    pub fn offsets(&self) -> impl Iterator<Item = u32> {
        let width = u32::from(self.scalar.width);
        (self.offset..).step_by(width as usize).take(self.components as usize)
    }
}

/// Returns the fields of a type, except those in a runtime-sized array and those beyond the limit of `MOST`.
pub fn fields(module: &Module, ty: Handle<Type>) -> Vec<Field> {
    let mut list = Vec::new();
    let fixed = Footprint::of(module, ty).fixed;
    collect_fields(module, ty, String::new(), 0, &mut list);
    list.retain(|field| field.offset < fixed);
    list
}

/// Returns the fields of a value of this type; `None` if there are none, or more than are listed.
pub fn all_fields(module: &Module, ty: Handle<Type>) -> Option<Vec<Field>> {
    let fields = fields(module, ty);
    (1..MAX_FIELDS).contains(&fields.len()).then_some(fields)
}

fn collect_fields(
    module: &Module,
    ty: Handle<Type>,
    path: String,
    offset: u32,
    list: &mut Vec<Field>,
) {
    if list.len() >= MAX_FIELDS {
        return;
    }
    let leaf =
        |scalar, components| Field { path: path.clone(), offset, scalar, components, column: None };
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => list.push(leaf(scalar, 1)),
        TypeInner::Vector { size, scalar } => list.push(leaf(scalar, size as u32)),
        TypeInner::Matrix { columns, rows, scalar } => {
            for column in 0..columns as u32 {
                let offset = offset + column * column_stride(rows, scalar);
                let path = format!("{path}[{column}]");
                let (components, column) = (rows as u32, Some(column));
                list.push(Field { path, offset, scalar, components, column });
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), stride } => {
            for i in 0..count.get().min(MAX_FIELDS as u32) {
                collect_fields(module, base, format!("{path}[{i}]"), offset + i * stride, list);
            }
        }
        TypeInner::Struct { ref members, .. } => {
            for (index, member) in members.iter().enumerate() {
                let path = match &member.name {
                    Some(name) => format!("{path}.{name}"),
                    // Compilers wrap a variable in such a struct.
                    None if members.len() == 1 => path.clone(),
                    None => format!("{path}.member{index}"),
                };
                collect_fields(module, member.ty, path, offset + member.offset, list);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_places_and_a_runtime_sized_array_has_none() {
        let module = naga::front::wgsl::parse_str(
            "struct Tile { at: vec2u, n: u32 }
             struct Head { size: vec2u, scale: f32, tiles: array<Tile, 2>, frame: mat2x2f, rest: array<u32> }
             @group(0) @binding(0) var<storage> head: Head;",
        )
        .unwrap();
        let ty = module.global_variables.iter().next().unwrap().1.ty;
        let all: Vec<_> =
            fields(&module, ty).into_iter().map(|f| (f.path, f.offset, f.components)).collect();
        let expected = [
            (".size", 0, 2),
            (".scale", 8, 1),
            (".tiles[0].at", 16, 2),
            (".tiles[0].n", 24, 1),
            (".tiles[1].at", 32, 2),
            (".tiles[1].n", 40, 1),
            (".frame[0]", 48, 2),
            (".frame[1]", 56, 2),
        ];
        assert_eq!(all, expected.map(|(path, offset, n)| (path.to_owned(), offset, n)));
    }
}
