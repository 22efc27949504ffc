//! Offsets and numbers of the parts of memory.

use super::arithmetic::limits;
use super::form::Form;
use super::host::HostValue;
use super::walk::Walk;
use crate::ir::scalars::Footprint;
use crate::ir::{layout, walk};
use naga::{ArraySize, Expression, GlobalVariable, Handle, TypeInner, VectorSize};

impl Walk<'_> {
    /// Returns the byte offset of the part with this index from the start of what `base` points to, and the number of parts, if
    /// known.
    pub fn part_of(&mut self, base: Handle<Expression>, index: u32) -> Option<(u32, Option<Form>)> {
        let module = &self.program.module;
        let equal = |bytes: u32, length: Option<Form>| Some((bytes.checked_mul(index)?, length));
        let number = |length: u32| Some(Form::constant(length.into()));
        let vector = |size: VectorSize| number(size as u32);
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
                    equal(stride, number(length.get()))
                }
                TypeInner::Array { stride, .. } => equal(stride, self.runtime_length(base)),
                TypeInner::Struct { ref members, .. } => {
                    let member = members.get(index as usize)?;
                    Some((member.offset, number(members.len() as u32)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the number of elements of a runtime-sized array.
    pub fn runtime_length(&mut self, array: Handle<Expression>) -> Option<Form> {
        let function = self.frame().function;
        let global = walk::root_global(function, array)?;
        match self.facts.length(global) {
            Some(bytes) => self.elements(global, bytes).map(Form::constant),
            None => self.host_value(HostValue::Length(global)),
        }
    }

    /// Returns the number of elements of the runtime-sized array in a buffer of this length.
    fn elements(&self, global: Handle<GlobalVariable>, bytes: u32) -> Option<i64> {
        let module = &self.program.module;
        let footprint = Footprint::of(module, module.global_variables[global].ty);
        footprint.array_length(bytes).map(i64::from)
    }

    /// Returns a value that the host gives.
    pub fn host_value(&mut self, value: HostValue) -> Option<Form> {
        let range = match value {
            HostValue::Workgroups(dimension) => {
                return Some(self.ids.workgroups[dimension].clone());
            }
            HostValue::Length(global) => {
                (self.facts.limits().min_length.into(), self.elements(global, u32::MAX)?)
            }
            HostValue::Word { signed, .. } => limits(signed),
        };
        self.symbols.host_value(value, range)
    }
}
