//! Atomic types for memory that is accessed atomically, which naga's IR requires.

use crate::ir::walk::{self, FunctionId};
use naga::{Expression, Function, Handle, Module, Span, Statement, Type, TypeInner, UniqueArena};

/// Gives memory that atomics of `module` access an atomic type. `Err` is the span of an atomic on memory that cannot have one.
pub fn upgrade(module: &mut Module) -> Result<(), Span> {
    let mut touched = Vec::new();
    for id in FunctionId::all(module) {
        let function = id.get(module);
        walk::statements(&function.body, &mut |_, statement, span| {
            if let Statement::Atomic { pointer, .. } = statement {
                touched.push((
                    walk::root_global(function, *pointer),
                    steps(function, *pointer),
                    span,
                ));
            }
        });
    }
    for (global, steps, span) in touched {
        let global = global.ok_or(span)?;
        let ty = module.global_variables[global].ty;
        let upgraded = atomic(&mut module.types, ty, &steps).ok_or(span)?;
        module.global_variables[global].ty = upgraded;
    }
    Ok(())
}

/// Returns the path from a variable to what a pointer points to. Elements of arrays have index 0.
fn steps(function: &Function, mut pointer: Handle<Expression>) -> Vec<u32> {
    let mut steps = Vec::new();
    loop {
        (pointer, _) = match function.expressions[pointer] {
            Expression::Access { base, .. } => (base, steps.push(0)),
            Expression::AccessIndex { base, index } => (base, steps.push(index)),
            _ => break,
        };
    }
    steps.reverse();
    steps
}

/// Returns `ty` with the part at `steps` made atomic.
fn atomic(types: &mut UniqueArena<Type>, ty: Handle<Type>, steps: &[u32]) -> Option<Handle<Type>> {
    let Type { name, mut inner } = types[ty].clone();
    match (&mut inner, steps) {
        (TypeInner::Scalar(scalar), []) => inner = TypeInner::Atomic(*scalar),
        (TypeInner::Atomic(_), []) => return Some(ty),
        (TypeInner::Array { base, .. }, [_, rest @ ..]) => *base = atomic(types, *base, rest)?,
        (TypeInner::Struct { members, .. }, [index, rest @ ..]) => {
            let member = members.get_mut(*index as usize)?;
            member.ty = atomic(types, member.ty, rest)?;
        }
        _ => return None,
    }
    let span = types.get_span(ty);
    Some(types.insert(Type { name, inner }, span))
}
