//! Offsets and numbers of the parts of memory.

use super::walk::Walk;
use crate::ir::{layout, walk};
use naga::{ArraySize, Expression, Handle, TypeInner, VectorSize};

impl Walk<'_> {
    /// Returns the byte offset of the part with this index from the start of what `base` points to, and the number of parts, if
    /// known.
    pub fn part_of(&self, base: Handle<Expression>, index: u32) -> Option<(u32, Option<i64>)> {
        let module = &self.program.module;
        let equal = |bytes: u32, length: Option<i64>| Some((bytes.checked_mul(index)?, length));
        let vector = |size: VectorSize| Some(i64::from(size as u32));
        match *self.inner(self.frame().id, base) {
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                equal(scalar.width.into(), vector(size))
            }
            TypeInner::Pointer { base: ty, .. } => match module.types[ty].inner {
                TypeInner::Vector { size, scalar } => equal(scalar.width.into(), vector(size)),
                TypeInner::Matrix { columns, rows, scalar } => {
                    equal(layout::column_stride(rows, scalar), vector(columns))
                }
                TypeInner::Array { stride, size: ArraySize::Constant(length), .. } => {
                    equal(stride, Some(length.get().into()))
                }
                TypeInner::Array { stride, .. } => equal(stride, self.runtime_length(base)),
                TypeInner::Struct { ref members, .. } => {
                    let member = members.get(index as usize)?;
                    Some((member.offset, Some(members.len() as i64)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the number of elements of a runtime-sized array.
    pub fn runtime_length(&self, array: Handle<Expression>) -> Option<i64> {
        let function = self.frame().function;
        let global = walk::root_global(function, array)?;
        let module = &self.program.module;
        let bytes = self.facts.length(global)?;
        let whole = module.global_variables[global].ty;
        let (offset, ty) = match (&function.expressions[array], &module.types[whole].inner) {
            (Expression::GlobalVariable(_), _) => (0, whole),
            (Expression::AccessIndex { index, .. }, TypeInner::Struct { members, .. }) => {
                let member = members.get(*index as usize)?;
                (member.offset, member.ty)
            }
            _ => return None,
        };
        let TypeInner::Array { stride, .. } = module.types[ty].inner else { return None };
        Some((bytes.checked_sub(offset)? / stride.max(1)).into())
    }
}
