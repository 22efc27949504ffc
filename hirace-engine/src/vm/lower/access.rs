//! Lowers loads, stores and atomic operations.

use super::function::Body;
use super::place::{Base, Lvalue, Use};
use super::types;
use crate::diagnostic::Result;
use crate::ir::access::Target;
use crate::ir::sites::SiteId;
use crate::source_map::Span;
use crate::vm::code::{
    AccessEvent, AtomicOperation, Instruction, MemoryAccess, MemoryRef, Pairing, Part, Range,
    Register,
};
use crate::vm::observer::Space;
use naga::{AtomicFunction, Expression, Handle, Scalar, TypeInner};

/// Returns the class of atomic functions that can be reordered with each other without changing the outcome;
/// `None` if this function cannot be reordered.
pub(super) fn order_free(function: AtomicFunction) -> Option<u8> {
    match function {
        AtomicFunction::Add | AtomicFunction::Subtract => Some(0),
        AtomicFunction::And => Some(1),
        AtomicFunction::ExclusiveOr => Some(2),
        AtomicFunction::InclusiveOr => Some(3),
        AtomicFunction::Min => Some(4),
        AtomicFunction::Max => Some(5),
        AtomicFunction::Exchange { .. } => None,
    }
}

/// An atomic read-modify-write function and its operands.
struct Operation {
    function: AtomicFunction,
    scalar: Scalar,
    value: Register,
    compare: Option<Register>,
}

impl Body<'_, '_> {
    /// Loads the target of `pointer` into new registers. If the value is used up before anything is stored,
    /// the registers of the variable itself may be used.
    pub(super) fn load(
        &mut self,
        pointer: Handle<Expression>,
        site: SiteId,
        span: Span,
        used_up: bool,
    ) -> Result<Range> {
        let place = self.place(pointer)?;
        let module = &self.lowering.program.module;
        let inner = place.ty.inner_with(&module.types).clone();
        if let Base::Registers(start) = place.base
            && used_up
            && place.terms.is_empty()
        {
            let count = types::registers(module, &inner).unwrap_or(0);
            return Ok(Range { start: start + place.registers, count });
        }
        let to = self.temporary(&inner, span)?;
        if let TypeInner::Atomic(scalar @ Scalar { width: 8, .. }) = inner {
            // A 64-bit value has two words, which must be read atomically.
            let value = self.lowering.constant(vec![0; 2]);
            let function = AtomicFunction::InclusiveOr;
            let operation = Operation { function, scalar, value, compare: None };
            self.push_atomic(place, pointer, operation, Some(to.start), Use { site, span })?;
            return Ok(to);
        }
        if matches!(place.base, Base::Buffer(_) | Base::Workgroup(_)) {
            let (address, access) = self.memory_access(place, pointer, Use { site, span })?;
            self.push(Instruction::Load { to: to.start, address, access });
            return Ok(to);
        }
        match self.register_number(&place, Use { site, span }) {
            Ok(address) => self.push(Instruction::Gather { to, address }),
            Err(from) => self.push(Instruction::Copy { to, from }),
        };
        Ok(to)
    }

    /// Stores `value` to the target of `pointer`.
    pub(super) fn store(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        site: SiteId,
        span: Span,
    ) -> Result<()> {
        let from = self.value(value)?;
        let place = self.place(pointer)?;
        let module = &self.lowering.program.module;
        if let TypeInner::Atomic(scalar @ Scalar { width: 8, .. }) =
            *place.ty.inner_with(&module.types)
        {
            let function = AtomicFunction::Exchange { compare: None };
            let operation = Operation { function, scalar, value: from, compare: None };
            return self.push_atomic(place, pointer, operation, None, Use { site, span });
        }
        if matches!(place.base, Base::Buffer(_) | Base::Workgroup(_)) {
            let (address, access) = self.memory_access(place, pointer, Use { site, span })?;
            self.push(Instruction::Store { address, from, access });
            return Ok(());
        }
        let count = types::registers(module, place.ty.inner_with(&module.types)).unwrap_or(0);
        match self.register_number(&place, Use { site, span }) {
            Ok(address) => {
                self.push(Instruction::Scatter { address, from: Range { start: from, count } })
            }
            Err(start) => self.push(Instruction::Assign { to: Range { start, count }, from }),
        };
        Ok(())
    }

    /// Lowers an atomic read-modify-write; its result goes to `result`, if there is one.
    pub(super) fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
        site: SiteId,
        span: Span,
    ) -> Result<()> {
        let operand = self.value(value)?;
        let compare = match function {
            AtomicFunction::Exchange { compare: Some(compare) } => Some(self.value(compare)?),
            _ => None,
        };
        let place = self.place(pointer)?;
        let module = &self.lowering.program.module;
        let Some(scalar) = types::scalar(place.ty.inner_with(&module.types)) else {
            return Err(self.unsupported(span, "an atomic of this type"));
        };
        let to = match result {
            Some(result) => {
                let range = self.temporary(self.inner(result), span)?;
                self.values[result.index()] = Some(range.start);
                Some(range.start)
            }
            None => None,
        };
        let operation = Operation { function, scalar, value: operand, compare };
        self.push_atomic(place, pointer, operation, to, Use { site, span })
    }

    fn push_atomic(
        &mut self,
        place: Lvalue,
        pointer: Handle<Expression>,
        operation: Operation,
        to: Option<Register>,
        used: Use,
    ) -> Result<()> {
        let (address, access) = self.memory_access(place, pointer, used)?;
        let Operation { function, scalar, value, compare } = operation;
        let list = &mut self.lowering.code.atomics;
        list.push(AtomicOperation { access, function, scalar, value, compare });
        let operation = list.len() as u32 - 1;
        self.push(Instruction::Atomic { to, address, operation });
        Ok(())
    }

    /// Computes the address of an access to shared memory, and describes the access.
    fn memory_access(
        &mut self,
        place: Lvalue,
        pointer: Handle<Expression>,
        to: Use,
    ) -> Result<(Register, u32)> {
        let (global, memory, space) = match place.base {
            Base::Buffer(global) => {
                (global, MemoryRef::Buffer(self.lowering.buffer(global)), Space::Storage)
            }
            Base::Workgroup(global) => {
                let index = self.lowering.workgroup_variable(global);
                (global, MemoryRef::Workgroup(index), Space::Workgroup)
            }
            Base::Registers(_) | Base::Argument(_) => {
                return Err(self.unsupported(to.span, "an atomic outside of shared memory"));
            }
        };
        let program = self.lowering.program;
        let site = program.sites.access(to.site).and_then(|access| match &access.target {
            Target::Pointer { observed, extent, .. } => Some((access.action, *observed, extent)),
            Target::Texel { .. } => None,
        });
        let seen = match site {
            Some((_, observed, _)) if observed != pointer => self.place(observed)?,
            _ => place.clone(),
        };
        let observed = self.address(&seen, to);
        let rest = place.terms.get(seen.terms.len()..).unwrap_or_default();
        let address = self.address_from(observed, rest, place.base, to);
        let offset = place.bytes - seen.bytes;
        let inner = place.ty.inner_with(&program.module.types);
        let parts = types::parts(&program.module, inner).into_iter();
        let parts = parts.map(|part| Part { offset: part.offset + offset, ..part }).collect();
        let event = site.map(|(action, _, extent)| AccessEvent {
            site: to.site,
            action,
            space,
            commutes: self.lowering.commuting.contains(&global),
            address: observed,
            extent: extent.clone().into(),
            pairing: Pairing::Alone,
        });
        self.lowering.code.accesses.push(MemoryAccess { memory, parts, event });
        Ok((address, self.lowering.code.accesses.len() as u32 - 1))
    }
}
