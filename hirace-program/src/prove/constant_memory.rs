//! Contents of memory that is not written while a dispatch runs.

use super::form::Form;
use super::host::HostValue;
use super::symbol::Level;
use super::value::Value;
use super::walk::Walk;
use naga::{
    AddressSpace, Expression, GlobalVariable, Handle, ScalarKind, StorageAccess, TypeInner,
};

impl Walk<'_> {
    /// Returns whether the memory is not written while the dispatch runs: it is read-only, or no access writes it.
    pub fn is_constant(&self, global: Handle<GlobalVariable>) -> bool {
        match self.program.module.global_variables[global].space {
            AddressSpace::Uniform | AddressSpace::Immediate => true,
            AddressSpace::Storage { access } => {
                !access.contains(StorageAccess::STORE) || !self.written.contains(&global)
            }
            _ => false,
        }
    }

    /// Returns the level at which invocations agree on the indices in a pointer.
    pub fn level_of_indices(&mut self, pointer: Handle<Expression>) -> Level {
        let function = self.frame().function;
        let mut level = Level::Dispatch;
        let mut at = pointer;
        loop {
            match function.expressions[at] {
                Expression::Access { base, index } => {
                    level = level.max(self.value(index).level(&self.symbols));
                    at = base;
                }
                Expression::AccessIndex { base, .. } => at = base,
                _ => return level,
            }
        }
    }

    /// Returns the byte offset that a pointer points to, if it is a known constant in bounds.
    pub fn constant_offset(&mut self, pointer: Handle<Expression>) -> Option<u32> {
        let function = self.frame().function;
        let mut offset = 0_u32;
        let mut at = pointer;
        loop {
            let (base, index) = match function.expressions[at] {
                Expression::Access { base, index } => {
                    let index = self.value(index).as_int().and_then(Form::as_constant)?;
                    (base, u32::try_from(index).ok()?)
                }
                Expression::AccessIndex { base, index } => (base, index),
                Expression::GlobalVariable(_) => return Some(offset),
                _ => return None,
            };
            let (bytes, length) = self.part_of(base, index)?;
            if !self.is_within(&Form::constant(index.into()), length.as_ref()) {
                return None;
            }
            offset = offset.checked_add(bytes)?;
            at = base;
        }
    }

    /// Returns the contents of constant memory at a byte offset.
    pub fn constant_at(
        &mut self,
        global: Handle<GlobalVariable>,
        inner: &TypeInner,
        offset: u32,
        room: &mut usize,
    ) -> Value {
        let module = &self.program.module;
        *room = room.saturating_sub(1);
        match *inner {
            _ if *room == 0 => Value::Other(self.opaque(Level::Dispatch)),
            TypeInner::Scalar(scalar) if scalar.width == 4 => match scalar.kind {
                ScalarKind::Sint => Value::Int(self.constant_word(global, offset, true)),
                ScalarKind::Uint => Value::Int(self.constant_word(global, offset, false)),
                _ => self.unknown(inner, Level::Dispatch),
            },
            TypeInner::Vector { size, scalar } => {
                let part = TypeInner::Scalar(scalar);
                let offsets = (0..size as u32).map(|n| offset + n * u32::from(scalar.width));
                Value::Parts(
                    offsets.map(|offset| self.constant_at(global, &part, offset, room)).collect(),
                )
            }
            TypeInner::Struct { ref members, .. } => Value::Parts(
                members
                    .iter()
                    .map(|member| {
                        let inner = &module.types[member.ty].inner;
                        self.constant_at(global, inner, offset + member.offset, room)
                    })
                    .collect(),
            ),
            _ => self.unknown(inner, Level::Dispatch),
        }
    }

    fn constant_word(&mut self, global: Handle<GlobalVariable>, offset: u32, signed: bool) -> Form {
        if let Some(word) = self.facts.word(global, offset) {
            let value = if signed { i64::from(word.cast_signed()) } else { i64::from(word) };
            return Form::constant(value);
        }
        let value = HostValue::Word { global, offset, signed };
        let form = self.host_value(value);
        form.unwrap_or_else(|| {
            self.failed = true;
            Form::default()
        })
    }
}
