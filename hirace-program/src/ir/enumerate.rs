//! The enumeration of accesses: everything in a function that touches memory shared by invocations.
//!
//! An *access* is a load, store or atomic on storage, workgroup or storage-texture memory. Loads
//! are expressions in naga (made at their `Emit`), everything else is a statement. Not accesses:
//! private and function memory, uniforms, samplers, read-only textures, `arrayLength`.
//!
//! In WGSL, a store to one component of a vector is observed as a write of the whole vector, as an
//! implementation may do that. In SPIR-V and GLSL the components are separate memory locations
//! ([`VectorStores`]). A load or store of an aggregate touches each of its scalars, and no padding.
//!
//! The engine, the monitor pass and the analyses use this enumeration, so they agree on the bytes
//! that an access touches.

use super::access::{Access, Action, Target};
use super::layout;
use super::sites::{Site, SiteKind, Sites};
use super::walk::{self, FunctionId, StatementId};
use crate::source_map::Span;
use naga::proc::TypeResolution;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Expression, Function, Handle, ImageClass, Module, Statement, TypeInner};

/// What a store to one component of a vector may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorStores {
    /// The whole vector, as in WGSL: an implementation may load, change and store the vector.
    Whole,
    /// Only the component, as in SPIR-V and GLSL, where each component is a memory location of its own.
    Component,
}

/// Finds every site of `module`. Spans are naga's until a front end replaces them by spans in the user's source
/// ([`crate::program::Origin::place`]).
pub fn sites(module: &Module, info: &ModuleInfo, vectors: VectorStores) -> Sites {
    let _span = tracing::trace_span!("enumerate").entered();
    let mut sites = Sites::default();
    for id in FunctionId::all(module) {
        let function = id.get(module);
        let info = match id {
            FunctionId::Helper(handle) => &info[handle],
            FunctionId::Entry(index) => info.get_entry_point(index),
        };
        let scan = Scan { module, function, info, vectors };
        walk::statements(&function.body, &mut |at, statement, span| {
            scan.statement(id, at, statement, span.into(), &mut sites);
        });
    }
    sites
}

fn site(function: FunctionId, kind: SiteKind, span: Span) -> Site {
    Site { function, kind, span, statement: span, close: Span::default() }
}

/// Scans one function for sites.
struct Scan<'a> {
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
    vectors: VectorStores,
}

impl Scan<'_> {
    fn statement(
        &self,
        function: FunctionId,
        at: StatementId,
        statement: &Statement,
        span: Span,
        sites: &mut Sites,
    ) {
        let mut add = |kind: SiteKind| {
            sites.add_statement(at, site(function, kind, span));
        };
        match *statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    if let Some(access) = self.read(expression) {
                        let span = self.function.expressions.get_span(expression).into();
                        let kind = SiteKind::Access(access);
                        sites.add_load(expression, site(function, kind, span));
                    }
                }
            }
            Statement::Store { pointer, .. } => {
                if let Some(access) = self.write(pointer) {
                    add(SiteKind::Access(access));
                }
            }
            Statement::Atomic { pointer, .. } => {
                if let Some(access) = self.through(Action::Atomic, pointer, pointer) {
                    add(SiteKind::Access(access));
                }
            }
            Statement::ImageStore { image, coordinate, array_index, .. } => {
                if let Some(access) = self.texel(Action::Write, image, coordinate, array_index) {
                    add(SiteKind::Access(access));
                }
            }
            Statement::ImageAtomic { image, coordinate, array_index, .. } => {
                if let Some(access) = self.texel(Action::Atomic, image, coordinate, array_index) {
                    add(SiteKind::Access(access));
                }
            }
            Statement::WorkGroupUniformLoad { pointer, .. } => {
                let action = if self.is_atomic(pointer) { Action::Atomic } else { Action::Read };
                if let Some(access) = self.through(action, pointer, pointer) {
                    add(SiteKind::Access(access));
                }
                add(SiteKind::Barrier(naga::Barrier::WORK_GROUP.into()));
            }
            Statement::ControlBarrier(barrier) => add(SiteKind::Barrier(barrier.into())),
            Statement::MemoryBarrier(_) => add(SiteKind::Fence),
            Statement::If { .. } | Statement::Switch { .. } => add(SiteKind::Branch),
            Statement::Loop { .. } => add(SiteKind::Loop),
            Statement::Call { .. } => add(SiteKind::Call),
            // A return without a span is the implicit one at the end of the function.
            Statement::Return { .. } if !span.is_empty() => add(SiteKind::Return),
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => add(SiteKind::Subgroup),
            _ => {}
        }
    }

    /// Returns the access that the expression performs when it is emitted, if any.
    fn read(&self, expression: Handle<Expression>) -> Option<Access> {
        match self.function.expressions[expression] {
            Expression::Load { pointer } => {
                let action = if self.is_atomic(pointer) { Action::Atomic } else { Action::Read };
                self.through(action, pointer, pointer)
            }
            Expression::ImageLoad { image, coordinate, array_index, .. } => {
                self.texel(Action::Read, image, coordinate, array_index)
            }
            _ => None,
        }
    }

    fn write(&self, pointer: Handle<Expression>) -> Option<Access> {
        if self.is_atomic(pointer) {
            return self.through(Action::Atomic, pointer, pointer);
        }
        let observed = match self.vectors {
            VectorStores::Whole => self.whole_vector(pointer),
            VectorStores::Component => pointer,
        };
        self.through(Action::Write, pointer, observed)
    }

    /// Returns the vector that `pointer` points to a component of, or `pointer` itself.
    fn whole_vector(&self, pointer: Handle<Expression>) -> Handle<Expression> {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. }
                if matches!(self.pointee(base), Some(Pointee::Vector { .. })) =>
            {
                base
            }
            _ => pointer,
        }
    }

    /// Returns the access to the memory behind `pointer`, if that memory is shared.
    fn through(
        &self,
        action: Action,
        pointer: Handle<Expression>,
        observed: Handle<Expression>,
    ) -> Option<Access> {
        let global = walk::root_global(self.function, pointer)?;
        let space = self.module.global_variables[global].space;
        if !matches!(space, AddressSpace::Storage { .. } | AddressSpace::WorkGroup) {
            return None;
        }
        let extent = match self.pointee(observed)? {
            Pointee::Scalar(scalar) => layout::scalar(scalar),
            Pointee::Vector { size, scalar } => layout::vector(size, scalar),
            Pointee::Type(ty) => layout::scalars(self.module, ty),
        };
        Some(Access { action, global, target: Target::Pointer { pointer, observed, extent } })
    }

    /// Returns the access to a texel, if `image` is a storage texture.
    fn texel(
        &self,
        action: Action,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
    ) -> Option<Access> {
        let TypeInner::Image { class: ImageClass::Storage { .. }, .. } = *self.inner(image) else {
            return None;
        };
        let global = walk::root_global(self.function, image)?;
        Some(Access { action, global, target: Target::Texel { coordinate, array_index } })
    }

    fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => {
                matches!(self.module.types[base].inner, TypeInner::Atomic(_))
            }
            _ => false,
        }
    }

    fn pointee(&self, pointer: Handle<Expression>) -> Option<Pointee> {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => Some(match self.module.types[base].inner {
                TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Pointee::Scalar(scalar),
                TypeInner::Vector { size, scalar } => Pointee::Vector { size, scalar },
                _ => Pointee::Type(base),
            }),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                Some(Pointee::Vector { size, scalar })
            }
            TypeInner::ValuePointer { size: None, scalar, .. } => Some(Pointee::Scalar(scalar)),
            _ => None,
        }
    }

    fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        let resolution: &TypeResolution = &self.info[expression].ty;
        resolution.inner_with(&self.module.types)
    }
}

/// The type that a pointer points to.
enum Pointee {
    Scalar(naga::Scalar),
    Vector { size: naga::VectorSize, scalar: naga::Scalar },
    Type(Handle<naga::Type>),
}

#[cfg(test)]
mod tests;
