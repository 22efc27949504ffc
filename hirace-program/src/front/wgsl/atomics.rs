//! Errors of WGSL about atomics that naga accepts or does not explain.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::walk::{self, FunctionId};
use crate::source_map::{SourceMap, Span};
use naga::{
    AddressSpace, Expression, Function, Handle, Module, Statement, StorageAccess, Type, TypeInner,
};

/// Returns an error for the first plain store to an atomic, the first value that contains atomics, and the first atomic in memory
/// that is only read. The module need not be valid.
pub fn check(module: &Module, source: &SourceMap) -> Result<()> {
    let mut contains: Vec<bool> = Vec::with_capacity(module.types.len());
    for (_, ty) in module.types.iter() {
        contains.push(match &ty.inner {
            TypeInner::Atomic(_) => true,
            TypeInner::Array { base, .. } => contains[base.index()],
            TypeInner::Struct { members, .. } => {
                members.iter().any(|member| contains[member.ty.index()])
            }
            _ => false,
        });
    }
    if !contains.contains(&true) {
        return Ok(());
    }
    let error = |span: naga::Span, message: &str, help: &str| {
        Err(Box::new(Diagnostic::at(source, Span::from(span), message).help(help)))
    };
    for (handle, variable) in module.global_variables.iter() {
        let is_read_only = matches!(variable.space, AddressSpace::Storage { access } if !access.contains(StorageAccess::STORE));
        if is_read_only && contains[variable.ty.index()] {
            let span = module.global_variables.get_span(handle);
            let help = "declare it as `var<storage, read_write>`";
            return error(span, "an atomic cannot be in read-only memory", help);
        }
    }
    for id in FunctionId::all(module) {
        let function = id.get(module);
        let is_atomic = |ty: Handle<Type>| matches!(module.types[ty].inner, TypeInner::Atomic(_));
        for (handle, expression) in function.expressions.iter() {
            if let Expression::Load { pointer } = *expression
                && let Some(ty) = pointee(module, function, pointer)
                && contains[ty.index()]
                && !is_atomic(ty)
            {
                let span = function.expressions.get_span(handle);
                let help = "load its members, atomic ones with `atomicLoad`";
                return error(span, "a value cannot contain atomics", help);
            }
        }
        let mut first = None;
        walk::statements(&function.body, &mut |_, statement, span| {
            // naga's IR has the same statement for `atomicStore`, with the name of the function as its span.
            if let Statement::Store { pointer, .. } = statement
                && first.is_none()
                && pointee(module, function, *pointer).is_some_and(|ty| contains[ty.index()])
                && source.snippet(Span::from(span)) != "atomicStore"
            {
                first = Some(span);
            }
        });
        if let Some(span) = first {
            return error(span, "an atomic cannot be assigned to", "use `atomicStore`");
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
