//! Errors of WGSL that naga accepts or does not explain: plain stores to atomics.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::walk::{self, FunctionId};
use crate::source_map::{SourceMap, Span};
use naga::{Expression, Function, Handle, Module, Statement, Type, TypeInner};

/// Returns an error for the first plain store to an atomic. The module need not be valid. naga's IR has the same statement for
/// `atomicStore`, with the name of the function as its span.
pub fn check(module: &Module, source: &SourceMap) -> Result<()> {
    for id in FunctionId::all(module) {
        let function = id.get(module);
        let is_atomic = |pointer| {
            let ty = pointee(module, function, pointer);
            ty.is_some_and(|ty| matches!(module.types[ty].inner, TypeInner::Atomic(_)))
        };
        let mut first = None;
        walk::statements(&function.body, &mut |_, statement, span| {
            let span = Span::from(span);
            if let Statement::Store { pointer, .. } = statement
                && first.is_none()
                && is_atomic(*pointer)
                && source.snippet(span) != "atomicStore"
            {
                first = Some(span);
            }
        });
        if let Some(span) = first {
            let error = Diagnostic::at(source, span, "an atomic cannot be assigned to");
            return Err(Box::new(error.help("use `atomicStore`")));
        }
    }
    Ok(())
}

/// Returns the type that a pointer points to, except for components of vectors and matrices.
fn pointee(
    module: &Module,
    function: &Function,
    pointer: Handle<Expression>,
) -> Option<Handle<Type>> {
    let inner = |base| Some(&module.types[pointee(module, function, base)?].inner);
    match function.expressions[pointer] {
        Expression::GlobalVariable(variable) => Some(module.global_variables[variable].ty),
        Expression::LocalVariable(variable) => Some(function.local_variables[variable].ty),
        Expression::FunctionArgument(index) => {
            match module.types[function.arguments.get(index as usize)?.ty].inner {
                TypeInner::Pointer { base, .. } => Some(base),
                _ => None,
            }
        }
        Expression::Access { base, .. } => match *inner(base)? {
            TypeInner::Array { base, .. } => Some(base),
            _ => None,
        },
        Expression::AccessIndex { base, index } => match inner(base)? {
            TypeInner::Array { base, .. } => Some(*base),
            TypeInner::Struct { members, .. } => Some(members.get(index as usize)?.ty),
            _ => None,
        },
        _ => None,
    }
}
