//! Atomics on texels of storage textures, which naga's front end does not support.
//!
//! Such an atomic becomes a store of its operand to the texel. After naga has parsed the module, the store becomes naga's atomic.
//! The span of the store identifies the atomic.

use super::{Prepare, PreparedModule};
use crate::front::spirv::words::{Instruction, Words};
use crate::ir::operands;
use naga::{
    Arena, AtomicFunction, Block, Expression, Function, GlobalVariable, Handle, ImageClass, Module,
    Span, Statement, StorageAccess, TypeInner,
};
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashSet;

/// Returns naga's function of an atomic on a texel, if the executors support it.
pub fn texel_atomic(op: Op) -> Option<AtomicFunction> {
    Some(match op {
        Op::AtomicIAdd => AtomicFunction::Add,
        Op::AtomicSMin | Op::AtomicUMin => AtomicFunction::Min,
        Op::AtomicSMax | Op::AtomicUMax => AtomicFunction::Max,
        Op::AtomicAnd => AtomicFunction::And,
        Op::AtomicOr => AtomicFunction::InclusiveOr,
        Op::AtomicXor => AtomicFunction::ExclusiveOr,
        _ => return None,
    })
}

impl Prepare<'_> {
    /// Replaces an atomic on a texel by a store, and removes the pointer to the texel. Returns whether it did.
    pub fn replace_texel_atomic(&mut self, op: Op, at: Instruction<'_>) -> bool {
        if let (Op::ImageTexelPointer, [_, _, id, image, coordinate, ..]) = (op, at.words) {
            self.texels.insert(*id, (*image, *coordinate));
            return true;
        }
        if op == Op::TypePointer && at.operand(1) == Some(StorageClass::Image as u32) {
            return true;
        }
        let [_, ty, _, pointer, _, _, value] = *at.words else { return false };
        let (Some(_), Some(&(image, coordinate))) = (texel_atomic(op), self.texels.get(&pointer))
        else {
            return false;
        };
        let declared = self.declared;
        let pointee = declared.results.get(&image).and_then(|ty| declared.pointers.get(ty));
        let Some((_, image_type)) = pointee else { return false };
        let signed = self.declared.is_signed(ty);
        let texel = self.pool.integer(signed, 4);
        let image = self.put(at, Op::Load, *image_type, &[image]);
        let texel = self.put(at, Op::CompositeConstruct, texel, &[value; 4]);
        self.keep(at, &[Op::ImageWrite as u32, image, coordinate, texel]);
        true
    }
}

/// Replaces the stores that stand for atomics in `module`. Returns the instruction of an atomic that cannot be replaced.
pub fn restore(module: &mut Module, words: &Words, prepared: &PreparedModule) -> Option<usize> {
    let atomic = |span: &Span| {
        let instruction = prepared.instruction(span.to_range()?.start)?;
        Some((instruction, texel_atomic(words.get(instruction)?.op()?)?))
    };
    let mut images: FxHashSet<Handle<GlobalVariable>> = FxHashSet::default();
    let mut failed = None;
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function))
    {
        let Function { body, expressions, .. } = function;
        replace(body, expressions, &atomic, &mut images, &mut failed);
    }
    for image in images {
        let mut ty = module.types[module.global_variables[image].ty].clone();
        if let TypeInner::Image { class: ImageClass::Storage { access, .. }, .. } = &mut ty.inner {
            *access |= StorageAccess::ATOMIC | StorageAccess::LOAD | StorageAccess::STORE;
        }
        let span = module.types.get_span(module.global_variables[image].ty);
        module.global_variables[image].ty = module.types.insert(ty, span);
    }
    failed
}

fn replace(
    block: &mut Block,
    expressions: &Arena<Expression>,
    atomic: &dyn Fn(&Span) -> Option<(usize, AtomicFunction)>,
    images: &mut FxHashSet<Handle<GlobalVariable>>,
    failed: &mut Option<usize>,
) {
    for (statement, span) in block.span_iter_mut() {
        if let Statement::ImageStore { image, coordinate, array_index, value } = *statement
            && let Some((instruction, fun)) = span.and_then(|span| atomic(span))
        {
            let operand = match &expressions[value] {
                Expression::Compose { components, .. } => components.first().copied(),
                Expression::Splat { value, .. } => Some(*value),
                _ => None,
            };
            match (&expressions[image], operand) {
                (Expression::GlobalVariable(global), Some(value)) => {
                    images.insert(*global);
                    *statement =
                        Statement::ImageAtomic { image, coordinate, array_index, fun, value };
                }
                _ => *failed = Some(instruction),
            }
        }
        for inner in operands::children(statement) {
            replace(inner, expressions, atomic, images, failed);
        }
    }
}
