//! Expressions for the granules that an access touches, with clamped indices.

use super::instrument::{ClampedIndex, InstrumentChange};
use crate::ir::layout;
use crate::ir::rebuild::FunctionBuilder;
use crate::ir::walk;
use crate::shadow::tally;
use naga::{
    ArraySize, BinaryOperator, Expression, Handle, ImageDimension, ImageQuery, MathFunction,
    ScalarKind, Span, Type, TypeInner,
};

/// The layout of the parts of what a pointer points to.
enum Parts {
    /// Equal parts, `stride` bytes apart. `length` is `None` if it is only known at run time.
    Elements { stride: u32, length: Option<u32> },
    /// The members of a struct.
    Members(Handle<Type>),
}

impl InstrumentChange<'_> {
    /// Clamps the index if the `original` expression, which is about to be emitted as `copy`, indexes watched memory, and stores
    /// the clamped index for the check.
    pub(super) fn clamp(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        copy: &mut Expression,
    ) {
        let (base, index) = match self.function.expressions[original] {
            Expression::Access { base, index } => (base, Some(index)),
            // The only constant index that may be out of bounds is one into a runtime-sized array. Such an array has at least one
            // element.
            Expression::AccessIndex { base, index: 1.. } => (base, None),
            _ => return,
        };
        let Some(global) = walk::root_global(self.function, original) else { return };
        if !self.clamps(global) {
            return;
        }
        let Some(Parts::Elements { length, .. }) = self.parts(base) else { return };
        if index.is_none() && length.is_some() {
            return;
        }
        let (Expression::Access { base: new_base, .. }
        | Expression::AccessIndex { base: new_base, .. }) = *copy
        else {
            return;
        };
        let span = self.function.expressions.get_span(original);
        let wanted = match *copy {
            Expression::Access { index, .. } => index,
            Expression::AccessIndex { index, .. } => into.u32(index),
            _ => return,
        };
        let signed = index.is_some_and(|index| self.kind(index) == Some(ScalarKind::Sint));
        let wanted = match signed {
            true => into.emit(
                Expression::As { expr: wanted, kind: ScalarKind::Uint, convert: Some(4) },
                span,
            ),
            false => wanted,
        };
        let runtime_sized = length.is_none();
        let last = match length {
            Some(length) => into.u32(length.saturating_sub(1)),
            None => {
                let length = into.emit(Expression::ArrayLength(new_base), span);
                let one = into.u32(1);
                binary(into, BinaryOperator::Subtract, length, one, span)
            }
        };
        let index = into.emit(
            Expression::Math {
                fun: MathFunction::Min,
                arg: wanted,
                arg1: Some(last),
                arg2: None,
                arg3: None,
            },
            span,
        );
        let kind = if signed { tally::SIGNED } else { 0 }
            | if runtime_sized { tally::RUNTIME_SIZED } else { 0 };
        self.clamped.insert(original, ClampedIndex { wanted, last, index, kind });
        *copy = Expression::Access { base: new_base, index };
    }

    /// Returns the index of the first granule at `offset` bytes after `observed`, for granules of `1 << shift` bytes.
    pub(super) fn granule(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        observed: Handle<Expression>,
        offset: u32,
        shift: u32,
        span: Span,
    ) -> Option<Handle<Expression>> {
        let mut constant = offset >> shift;
        let mut dynamic = None;
        let mut at = observed;
        loop {
            let (base, constant_index) = match self.function.expressions[at] {
                Expression::GlobalVariable(_) => break,
                Expression::Access { base, .. } => (base, None),
                Expression::AccessIndex { base, index } => (base, Some(index)),
                _ => return None,
            };
            match (self.parts(base)?, self.clamped.get(&at), constant_index) {
                (Parts::Elements { stride, .. }, Some(&ClampedIndex { index, .. }), _) => {
                    let granules = stride >> shift;
                    let term = if granules == 1 {
                        index
                    } else {
                        let granules = into.u32(granules);
                        binary(into, BinaryOperator::Multiply, index, granules, span)
                    };
                    dynamic = Some(match dynamic {
                        None => term,
                        Some(sum) => binary(into, BinaryOperator::Add, sum, term, span),
                    });
                }
                (Parts::Elements { stride, .. }, None, Some(index)) => {
                    constant += (index * stride) >> shift;
                }
                (Parts::Members(ty), None, Some(index)) => {
                    let TypeInner::Struct { members, .. } = &self.program.module.types[ty].inner
                    else {
                        return None;
                    };
                    constant += members.get(index as usize)?.offset >> shift;
                }
                _ => return None,
            }
            at = base;
        }
        Some(match (dynamic, constant) {
            (None, constant) => into.u32(constant),
            (Some(sum), 0) => sum,
            (Some(sum), constant) => {
                let constant = into.u32(constant);
                binary(into, BinaryOperator::Add, sum, constant, span)
            }
        })
    }

    /// Returns the coordinates of a texel and the size of its texture, as vectors of three with the layer last.
    pub(super) fn texel(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        global: Handle<naga::GlobalVariable>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
        span: Span,
    ) -> Option<[Handle<Expression>; 2]> {
        let variable = &self.program.module.global_variables[global];
        let TypeInner::Image { dim, .. } = self.program.module.types[variable.ty].inner else {
            return None;
        };
        let components = match dim {
            ImageDimension::D1 => 1,
            ImageDimension::D2 | ImageDimension::Cube => 2,
            ImageDimension::D3 => 3,
        };
        let image = into.declare(Expression::GlobalVariable(global), span);
        let query = ImageQuery::Size { level: None };
        let size = into.emit(Expression::ImageQuery { image, query }, span);
        let signed = self.kind(coordinate) == Some(ScalarKind::Sint);
        let coordinate = into.get(coordinate);
        let [mut texel, mut sizes] =
            [(coordinate, signed), (size, false)].map(|(vector, signed)| {
                let parts = (0..components).map(|index| {
                    let part = if components == 1 {
                        vector
                    } else {
                        into.emit(Expression::AccessIndex { base: vector, index }, span)
                    };
                    if signed { unsigned(into, part, span) } else { part }
                });
                parts.collect::<Vec<_>>()
            });
        if let Some(layer) = array_index {
            let signed = self.kind(layer) == Some(ScalarKind::Sint);
            let layer = into.get(layer);
            texel.push(if signed { unsigned(into, layer, span) } else { layer });
            let query = ImageQuery::NumLayers;
            sizes.push(into.emit(Expression::ImageQuery { image, query }, span));
        }
        texel.resize_with(3, || into.u32(0));
        sizes.resize_with(3, || into.u32(1));
        Some([texel, sizes].map(|components| {
            into.emit(Expression::Compose { ty: self.runtime.vec3, components }, span)
        }))
    }

    fn parts(&self, base: Handle<Expression>) -> Option<Parts> {
        let types = &self.program.module.types;
        let ty = match *self.inner(base) {
            TypeInner::Pointer { base, .. } => base,
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                let stride = u32::from(scalar.width);
                return Some(Parts::Elements { stride, length: Some(size as u32) });
            }
            _ => return None,
        };
        Some(match types[ty].inner {
            TypeInner::Array { size, stride, .. } => {
                let length = match size {
                    ArraySize::Constant(length) => Some(length.get()),
                    ArraySize::Dynamic | ArraySize::Pending(_) => None,
                };
                Parts::Elements { stride, length }
            }
            TypeInner::Matrix { columns, rows, scalar } => Parts::Elements {
                stride: layout::column_stride(rows, scalar),
                length: Some(columns as u32),
            },
            TypeInner::Vector { size, scalar } => {
                Parts::Elements { stride: u32::from(scalar.width), length: Some(size as u32) }
            }
            TypeInner::Struct { .. } => Parts::Members(ty),
            _ => return None,
        })
    }

    fn kind(&self, expression: Handle<Expression>) -> Option<ScalarKind> {
        self.inner(expression).scalar_kind()
    }

    fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.program.module.types)
    }
}

fn binary(
    into: &mut FunctionBuilder<'_>,
    op: BinaryOperator,
    left: Handle<Expression>,
    right: Handle<Expression>,
    span: Span,
) -> Handle<Expression> {
    into.emit(Expression::Binary { op, left, right }, span)
}

fn unsigned(
    into: &mut FunctionBuilder<'_>,
    value: Handle<Expression>,
    span: Span,
) -> Handle<Expression> {
    into.emit(Expression::As { expr: value, kind: ScalarKind::Uint, convert: Some(4) }, span)
}
