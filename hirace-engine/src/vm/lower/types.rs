//! The layout of values in registers and in memory, by type.

use crate::ir::layout::column_stride;
use crate::vm::code::{Leaf, Part};
use naga::proc::TypeResolution;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// Maximum number of registers of a value: larger values would take megabytes over all lanes.
pub const MAX_REGISTERS: u32 = 1 << 16;

/// Returns the number of registers of a scalar.
pub fn scalar_registers(scalar: Scalar) -> u32 {
    if scalar.width == 8 { 2 } else { 1 }
}

/// Returns the number of registers of a value, or of a pointer (1: the number of its target's first
/// register). `None` if the type has no value in registers, or one with too many registers.
pub fn registers(module: &Module, inner: &TypeInner) -> Option<u32> {
    let count = match *inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => scalar_registers(scalar),
        TypeInner::Vector { size, scalar } => size as u32 * scalar_registers(scalar),
        TypeInner::Matrix { columns, rows, scalar } => {
            columns as u32 * rows as u32 * scalar_registers(scalar)
        }
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => 1,
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            registers(module, &module.types[base].inner)?.checked_mul(length.get())?
        }
        TypeInner::Struct { ref members, .. } => members.iter().try_fold(0u32, |sum, member| {
            sum.checked_add(registers(module, &module.types[member.ty].inner)?)
        })?,
        _ => return None,
    };
    (count <= MAX_REGISTERS).then_some(count)
}

/// Returns the scalar type of a scalar, vector, matrix or atomic.
pub fn scalar(inner: &TypeInner) -> Option<Scalar> {
    match *inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Atomic(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    }
}

/// Returns the scalars of a value in memory, with runs of whole words joined.
pub fn parts(module: &Module, inner: &TypeInner) -> Vec<Part> {
    let mut list = Parts(Vec::new());
    list.add(module, inner, 0, 0);
    list.0
}

struct Parts(Vec<Part>);

impl Parts {
    fn add(&mut self, module: &Module, inner: &TypeInner, offset: u32, register: u32) {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                self.scalars(scalar, 1, offset, register);
            }
            TypeInner::Vector { size, scalar } => {
                self.scalars(scalar, size as u32, offset, register);
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                for column in 0..columns as u32 {
                    let offset = offset + column * column_stride(rows, scalar);
                    let register = register + column * rows as u32 * scalar_registers(scalar);
                    self.scalars(scalar, rows as u32, offset, register);
                }
            }
            TypeInner::Array { base, size: ArraySize::Constant(length), stride } => {
                let inner = &module.types[base].inner;
                let each = registers(module, inner).unwrap_or(0);
                for index in 0..length.get() {
                    self.add(module, inner, offset + index * stride, register + index * each);
                }
            }
            TypeInner::Struct { ref members, .. } => {
                let mut register = register;
                for member in members {
                    let inner = &module.types[member.ty].inner;
                    self.add(module, inner, offset + member.offset, register);
                    register += registers(module, inner).unwrap_or(0);
                }
            }
            _ => {}
        }
    }

    fn scalars(&mut self, scalar: Scalar, count: u32, offset: u32, register: u32) {
        let leaf = match (scalar.kind, scalar.width) {
            (_, 4) => Leaf::Words(count),
            (_, 8) => Leaf::Words(2 * count),
            (ScalarKind::Float, _) => Leaf::F16,
            (ScalarKind::Sint, _) => Leaf::I16,
            (ScalarKind::Bool, _) => Leaf::Bool,
            _ => Leaf::U16,
        };
        if let Leaf::Words(words) = leaf {
            if let Some(Part { offset: at, register: first, leaf: Leaf::Words(before) }) =
                self.0.last_mut()
                && *at + 4 * *before == offset
                && *first + *before == register
            {
                *before += words;
                return;
            }
            return self.0.push(Part { offset, register, leaf });
        }
        let width = u32::from(scalar.width);
        for index in 0..count {
            self.0.push(Part { offset: offset + index * width, register: register + index, leaf });
        }
    }
}

/// The elements of a composite value, which are at equal distances.
pub struct Elements {
    /// The type of an element.
    pub ty: TypeResolution,
    /// Distance in bytes of memory.
    pub bytes: u32,
    /// Distance in registers.
    pub registers: u32,
    /// Number of elements; `None` in a runtime-sized array.
    pub length: Option<u32>,
}

/// Returns the elements of an array, the columns of a matrix, or the components of a vector.
pub fn elements(module: &Module, inner: &TypeInner) -> Option<Elements> {
    Some(match *inner {
        TypeInner::Vector { size, scalar } => Elements {
            ty: TypeResolution::Value(TypeInner::Scalar(scalar)),
            bytes: u32::from(scalar.width),
            registers: scalar_registers(scalar),
            length: Some(size as u32),
        },
        TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
            elements(module, &TypeInner::Vector { size, scalar })?
        }
        TypeInner::Matrix { columns, rows, scalar } => Elements {
            ty: TypeResolution::Value(TypeInner::Vector { size: rows, scalar }),
            bytes: column_stride(rows, scalar),
            registers: rows as u32 * scalar_registers(scalar),
            length: Some(columns as u32),
        },
        TypeInner::Array { base, size, stride } => Elements {
            ty: TypeResolution::Handle(base),
            bytes: stride,
            registers: registers(module, &module.types[base].inner).unwrap_or(0),
            length: match size {
                ArraySize::Constant(length) => Some(length.get()),
                _ => None,
            },
        },
        _ => return None,
    })
}

/// Returns a member of a struct: its type, its byte offset and its first register.
pub fn member(module: &Module, inner: &TypeInner, index: u32) -> Option<(Handle<Type>, u32, u32)> {
    let TypeInner::Struct { ref members, .. } = *inner else { return None };
    let member = members.get(index as usize)?;
    let before = members[..index as usize].iter();
    let register = before.filter_map(|m| registers(module, &module.types[m.ty].inner)).sum();
    Some((member.ty, member.offset, register))
}

/// Returns the shape of a matrix type, for products; a vector is a single column.
pub fn shape(inner: &TypeInner) -> Option<crate::vm::ops::matrix::Shape> {
    let shape =
        |columns, rows: VectorSize| crate::vm::ops::matrix::Shape { columns, rows: rows as usize };
    match *inner {
        TypeInner::Matrix { columns, rows, .. } => Some(shape(columns as usize, rows)),
        TypeInner::Vector { size, .. } => Some(shape(1, size)),
        _ => None,
    }
}
