//! Limits on the nesting depth and size of modules.
//!
//! Everything after the front ends recurses over the nesting of statements, calls and types on ordinary stacks. WGSL allows
//! implementations to set such limits; programs in practice do not reach them.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::calls::CallGraph;
use crate::ir::walk;
use crate::source_map::{SourceMap, Span};
use naga::{Block, Function, Module, TypeInner};

/// The maximum nesting depth of statements. Each `else if` is one level.
const STATEMENTS: usize = 400;
/// The maximum depth of nested calls.
const CALLS: usize = 200;
/// The maximum nesting depth of types: WGSL's own limit.
const TYPES: usize = 255;

/// The maximum number of members of a type, including those of nested types. Code that displays memory by name visits all of
/// them.
const MEMBERS: u64 = 1_000_000;
/// The maximum number of entry points of a file. Each is checked separately.
const ENTRIES: usize = 1_000;

/// Returns an error for a module that exceeds these limits. Must be called on a large stack.
pub fn check(module: &Module, source: &SourceMap) -> Result<()> {
    let error = |span: naga::Span, message: String| {
        Err(Box::new(match span.is_defined() {
            true => Diagnostic::at(source, Span::from(span), message),
            false => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
        }))
    };
    if module.entry_points.len() > ENTRIES {
        let span = module.entry_points[ENTRIES].function.body.span_iter().next();
        let span = span.map_or(naga::Span::UNDEFINED, |(_, span)| *span);
        return error(span, "a file may have at most 1,000 entry points".to_owned());
    }
    let mut types = Vec::with_capacity(module.types.len());
    let mut members: Vec<u64> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        let depth = 1 + match &ty.inner {
            TypeInner::Array { base, .. } => types[base.index()],
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| types[member.ty.index()]).max().unwrap_or(0)
            }
            _ => 0,
        };
        if depth > TYPES {
            let span = module.types.get_span(handle);
            return error(span, format!("types may nest at most {TYPES} levels deep"));
        }
        types.push(depth);
        let of_type = match &ty.inner {
            TypeInner::Array { base, .. } => members[base.index()],
            TypeInner::Struct { members: all, .. } => {
                let of_members = all.iter().map(|member| members[member.ty.index()]);
                of_members.fold(0_u64, u64::saturating_add)
            }
            _ => 1,
        };
        if of_type > MEMBERS {
            let message =
                "a type may have at most 1,000,000 members, including those of nested structures";
            return error(module.types.get_span(handle), message.to_owned());
        }
        members.push(of_type);
    }
    let calls = CallGraph::of(module).depths();
    for ((handle, function), calls) in module.functions.iter().zip(calls) {
        let span = module.functions.get_span(handle);
        if let Some(at) = beyond(&function.body, STATEMENTS) {
            return error(if at.is_defined() { at } else { span }, too_deep(function));
        }
        if calls > CALLS {
            return error(span, format!("calls may nest at most {CALLS} levels deep"));
        }
    }
    for entry in &module.entry_points {
        if let Some(at) = beyond(&entry.function.body, STATEMENTS) {
            return error(at, too_deep(&entry.function));
        }
    }
    Ok(())
}

fn too_deep(function: &Function) -> String {
    let name = function.name.as_deref().unwrap_or("a function");
    format!(
        "statements (and `else if`s) may nest at most {STATEMENTS} levels deep; `{name}` is deeper"
    )
}

/// Returns the span of the first statement that is nested in more than `levels` blocks.
fn beyond(block: &Block, levels: usize) -> Option<naga::Span> {
    block.span_iter().find_map(|(statement, span)| match levels {
        0 => Some(*span),
        _ => walk::children(statement).into_iter().find_map(|inner| beyond(inner, levels - 1)),
    })
}
