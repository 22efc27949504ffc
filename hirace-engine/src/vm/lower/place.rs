//! The target of a pointer: a base and a chain of indices, and the code that computes it.

use super::function::Body;
use super::types;
use crate::diagnostic::Result;
use crate::ir::sites::SiteId;
use crate::source_map::Span;
use crate::vm::code::{Check, Instruction, Length, Register};
use crate::vm::observer::MemoryId;
use naga::proc::TypeResolution;
use naga::{AddressSpace, Expression, GlobalVariable, Handle, Literal, ScalarKind, TypeInner};

/// The start of a chain of indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Base {
    /// A variable or a value, in registers from this one on.
    Registers(Register),
    /// Registers whose number is an argument, in this register.
    Argument(Register),
    /// A storage, uniform or immediate variable.
    Buffer(Handle<GlobalVariable>),
    /// A workgroup variable.
    Workgroup(Handle<GlobalVariable>),
}

/// An index that is only known at run time, or that must be checked then.
#[derive(Clone, Debug)]
pub(super) struct Term {
    index: Register,
    signed: bool,
    bytes: u32,
    registers: u32,
    length: Length,
    span: Span,
}

/// The target of a pointer.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub base: Base,
    pub ty: TypeResolution,
    /// Constant offset from the base, in bytes of memory.
    pub bytes: u32,
    /// Constant offset from the base, in registers.
    pub registers: u32,
    pub terms: Vec<Term>,
}

/// The access that a place is computed for: an index that is out of bounds is reported there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub site: SiteId,
    pub span: Span,
}

impl Body<'_, '_> {
    /// Resolves a pointer expression to its variable, or a value expression to its registers.
    pub(super) fn place(&mut self, pointer: Handle<Expression>) -> Result<Lvalue> {
        let module = &self.lowering.program.module;
        let at = |base, ty| Lvalue { base, ty, bytes: 0, registers: 0, terms: Vec::new() };
        match self.function.expressions[pointer] {
            Expression::GlobalVariable(global) => {
                let variable = &module.global_variables[global];
                let base = match variable.space {
                    AddressSpace::Private => Base::Registers(self.lowering.private(global)?.start),
                    AddressSpace::WorkGroup => Base::Workgroup(global),
                    AddressSpace::Storage { .. }
                    | AddressSpace::Uniform
                    | AddressSpace::Immediate => Base::Buffer(global),
                    _ => {
                        return Err(
                            self.unsupported_error(self.span(pointer), "this address space")
                        );
                    }
                };
                Ok(at(base, TypeResolution::Handle(variable.ty)))
            }
            Expression::LocalVariable(local) => {
                let base = Base::Registers(self.locals[local.index()].start);
                Ok(at(base, TypeResolution::Handle(self.function.local_variables[local].ty)))
            }
            Expression::Access { base, index } if self.values[pointer.index()].is_none() => {
                let place = self.place(base)?;
                self.element(place, index, self.span(pointer))
            }
            Expression::AccessIndex { base, index } if self.values[pointer.index()].is_none() => {
                let place = self.place(base)?;
                self.fixed_element(place, index, self.span(pointer))
            }
            _ => match *self.inner(pointer) {
                TypeInner::Pointer { base, .. } => {
                    let register = self.value(pointer)?;
                    Ok(at(Base::Argument(register), TypeResolution::Handle(base)))
                }
                TypeInner::ValuePointer { size, scalar, .. } => {
                    let inner = match size {
                        Some(size) => TypeInner::Vector { size, scalar },
                        None => TypeInner::Scalar(scalar),
                    };
                    let register = self.value(pointer)?;
                    Ok(at(Base::Argument(register), TypeResolution::Value(inner)))
                }
                _ => {
                    let register = self.value(pointer)?;
                    Ok(at(Base::Registers(register), self.info[pointer].ty.clone()))
                }
            },
        }
    }

    fn element(
        &mut self,
        mut place: Lvalue,
        index: Handle<Expression>,
        span: Span,
    ) -> Result<Lvalue> {
        let module = &self.lowering.program.module;
        let Some(elements) = types::elements(module, place.ty.inner_with(&module.types)) else {
            return Err(self.unsupported_error(span, "indexing a value of this type"));
        };
        let fixed = match self.function.expressions[index] {
            Expression::Literal(Literal::U32(index)) => Some(index),
            Expression::Literal(Literal::I32(index)) => u32::try_from(index).ok(),
            _ => None,
        };
        if let (Some(fixed), Some(length)) = (fixed, elements.length)
            && fixed < length
        {
            return self.fixed_element(place, fixed, span);
        }
        let length = match elements.length {
            Some(length) => Length::Fixed(length),
            None => self.runtime_length(&place, elements.bytes, span)?,
        };
        place.terms.push(Term {
            index: self.value(index)?,
            signed: self.inner(index).scalar_kind() == Some(ScalarKind::Sint),
            bytes: elements.bytes,
            registers: elements.registers,
            length,
            span,
        });
        place.ty = elements.ty;
        Ok(place)
    }

    fn fixed_element(&mut self, mut place: Lvalue, index: u32, span: Span) -> Result<Lvalue> {
        let module = &self.lowering.program.module;
        let inner = place.ty.inner_with(&module.types);
        if let Some((ty, bytes, registers)) = types::member(module, inner, index) {
            place.bytes += bytes;
            place.registers += registers;
            place.ty = TypeResolution::Handle(ty);
            return Ok(place);
        }
        let Some(elements) = types::elements(module, inner) else {
            return Err(self.unsupported_error(span, "indexing a value of this type"));
        };
        if elements.length.is_some_and(|length| index < length) {
            place.bytes += index * elements.bytes;
            place.registers += index * elements.registers;
        } else {
            let length = match elements.length {
                Some(length) => Length::Fixed(length),
                None => self.runtime_length(&place, elements.bytes, span)?,
            };
            let index = self.lowering.constant(vec![index]);
            let (bytes, registers) = (elements.bytes, elements.registers);
            place.terms.push(Term { index, signed: false, bytes, registers, length, span });
        }
        place.ty = elements.ty;
        Ok(place)
    }

    /// Returns the length of the runtime-sized array at `place`.
    pub(super) fn runtime_length(
        &mut self,
        place: &Lvalue,
        stride: u32,
        span: Span,
    ) -> Result<Length> {
        let Base::Buffer(global) = place.base else {
            return Err(self.unsupported_error(span, "a runtime-sized array outside of a buffer"));
        };
        let buffer = self.lowering.buffer(global);
        Ok(Length::Runtime { buffer, offset: place.bytes, stride })
    }

    /// Computes the byte address of a place in shared memory.
    pub(super) fn address(&mut self, place: &Lvalue, to: Use) -> Register {
        let Some((first, rest)) = place.terms.split_first() else {
            return self.lowering.constant(vec![place.bytes]);
        };
        let check = self.check(first, place.base, to);
        let address = self.temporaries(1).start;
        self.push(Instruction::Address {
            to: address,
            index: first.index,
            stride: first.bytes,
            offset: place.bytes,
            check,
        });
        self.address_from(address, rest, place.base, to)
    }

    /// Continues from a byte address with further indices.
    pub(super) fn address_from(
        &mut self,
        mut base: Register,
        terms: &[Term],
        memory: Base,
        to: Use,
    ) -> Register {
        for term in terms {
            let check = self.check(term, memory, to);
            let address = self.temporaries(1).start;
            let (index, stride) = (term.index, term.bytes);
            self.push(Instruction::AddressFrom { to: address, base, index, stride, check });
            base = address;
        }
        base
    }

    /// Computes the number of the first register of a place in registers, for each lane; returns `Err` with
    /// the number if it is constant.
    pub(super) fn register_number(
        &mut self,
        place: &Lvalue,
        to: Use,
    ) -> std::result::Result<Register, Register> {
        let (mut base, offset) = match place.base {
            Base::Argument(register) => (Some(register), place.registers),
            Base::Registers(start) if place.terms.is_empty() => {
                return Err(start + place.registers);
            }
            Base::Registers(start) => (None, start + place.registers),
            Base::Buffer(_) | Base::Workgroup(_) => return Err(0),
        };
        if let Some(from) = base
            && offset > 0
        {
            let to = self.temporaries(1).start;
            self.push(Instruction::Offset { to, base: from, offset });
            base = Some(to);
        }
        for term in &place.terms {
            let check = self.check(term, place.base, to);
            let (index, stride) = (term.index, term.registers);
            let number = self.temporaries(1).start;
            self.push(match base {
                Some(base) => Instruction::AddressFrom { to: number, base, index, stride, check },
                None => Instruction::Address { to: number, index, stride, offset, check },
            });
            base = Some(number);
        }
        Ok(base.unwrap_or_default())
    }

    fn check(&mut self, term: &Term, base: Base, to: Use) -> u32 {
        let (memory, buffer) = match base {
            Base::Buffer(global) => (Some(global), Some(self.lowering.buffer(global))),
            Base::Workgroup(global) => (Some(global), None),
            Base::Registers(_) | Base::Argument(_) => (None, None),
        };
        let length = self.lowering.length(term.length);
        self.lowering.code.checks.push(Check {
            length,
            signed: term.signed,
            site: to.site,
            span: if to.site == SiteId::NONE { term.span } else { to.span },
            memory: memory.map(|global| MemoryId(global.index() as u32)),
            buffer,
        });
        self.lowering.code.checks.len() as u32 - 1
    }
}
